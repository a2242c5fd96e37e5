"""One answer in full: what was asked, what each run's model gave, and every judgement of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa

from ..errors import NormscopeError, UsageError
from ..judges.model_folder import RUBRIC, brought_file
from ..judges.rubric import Rubric, bundled_rubrics, rubric
from ..reasons import Reason
from ..records.config import RunConfig
from ..records.item import Item
from ..records.item import from_table as items_of
from ..records.judgement import Judgement, Source
from ..records.judgement import from_table as judgements_of
from ..records.response import Response
from ..records.response import from_table as responses_of
from .answers import Answers, RunTables


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement with the label that it comes to, and whether it counts in the scores.

    `prompts` are what the judge was asked, two where the labels were listed in both orders; none
    where it was not asked, or the rubric that it was asked with is not at hand.
    """

    judgement: Judgement
    label: str | None
    counts: bool
    prompts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """One run's share of an answer: the item as it was asked, the response, its judgements."""

    run: str
    item: Item | None
    response: Response
    judgements: tuple[Judged, ...]


def opened(answers: Answers, rows: Sequence[Mapping[str, Any]]) -> list[tuple[Given, ...]]:
    """Return what each run gave, for each of these rows (`Answers.rows`)."""
    of_runs = [_given(answers, rows, at) for at in range(len(answers.runs))]
    return list(zip(*of_runs, strict=True))


def _given(answers: Answers, rows: Sequence[Mapping[str, Any]], at: int) -> Iterator[Given]:
    run, end = answers.runs[at], "_2" if at else ""
    rubrics = {each.hash: each for each in _rubrics(run.config)}
    responses = responses_of(run.responses.take(pa.array([row["_response" + end] for row in rows])))
    places = pa.array([row["_item" + end] for row in rows], pa.int64())
    items = iter(items_of(run.items.take(places.drop_null())))
    judged = answers.judged([row["place"] for row in rows], at)
    judgements = judgements_of(run.judgements.take(pa.array([each["row"] for each in judged])))
    beside = groupby(zip(judged, judgements, strict=True), key=lambda pair: pair[0]["place"])
    by_place = {place: list(pairs) for place, pairs in beside}
    for row, response, place in zip(rows, responses, places, strict=True):
        item = next(items) if place.is_valid else None
        yield Given(
            run.name,
            item,
            response,
            tuple(
                Judged(
                    judgement,
                    told["label"],
                    told["counts"],
                    _prompts(run, rubrics, judgement, item, response),
                )
                for told, judgement in by_place.get(row["place"], ())
            ),
        )


def _rubrics(config: RunConfig) -> Iterator[Rubric]:
    """The rubrics that the run may have been judged under, as far as they lie here."""
    yield from map(rubric, bundled_rubrics())
    # a rubric on the Hub is not fetched: to look at a run asks no other host
    brought = config.judge and brought_file(config.judge, RUBRIC)
    for named in (config.rubric, brought):
        if named is not None:
            # a file that is gone or was changed since is not among these, and the page says that
            with suppress(NormscopeError, OSError):
                yield rubric(str(named))


def _prompts(
    run: RunTables,
    rubrics: Mapping[str, Rubric],
    judgement: Judgement,
    item: Item | None,
    response: Response,
) -> tuple[str, ...]:
    """What the judge was asked, rendered anew by the rubric with the judgement's hash."""
    used = rubrics.get(judgement.rubric_hash or "")
    asked = judgement.source.is_judge and judgement.reason != Reason.LANGUAGE_NOT_COVERED
    # a response that is too long was read in parts
    if not asked or item is None or used is None or judgement.windows > 1 or not response.text:
        return ()
    both = run.config.label_orders == "both" and judgement.source == Source.JUDGE_LOGITS
    # tables that somebody put together may have a category that the rubric does not know
    with suppress(UsageError):
        return tuple(
            used.render(
                judgement.criterion,
                language=item.language,
                conversation=item.messages,
                answer=response.text,
                category=item.category,
                backwards=backwards,
            )
            for backwards in ((False, True) if both else (False,))
        )
    return ()
