"""What people said of a run's answers, where they labelled a sample of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..errors import DataError
from ..judges.trust.adjudication import gold_of, read_people
from ..judges.trust.frame import row_id
from ..judges.trust.key import Sample, read_sample
from ..judges.trust.pooled import identified_row
from ..messages import message
from ..pipeline.criteria import label_name
from ..records.integrity import RESPONSES
from ..records.response import ResponseKey
from ..records.tables import KEYS


@dataclass(frozen=True, slots=True)
class PeoplesLabel:
    """Raters' labels of one answer under a criterion, and what they come to.

    `label` is null where they tie and nobody has settled it. In `given` stands `?` for a rater who
    could not tell.
    """

    criterion: str
    label: str | None
    given: tuple[str, ...]


People = Mapping[int, tuple[PeoplesLabel, ...]]
"""By the place of a response what people said of it."""


def people_of(folders: Sequence[Path], responses: pa.Table, sealed: str) -> People:
    """What the samples in these folders say of the responses, whose table has the hash `sealed`.

    A `DataError` if a folder is of another run, or nobody has labelled it yet.
    """
    result: dict[int, tuple[PeoplesLabel, ...]] = {}
    for folder in folders:
        sample = read_sample(folder)
        if not _is_of(sample, sealed):
            raise DataError(
                message(
                    "{folder} is a sample of other responses than this run's ({runs}): name the "
                    "folder that `normscope annotate sample` drew from it",
                    folder=folder,
                    runs=sample.key.run,
                )
            )
        labels = _labels(folder, sample)
        for place, name in _names(responses, sample, sealed):
            if name in labels:
                result[place] = (*result.get(place, ()), *labels[name])
    return result


def drawn_from(folder: Path, sealed: str) -> bool:
    """Whether the sample in the folder is of the responses whose table has the hash `sealed`."""
    return _is_of(read_sample(folder), sealed)


def _is_of(sample: Sample, sealed: str) -> bool:
    return sealed in {run.files.get(RESPONSES) for run in sample.key.runs}


def _names(responses: pa.Table, sample: Sample, sealed: str) -> list[tuple[int, str]]:
    """The places of the sampled benchmark's responses, each with its name in the sample."""
    pooled = len(sample.key.runs) > 1
    keys = zip(*(responses[name].to_pylist() for name in KEYS), strict=True)
    names = (
        (place, row_id(ResponseKey(*key)))
        for place, key in enumerate(keys)
        if key[0] == sample.key.benchmark
    )
    return [(at, identified_row(sealed, name) if pooled else name) for at, name in names]


def _labels(folder: Path, sample: Sample) -> dict[str, tuple[PeoplesLabel, ...]]:
    people = read_people(folder, sample)
    gold = gold_of(people, sample).labels
    result = {}
    for row in sample.drawn:
        given = {
            criterion: tuple(
                filled.labels[row.row][criterion]
                for filled in people.raters
                if criterion in filled.labels.get(row.row, {})
            )
            for criterion in sample.key.criteria
        }
        result[row.row] = tuple(
            PeoplesLabel(
                criterion,
                _named(criterion, gold.get(row.row, {}).get(criterion)),
                tuple(label_name(criterion, label) for label in labels),
            )
            for criterion, labels in given.items()
            if labels
        )
    return result


def _named(criterion: str, label: str | None) -> str | None:
    return None if label is None else label_name(criterion, label)
