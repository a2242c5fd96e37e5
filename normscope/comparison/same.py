"""What must be the same in two runs for their difference to be the models', and what is not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import RunError
from ..files import canonical_json
from ..format import shortened
from ..judges.respondent import ACCEPTABILITY, RULES
from ..messages import Joined, Message, joined, message
from ..records.judgement import Source
from ..records.reproduction import COMPUTED
from ..records.run import Run

_DESCRIBES = ("note", "parameters", "architecture", "context", "trained_on", "checkpoint_dtype")
"""What follows from the judge's content."""


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
            values=self.shown_values,
        )

    @property
    def shown_values(self) -> Joined:
        """Every value with its run."""
        return joined(
            message("{run} has {value}", run=run, value=_shown(value))
            for run, value in self.values.items()
        )


def refuse(mismatches: Sequence[Mismatch]) -> None:
    """A `RunError` that names every field in which the runs differ."""
    if mismatches:
        lines = (joined(["", mismatch.message], "  ") for mismatch in mismatches)
        refusal = message(
            "the runs were not measured alike, so that a difference would not be the models' "
            "(--although goes on and writes it on the result):"
        )
        raise RunError(joined([refusal, *lines], "\n"))


def find_mismatches(runs: Sequence[Run], benchmarks: Sequence[str]) -> tuple[Mismatch, ...]:
    """Every field that would make a difference of the runs something else than the models'.

    Per benchmark: the dataset's revision, `min_coverage`, the rule and threshold of norms, the
    rubric's hash, the judge (its content if that is known, else its name and revision) and the
    orders of the labels that it was asked with, the channel of what the model under test answers
    itself, with the scale or rule by which it is read and the orders of the options, and, where
    text was asked for, the decoding. The seed counts only where something is drawn, the date only
    between models whose templates write it into their prompts.
    """
    return (*_differing(runs, benchmarks, _measured), *_dates(runs, benchmarks))


def _dates(runs: Sequence[Run], benchmarks: Sequence[str]) -> Iterator[Mismatch]:
    dates = {run.name: (run.config.provenance.model or {}).get("date") for run in runs}
    # a template that writes no date leaves none: such a run is comparable with any
    if len(set(dates.values()) - {None}) > 1:
        yield from (
            Mismatch(benchmark, message("date in the prompts"), dates) for benchmark in benchmarks
        )


def _differing(
    runs: Sequence[Run], benchmarks: Sequence[str], of: Callable[[Run, str], dict[str, Any]]
) -> Iterator[Mismatch]:
    for benchmark in benchmarks:
        per_run = [of(run, benchmark) for run in runs]
        for field in dict.fromkeys(name for values in per_run for name in values):
            by_run = {
                run.name: values.get(field) for run, values in zip(runs, per_run, strict=True)
            }
            # as JSON, since a set takes neither dicts nor lists
            if len({canonical_json(value) for value in by_run.values()}) > 1:
                yield Mismatch(benchmark, field, by_run)


def _measured(run: Run, benchmark: str) -> dict[str, Any]:
    provenance = run.config.provenance
    items, rubric = provenance.benchmarks.get(benchmark), provenance.rubrics.get(benchmark)
    fields: dict[str, Any] = {
        message("dataset revision"): items.revision if items else None,
        message("min_coverage"): run.config.min_coverage,
    }
    if ACCEPTABILITY in run.sources.get(benchmark, {}):
        fields |= {
            message("rule of the norms"): run.config.rule,
            message("threshold of the norms"): run.config.norm_threshold,
        }
    if rubric is not None:
        fields[message("rubric hash")] = rubric.hash
        if Source.JUDGE_LOGITS in run.sources.get(benchmark, {}).values():
            # read in one order of the labels, or averaged over both
            fields[message("label_orders")] = run.config.label_orders
        for criterion, source in run.sources.get(benchmark, {}).items():
            fields[message("channel of {criterion}", criterion=criterion)] = source
        judge = provenance.judge or {}
        # where the judge's content is hashed, it does not matter under which name it was loaded
        known = {*COMPUTED, *_DESCRIBES, *(("model", "revision") if judge.get("content") else ())}
        fields |= {
            message("judge {field}", field=name): judge[name] for name in judge if name not in known
        }
    else:
        fields[message("option_orders")] = run.config.option_orders
        fields[message("answer key")] = items.key if items else None
        for criterion, source in run.sources.get(benchmark, {}).items():
            if source == Source.TEXT_RULE:
                read_by = (
                    provenance.judgements.rules.get(RULES[criterion])
                    if provenance.judgements
                    else None
                )
            else:
                read_by = (
                    provenance.responses.scales.get(criterion) if provenance.responses else None
                )
            fields |= {
                message("channel of {criterion}", criterion=criterion): source,
                message("reading of {criterion}", criterion=criterion): read_by,
            }
    if _is_written(run, benchmark):
        decoding = asdict(run.config.decoding)
        # at temperature 0 nothing is drawn, so that a seed changes nothing
        if not any(run.config.decoding.temperatures):
            del decoding["seed"]
        # how answers were drawn that were recorded elsewhere nobody knows
        if provenance.imported is not None:
            decoding = dict.fromkeys(decoding)
        fields |= {
            message("decoding {field}", field=name): value for name, value in decoding.items()
        }
    return fields


def _is_written(run: Run, benchmark: str) -> bool:
    """Whether what is compared of the benchmark was written by the model under test."""
    read = run.sources.get(benchmark, {}).values()
    asked = run.items.column("benchmark").equals(benchmark)
    generated = bool((asked & (run.items.column("response").codes < 0)).any())
    return generated and Source.MODEL_LOGITS not in read


def _shown(value: Any) -> str:
    """The value as it is shown; of a hash its beginning.

    >>> _shown("0d3ab36287d04377d6f102b5046473a4cbdcf8ae"), _shown(0.5), _shown(None)
    ("'0d3ab36287d0…'", '0.5', 'none')
    """
    if value is None:
        return message("none")
    return repr(shortened(value)) if isinstance(value, str) else canonical_json(value)
