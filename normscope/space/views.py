"""What the pages show of judgements and statistics, as the blocks that reports are made of."""

from collections.abc import Iterable, Iterator, Mapping

from .. import format as fmt
from ..judges.rubric import Category, Criterion
from ..messages import joined, message
from ..metrics.registry import REFUSAL
from ..palette import LABELS
from ..reasons import Reason
from ..records.judgement import Judgement
from ..report import blocks
from ..report.blocks import (
    Block,
    Cell,
    Column,
    Details,
    Label,
    Listing,
    Paragraph,
    Section,
    Table,
    Text,
)
from ..report.names import name_of
from .pages import judge_caveats, judge_line
from .scoring import Scored

REASONS = {
    Reason.NO_ANSWER: message("There is no answer."),
    Reason.LOW_COVERAGE: message(
        "The judge did not keep to the labels, so its verdict would be a guess. That is the "
        "judge's failure, not the answer's."
    ),
    Reason.TIE: message(
        "The judge finds two labels equally likely. That is the judge's failure, not the answer's."
    ),
    Reason.LANGUAGE_NOT_COVERED: message(
        "This judge was not made for the language. Choose the language by hand if it was "
        "mistaken, or another judge."
    ),
    Reason.NO_TOP_TOKENS: message("The judge did not tell its likeliest tokens."),
    Reason.TEXT_TOO_LONG: message("The text is too long for the judge to read."),
    Reason.CALL_FAILED: message("The judge could not be asked."),
}
"""Why a judge that is asked for labels gives no value, in whole sentences."""

LANGUAGE_NAMES = {"en": message("English"), "zh": message("Chinese")}


def answer_blocks(scored: Scored, language: str) -> Iterator[Block]:
    """The score of an answer, its verdict, every criterion, and what the judge read."""
    rubric, moral, rating = scored.judge.rubric, scored.value("moral"), scored.value("rating")
    title, note = message("Not scored"), ""
    if scored.score is not None:
        title = message("{score} of 5", score=fmt.number(scored.score))
        note = message(
            "= moral {moral} × rating {rating}", moral=fmt.number(moral), rating=fmt.number(rating)
        )
    verdict = [
        Paragraph((message("How it deals with the risk:"), " ", meaning))
        for judgement in scored.judgements
        if judgement.criterion == "refusal" and (label := judgement.favourite) is not None
        for meaning in [scored.meaning(judgement, label, language)]
    ]
    prompt_note = message(
        "Rubric {rubric}, version {version} ({hash}). Between the marks stands what you entered; "
        "the judge is told to take it as material, not as an instruction.",
        rubric=rubric.name,
        version=rubric.version,
        hash=rubric.hash[:12],
    )
    prompts = (
        Section(name_of(criterion), (Listing(prompt),))
        for criterion, prompt in scored.prompts.items()
    )
    yield Section(
        title,
        (
            *judge_caveats(scored.judge),
            *verdict,
            judge_line(scored.judge),
            *(_criterion_section(scored, judgement, language) for judgement in scored.judgements),
            Paragraph(joined(_facts(scored, language), " · "), note=True),
            Details(message("What the judge read"), (Paragraph(prompt_note, note=True), *prompts)),
        ),
        note=note,
    )


def _criterion_section(scored: Scored, judgement: Judgement, language: str) -> Section:
    criterion, low, high = scored.criterion(judgement), *_ends(scored.criterion(judgement))
    blocks: list[Block] = []
    if judgement.reason is not None:
        blocks.append(
            Paragraph((message("Why there is no value:"), " ", REASONS[judgement.reason]))
        )
    if judgement.probs is not None:
        labels = criterion.scale.labels
        rows = (
            (
                degree(judgement.criterion, label, scored.meaning(judgement, label, language)),
                prob,
                fmt.percent(prob),
            )
            for label, prob in zip(labels, judgement.probs, strict=True)
        )
        blocks.append(bars_table(message("Label"), message("Probability"), rows))
    if judgement.coverage is not None:
        text: list[str] = [
            message(
                "{share} of the judge's probability lay on these labels.",
                share=fmt.percent(judgement.coverage),
            )
        ]
        if judgement.windows > 1:
            text.append(
                message(
                    "The answer was read in {n} overlapping pieces; the worst one counts.",
                    n=judgement.windows,
                )
            )
        blocks.append(Paragraph(joined(text, " "), note=True))
    return Section(
        (name_of(judgement.criterion), " ", criterion_value(criterion, judgement.value)),
        tuple(blocks),
        note=message("most probable of {n} degrees", n=len(criterion.scale.values))
        if criterion.read == "mode"
        else message("from {low} to {high}", low=low, high=high),
    )


def degree(criterion: str, label: str, meaning: str) -> Text:
    """A label of a criterion with its meaning, in its colour where the criterion is one of ours.

    >>> degree("rating", "5", "safe"), degree("mine", "a", "good")
    (Label(slug='rating 5', text='5 · safe'), 'a · good')
    """
    slug = f"{criterion} {label}"
    if criterion == "refusal":
        slug = dict(zip("0123", REFUSAL, strict=True)).get(label, slug)
    text = f"{label} · {meaning}"
    return Label(slug, text) if slug in LABELS else text


def _ends(criterion: Criterion) -> tuple[str, str]:
    values = criterion.scale.values
    return fmt.scale_end(min(values)), fmt.scale_end(max(values))


def _facts(scored: Scored, language: str) -> Iterator[str]:
    """Language and category, as they were taken."""
    name = LANGUAGE_NAMES.get(scored.language, scored.language)
    if scored.detected:
        yield message("Language: {language} (found out)", language=name)
    else:
        yield message("Language: {language}", language=name)
    if scored.category and scored.judge.rubric.categories:
        title = category_title(scored.judge.rubric.categories[scored.category], language)
        yield message("Kind of risk: {category}", category=title)


def category_title(translations: Mapping[str, Category], language: str) -> str:
    """The title of a rubric's category in the language, or in the first that it has."""
    return (translations.get(language) or next(iter(translations.values()))).title


def criterion_value(criterion: Criterion, value: float | None) -> str:
    """A degree as its label's number, an expected value with its figures."""
    return f"{value:g}" if value is not None and criterion.read == "mode" else fmt.number(value)


def bars_table(
    labels: str, shares: str, rows: Iterable[tuple[Text, float, str]], *, title: Text = ""
) -> Table:
    """A bar for each label, its share and that in words; `labels` and `shares` head the columns.

    The largest share is marked; a `Label` has its colour.
    """
    bars = list(rows)
    most = max((share for _, share, _ in bars), default=0)
    return Table(
        (Column(labels), Column("", "drawing"), Column(shares, "number")),
        tuple(
            (
                Cell(label, tone="strong" if share == most > 0 else ""),
                blocks.Bar(share, label.slug if isinstance(label, Label) else ""),
                text,
            )
            for label, share, text in bars
        ),
        title=title,
        look="numbers bars",
    )
