"""What must be the same in two runs for their difference to be the models', and what is not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import RunError
from ..files import canonical_json
from ..judges.respondent import RULES
from ..messages import Joined, Message, joined, message
from ..records.judgement import Source
from ..records.model_spec import COMPUTED
from .runs import Run

_DESCRIBES = ("note", "parameters", "architecture", "context", "trained_on", "checkpoint_dtype")
"""What follows from the judge's content."""

_LONG = 16


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A field in which the runs differ on a benchmark, with the value of each run."""

    benchmark: str
    field: str
    values: Mapping[str, Any]

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> Message:
        """One line that names the field and every value."""
        return message(
            "{benchmark}, {field}: {values}",
            benchmark=self.benchmark,
            field=self.field,
            values=self.values_told,
        )

    @property
    def values_told(self) -> Joined:
        """Every value with its run."""
        return joined(
            message("{run} has {value}", run=run, value=_short(value))
            for run, value in self.values.items()
        )


def refuse(found: Sequence[Mismatch]) -> None:
    """A `RunError` that names every field in which the runs differ."""
    if found:
        lines = (joined(["", mismatch.message], "  ") for mismatch in found)
        refusal = message(
            "the runs were not measured alike, so that a difference would not be the models' "
            "(--although goes on and writes it on the result):"
        )
        raise RunError(joined([refusal, *lines], "\n"))


def find_mismatches(runs: Sequence[Run], benchmarks: Sequence[str]) -> tuple[Mismatch, ...]:
    """Every field that would make a difference of the runs something else than the models'.

    Per benchmark: the dataset's revision, `min_coverage`, the rubric's hash, the judge (its content
    if that is known, else its name and revision), the channel of what the model under test answers
    itself, with the scale or rule by which it is read and the orders of the options, and, where
    text was asked for, the decoding. The seed counts only where something is drawn, the date only
    between models whose templates write it into their prompts.
    """
    return (*_differing(runs, benchmarks, _measured), *_dates(runs, benchmarks))


def _dates(runs: Sequence[Run], benchmarks: Sequence[str]) -> Iterator[Mismatch]:
    dates = {run.name: (run.config.provenance.model or {}).get("date") for run in runs}
    if len(set(dates.values()) - {None}) > 1:
        yield from (
            Mismatch(benchmark, message("date in the prompts"), dates) for benchmark in benchmarks
        )


def find_notes(runs: Sequence[Run], benchmarks: Sequence[str]) -> tuple[str, ...]:
    """What differs without being refused: how the judge was computed, and package versions."""
    result: dict[tuple[str, str], Mismatch] = {}
    for mismatch in _differing(runs, benchmarks, _computed):
        result.setdefault((mismatch.field, str(mismatch.values)), mismatch)
    return tuple(
        message(
            "{field}: {values}; this moves a reading by rounding, not more",
            field=mismatch.field,
            values=mismatch.values_told,
        )
        for mismatch in result.values()
    )


def _differing(
    runs: Sequence[Run], benchmarks: Sequence[str], of: Callable[[Run, str], dict[str, Any]]
) -> Iterator[Mismatch]:
    for benchmark in benchmarks:
        asked = [of(run, benchmark) for run in runs]
        for field in dict.fromkeys(name for one in asked for name in one):
            values = {run.name: one.get(field) for run, one in zip(runs, asked, strict=True)}
            if len({canonical_json(value) for value in values.values()}) > 1:
                yield Mismatch(benchmark, field, values)


def _measured(run: Run, benchmark: str) -> dict[str, Any]:
    made = run.config.provenance
    items, rubric = made.benchmarks.get(benchmark), made.rubrics.get(benchmark)
    fields: dict[str, Any] = {
        message("dataset revision"): items.revision if items else None,
        message("min_coverage"): run.config.min_coverage,
    }
    if rubric is not None:
        fields[message("rubric hash")] = rubric.hash
        judge = made.judge or {}
        known = {*COMPUTED, *_DESCRIBES, *(("model", "revision") if judge.get("content") else ())}
        fields |= {
            message("judge {field}", field=name): judge[name] for name in judge if name not in known
        }
    else:
        fields[message("option_orders")] = run.config.option_orders
        for criterion, source in run.sources.get(benchmark, {}).items():
            if source == Source.TEXT_RULE:
                read_by = made.judgements.rules.get(RULES[criterion]) if made.judgements else None
            else:
                read_by = made.responses.scales.get(criterion) if made.responses else None
            fields |= {
                message("channel of {criterion}", criterion=criterion): source,
                message("reading of {criterion}", criterion=criterion): read_by,
            }
    if _asks_text(run, benchmark):
        decoding = asdict(run.config.decoding)
        if not any(run.config.decoding.temperatures):
            del decoding["seed"]
        fields |= {
            message("decoding {field}", field=name): value for name, value in decoding.items()
        }
    return fields


def _computed(run: Run, benchmark: str) -> dict[str, Any]:
    made = run.config.provenance.judgements
    if made is None or benchmark not in made.rubrics:
        return {}
    judge = made.judge or {}
    return {
        **{message("the judge's {field}", field=name): judge.get(name) for name in COMPUTED},
        **{
            message("the judge's package {name}", name=name): version
            for name, version in made.packages.items()
        },
    }


def _asks_text(run: Run, benchmark: str) -> bool:
    """Whether what is compared of the benchmark was written by the model under test."""
    read = run.sources.get(benchmark, {}).values()
    asked = any(i.response is None for i in run.items.values() if i.benchmark == benchmark)
    return asked and Source.MODEL_LOGITS not in read


def _short(value: Any) -> str:
    """The value as it is told; of a hash its beginning.

    >>> _short("0d3ab36287d04377d6f102b5046473a4cbdcf8ae"), _short(0.5), _short(None)
    ("'0d3ab36287d0…'", '0.5', 'none')
    """
    if value is None:
        return message("none")
    text = value if isinstance(value, str) else canonical_json(value)
    hexadecimal = len(text) > _LONG and all(c in "0123456789abcdef" for c in text)
    return repr(f"{text[:12]}…" if hexadecimal else text) if isinstance(value, str) else text
