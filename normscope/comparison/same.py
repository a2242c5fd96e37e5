"""What must be the same in two runs for their difference to be the models', and what is not."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import RunError
from ..files import canonical_json
from ..format import shortened
from ..judges.respondent import ACCEPTABILITY, RULES
from ..messages import Message, joined, message
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

    @property
    def message(self) -> Message:
        """One line that names the field and every value."""
        values = joined(
            message("{run} has {value}", run=run, value=_shown(value))
            for run, value in self.values.items()
        )
        return message(
            "{benchmark}, {field}: {values}",
            benchmark=self.benchmark,
            field=self.field,
            values=values,
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
    mismatches = []
    for benchmark in benchmarks:
        per_run = [measured(run, benchmark) for run in runs]
        for field in dict.fromkeys(name for values in per_run for name in values):
            values = {run.name: of.get(field) for run, of in zip(runs, per_run, strict=True)}
            # as JSON, since a set takes neither dicts nor lists
            if len({canonical_json(value) for value in values.values()}) > 1:
                mismatches.append(Mismatch(benchmark, field, values))
    dates = {run.name: (run.config.provenance.model or {}).get("date") for run in runs}
    # a template that writes no date leaves none: such a run is comparable with any
    if len({*dates.values()} - {None}) > 1:
        field = message("date in the prompts")
        mismatches += [Mismatch(benchmark, field, dates) for benchmark in benchmarks]
    return tuple(mismatches)


REVISION = message("dataset revision")


def measured(run: Run, benchmark: str) -> dict[str, Any]:
    """Return what the run was measured with, by the names of the fields."""
    config, provenance = run.config, run.config.provenance
    items, rubric = provenance.benchmarks.get(benchmark), provenance.rubrics.get(benchmark)
    sources = run.sources.get(benchmark, {})
    fields: dict[str, Any] = {
        REVISION: items.revision if items else None,
        message("min_coverage"): config.min_coverage,
    }
    if ACCEPTABILITY in sources:
        fields[message("rule of the norms")] = config.rule
        fields[message("threshold of the norms")] = config.majority.threshold
    if rubric is None:
        fields[message("option_orders")] = config.option_orders
        fields[message("answer key")] = items.key if items else None
    else:
        fields[message("rubric hash")] = rubric.hash
        if Source.JUDGE_LOGITS in sources.values():
            # read in one order of the labels, or averaged over both
            fields[message("label_orders")] = config.label_orders
    for criterion, source in sources.items():
        fields[message("channel of {criterion}", criterion=criterion)] = source
        if rubric is None:
            rules = provenance.judgements.rules if provenance.judgements else {}
            scales = provenance.responses.scales if provenance.responses else {}
            by_rule = source == Source.TEXT_RULE
            read_by = rules.get(RULES[criterion]) if by_rule else scales.get(criterion)
            fields[message("reading of {criterion}", criterion=criterion)] = read_by
    judge = (rubric and provenance.judge) or {}
    # where the judge's content is hashed, it does not matter under which name it was loaded
    ignored = {*COMPUTED, *_DESCRIBES, *(("model", "revision") if judge.get("content") else ())}
    for name in (name for name in judge if name not in ignored):
        fields[message("judge {field}", field=name)] = judge[name]
    if _is_written(run, benchmark):
        decoding = asdict(config.decoding)
        # at temperature 0 nothing is drawn, so that a seed changes nothing
        if not any(config.decoding.temperatures):
            del decoding["seed"]
        # how answers were drawn that were recorded elsewhere nobody knows
        if provenance.imported is not None:
            decoding = dict.fromkeys(decoding)
        for name, value in decoding.items():
            fields[message("decoding {field}", field=name)] = value
    return fields


def _is_written(run: Run, benchmark: str) -> bool:
    """Whether what is compared of the benchmark was written by the model under test."""
    rows = run.items.column("benchmark").equals(benchmark)
    generated = bool((rows & (run.items.column("response").codes < 0)).any())
    return generated and Source.MODEL_LOGITS not in run.sources.get(benchmark, {}).values()


def _shown(value: Any) -> str:
    """The value as it is shown; of a hash its beginning.

    >>> _shown("0d3ab36287d04377d6f102b5046473a4cbdcf8ae"), _shown(0.5), _shown(None)
    ("'0d3ab36287d0…'", '0.5', 'none')
    """
    if value is None:
        return message("none")
    return repr(shortened(value)) if isinstance(value, str) else canonical_json(value)
