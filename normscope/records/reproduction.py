"""What was requested of a stage and what made its files, compared with the same of another time."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import RunError
from ..files import hash_file, named
from ..messages import message
from .integrity import CONFIG, SOURCES, check, refuse, refuse_no_run
from .model_spec import ADDRESSES, Decides, ModelSpec
from .provenance import AFTERWARDS, Difference, Provenance, StageProvenance
from .settings import FIELDS, Settings, read

_ROLES = {"respond": "model", "judge": "judge"}
ASKING = tuple(_ROLES)
"""The stages that ask a model."""

COMPUTED = (
    "device",
    "threads",
    "pack_tokens",
    "tensor_parallel",
    "attention",
    "batching",
    "linear",
    "vllm",
)
"""The fields of an identity that tell how a model is computed: they move an answer by rounding."""


def _deciding(kind: Any, what: Decides) -> Iterator[str]:
    """The dotted paths of the settings that decide this.

    >>> [*_deciding(ModelSpec, "nothing")][:2]
    ['pack_tokens', 'endpoint.concurrency']
    """
    for each in fields(kind):
        if each.metadata.get("decides") == what:
            yield each.name
        elif is_dataclass(each.default):
            yield from (f"{each.name}.{path}" for path in _deciding(each.default, what))


_IDLE = frozenset(_deciding(ModelSpec, "nothing"))
_PLACES = frozenset(
    [*_deciding(Settings, "place")]
    + [f"{role}.{path}" for role in _ROLES.values() for path in _deciding(ModelSpec, "place")]
)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A run that is to be repeated: its name, the hash of its settings, and the settings."""

    name: str
    config_hash: str
    then: Settings

    @classmethod
    def of(cls, run: Path) -> "Reproduction":
        """The run in the folder, whose settings are as it left them and came to something."""
        refuse_no_run(run)
        then = read(run / CONFIG)
        refuse(run, check(run, then, stages=()))
        if then.provenance.imported is not None:
            raise RunError(
                f"{run} cannot be repeated: its answers were recorded elsewhere and imported, so "
                "that there is no model to ask again; import them into a new folder"
            )
        for stage in ASKING:
            if then.provenance.of(stage) is None:
                raise RunError(
                    f"{run} cannot be repeated: it was never begun to {stage}, so that there is "
                    "nothing to hold the repetition against; `normscope run --config "
                    f"{run / CONFIG}` asks for its settings"
                )
        return cls(named(run).name, hash_file(run / CONFIG), from_copies(then, run))

    @property
    def settings(self) -> Settings:
        """What the run requested, without what that came to."""
        return replace(self.then, provenance=Provenance())

    def differences(
        self, stage: str, now: Settings, provenance: StageProvenance, *, partly: bool = False
    ) -> list[Difference]:
        """Return where the stage is not what it was in the run that is repeated, but for rounding.

        `partly`: `provenance` holds some of what there will be, and nothing is said of the rest.
        A model whose content is the same is the same model, wherever it lies. Raise RunError where
        anything would change the numbers by more than rounding.
        """
        role = _ROLES[stage]
        changed = [
            change
            for change in settings_differences(stage, self.then, now)
            if change.field not in _PLACES
        ]
        before, after = _settled(self.then.provenance.of(stage)), _settled(provenance)
        names = list(after) if partly else list(dict.fromkeys((*before, *after)))
        content = f"{role}.content"
        same = before.get(content) is not None and before.get(content) == after.get(content)
        changed += [
            Difference(name, before.get(name), after.get(name))
            for name in names
            if before.get(name) != after.get(name) and not (same and name == f"{role}.model")
        ]
        lines = [
            f"  {change.field}: then {change.before!r}, now {change.after!r}"
            for change in changed
            if not rounds(change)
        ]
        if lines:
            raise RunError(
                f"this is not what {self.name} was made with, so that it would not be repeated "
                f"(--config with its {CONFIG} asks for its settings alone):\n" + "\n".join(lines)
            )
        return changed


def from_copies(config: Settings, run: Path) -> Settings:
    """The configuration with the run's copies in place of the files of one's own it was begun with.

    So a run goes on, and is repeated, wherever these files are now and whatever they say.
    """
    if config.provenance.responses is None:
        return config
    prompts = None if config.prompts is None else str(run / SOURCES / Path(config.prompts).name)
    return replace(config, context=(str(run),) if config.context else (), prompts=prompts)


def rounds(change: Difference) -> bool:
    """Whether the difference can move a number by no more than rounding."""
    names = change.field.split(".")
    return names[0] == "packages" or names[-1] in COMPUTED


def serving_notes(provenance: Provenance, *, of: Iterable[str] = ASKING) -> Iterator[str]:
    """What a reader must know of a server that did not answer with one model all the time."""
    who = {"respond": message("the model under test"), "judge": message("the judge")}
    for stage in of:
        made_by = provenance.of(stage)
        if made_by is not None and len(made_by.served) > 1:
            first, *later = made_by.served
            yield message(
                "The server of {who} answered as {first}, and later as {later}: its answers need "
                "not be of one model.",
                who=who[stage],
                first=first,
                later=", ".join(later),
            )


def settings_of(stage: str, *, first: bool) -> list[str]:
    """The settings that a stage takes over when it begins, what is copied only the `first` time."""
    return [
        each.name
        for each in fields(Settings)
        if stage in each.metadata.get("stages", ())
        and (first or each.metadata["decides"] != "copied")
    ]


def settings_differences(stage: str, before: Settings, now: Settings) -> list[Difference]:
    """The settings of the stage that are not the same, but for those that decide nothing."""
    names = [
        name
        for name in settings_of(stage, first=False)
        if FIELDS[name].metadata["decides"] != "nothing"
    ]
    then, later = (flat({name: getattr(c, name) for name in names}) for c in (before, now))
    return [change for change in _differing(then, later) if not _is_elsewhere(change)]


def provenance_differences(before: StageProvenance, now: StageProvenance) -> list[Difference]:
    """What made the stage otherwise, what is noted afterwards left aside."""
    return _differing(_settled(before), _settled(now))


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested values by their dotted path; null and absent are the same.

    >>> flat({"a": {"b": 1}, "c": None})
    {'a.b': 1}
    """
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        nested = [flat(member, f"{prefix}{name}.") for name, member in value.items()]
        return {name: member for some in nested for name, member in some.items()}
    # a configuration that was read from a file has lists
    if isinstance(value, tuple):
        value = list(value)
    return {} if value is None else {prefix.removesuffix("."): value}


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    return [
        Difference(name, before.get(name), after.get(name))
        for name in dict.fromkeys((*before, *after))
        if not _is_idle(name) and before.get(name) != after.get(name)
    ]


def _is_idle(path: str) -> bool:
    """Whether the setting of a model decides nothing, wherever its model stands."""
    names = path.split(".")
    return not _IDLE.isdisjoint((names[-1], ".".join(names[-2:])))


def _is_elsewhere(change: Difference) -> bool:
    """Whether a server is asked instead of another; which model it serves the provenance tells."""
    values = (change.before, change.after)
    served = all(isinstance(value, str) and value.startswith(ADDRESSES) for value in values)
    return served and change.field.endswith(".model")


def _settled(provenance: StageProvenance | None) -> dict[str, Any]:
    """What was known of the stage before it began, by dotted path."""
    flattened = flat(provenance)
    return {
        name: value for name, value in flattened.items() if name.split(".")[0] not in AFTERWARDS
    }
