"""One answer in full: conversation, response, every judgement of it, and what stands beside it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..errors import UsageError
from ..messages import message
from ..pipeline.criteria import label_name
from ..reasons import Reason
from ..records.item import Item
from ..records.judgement import Judgement, Source
from ..records.judgement import from_table as judgements_of
from ..records.ratings import Rating, of_items
from ..records.response import Response
from ..records.response import from_table as responses_of
from .page import Row, items_of
from .pairing import Paired, Side
from .people import PeoplesLabel
from .runs import Answered


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the judge was asked, word for word, or `why` that cannot be shown.

    `texts` are two where the labels were listed in both orders.
    """

    texts: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement of the response. `names` has what each of its labels is called.

    `prompt` is null where the model under test speaks for itself.
    """

    judgement: Judgement
    names: tuple[str, ...]
    prompt: Prompt | None


@dataclass(frozen=True, slots=True)
class Full:
    """One run's response, whole, and every judgement of it; null where it is not there.

    `item` is what this run asked, and `people` what raters said of the response.
    """

    run: str
    item: Item | None
    response: Response | None
    judgements: tuple[Judged, ...]
    people: tuple[PeoplesLabel, ...] = ()


@dataclass(frozen=True, slots=True)
class Detail:
    """An answer opened; of two runs, both of them.

    `item` is the first run's, null where it is not known, and `ratings` are what people said of it.
    `siblings` are the other answers to the same item: variants, orders and samples.
    """

    row: Row
    item: Item | None
    answers: tuple[Full, ...]
    ratings: tuple[Rating, ...]
    siblings: tuple[Row, ...]


def detail_of(row: Row, paired: Paired, siblings: tuple[Row, ...]) -> Detail:
    """The answer of the row in full."""
    ratings = (
        rating
        for rating in of_items(paired.sides[0].run.ratings, {row.item_id})
        if rating.benchmark == row.benchmark
    )
    answers = tuple(_full(side, row.place) for side in paired.sides)
    return Detail(row, answers[0].item, answers, tuple(ratings), siblings)


def _full(side: Side, place: int) -> Full:
    (item,) = items_of(side, np.array([place]))
    at = int(side.response[place])
    response = responses_of(side.run.responses.slice(at, 1))[0] if at >= 0 else None
    rows = np.flatnonzero(side.row == place)
    people = side.run.people.get(at, ())
    judgements = judgements_of(side.run.judged.take(pa.array(rows)))
    judged = tuple(_judged(side.run, judgements, item, response))
    return Full(side.run.name, item, response, judged, people)


def _judged(
    run: Answered, judgements: list[Judgement], item: Item | None, response: Response | None
) -> Iterator[Judged]:
    for each in judgements:
        names = tuple(label_name(each.criterion, label) for label in each.labels)
        prompt = _prompt(run, each, item, response) if each.source.is_judge else None
        yield Judged(each, names, prompt)


def _prompt(
    run: Answered, judgement: Judgement, item: Item | None, response: Response | None
) -> Prompt:
    """The judge's prompt as it was; rendered anew, by the rubric with the judgement's hash."""
    used = run.rubrics.get(judgement.rubric_hash or "")
    why = ""
    if _was_not_asked(judgement, response):
        why = message("the judge was not asked")
    elif item is None or response is None or response.text is None:
        why = message("question or response are not at hand")
    elif used is None:
        why = message(
            "the rubric that was asked ({hash}) is not at hand: it comes neither with Normscope "
            "nor with the judge, and its file is gone or was changed",
            hash=(judgement.rubric_hash or "")[:12],
        )
    elif judgement.windows > 1:
        why = message(
            "the response is too long for the judge: it was read in {n} overlapping parts, and the "
            "worst counts",
            n=judgement.windows,
        )
    if why or used is None or item is None or response is None:
        return Prompt(why=why)
    both = run.config.label_orders == "both" and judgement.source == Source.JUDGE_LOGITS
    try:
        texts = tuple(
            used.render(
                judgement.criterion,
                language=item.language,
                conversation=item.messages,
                answer=response.text or "",
                category=item.category,
                backwards=backwards,
            )
            for backwards in ((False, True) if both else (False,))
        )
    except UsageError as error:
        # tables that somebody put together may have a category that the rubric does not know
        return Prompt(why=error.message)
    return Prompt(texts)


def _was_not_asked(judgement: Judgement, response: Response | None) -> bool:
    """Whether there was nothing to judge, or the judge does not know the language."""
    if judgement.reason == Reason.LANGUAGE_NOT_COVERED:
        return True
    return response is not None and (
        response.reason is not None or (response.text is not None and not response.text.strip())
    )
