"""What people can label: the answers of judged runs, and what the judge said of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, UsageError, nearest
from ...files import hash_file, hash_value
from ...metrics.inputs import Bools, Floats
from ...reasons import Origin
from ...records.integrity import ITEMS, JUDGEMENTS, RESPONSES
from ...records.item import Item
from ...records.judgement import Judgement
from ...records.judgements import counted_verdicts
from ...records.response import Response, ResponseKey
from ...records.run import Run, by_name
from ...records.tables import from_table
from ...untrusted import visible
from ..rubric import Rubric
from ..rubric_choice import brought_rubric
from ..rubric_files import rubric as load_rubric
from .sheet import Guide, SheetRow, Utterance

UNSCORED = "unscored"

LabelTable = Mapping[str, Mapping[str, str]]
"""People's one label by row and criterion."""

Names = NDArray[Any]
"""A column of texts."""


@dataclass(frozen=True, slots=True)
class SampledRun:
    """A run whose answers people label: its name, where it lies, and its files by hash."""

    run: str
    where: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FrameRow:
    """An answer of a run, its item, and what the judge said of it by criterion.

    `silent` is an answer that the model did not give: there is nothing to judge, and what it counts
    as is known.
    """

    row_id: str
    run: str
    item: Item
    text: str
    judged: Mapping[str, Judgement]
    silent: bool

    @property
    def labels(self) -> dict[str, str]:
        """The judge's likeliest label by criterion, `unscored` where it gave nothing."""
        return {name: each.favourite or UNSCORED for name, each in self.judged.items()}

    def level(self, name: str) -> str:
        """The level of a dimension that the item has, empty where it has none."""
        return str(getattr(self.item, name, None) or self.item.facets.get(name) or "")


@dataclass(frozen=True, slots=True)
class Frame:
    """The answers of runs to one benchmark, judged under a rubric by its criteria `names`.

    `lost` counts answers that failed on our side: there is nothing to read, and nothing is known.
    `metrics` are the scoring rules of the benchmark.
    """

    benchmark: str
    rubric: Rubric
    names: tuple[str, ...]
    metrics: tuple[str, ...]
    runs: tuple[SampledRun, ...]
    rows: tuple[FrameRow, ...]
    lost: int

    @property
    def silent(self) -> Bools:
        """Which rows are answers that the model did not give."""
        return np.array([row.silent for row in self.rows], dtype=np.bool_)

    @property
    def clusters(self) -> Names:
        """The cluster of each row."""
        # not as `str_`, which would give every row the room of the longest
        return np.array([row.item.cluster_or_id for row in self.rows], dtype=np.object_)

    def read(self, criterion: str) -> Names:
        """The judge's label of each row, `unscored` where it gave nothing."""
        labels = [UNSCORED if row.silent else row.labels[criterion] for row in self.rows]
        return np.array(labels, dtype=np.str_)

    def values(self, criterion: str) -> Floats:
        """The judge's value of each row, NaN where it gave nothing."""
        values = [None if row.silent else row.judged[criterion].value for row in self.rows]
        return np.array(values, dtype=np.float64)

    def labelled(self, people: LabelTable, criterion: str) -> Names:
        """People's label of each row, empty for none."""
        labels = [people.get(row.row_id, {}).get(criterion, "") for row in self.rows]
        return np.array(labels, dtype=np.str_)

    def worth(self, people: LabelTable, criterion: str) -> Floats:
        """What people's label of each row is worth on the criterion's scale, NaN for no label."""
        scale = self.rubric.criteria[criterion].scale
        worth = dict(zip(scale.labels, scale.values, strict=True))
        return np.array([worth.get(label) for label in self.labelled(people, criterion)], float)

    @property
    def readable(self) -> tuple[FrameRow, ...]:
        """The rows that a person can label."""
        return tuple(row for row in self.rows if not row.silent)

    def sheet_row(self, row: FrameRow) -> SheetRow:
        """The row as a rater sees it: invisible characters shown, nothing of what was judged."""
        names = self.rubric.languages[self.rubric.spoken(row.item.language)].turns
        turns = [(message.role, message.content) for message in row.item.messages]
        return SheetRow(
            row.row_id,
            rubric_guide(self.rubric, self.names, row.item),
            tuple(
                Utterance(role, names.get(role, role), visible(text))
                for role, text in (*turns, ("answer", row.text))
            ),
        )


def read_frame(
    runs: Sequence[Run],
    *,
    benchmark: str | None = None,
    criteria: Sequence[str] = (),
    names: Sequence[str] = (),
) -> Frame:
    """The answers of the runs to one benchmark that a judge has judged under some criterion.

    Runs that were not judged alike, or have the same responses, are a `UsageError`. Without `names`
    they are called as their folders are.
    """
    names = names or list(by_name([run.path for run in runs]))
    first, *others = frames = [
        _frame_of(run, name, benchmark, criteria) for run, name in zip(runs, names, strict=True)
    ]
    for name, frame in zip(names[1:], others, strict=True):
        for what, one, other in (
            ("benchmark", first.benchmark, frame.benchmark),
            ("rubric hash", first.rubric.hash[:12], frame.rubric.hash[:12]),
            ("criteria", ", ".join(first.names), ", ".join(frame.names)),
        ):
            if one != other:
                raise UsageError(
                    "the runs were not judged alike, so that no sample is of all of them: "
                    f"{what}: {names[0]} has {one}, {name} has {other}"
                )
    if len({frame.runs[0].files[RESPONSES] for frame in frames}) < len(frames):
        raise UsageError(f"two of the runs have the same responses: {', '.join(names)}")
    return replace(
        first,
        runs=tuple(run for frame in frames for run in frame.runs),
        rows=tuple(row for frame in frames for row in frame.rows),
        lost=sum(frame.lost for frame in frames),
    )


def _frame_of(run: Run, called: str, benchmark: str | None, criteria: Sequence[str]) -> Frame:
    table = run.judgements
    # the widest column, of which nothing is needed here
    columns = [column for column in table.column_names if column != "raw_top"]
    verdicts_of = counted_verdicts(from_table(table.select(columns), Judgement))
    judgements = [row for row in verdicts_of if row.rubric_hash]
    chosen = _benchmark(
        run, list(dict.fromkeys(row.key.benchmark for row in judgements)), benchmark
    )
    judgements = [row for row in judgements if row.key.benchmark == chosen]
    used = _rubric(run, chosen, {str(row.rubric_hash) for row in judgements})
    names = _criteria(used, list(dict.fromkeys(row.criterion for row in judgements)), criteria)
    verdicts: dict[ResponseKey, dict[str, Judgement]] = {}
    for row in judgements:
        verdicts.setdefault(row.key, {})[row.criterion] = row
    files = {file: hash_file(run.path / file) for file in (ITEMS, RESPONSES, JUDGEMENTS)}
    items = {item.key: item for item in run.items}
    rows, lost = [], 0
    for response in from_table(run.responses, Response):
        if (key := response.key).benchmark != chosen:
            continue
        if key not in verdicts:
            raise DataError(f"{run.path}: a response has no judgement; judge the run again")
        silent = _silent(response)
        if silent is None:
            lost += 1
            continue
        # it shows nobody which model the row is of; a letter first: a spreadsheet would take some
        # hashes for numbers
        name = "r" + hash_value([files[RESPONSES], list(key)])[:12]
        text = response.text or ""
        rows.append(FrameRow(name, called, items[key.item], text, verdicts[key], silent))
    metrics = run.config.asked(chosen).metrics
    runs = (SampledRun(called, str(run.path), files),)
    return Frame(chosen, used, names, metrics, runs, tuple(rows), lost)


def _silent(response: Response) -> bool | None:
    """Whether the model gave no answer; null if we failed to get it."""
    # the model's own reason is its answer; one of ours says nothing of it
    if response.reason is not None:
        return True if response.reason.origin is Origin.RESPONDENT else None
    return not (response.text or "").strip()


def rubric_guide(used: Rubric, names: Sequence[str], item: Item) -> Guide:
    """The rubric's own words, in the item's language."""
    language = used.spoken(item.language)
    kind = used.categories[item.category][language] if item.category in used.categories else None
    return Guide(
        language=language,
        title=kind.title if kind else "",
        definition=kind.definition if kind else "",
        criteria={name: used.criteria[name].instruction[language] for name in names},
    )


def _benchmark(run: Run, judged: list[str], name: str | None) -> str:
    if not judged:
        raise DataError(
            f"{run.path} has no judgement by a judge: options and vignettes are answered by the "
            "model under test itself, and there is no judge to check or correct"
        )
    if name is None and len(judged) > 1:
        raise UsageError(f"the run has several benchmarks: --benchmark {'|'.join(judged)}")
    if name is not None and name not in judged:
        raise UsageError(f"no benchmark {name!r} was judged in this run; {nearest(name, judged)}")
    return name or judged[0]


def _rubric(run: Run, chosen: str, hashes: set[str]) -> Rubric:
    """The rubric that the run was judged under, by its hash: people are shown the same words."""
    config = run.config
    used = load_rubric(config.rubric or str(config.asked(chosen).rubric))
    # the judge is looked for only where need be: people may label where it is not at hand
    if hashes != {used.hash} and config.judge is not None:
        used = brought_rubric(config.judge) or used
    if hashes != {used.hash}:
        then = ", ".join(sorted(value[:12] for value in hashes))
        raise DataError(
            f"the rubric {used.name!r} has changed since the run was judged (then {then}, now "
            f"{used.hash[:12]}): judge the run again, or restore the rubric's file"
        )
    return used


def _criteria(used: Rubric, judged: list[str], requested: Sequence[str]) -> tuple[str, ...]:
    for criterion in requested:
        if criterion not in judged:
            raise UsageError(
                f"criterion {criterion!r} of {used.name!r} was not judged in this run; "
                f"{nearest(criterion, judged)}"
            )
    return tuple(name for name in judged if not requested or name in requested)
