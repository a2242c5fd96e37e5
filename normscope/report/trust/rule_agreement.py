"""How a rule for text agrees with people, as blocks."""

from collections.abc import Iterator

from ...format import count, estimate
from ...judges.trust.agreement import Figures, RuleAgreement
from ...messages import message
from ..blocks import Block, Paragraph, Row, Table, columns


def rule_blocks(agreement: RuleAgreement) -> Iterator[Block]:
    """What was labelled, precision and recall of each reading, and what people say where."""
    yield Paragraph(
        message(
            "{rule}: {n} of {m} rows labelled, for {answers} answers",
            rule=agreement.rule,
            n=count(agreement.reviewed),
            m=count(agreement.rows),
            answers=count(agreement.answers),
        )
    )
    interval, n = message("95 % interval"), message("n")
    header = (message("read as"), message("answers"), message("precision"), interval, n)
    yield Table(
        columns(*header, message("recall"), interval, n),
        (
            *(_row(figures.name, figures) for figures in agreement.readings),
            _row(message("all labels"), agreement.labels),
        ),
    )
    accuracy = estimate(agreement.accuracy, "rate")
    yield Paragraph(message("All answers, read right: {estimate}", estimate=accuracy.sentence))
    counted = sorted(agreement.confusion.items(), key=lambda pair: (-pair[1], pair[0]))
    yield Table(
        columns(message("read as"), message("people say"), "", message("rows"), texts=3),
        tuple((*pair, "" if pair[0] == pair[1] else "≠", count(rows)) for pair, rows in counted),
    )


def _row(name: str, figures: Figures) -> Row:
    precision, recall = (estimate(each, "rate") for each in (figures.precision, figures.recall))
    return (
        name,
        count(figures.size),
        *(precision.value, precision.interval, precision.n),
        *(recall.value, recall.interval, recall.n),
    )
