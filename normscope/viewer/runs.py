"""A run with its texts, to be looked at answer by answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from ..comparison.runs import by_name
from ..errors import NormscopeError
from ..files import read_parquet
from ..judges.model_folder import RUBRIC, brought_file
from ..judges.rubric import Rubric, bundled_rubrics, rubric
from ..records.config import RunConfig
from ..records.integrity import ITEMS, JUDGEMENTS, RATINGS, RESPONSES, read_checked, seals
from ..records.items import Items
from ..records.judgements import Judgements, read_judgements
from ..records.ratings import Rating
from ..records.ratings import from_table as ratings_of
from ..records.response import SCHEMA as ANSWERED
from .people import People, drawn_from, people_of


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """One run's responses and judgements, a row each, in the tables that the run has.

    `judged` is the table of `judgements`, read row by row for one answer only. `rubrics` are those
    by whose hash a judge's prompt can be rendered again, `ratings` what people said of the items
    and `people` how they labelled responses, by their places. `caveats` say what cannot be shown.
    """

    name: str
    config: RunConfig
    items: Items
    responses: pa.Table
    judgements: Judgements
    judged: pa.Table
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    ratings: tuple[Rating, ...] = ()
    people: People = field(default_factory=dict)
    caveats: tuple[str, ...] = ()


def read_answered(path: Path, *, name: str = "", labels: Sequence[Path] = ()) -> Answered:
    """The run in the folder; a `RunError` if it is unfinished or was changed since.

    `labels` are folders of samples of its answers that people labelled (`normscope annotate`).
    """
    config = read_checked(path, whole=True)
    items = Items(read_parquet(path / ITEMS))
    judged = read_parquet(path / JUDGEMENTS)
    responses = read_parquet(path / RESPONSES, columns=ANSWERED.names)
    return Answered(
        name=name or path.name,
        config=config,
        items=items,
        responses=responses,
        judgements=read_judgements(judged, items),
        judged=judged,
        rubrics=by_hash(_rubrics(config)),
        ratings=tuple(ratings_of(read_parquet(path / RATINGS)) if RATINGS in seals(config) else ()),
        people=people_of(labels, responses, seals(config)[RESPONSES]),
    )


def read_beside(paths: Sequence[Path], *, labels: Sequence[Path] = ()) -> tuple[Answered, ...]:
    """The runs in these folders by names that tell them apart, each with the labels that are of it.

    Of two runs a folder of labels may be of one or of both; one that is of neither is refused.
    """
    runs = [read_answered(folder, name=name) for name, folder in by_name(paths).items()]
    sealed = [seals(run.config)[RESPONSES] for run in runs]
    of_none = [at for at in labels if not any(drawn_from(at, each) for each in sealed)]
    return tuple(
        replace(
            run,
            people=people_of(
                [at for at in labels if drawn_from(at, each) or at in of_none], run.responses, each
            ),
        )
        for run, each in zip(runs, sealed, strict=True)
    )


def bundled() -> Iterator[Rubric]:
    """The rubrics that come with Normscope."""
    return map(rubric, bundled_rubrics())


def _rubrics(config: RunConfig) -> Iterator[Rubric]:
    """The rubrics that the run may have been judged under, as far as they lie here."""
    yield from bundled()
    # a rubric on the Hub is not fetched: to look at a run asks no other host
    brought = config.judge and brought_file(config.judge, RUBRIC)
    for named in (config.rubric, brought):
        if named is not None:
            # a file that is gone or was changed since is not among these, and the viewer says that
            with suppress(NormscopeError, OSError):
                yield rubric(str(named))


def by_hash(rubrics: Iterable[Rubric]) -> dict[str, Rubric]:
    """The rubrics by what a judgement names them by."""
    return {each.hash: each for each in rubrics}
