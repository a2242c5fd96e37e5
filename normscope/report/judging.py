"""What the judge brings along, as it is shown: its prior over the labels, its bias for an order."""

from collections.abc import Iterator

from ..format import count, interval, number, percent
from ..messages import known, message
from ..records.judging import Judging, Prior
from .blocks import Block, Cell, Column, Paragraph, Row, Table, columns
from .judge_caveats import in_windows, one_order
from .names import name_of


def judging_blocks(judging: Judging | None) -> Iterator[Block]:
    """What `judging.json` says of the judge; nothing where none was asked."""
    if not judging or not judging.criteria:
        return
    about = message("What the judge brings along. None of it corrects a score.")
    if judging.label_orders == "both":
        about = message(
            "What the judge brings along. None of it corrects a score, except that every criterion "
            "was asked with its labels in both orders and the two readings are averaged."
        )
    yield Paragraph(about, note=True)
    yield Table(
        (
            *columns(message("criterion"), message("language"), message("labels"), texts=3),
            Column(message("value"), "number", tone="strong"),
            Column(message("coverage"), "number"),
            Column(message("prompts read"), "number"),
        ),
        tuple(map(_prior, judging.priors)),
        title=message("Label prior"),
        note=message(
            "the mean reading of questions and answers without content: an unprejudiced judge "
            "would favour no label"
        ),
    )
    yield Table(
        columns(
            message("criterion"),
            message("mean shift"),
            message("95 % interval"),
            message("mean size"),
            "n",
        ),
        tuple(
            (
                Cell(name_of(row.criterion), note=row.benchmark),
                Cell(number(row.shift), tone="strong"),
                Cell(interval(row.low, row.high), note=known(row.method or "")),
                number(row.mean_absolute_shift),
                count(row.n),
            )
            for row in judging.order_bias
        ),
        title=message("Label-order bias"),
        note=message("expected value with the labels as given, less that with the labels reversed"),
    )
    if not judging.order_bias:
        yield Paragraph(one_order(), note=True)
    yield from map(Paragraph, in_windows(judging))


def _prior(row: Prior) -> Row:
    probs = row.probs or [None] * len(row.labels)
    shares = (f"{label} {percent(p)}" for label, p in zip(row.labels, probs, strict=True))
    return (
        Cell(name_of(row.criterion), note=row.benchmark),
        name_of(row.language),
        ", ".join(shares),
        number(row.value),
        percent(row.coverage),
        message("{n} of {m}", n=count(row.read), m=count(row.prompts)),
    )
