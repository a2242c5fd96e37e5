"""What the page of answers holds as JSON: the rows, what a filter asks of them, each in full."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ... import format as fmt
from ...categorical import Categorical, Codes, combined
from ...messages import Language, translate
from ...records.judgements import Floats
from ...untrusted import UNSEEN
from ...viewer import Collection
from ...viewer.detail import Detail
from ...viewer.page import Row
from ...viewer.query import FIELDS, FLAGS
from ..answers import answer_blocks, criteria_of, is_amount, note_of, shown_outcome
from ..names import name_of
from ..writers.data import Numbered
from .words import CONTROLS, WORDS

Postings = dict[str, dict[str, list[int]]]
"""By a field with its operator (`category:`, `refusal=`) the answers that have each value."""

# fields of which nearly every run has one value alone, which chooses nothing
_SEVERAL = ("benchmark", "area", "category", "language", "variant", "order", "criterion", "source")


def page_data(collection: Collection, places: Codes, language: Language) -> dict[str, Any]:
    """What the page's script reads of the answers in these places, in their order.

    Texts stand in `texts`, once, and elsewhere as numbers; an answer is the number of its place on
    the page. `terms` are the postings, `numbers` holds by run what answers are compared and ordered
    by, null where there is nothing, and `answers` the blocks of each in full.
    """
    texts = Numbered(language)
    rows = collection.rows(places)
    criteria = criteria_of(rows)
    terms = _postings(collection, places)
    details = [
        _opened(collection.detail(place, siblings=False), texts) for place in places.tolist()
    ]
    return {
        "language": language,
        "unseen": UNSEEN.pattern,
        "words": {name: translate(text, language) for name, text in WORDS.items()},
        "grammar": {"fields": FIELDS, "flags": FLAGS},
        "runs": [run.name for run in collection.runs],
        "criteria": [
            {"name": name, "title": texts.number(name_of(name)), "amount": _amounts(rows, name)}
            for name in criteria
        ],
        "controls": list(_controls(terms, texts)),
        "keys": [row.key for row in rows],
        "names": [texts.number(row.item_id) for row in rows],
        "items": combined(*(column[places] for column in collection.paired.key[:2])).tolist(),
        "notes": [texts.number(note_of(row)) for row in rows],
        "outcomes": _outcomes(rows, criteria, texts),
        "moved": [texts.number(fmt.number(row.moved)) for row in rows],
        "terms": terms,
        "numbers": _numbers(collection, places, criteria),
        **{name: [detail[name] for detail in details] for name in details[0]},
        "texts": texts.all,
        "parts": texts.parts,
    }


def _opened(detail: Detail, texts: Numbered) -> dict[str, Any]:
    """What the page has of one answer beside its row.

    The item's other answers are rows of the page, too: the script finds them.
    """
    asked = [full.item.messages if full.item else () for full in detail.answers]
    turns = [[texts.number(turn.content) for turn in messages] for messages in asked]
    given = [
        texts.number(full.response.text) if full.response and full.response.text else None
        for full in detail.answers
    ]
    said = [*chain.from_iterable(turns), *(text for text in given if text is not None)]
    return {
        "answers": texts.blocks(answer_blocks(detail)),
        "questions": turns[0][-1] if turns[0] else None,
        "responses": given,
        # two runs mostly asked the same
        "searched": list(dict.fromkeys(said)),
    }


def _amounts(rows: Sequence[Row], criterion: str) -> bool:
    """Whether the criterion's values are amounts, of which each stands for itself."""
    return any(
        is_amount(criterion, outcome.value)
        for row in rows
        for answer in row.answers
        for outcome in answer.outcomes
        if outcome.criterion == criterion and outcome.value is not None
    )


def _outcomes(rows: Sequence[Row], criteria: Sequence[str], texts: Numbered) -> list[Any]:
    """By run and criterion the text of what each answer comes to; null where it was not judged."""
    result = []
    for run in range(len(rows[0].answers)):
        of_rows = [{o.criterion: o for o in row.answers[run].outcomes} for row in rows]
        result.append(
            [
                [texts.number(shown_outcome(of[name])) if name in of else None for of in of_rows]
                for name in criteria
            ]
        )
    return result


def _postings(collection: Collection, places: Codes) -> Postings:
    """The places on the page of each value, of those that some answer on it has."""
    terms = collection.terms
    result = {f"{name}:": _listed(columns, places) for name, columns in terms.fields.items()}
    for name in terms.labels:
        columns = [side[name].label for side in collection.columns]
        result[f"{name}="] = _listed(columns, places)
    result["is:"] = {name: _marked(marks[places]) for name, marks in terms.flags.items()}
    if collection.change is not None:
        changed = collection.change.changed
        result["changed:"] = {name: _marked(marks[places]) for name, marks in changed.items()}
    return result


def _listed(columns: Iterable[Categorical], places: Codes) -> dict[str, list[int]]:
    result: dict[str, set[int]] = {}
    for column in columns:
        codes = column.codes[places]
        for code in np.unique(codes[codes >= 0]).tolist():
            if name := column.names[code]:
                result.setdefault(name, set()).update(_marked(codes == code))
    return {name: sorted(of) for name, of in result.items()}


def _marked(marks: Any) -> list[int]:
    result: list[int] = np.flatnonzero(marks).tolist()
    return result


def _numbers(collection: Collection, places: Codes, criteria: Sequence[str]) -> Mapping[str, Any]:
    """By name the numbers of each run, as exact as they are: a limit may be one of them."""
    names = [*criteria, "coverage", *(["change"] if collection.change is not None else [])]
    return {
        name: [_nullable(side[places]) for side in collection.terms.number(name, name)]
        for name in names
    }


def _nullable(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 - NaN


def _controls(terms: Postings, texts: Numbered) -> Iterator[dict[str, Any]]:
    """The lists that write into the filter: fields, criteria's labels, what an answer can be."""
    for key, postings in terms.items():
        name, operator = key[:-1], key[-1]
        values = [(value, of) for value, of in postings.items() if of]
        if name == "item" or len(values) <= (name in _SEVERAL):
            continue
        title = CONTROLS[name] if operator == ":" else name_of(name)
        yield {
            "name": name,
            "operator": operator,
            "title": texts.number(title),
            "values": [[value, texts.number(name_of(value)), len(of)] for value, of in values],
        }
