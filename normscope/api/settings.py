"""The configuration that a call or a command line asks for, over what a run or a file says already.

Settings have one name each, that of their field: `max_new_tokens`, `label_orders`, `dtype`.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, get_origin, get_type_hints

from ..errors import UsageError, nearest
from ..records.config import Decoding, RunConfig, override, read
from ..records.model_spec import ModelSpec
from ..yaml import convert

Names = str | Iterable[str]
"""One name or several."""

PER_MODEL = ("revision", "lineage", "chat_template")
"""What is said of one model, and of no other that takes its place."""

OF_ENGINES = ("dtype", "device", "attention", "date", "pack_tokens")
"""What holds for every model that is loaded."""

OF_DECODING = tuple(field.name for field in fields(Decoding))
OF_RUN = (
    *("benchmark", "context", "prompts", "variants"),
    *("limit", "channels", "option_orders", "source", "unpinned", "key"),
    *("rubric", "label_orders", "judge_channels", "min_coverage", "max_unscored", "unit_items"),
    *("rule", "threshold"),
)

_KINDS: tuple[type, ...] = (RunConfig, Decoding, ModelSpec)
_PARTS = {"model", "judge", "decoding", "provenance"}
"""Fields that are made of settings and are none."""


def requested(given: Mapping[str, Any], base: RunConfig) -> RunConfig:
    """The configuration that these settings, and the file of `config`, ask for.

    What is null or empty was not given. `model` and `judge` are names or whole `ModelSpec`s; of the
    judge stand `judge_revision`, `judge_lineage` and `judge_chat_template`. Contexts of one's own
    are read, and asked where no benchmark is named.
    """
    base = read(given["config"]) if given.get("config") else base
    wanted = override(
        base,
        **{name: given.get(name) for name in (*OF_RUN, "attributes")},
        model=_spec(base.model, given, ""),
        judge=_spec(base.judge, given, "judge"),
        decoding=replace(base.decoding, **_chosen(given, *OF_DECODING)),
    )
    if wanted.benchmark or not wanted.context:
        return wanted
    from ..pipeline.requested import with_benchmarks

    return with_benchmarks(wanted)


def loading(given: Mapping[str, Any], base: ModelSpec) -> ModelSpec:
    """The model with what is said about engines: it holds for every model that is loaded."""
    endpoint = given.get("endpoint") or base.endpoint
    endpoint = replace(endpoint, **_chosen(given, "max_requests"))
    return replace(base, **_chosen(given, *OF_ENGINES, "tensor_parallel"), endpoint=endpoint)


def listed_names(given: Names | None) -> tuple[str, ...]:
    """One name or several as a tuple: a text alone is no list of its letters.

    >>> listed_names("hr"), listed_names(["hr", "rr1"]), listed_names(None)
    (('hr',), ('hr', 'rr1'), ())
    """
    return () if given is None else (given,) if isinstance(given, str) else tuple(given)


def typed_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by the names of their fields, each of the type of its field.

    A text is taken for a list of one or, with commas, of several where a list is due; a path is a
    text. A `UsageError` names the nearest setting for one that there is not, or what is wrong with
    a value.

    >>> typed_settings({"channels": "labels,text", "temperature": 0.7, "limit": {"all": 3}})
    {'channels': ('labels', 'text'), 'temperature': 0.7, 'limit': {'all': 3}}
    >>> typed_settings({"temprature": 0.7})
    Traceback (most recent call last):
    normscope.errors.UsageError: there is no setting 'temprature'; did you mean 'temperature'?
    """
    kinds = {field.name: kind for kind in _KINDS for field in fields(kind)}
    known = sorted(kinds.keys() - _PARTS)
    for name in given:
        if name not in known:
            raise UsageError(f"there is no setting {name!r}; {nearest(name, known)}")
    checked: dict[str, Any] = {}
    for kind in _KINDS:
        hints = get_type_hints(kind)
        plain = {
            name: _plain(value, hints[name]) for name, value in given.items() if kinds[name] is kind
        }
        if plain:
            whole = {"model": "", **plain} if kind is ModelSpec else plain
            values: Any = convert(whole, kind, name="run")
            checked |= {name: getattr(values, name) for name in plain}
    return {name: checked[name] for name in given}


def _plain(value: Any, kind: Any) -> Any:
    """The value as a configuration file has it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, str) and get_origin(kind) is tuple:
        return [name.strip() for name in value.split(",")]
    if isinstance(value, list | tuple):
        return [os.fspath(each) if isinstance(each, os.PathLike) else each for each in value]
    return value


def _spec(base: ModelSpec | None, given: Mapping[str, Any], role: str) -> ModelSpec | None:
    """The model under test, or the one of the role, whose settings begin with its name."""
    model = given.get(role or "model")
    if model is None and base is None:
        return None
    if isinstance(model, ModelSpec):
        # of a judge everything is said in its specification
        return model if role else loading(given, replace(model, **_chosen(given, *PER_MODEL)))
    prefix = f"{role}_" if role else ""
    about = {name: given.get(f"{prefix}{name}") for name in PER_MODEL}
    if base is None or model not in {None, base.model}:
        # what was said of the model before does not hold for this one
        other: dict[str, Any] = {} if base is None else dict.fromkeys(PER_MODEL)
        base = replace(base or ModelSpec(str(model)), model=str(model), **other)
    return loading(given, replace(base, **_chosen(about, *PER_MODEL)))


def _chosen(given: Mapping[str, Any], *wanted: str) -> dict[str, Any]:
    return {name: given[name] for name in wanted if given.get(name) not in (None, ())}
