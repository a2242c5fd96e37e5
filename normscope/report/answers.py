"""One answer in full, and a page of answers, as blocks.

The Space's tab and the page of `normscope report --items` show the same. Texts of models and of
benchmarks stand in samples, whole and hidden until somebody asks for them.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ..format import count, number, percent, scale_end
from ..messages import joined, message
from ..pipeline.criteria import label_name, range_of
from ..records.item import Item
from ..records.judgement import Judgement, RawToken
from ..records.ratings import Rating
from ..viewer.columns import SCORED
from ..viewer.detail import Detail, Full, Judged, Prompt
from ..viewer.page import Answer, Outcome
from ..viewer.page import Row as Listed
from ..viewer.people import PeoplesLabel
from .blocks import (
    AnyCell,
    Bar,
    Beside,
    Block,
    Cell,
    Code,
    Column,
    Facts,
    Inline,
    Link,
    Paragraph,
    Row,
    Sample,
    Section,
    Table,
    Text,
    columns,
    content,
)
from .names import name_of

NO_REASON = "no reason recorded"


def answer_blocks(detail: Detail) -> tuple[Block, ...]:
    """Where the answer stands, the conversation, each run's response and judgements, and the rest.

    Two runs stand beside each other. The item's other answers are links to them (`#item-KEY`).
    """
    several = len(detail.answers) > 1
    sections = tuple(_answered(full, titled=several) for full in detail.answers)
    return content(
        (
            Facts(tuple(_place(detail))),
            _moved(detail.row),
            Section(message("Conversation"), _conversations(detail)),
            Beside(sections) if several else sections[0],
            Section(message("People's ratings"), (_ratings(detail.ratings),)),
            Section(
                message("The same item otherwise"),
                (answer_list(detail.siblings, texts=False),) if detail.siblings else (),
                note=message("its other prompt variants, orders and samples"),
            ),
        )
    )


def answer_list(rows: Sequence[Listed], *, texts: bool = True) -> Table:
    """A page of answers, a row each: the item as a link, excerpts, and what each comes to."""
    criteria = criteria_of(rows)
    runs = [answer.run for answer in rows[0].answers] if rows else []
    two = len(runs) > 1
    titles: tuple[Column, ...] = (Column(message("item")),)
    if texts:
        titles += (Column(message("question")),)
        titles += tuple(
            Column((message("response"), " · ", run) if two else message("response"))
            for run in runs
        )
    titles += tuple(Column(name_of(name)) for name in criteria)
    if two:
        titles += (Column(message("moved"), "number"),)
    return Table(
        titles,
        tuple((*_row(row, criteria, texts=texts), *_movement(row)) for row in rows),
        look="answers",
    )


def criteria_of(rows: Sequence[Listed]) -> list[str]:
    """The criteria by which any of the rows was judged, as first seen."""
    return list(
        dict.fromkeys(
            o.criterion for row in rows for answer in row.answers for o in answer.outcomes
        )
    )


def shown_outcome(outcome: Outcome | None) -> str:
    """What a judgement comes to: its label by name, its value, or why there is none.

    >>> shown_outcome(Outcome("refusal", "risky", 0.0, None, 0.9, "judge_logits"))
    'risky'
    >>> shown_outcome(Outcome("moral", "1", 0.734, None, 0.9, "judge_logits"))
    '0.734'
    """
    if outcome is None:
        return "–"
    if outcome.value is None:
        # an option that no key can be held against has a label and no value
        return name_of(outcome.label or outcome.reason or NO_REASON)
    if outcome.label is None or is_amount(outcome.criterion, outcome.value):
        return number(outcome.value)
    return name_of(outcome.label)


def is_amount(criterion: str, value: float) -> bool:
    """Whether the criterion's values are amounts, of which the likeliest label says too little."""
    return criterion == SCORED or range_of(criterion, np.array([value])) is not None


def note_of(row: Listed) -> str:
    """Where the row stands, as far as that tells it apart from others of its item."""
    drawn = message("T = {t}", t=f"{row.temperature:g}") if row.temperature is not None else ""
    sample = message("sample {n}", n=row.sample) if row.sample else ""
    return joined(
        filter(None, (row.benchmark, name_of(row.category), row.variant, row.order, sample, drawn)),
        " · ",
    )


def _place(detail: Detail) -> Iterator[tuple[Text, Text]]:
    """Where the answer stands in the benchmark, in the words of the report."""
    row, item = detail.row, detail.item
    yield message("item"), Code(row.item_id)
    yield message("benchmark"), row.benchmark
    yield from (
        (name_of(name), name_of(value))
        for name, value in (("area", row.area), ("category", row.category))
        if value
    )
    if item and item.source_category:
        yield message("category in the source"), item.source_category
    if row.language:
        yield name_of("language"), name_of(row.language)
    if row.variant:
        yield message("prompt variant"), row.variant
    if row.order:
        yield message("order"), row.order
    if row.sample:
        yield message("sample"), str(row.sample)
    if row.temperature is not None:
        yield name_of("temperature"), f"{row.temperature:g}"
    for name, level in item.facets.items() if item else ():
        yield name_of(name), level
    if item and item.answer is not None:
        yield message("key"), item.answer


def _moved(row: Listed) -> Paragraph | None:
    if not row.changed:
        return None
    return Paragraph(
        message("Another label in the second run: {names}", names=joined(map(name_of, row.changed)))
    )


def _conversations(detail: Detail) -> tuple[Block, ...]:
    """What was asked; of two runs that asked in other words, by each."""
    if len({full.item and full.item.messages for full in detail.answers}) == 1:
        return (_conversation(detail.item),)
    sections = (Section(full.run, (_conversation(full.item),)) for full in detail.answers)
    return (Beside(tuple(sections)),)


def _conversation(item: Item | None) -> Block:
    if item is None or not item.messages:
        return _note(message("Nobody knows in which words the model was asked."))
    return Sample(tuple((name_of(turn.role), turn.content) for turn in item.messages))


def _answered(full: Full, *, titled: bool) -> Section:
    """One run's response, then each judgement of it."""
    judged = tuple(_judged(each) for each in full.judgements)
    title = full.run if titled else message("Response")
    return Section(title, (_response(full), *judged, _people(full.people)))


def _people(labels: Sequence[PeoplesLabel]) -> Table:
    return Table(
        columns(message("criterion"), message("label"), message("label of each rater"), texts=3),
        tuple(
            (
                name_of(each.criterion),
                message("a tie") if each.label is None else name_of(each.label),
                joined(map(name_of, each.given)),
            )
            for each in labels
        ),
        title=message("People's labels"),
    )


def _response(full: Full) -> Block:
    response = full.response
    if response is not None and response.text is not None:
        return Sample((("", response.text),)) if response.text else _note(message("an empty text"))
    if response is not None and response.labels:
        return _note(message("no text: the model's probabilities of the labels were read"))
    reason = response.reason if response else None
    return _note(message("no response: {reason}", reason=name_of(reason or NO_REASON)))


def _note(text: str) -> Paragraph:
    return Paragraph(text, note=True)


def _judged(judged: Judged) -> Section:
    """What one judgement comes to, its distribution, who spoke, and what it was asked."""
    judgement = judged.judgement
    reply = (("", judgement.reply),) if judgement.reply else ()
    blocks = (
        Facts(tuple(_about(judgement))),
        _distribution(judged),
        Sample(reply, summary=message("What the judge wrote")),
        *_prompt(judged.prompt),
    )
    return Section(name_of(judgement.criterion), content(blocks), note=name_of(judgement.source))


def _about(judgement: Judgement) -> Iterator[tuple[Text, Text]]:
    label, value = judgement.favourite, judgement.value
    if value is None:
        yield message("no value"), name_of(judgement.reason or NO_REASON)
    else:
        yield message("value"), number(value)
    if label is not None:
        yield message("likeliest label"), name_of(label_name(judgement.criterion, label))
    if judgement.coverage is not None:
        high = judgement.coverage_high
        most = () if high is None else (" – ", percent(high))
        yield message("coverage"), (percent(judgement.coverage), *most)
    if judgement.windows > 1:
        yield message("parts of the response that were judged"), str(judgement.windows)
    if judgement.judge:
        yield message("judge"), judgement.judge
    if judgement.raw_top:
        yield message("most probable tokens"), tuple(_tokens(judgement.raw_top))


def _tokens(tokens: Sequence[RawToken]) -> Iterator[Inline]:
    for at, each in enumerate(tokens):
        yield from (
            *((" · ",) if at else ()),
            # blanks at its ends are part of a token
            Code(each.token.replace(" ", "␣").replace("\n", "⏎")),
            f" {percent(each.prob)}",
        )


def _distribution(judged: Judged) -> Table:
    """Every label with its probability; no rows where no distribution was read."""
    judgement = judged.judgement
    rows: list[Row] = []
    for label, name, share in zip(
        judgement.labels, judged.names, judgement.probs or (), strict=bool(judgement.probs)
    ):
        strong = label == judgement.favourite
        cell = Cell(
            name_of(name), note=label if label != name else "", tone="strong" if strong else ""
        )
        rows.append((cell, Bar(share), percent(share)))
    return Table(
        (
            Column(message("label")),
            Column("", "drawing"),
            Column(message("probability"), "number"),
        ),
        tuple(rows),
        look="shares",
    )


def _prompt(prompt: Prompt | None) -> Iterator[Block]:
    if prompt is None:
        return
    if prompt.why:
        yield _note(message("The judge's prompt cannot be shown: {why}.", why=prompt.why))
    names = (
        (message("labels as given"), message("labels reversed")) if len(prompt.texts) > 1 else ("",)
    )
    yield Sample(
        tuple(zip(names, prompt.texts, strict=False)),
        summary=message("What the judge was asked, word for word"),
    )


def _ratings(ratings: Sequence[Rating]) -> Table:
    return Table(
        (
            Column(message("question")),
            Column(message("mean"), "number"),
            Column(message("scale")),
            Column(message("standard deviation"), "number"),
            Column(message("people"), "number"),
            Column(message("source")),
        ),
        tuple(
            (
                rating.question,
                number(rating.mean),
                f"{scale_end(rating.low)} – {scale_end(rating.high)}",
                number(rating.sd),
                "–" if rating.n is None else count(rating.n),
                rating.source,
            )
            for rating in ratings
        ),
    )


def _row(row: Listed, criteria: Sequence[str], *, texts: bool) -> Row:
    name = Cell(Link(row.item_id or "–", f"#item-{row.key}"), note=note_of(row))
    outcomes = tuple(_outcomes(row, criterion) for criterion in criteria)
    if not texts:
        return (name, *outcomes)
    return (name, _excerpt(row.question), *(_given(answer) for answer in row.answers), *outcomes)


def _excerpt(text: str | None) -> AnyCell:
    return Sample((("", text),)) if text else "–"


def _given(answer: Answer) -> AnyCell:
    return _excerpt(answer.text) if answer.text else name_of(answer.reason or "–")


def _outcomes(row: Listed, criterion: str) -> Cell:
    """What the answer comes to; of two runs, in both."""
    of_runs = (
        next((o for o in answer.outcomes if o.criterion == criterion), None)
        for answer in row.answers
    )
    changed = criterion in row.changed
    return Cell(joined(map(shown_outcome, of_runs), " → "), tone="strong" if changed else "")


def _movement(row: Listed) -> Row:
    return (number(row.moved),) if len(row.answers) > 1 else ()
