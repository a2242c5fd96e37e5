"""What a stage was asked and what that came to, held against the same of another time."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import RunError
from ..files import hash_file, named
from .config import RunConfig
from .integrity import CONFIG, SEAL, read_checked
from .model_spec import COMPUTED

# What each stage was asked; of `source` the hash of what was read stands in `resolved`.
ASKED: Mapping[str, tuple[str, ...]] = {
    "respond": (
        "benchmark",
        "model",
        "limit",
        "channels",
        "option_orders",
        "decoding",
        "unit_items",
    ),
    "judge": ("judge", "rubric", "label_orders", "min_coverage", "unit_items"),
}

_ROLES = {"respond": "model", "judge": "judge"}

TAKEN = ("source", "unpinned", "attributes")
"""What is noted with the responses and may change: no answer depends on it."""

RETRIES, SERVED = "retries", "served"
"""The keys, among what a stage has resolved, of how many answers were asked again each time, and of
the models that a server answered with."""

AFTERWARDS = frozenset({SEAL, RETRIES, SERVED})
"""What a stage has not resolved before it asks, but notes of what it has asked."""

REPRODUCES = "reproduces"
"""The key, in `resolved`, of which run this one repeats and where it differs from it."""

_HOW = re.compile(r"\.endpoint\.(?!(?:api|marks)$)|\.pack_tokens$")
"""How a server is asked and how much goes through a model at once may change when a run goes on:
the first decides nothing, the second no more than rounding, and a full memory asks for it."""

_PLACE = re.compile(
    r"^rubric$|^(?:model|judge)\."
    r"(?:model|revision|family|chat_template|device|attention|tensor_parallel)$"
)
"""Where something lies and how a model is computed: a run may be repeated on another machine. What
was loaded from there, and what followed from how, stands in `resolved`."""

_ROUNDING = re.compile(rf"^packages\.|\.(?:{'|'.join(COMPUTED)})$")
_LONG = 16


@dataclass(frozen=True, slots=True)
class Difference:
    """A field whose value was another one before; null is none."""

    field: str
    before: Any
    after: Any

    @property
    def is_rounding(self) -> bool:
        """Whether it can move a number by no more than rounding."""
        return _ROUNDING.search(self.field) is not None


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A run that is to be repeated: its name, the hash of its settings, and the settings.

    With `allow_mismatch` the repetition goes on where it differs, and says so.
    """

    name: str
    config_hash: str
    then: RunConfig
    allow_mismatch: bool = False

    @classmethod
    def of(cls, run: Path, *, allow_mismatch: bool = False) -> "Reproduction":
        """The run in the folder, whose settings are as it left them and came to something."""
        then = read_checked(run, stages=())
        for stage in ASKED:
            if stage not in then.resolved:
                raise RunError(
                    f"{run} cannot be repeated: it was never begun to {stage}, so that there is "
                    "nothing to hold the repetition against; `normscope run --config "
                    f"{run / CONFIG}` asks for its settings"
                )
        return cls(named(run).name, hash_file(run / CONFIG), then, allow_mismatch)

    @property
    def settings(self) -> RunConfig:
        """What the run asked for, without what that came to."""
        return replace(self.then, resolved={})

    def differences(
        self, stage: str, now: RunConfig, resolved: Mapping[str, Any], *, partly: bool = False
    ) -> list[Difference]:
        """Where the stage is not what it was in the run that is repeated.

        `partly`: `resolved` holds some of what there will be, and nothing is said of the rest.
        A model whose content is the same is the same model, wherever it lies.
        """
        asked = [
            one for one in asked_otherwise(stage, self.then, now) if not _PLACE.search(one.field)
        ]
        before, after = flat(_settled(self.then.resolved[stage])), flat(_settled(resolved))
        fields = list(after) if partly else list(dict.fromkeys((*before, *after)))
        content = f"{_ROLES[stage]}.content"
        same = before.get(content) is not None and before.get(content) == after.get(content)
        return asked + [
            Difference(name, before.get(name), after.get(name))
            for name in fields
            if before.get(name) != after.get(name)
            and not (same and name == f"{_ROLES[stage]}.model")
        ]

    def refuse(self, found: list[Difference]) -> None:
        """A `RunError` that names what would change the numbers, unless that is allowed."""
        lines = [
            f"  {one.field}: then {one.before!r}, now {one.after!r}"
            for one in found
            if not one.is_rounding
        ]
        if lines and not self.allow_mismatch:
            raise RunError(
                f"this is not what {self.name} was made with, so that it would not be repeated "
                "(--allow-mismatch goes on and writes it on the result):\n" + "\n".join(lines)
            )

    def noted(self, earlier: Mapping[str, Any], stage: str, found: list[Difference]) -> Any:
        """What `resolved` says of the repetition, with what was found in one more stage."""
        told: dict[str, Any] = {"run": self.name, "config": self.config_hash}
        for name, rounding in (("differs", False), ("computed", True)):
            mine = {
                one.field: {"then": one.before, "now": one.after}
                for one in found
                if one.is_rounding is rounding
            }
            told[name] = {**(earlier.get(name) or {}), stage: mine}
        return told


def reproduction_notes(resolved: Mapping[str, Any]) -> Iterator[str]:
    """What a reader must know of a run that repeats another one and is not its equal."""
    noted = resolved.get(REPRODUCES) or {}
    run = noted.get("run")
    for fields in (noted.get("differs") or {}).values():
        for field, values in fields.items():
            then, now = (_short(values[time]) for time in ("then", "now"))
            yield f"This run was to repeat {run}, and differs in {field}: then {then}, now {now}."
    for fields in (noted.get("computed") or {}).values():
        for field, values in fields.items():
            then, now = (_short(values[time]) for time in ("then", "now"))
            yield (
                f"This run repeats {run} with another {field} (then {then}, now {now}), which "
                "should move a number by rounding only."
            )


def serving_notes(resolved: Mapping[str, Any], *, of: Iterable[str] = ASKED) -> Iterator[str]:
    """What a reader must know of a server that did not answer with one model all the time."""
    who = {"respond": "the model under test", "judge": "the judge"}
    for stage in of:
        first, *later = (resolved.get(stage) or {}).get(SERVED) or [""]
        if later:
            yield (
                f"The server of {who[stage]} answered as {first}, and later as {', '.join(later)}: "
                "its answers need not be of one model."
            )


def asked_otherwise(stage: str, before: RunConfig, now: RunConfig) -> list[Difference]:
    """The settings of the stage that are not the same, but for those that decide nothing."""
    was, asked = (flat({name: getattr(c, name) for name in ASKED[stage]}) for c in (before, now))
    return _differing(was, asked)


def resolved_otherwise(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    """What came out otherwise, what is noted afterwards left aside."""
    settled = ({k: v for k, v in one.items() if k not in AFTERWARDS} for one in (before, now))
    return _differing(*map(flat, settled))


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested values by their dotted path; null and absent are the same.

    >>> flat({"a": {"b": 1}, "c": None})
    {'a.b': 1}
    """
    if hasattr(value, "__dataclass_fields__"):
        value = {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        parts = [flat(part, f"{prefix}{name}.") for name, part in value.items()]
        return {name: part for some in parts for name, part in some.items()}
    if isinstance(value, tuple):
        value = list(value)
    return {} if value is None else {prefix.removesuffix("."): value}


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    return [
        Difference(name, before.get(name), after.get(name))
        for name in dict.fromkeys((*before, *after))
        if not _HOW.search(name) and before.get(name) != after.get(name)
    ]


def _settled(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """What of it is the stage's own: neither noted afterwards nor said of the model's kin."""
    return {k: v for k, v in resolved.items() if k not in {*AFTERWARDS, "notes"}}


def _short(value: Any) -> str:
    """The value as a sentence has it; of a hash its beginning.

    >>> _short("0d3ab36287d04377d6f102b5046473a4cbdcf8ae"), _short(None), _short("float32")
    ('0d3ab36287d0…', 'none', 'float32')
    """
    text = "none" if value is None else str(value)
    hexadecimal = len(text) > _LONG and all(sign in "0123456789abcdef" for sign in text)
    return f"{text[:12]}…" if hexadecimal else text
