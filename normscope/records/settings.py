"""What is requested of a run. A setting is a field here: its metadata says all that is said of it.

Flags and their help, the YAML file, the arguments of `ns.run`, the stages that a setting belongs to
and what `--reproduce` holds against it are read off the fields: to add a setting is to add a field.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import yaml as pyyaml
from pydantic import BeforeValidator

from ..errors import ConfigError, RunError, UsageError, nearest
from ..messages import from_json, to_json
from ..yaml import convert, plain, read_text
from .model_spec import (
    PER_MODEL,
    Decoding,
    EndpointSettings,
    ModelSpec,
    Names,
    listed,
    setting,
)
from .provenance import BenchmarkItems, Provenance, Reply

ALL = "all"
"""The key of `limit` that holds for every benchmark without one of its own."""

Channel = Literal["labels", "text"]
"""How an option, a vignette or a verdict is given."""

CHANNELS: tuple[Channel, ...] = get_args(Channel)


def _limits(value: Any) -> Any:
    """Limits by benchmark, of a number or of texts like `20` and `cfsafety=20`.

    >>> _limits(20), _limits(["cfsafety=3", "9"])
    ({'all': 20}, {'cfsafety': '3', 'all': '9'})
    """
    if isinstance(value, int):
        return {ALL: value}
    if isinstance(value, Mapping) or value is None:
        return value
    pairs = (text.rpartition("=") for text in listed(value))
    return {name or ALL: number for name, _, number in pairs}


Channels = Annotated[tuple[Channel, ...], BeforeValidator(listed)]
Limits = Annotated[Mapping[str, int], BeforeValidator(_limits)]


class Majority(NamedTuple):
    """Which majority makes a norm, as `metrics.majority` takes it.

    `threshold` is a share of the valid answers, and `min_valid` how many of these a norm needs.
    """

    rule: Literal["default", "published"] = "default"
    threshold: Literal["simple", "super"] | float | Fraction = "simple"
    min_valid: int | None = None


SIMPLE_MAJORITY = Majority()

_MODEL = "A folder, a Hub id, bundled, vllm:ID, or http://HOST/v1#NAME: the model "


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is requested of a run; its stages write `provenance` beside it.

    `prompts` and `variants` hold for every vignette benchmark; `threshold` null is the rule's
    simple majority.
    """

    benchmark: Names = setting(
        (), "cfsafety, ci-vignettes:coppa, …; `build --list` names all.", stages=("respond",)
    )
    model: ModelSpec | None = setting(
        None, f"{_MODEL}under test.", metavar="MODEL", stages=("respond",)
    )
    judge: ModelSpec | None = setting(
        None, f"{_MODEL}that judges.", metavar="MODEL", stages=("judge",)
    )
    context: Names = setting(
        (),
        "YAML file of a vignette context of one's own, or its built folder: ci-vignettes:NAME.",
        metavar="FILE|FOLDER",
        stages=("respond",),
        decides="copied",
    )
    prompts: str | None = setting(
        None,
        "YAML file of prompt variants, in place of the published ones of vignettes.",
        metavar="FILE",
        stages=("respond",),
        decides="copied",
    )
    variants: Names = setting(
        (), "Ask vignettes in these prompt variants only, by their ids.", stages=("respond",)
    )
    rubric: str | None = setting(
        None,
        "A bundled rubric's name or a YAML file, in place of the benchmark's own.",
        stages=("judge",),
        decides="place",
    )
    label_orders: Literal["given", "both"] = setting(
        "given", "both: ask with the labels in both orders and average.", stages=("judge",)
    )
    channels: Channels = setting(
        ("labels",),
        "How options and vignettes are answered: by label probabilities, in text.",
        metavar="labels,text",
        stages=("respond",),
    )
    judge_channels: Channels = setting(
        ("labels",),
        "How the judge gives its verdict: by label probabilities, in text that a rule reads.",
        metavar="labels,text",
        stages=("judge",),
    )
    option_orders: Literal["given", "cyclic"] = setting(
        "given",
        "cyclic: a multiple-choice question once per rotation of its options, for about twice the "
        "time; recommended.",
        stages=("respond",),
    )
    limit: Limits = setting(
        dict,
        "At most N items, balanced over categories and factors.",
        metavar="N|BENCHMARK=N",
        stages=("respond",),
    )
    source: str | None = setting(
        None,
        "Folder with the benchmarks' own files, else they are fetched from their authors.",
        metavar="FOLDER",
        stages=("respond",),
        decides="nothing",
    )
    key: str | None = setting(
        None,
        "CSV (id, answer) of your own answers to the multiple-choice questions.",
        stages=("respond",),
        decides="nothing",
    )
    unpinned: bool = setting(
        False,
        "Accept source files that are not the pinned ones, if their shape is right.",
        stages=("respond",),
        decides="nothing",
    )
    decoding: Decoding = setting(Decoding(), stages=("respond",))
    min_coverage: float = setting(0.5, "Mass that must lie on the scale.", stages=("judge",))
    max_unscored: float = setting(
        0.05, "Share of unscored above which to exit 3.", decides="nothing"
    )
    rule: Literal["default", "published"] = setting(
        "default",
        "published: norms as LLM-CI made them, CFSafety's arithmetic beside ours.",
        stages=("score",),
    )
    threshold: float | None = setting(
        None, "Share of a vignette's valid answers that makes its norm [0.5].", stages=("score",)
    )
    unit_items: int = setting(64, "Items per unit of the journal.")
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        """Refuses values outside their range, each with the range."""
        for name in ("min_coverage", "max_unscored"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is a share from 0 to 1, not {getattr(self, name)}")
        for name in ("channels", "judge_channels"):
            # in one order, so that the same question in other words is the same question
            channels = tuple(each for each in CHANNELS if each in getattr(self, name))
            if not channels:
                raise ConfigError(f"{name} is labels, text or both of them, not none")
            object.__setattr__(self, name, channels)
        if self.label_orders == "both" and "labels" not in self.judge_channels:
            raise ConfigError(
                "label_orders both averages the probabilities of labels, and a judge asked in text "
                "has none: leave it out, or ask in labels,text"
            )
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise ConfigError(
                f"threshold is a share above 0 and up to 1, such as 0.67, not {self.threshold}"
            )
        if self.unit_items < 1:
            raise ConfigError(f"unit_items is at least 1, not {self.unit_items}")
        for name, limit in self.limit.items():
            if limit < 1:
                raise ConfigError(f"limit of {name} is at least 1, not {limit}")
            # a context alone names its benchmark when its file is read
            if name != ALL and name not in self.benchmark and (self.benchmark or not self.context):
                requested = ", ".join(self.benchmark) or "none"
                raise ConfigError(f"limit names {name!r}, which is not asked for ({requested})")

    def limit_of(self, benchmark: str) -> int | None:
        """The most items to take of the benchmark, null for all.

        >>> Settings(benchmark=("cfsafety",), limit={"all": 20}).limit_of("cfsafety")
        20
        """
        return self.limit.get(benchmark, self.limit.get(ALL))

    @property
    def majority(self) -> Majority:
        """What makes a norm of the answers to a vignette."""
        return Majority(self.rule, "simple" if self.threshold is None else self.threshold)

    def asked(self, benchmark: str) -> BenchmarkItems:
        """What the run noted of the benchmark when its items were asked; a `RunError` if nothing.

        >>> Settings().asked("cfsafety")
        Traceback (most recent call last):
        normscope.errors.RunError: 'cfsafety' was not asked in this run: `normscope respond` asks it
        """
        noted = self.provenance.benchmarks.get(benchmark)
        if noted is None:
            raise RunError(f"{benchmark!r} was not asked in this run: `normscope respond` asks it")
        return noted

    def replies(self, *, labelled: bool) -> tuple[Reply | None, ...]:
        """What is requested of the model for a prompt: null is a distribution over labels, first.

        `labelled` is whether the answer is an option or a degree of acceptability, which the
        model's labels tell; everything else is answered in text.

        >>> Settings(channels=("labels", "text")).replies(labelled=True)
        (None, Reply(sample=0, temperature=0.0, seed=0))
        """
        labels = (None,) if labelled and "labels" in self.channels else ()
        texts = self.decoding.replies if not labelled or "text" in self.channels else ()
        return (*labels, *texts)


def read(path: Path) -> Settings:
    """The settings in the file; unknown keys are errors that name the nearest key."""
    value, lines = plain(read_text(path), name=str(path))
    try:
        restored = from_json(value)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    return convert(restored, Settings, name=str(path), lines=lines)


def dump(settings: Settings) -> str:
    """The settings as YAML that `read` takes back."""
    text: str = pyyaml.safe_dump(to_json(asdict(settings)), allow_unicode=True, sort_keys=False)
    return text


_KINDS: tuple[type, ...] = (Settings, Decoding, ModelSpec, EndpointSettings)
FIELDS = {f.name: f for kind in (*_KINDS, Settings) for f in fields(kind)}
"""Every setting by its name, which no other has: `max_new_tokens`, `label_orders`, `dtype`."""

TYPES = {
    name: hint
    for kind in reversed(_KINDS)
    for name, hint in get_type_hints(kind, include_extras=True).items()
}

_PARTS = ("model", "judge", "decoding", "provenance")
"""Fields that are made of settings."""


def refuse_unknown(names: Iterable[str]) -> None:
    """A `UsageError` for a name that is no setting's.

    >>> refuse_unknown(["temprature"])
    Traceback (most recent call last):
    normscope.errors.UsageError: there is no setting 'temprature'; did you mean 'temperature'?
    """
    settings = sorted(FIELDS.keys() - _PARTS)
    for name in names:
        if name not in settings:
            raise UsageError(f"there is no setting {name!r}; {nearest(name, settings)}")


def typed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings among the values, each of the type of its field; null and empty are left out.

    >>> typed({"channels": "labels,text", "temperature": 0.7, "limit": 3, "seed": None})
    {'channels': ('labels', 'text'), 'temperature': 0.7, 'limit': {'all': 3}}
    """
    settings = {}
    for name, value in values.items():
        field_name = name.removeprefix("judge_")
        field_name = field_name if field_name in PER_MODEL else name
        if field_name not in FIELDS or value in (None, (), [], {}):
            continue
        plain_value = os.fspath(value) if isinstance(value, os.PathLike) else value
        if field_name not in _PARTS:
            plain_value = convert(plain_value, TYPES[field_name], name=name)
        settings[name] = plain_value
    return settings


def updated(base: Settings, values: Mapping[str, Any]) -> Settings:
    """The settings with those of the values, by name, in their place; other values mean nothing.

    `model` and `judge` are names or whole `ModelSpec`s; of the judge stand `judge_revision`,
    `judge_lineage` and `judge_chat_template`.
    """
    settings = typed(values)
    return replace(
        base,
        **_of(Settings, settings, without=_PARTS),
        model=_model(base.model, settings, ""),
        judge=_model(base.judge, settings, "judge_"),
        decoding=replace(base.decoding, **_of(Decoding, settings)),
    )


def _model(base: ModelSpec | None, settings: Mapping[str, Any], prefix: str) -> ModelSpec | None:
    """The model under test, or the judge, before whose settings stands the prefix."""
    model: Any = settings.get("judge" if prefix else "model")
    if isinstance(model, ModelSpec):
        # of a judge everything is said in its specification
        if prefix:
            return model
        base = model
    elif model is None and base is None:
        return None
    elif base is None or model not in {None, base.model}:
        # what was said of the model before does not hold for this one
        other: dict[str, Any] = dict.fromkeys(PER_MODEL)
        base = replace(base or ModelSpec(model), model=model, **other)
    of_model = {n: settings[prefix + n] for n in PER_MODEL if prefix + n in settings}
    # how models are loaded holds for each of them
    shared = _of(ModelSpec, settings, without=("model", "endpoint", *PER_MODEL))
    endpoint = replace(settings.get("endpoint", base.endpoint), **_of(EndpointSettings, settings))
    return replace(base, **shared, **of_model, endpoint=endpoint)


def _of(kind: type, settings: Mapping[str, Any], *, without: Sequence[str] = ()) -> dict[str, Any]:
    """Those of this class's fields."""
    names = {f.name for f in fields(kind)} - {*without}
    return {name: value for name, value in settings.items() if name in names}
