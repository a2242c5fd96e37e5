"""What can be labelled of a run: the answers that its judge was asked about, and its verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...datasets_builders.registry import benchmark
from ...errors import DataError, UsageError, nearest
from ...files import hash_value
from ...reasons import Origin
from ...records.folder import JUDGEMENTS, RESPONSES, RunFolder
from ...records.item import Item
from ...records.judgement import Judgement, Source
from ...records.judgement import from_table as judgements_of
from ...records.response import Response, ResponseKey
from ...records.response import from_table as responses_of
from ..rubric import Rubric
from ..rubric import rubric as load_rubric
from ..rubric_choice import brought_rubric
from ..rubric_file import Criterion

UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class FrameRow:
    """An answer, its item, and per criterion what the judge said of it.

    `silent` is an answer that the model did not give: there is nothing to read, and what it counts
    as is known.
    """

    row_id: str
    item: Item
    response: Response
    judged: Mapping[str, Judgement]
    silent: bool

    @property
    def cluster(self) -> str:
        """What is not independent of it."""
        return self.item.cluster or self.item.item_id

    def verdict(self, criterion: str) -> str:
        """The judge's likeliest label."""
        said = self.judged[criterion]
        if said.value is None or said.probs is None:
            return UNSCORED
        return said.labels[said.probs.index(max(said.probs))]


@dataclass(frozen=True, slots=True)
class Frame:
    """The answers to one benchmark, and the rubric's criteria that the judge was asked.

    `lost` counts answers that failed on our side: there is nothing to read, and nothing is known.
    """

    benchmark: str
    rubric: Rubric
    names: tuple[str, ...]
    rows: tuple[FrameRow, ...]
    lost: int

    @property
    def criteria(self) -> dict[str, Criterion]:
        """The criteria by name."""
        return {name: self.rubric.criteria[name] for name in self.names}

    @property
    def readable(self) -> tuple[FrameRow, ...]:
        """The rows that a person can label."""
        return tuple(row for row in self.rows if not row.silent)


def frame_of(run: RunFolder, *, name: str | None = None, criteria: Sequence[str] = ()) -> Frame:
    """The answers of the run to one benchmark that a judge has judged under some criterion."""
    table = run.table(JUDGEMENTS, made_by="judge")
    kept = [column for column in table.column_names if column != "raw_top"]
    judgements = [
        row
        for row in judgements_of(table.select(kept))
        if row.source == Source.JUDGE_LOGITS and row.rubric_hash
    ]
    chosen = _benchmark(run, list(dict.fromkeys(row.key.benchmark for row in judgements)), name)
    mine = [row for row in judgements if row.key.benchmark == chosen]
    used = _rubric(run, chosen, {str(row.rubric_hash) for row in mine})
    names = _criteria(used, list(dict.fromkeys(row.criterion for row in mine)), criteria)
    said: dict[str, dict[str, Judgement]] = {}
    for row in mine:
        said.setdefault(row_id(row.key), {})[row.criterion] = row
    items = {item.key: item for item in run.items()}
    rows, lost = [], 0
    for response in responses_of(run.table(RESPONSES, made_by="respond")):
        if response.key.benchmark != chosen:
            continue
        own = row_id(response.key)
        if own not in said:
            raise DataError(f"{run.path}: a response has no judgement; judge the run again")
        silent = _silent(response)
        if silent is None:
            lost += 1
            continue
        rows.append(FrameRow(own, items[response.key.item], response, said[own], silent))
    return Frame(chosen, used, names, tuple(rows), lost)


def row_id(key: ResponseKey) -> str:
    """The short name of an answer, from what identifies it."""
    # a letter first: a spreadsheet would take some hashes for numbers
    return "r" + hash_value(list(key))[:12]


def _silent(response: Response) -> bool | None:
    """Whether the model gave no answer; null if we failed to get it."""
    if response.reason is not None:
        return True if response.reason.origin is Origin.RESPONDENT else None
    return not (response.text or "").strip()


def _benchmark(run: RunFolder, judged: list[str], name: str | None) -> str:
    if not judged:
        raise DataError(
            f"{run.path} has no judgement by a judge: options and vignettes are answered by the "
            "model under test itself, and there is no judge to correct"
        )
    if name is None and len(judged) > 1:
        raise UsageError(f"the run has several benchmarks: --benchmark {'|'.join(judged)}")
    if name is not None and name not in judged:
        raise UsageError(f"no benchmark {name!r} was judged in this run; {nearest(name, judged)}")
    return name or judged[0]


def _rubric(run: RunFolder, chosen: str, hashes: set[str]) -> Rubric:
    """The rubric that the run was judged under, by its hash: people are shown the same words."""
    config = run.config
    used = load_rubric(config.rubric or str(benchmark(chosen)[1].rubric))
    # the judge is looked for only where need be: people may label where it is not at hand
    if hashes != {used.hash} and config.judge is not None:
        used = brought_rubric(config.judge) or used
    if hashes != {used.hash}:
        told = ", ".join(sorted(one[:12] for one in hashes))
        raise DataError(
            f"the rubric {used.name!r} has changed since the run was judged (then {told}, now "
            f"{used.hash[:12]}): judge the run again, or restore the rubric's file"
        )
    return used


def _criteria(used: Rubric, judged: list[str], asked: Sequence[str]) -> tuple[str, ...]:
    for criterion in asked:
        if criterion not in judged:
            told = nearest(criterion, judged)
            raise UsageError(
                f"criterion {criterion!r} of {used.name!r} was not judged in this run; {told}"
            )
    return tuple(name for name in judged if not asked or name in asked)
