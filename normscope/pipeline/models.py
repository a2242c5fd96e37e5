"""A file of models under test; a run of each is made from it."""

import re
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass, make_dataclass
from pathlib import Path
from types import GenericAlias
from typing import Any

from ..errors import ConfigError, UsageError
from ..records.model_spec import Decoding, EndpointSettings, ModelSpec
from ..records.settings import PER_MODEL, TYPES, Settings, updated
from ..yaml import load_yaml
from .judge import check_judging

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")


def _left_out(kind: type, *without: str) -> list[tuple[str, Any, Any]]:
    """The settings of the class, each of which may be left out."""
    names = (each.name for each in fields(kind) if each.name not in without)
    return [(name, TYPES[name] | None, field(default=None)) for name in names]


def _listed() -> Any:
    """The type of the file: what is said of a model are its settings by their names, and others."""
    of_model: list[Any] = [
        ("model", str),
        ("name", str, field(default="")),
        *_left_out(ModelSpec, "model", "endpoint"),
    ]
    for name, kind in (("endpoint", EndpointSettings), ("sampling", Decoding)):
        of_model.append((name, make_dataclass(name, _left_out(kind)) | None, field(default=None)))
    return GenericAlias(tuple, (make_dataclass("Model", of_model), ...))


LISTED = _listed()


def read_models(path: Path, base: Settings, flags: Mapping[str, Any]) -> dict[str, Settings]:
    """The settings of a run of each model of the file, by the name of its folder.

    What the file says goes before the flags, and these before the base. Every problem of the file
    is in one error.
    """
    if base.model is not None:
        raise UsageError("--models names the models under test: leave --model out")
    if not base.benchmark and not base.context:
        raise UsageError("no benchmark is named: --benchmark cfsafety,ci-vignettes:coppa")
    for name in PER_MODEL:
        if flags.get(name) is not None:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} is of one model: write it into {path}")
    # what no model could do is said once, before any is loaded
    check_judging(base)
    models = [_given(each) for each in load_yaml(path, LISTED)]
    if not models:
        raise ConfigError(f"{path}: there is no model in it; list at least one (- model: …)")
    names, problems = [folder_of(each) for each in models], []
    for number, (name, each) in enumerate(zip(names, models, strict=True), start=1):
        # a disk may take A and a for the same folder
        first = [other.casefold() for other in names].index(name.casefold())
        if not name:
            problems.append(f"model {number} ({each['model']!r}) needs a name")
        elif first < number - 1:
            both = f"{models[first]['model']!r} and {each['model']!r}"
            problems.append(f"{both} are both called {name!r}; give each a name")
    if problems:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems))
    return {
        name: updated(base, {**flags, **each}) for name, each in zip(names, models, strict=True)
    }


def folder_of(listed: Mapping[str, Any]) -> str:
    """The name of a listed model's run folder; empty where it has to be given one.

    >>> folder_of({"model": "Qwen/Qwen3-0.6B"}), folder_of({"model": "http://a/v1#my model"})
    ('Qwen3-0.6B', 'my-model')
    """
    if name := listed.get("name"):
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"the name {name[:110]!r} is to be a folder's: letters, digits, '.', '_' and '-', "
                "a letter or digit first, at most 100"
            )
        return str(name)
    # a path, a Hub id and an address with #NAME all end with what the model is called
    last = re.split(r"[/\\#:]", ModelSpec(listed["model"]).model.rstrip("/\\"))[-1]
    return _STRANGE.sub("-", last).strip("-._")[:100]


def _given(value: Any) -> dict[str, Any]:
    """The fields that are not null, those of the parts among them."""
    result: dict[str, Any] = {}
    for each in fields(value):
        of_field = getattr(value, each.name)
        if is_dataclass(of_field):
            result |= _given(of_field)
        elif of_field is not None:
            result[each.name] = of_field
    return result
