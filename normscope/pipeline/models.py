"""A file of models under test, and what they differ in; a run of each is made from it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from ..records.config import RunConfig
from ..records.model_spec import Day, Dtype, EndpointSettings, ModelSpec, refuse_long_name
from ..yaml import load_yaml

ATTRIBUTES = ("capacity", "alignment", "quantisation", "lineage")
"""What the models of a file are said to differ in, and what `compare --by` knows."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_STRANGE = re.compile(r"[^A-Za-z0-9._-]+")
_OF_SPEC = frozenset(field.name for field in fields(ModelSpec))


@dataclass(frozen=True, slots=True)
class Sampling:
    """How this model writes, where it is otherwise than the command says."""

    temperature: float | tuple[float, ...] | None = None
    samples: int | None = None
    max_new_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """One model of the file. What it leaves out is as the command, or its `--config`, says.

    `name` is its run folder's (else the last part of `model`). `capacity`, `alignment`,
    `quantisation` and `lineage` tell the models apart for `compare --by`; they are free text, and
    what is loaded does not depend on them. The rest is as in `ModelSpec`.
    """

    model: str
    name: str = ""
    capacity: str | None = None
    alignment: str | None = None
    quantisation: str | None = None
    lineage: str | None = None
    revision: str | None = None
    dtype: Dtype | None = None
    device: str | None = None
    attention: str | None = None
    chat_template: str | None = None
    date: Day | None = None
    pack_tokens: int | None = None
    tensor_parallel: int | None = None
    endpoint: EndpointSettings | None = None
    sampling: Sampling = Sampling()

    def __post_init__(self) -> None:
        """Refuses a name that is no folder's, and a model's that is no path's."""
        refuse_long_name(self.model)
        if self.name and not _NAME.fullmatch(self.name):
            raise ConfigError(
                f"the name {self.name[:110]!r} is to be a folder's: letters, digits, '.', '_' and "
                "'-', a letter or digit first, at most 100"
            )

    @property
    def folder(self) -> str:
        """The name of its run folder.

        >>> Listed("Qwen/Qwen3-0.6B").folder, Listed("http://a/v1#my model").folder
        ('Qwen3-0.6B', 'my-model')
        """
        # a path, a Hub id and an address with #NAME all end with what the model is called
        last = re.split(r"[/\\#:]", self.model.rstrip("/\\"))[-1]
        return self.name or _STRANGE.sub("-", last).strip("-._")[:100]


def read_models(path: Path) -> tuple[Listed, ...]:
    """The models of the file, each with a folder of its own; every problem in one error."""
    models = load_yaml(path, tuple[Listed, ...])
    if not models:
        raise ConfigError(f"{path}: there is no model in it; list at least one (- model: …)")
    problems = []
    taken: dict[str, Listed] = {}
    for number, listed in enumerate(models, start=1):
        if not listed.folder:
            problems.append(f"model {number} ({listed.model!r}) needs a name")
            continue
        # a disk may take A and a for the same folder
        other = taken.setdefault(listed.folder.casefold(), listed)
        if other is not listed:
            problems.append(
                f"{other.model!r} and {listed.model!r} are both called {listed.folder!r}; give "
                "each a name"
            )
    if problems:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems))
    return models


def config_of(listed: Listed, base: RunConfig, spec: ModelSpec) -> RunConfig:
    """The configuration of this model's run: the base, with what the file says of it in place.

    `spec` is how models are loaded where the file does not say.
    """
    loaded = {name: value for name, value in _given(listed).items() if name in _OF_SPEC}
    differs = {name: value for name, value in _given(listed).items() if name in ATTRIBUTES}
    return replace(
        base,
        model=replace(spec, **loaded),
        attributes={**base.attributes, **differs},
        decoding=replace(base.decoding, **_given(listed.sampling)),
    )


def _given(value: Any) -> Mapping[str, Any]:
    """The fields that are not null."""
    known = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: given for name, given in known.items() if given is not None}
