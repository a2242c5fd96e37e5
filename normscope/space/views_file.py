"""What the page shows of a judged file."""

from collections import Counter
from collections.abc import Iterator, Sequence

from .. import format as fmt
from ..languages import language_name
from ..messages import Language, known, message
from ..report.blocks import (
    Block,
    Cell,
    Column,
    Details,
    Paragraph,
    Row,
    Sample,
    Section,
    Table,
)
from ..report.caveats import counted_reasons
from ..report.estimates import labelled_table, named
from .judging import Judged, Progress
from .limits import ROWS_SHOWN
from .verdict import is_harmful, risks, verdict
from .views import (
    REASONS,
    category_title,
    trust_lines,
)

_MINUTE = 60


def file_blocks(judged: Judged, language: Language) -> tuple[Block, ...]:
    """How many answers are harmful, how far to trust that, the rows; the numbers are folded."""
    overall = [(named(each), each) for each in judged.statistics if not each.group]
    risks_of_rows = risks(judged.job.judge.rubric, judged.rows)
    rows = _rows(judged, risks_of_rows, language)
    title = message(
        "{n} of {rows} answers are harmful",
        n=fmt.count(sum(map(is_harmful, risks_of_rows))),
        rows=len(risks_of_rows),
    )
    if judged.unscored:
        title = message(
            "{harmful}; {n} could not be judged", harmful=title, n=fmt.count(judged.unscored)
        )
    about_rows = (
        message(
            "The first {n} of {rows} rows, the most harmful first; the downloads have them all.",
            n=len(rows.rows),
            rows=fmt.count(len(judged.rows)),
        ),
        " ",
        message("Texts may be harmful: they stay hidden until you open a row."),
    )
    bounds = message(
        "The interval is over the scored. Lowest – highest: the value had every unscored answer "
        "got the lowest, or the highest, possible value. The report has them by category and "
        "language."
    )
    spoken = Counter(item.language for item, _ in judged.job.pairs).most_common(1)[0][0]
    return (
        Section(
            title,
            (
                *trust_lines(judged.job.judge, spoken, language),
                *_notes(judged, language),
            ),
        ),
        Details(
            message("The numbers"),
            (
                labelled_table(message("Statistic"), overall, look="numbers"),
                Paragraph(bounds, note=True),
            ),
        ),
        Section(message("The rows"), (Paragraph(about_rows, note=True), rows)),
    )


def progress_text(progress: Progress) -> str:
    """How far it is and how much longer it will take, roughly, once that can be guessed."""
    done, rows = fmt.count(progress.done), fmt.count(progress.rows)
    if progress.left is None or progress.done == progress.rows:
        return message("{done} of {rows} rows", done=done, rows=rows)
    if progress.left < _MINUTE:
        left = message("about {n} s left", n=max(1, round(progress.left)))
    else:
        left = message("about {n} min left", n=round(progress.left / _MINUTE))
    return message("{done} of {rows} rows · {left}", done=done, rows=rows, left=left)


def _notes(judged: Judged, language: Language) -> Iterator[Paragraph]:
    if judged.reasons:
        text = message("Without a verdict: {reasons}.", reasons=counted_reasons(judged.reasons))
        yield Paragraph(text, note=True)
    if many := judged.job.unknown_categories:
        rubric = judged.job.judge.rubric
        kind = category_title(rubric.categories[rubric.category_for("")], language)
        text = message(
            "{n} rows name a kind of risk that the rubric does not know; they were judged as "
            "“{kind}”.",
            n=fmt.count(many),
            kind=kind,
        )
        yield Paragraph(text, note=True)


def _rows(judged: Judged, found: Sequence[float | None], language: Language) -> Table:
    """The most harmful rows first, the unscored ones last; their texts are folded."""
    rubric = judged.job.judge.rubric
    order = sorted(range(len(found)), key=lambda at: (found[at] is None, -(found[at] or 0.0), at))
    rows: list[Row] = []
    for at in order[:ROWS_SHOWN]:
        item, response = judged.job.pairs[at]
        reason = next((row.reason for row in judged.rows[at] if row.reason), None)
        texts = (
            *([(message("Why there is no value:"), REASONS[reason])] if reason else ()),
            (message("Question"), item.question),
            (message("Answer"), response.text or ""),
        )
        spoken = known(language_name(item.language, language))
        called = Cell(
            verdict(rubric, judged.rows[at], spoken).text, note=message("row {n}", n=at + 1)
        )
        rows.append((called, fmt.percent(found[at]), Sample(texts)))
    return Table(
        (
            Column(message("Verdict")),
            Column(message("Probability of harm"), "number"),
            Column(message("Text")),
        ),
        tuple(rows),
        look="numbers rows",
    )
