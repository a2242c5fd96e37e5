"""What the page shows of an answer that was judged: the verdict, its trust, and the numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from .. import format as fmt
from ..builders.cfsafety.builder import UNDETERMINED
from ..judges.rubric import Category, Criterion
from ..languages import language_name
from ..messages import Language, joined, known, message
from ..metrics.registry import REFUSAL
from ..palette import LABELS
from ..reasons import Reason
from ..records.judgement import Judgement
from ..report import blocks
from ..report.blocks import (
    Block,
    Caveat,
    Cell,
    Column,
    Details,
    Label,
    Link,
    Listing,
    Paragraph,
    Section,
    Table,
    Text,
)
from ..report.names import name_of
from ..report.templates import translated
from ..report.writers import html
from .scoring import Scored
from .served import ServedJudge
from .verdict import References, risks, trust, verdict

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

TEMPLATES = Path(__file__).parent / "templates"


def answer_page(
    scored: Scored,
    language: Language,
    *,
    shares: Sequence[str] = (),
    others: References | None = None,
) -> str:
    """The verdict on an answer, how far to trust it, and where other answers stand, as HTML.

    `shares` say how much of a long text was read. The numbers and what the judge read are folded.
    """
    rubric = scored.judge.rubric
    spoken: str = message("this language")
    if scored.language != UNDETERMINED:
        spoken = known(language_name(scored.language, language))
    [risk] = risks(rubric, [scored.judgements])
    lines: list[Block] = [Caveat(share, warns=True) for share in shares]
    lines += [
        Paragraph(REASONS[reason])
        for reason in dict.fromkeys(each.reason for each in scored.judgements if each.reason)
    ]
    if risk is not None:
        lines += trust_lines(scored.judge, scored.language, language)
    reached = verdict(rubric, scored.judgements, spoken)
    head = html.fragment((Section(reached.text, tuple(lines)),), language)
    strip = "" if others is None or risk is None else _strip(risk, others, language)
    rest = html.fragment(
        (
            Details(message("The numbers"), tuple(_numbers(scored, language))),
            Details(message("What the judge read"), tuple(_prompts(scored))),
        ),
        language,
    )
    return f'<div class="ns verdict {reached.tone}">{head}{strip}{rest}</div>'


def trust_lines(judge: ServedJudge, spoken: str, language: Language) -> tuple[Paragraph, ...]:
    """How often the judge errs; which judge it is, what it is for, and the way to its card."""
    who = message("small bundled judge") if judge.is_bundled else judge.name
    about = joined([message("Judge: {name}", name=who), *judge.caveats[:1]], " · ")
    link = Link(message("How far it agrees with people"), "#tab-judges")
    return (
        Paragraph(trust(judge, spoken, language)),
        Paragraph((about, " ", link), note=True),
    )


def _strip(risk: float, others: References, language: Language) -> str:
    """The answer on a scale from harmless to harmful, over answers whose grade is known."""
    above = message(
        "The judge finds it more harmful than {a} of {n} answers known to be safe, and than {b} of "
        "{m} known to be harmful.",
        a=sum(each < risk for each in others.safe),
        n=len(others.safe),
        b=sum(each < risk for each in others.harmful),
        m=len(others.harmful),
    )
    template = translated(TEMPLATES, language).get_template("strip.html")
    rows = ((others.safe, 16, "safe"), (others.harmful, 40, "risky"))
    return template.render(risk=risk, rows=rows, above=above)


def _numbers(scored: Scored, language: Language) -> Iterator[Block]:
    """The score of five, every criterion, and what was taken for granted."""
    if scored.score is not None:
        yield Paragraph(
            message(
                "{score} of 5 = moral {moral} × rating {rating}",
                score=fmt.number(scored.score),
                moral=fmt.number(scored.value("moral")),
                rating=fmt.number(scored.value("rating")),
            )
        )
    for judgement in scored.judgements:
        yield _criterion_section(scored, judgement, language)
    name = language_name(scored.language, language)
    yield Paragraph(message("Language: {language}", language=name), note=True)


def _prompts(scored: Scored) -> Iterator[Block]:
    rubric = scored.judge.rubric
    text = message(
        "Rubric {rubric}, version {version} ({hash}). Between the marks stands what you entered; "
        "the judge is told to take it as material, not as an instruction.",
        rubric=rubric.name,
        version=rubric.version,
        hash=rubric.hash[:12],
    )
    yield Paragraph(text, note=True)
    for criterion, prompt in scored.prompts.items():
        yield Section(name_of(criterion), (Listing(prompt),))


def _criterion_section(scored: Scored, judgement: Judgement, language: Language) -> Section:
    criterion, low, high = scored.criterion(judgement), *_ends(scored.criterion(judgement))
    blocks: list[Block] = []
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


def category_title(translations: Mapping[str, Category], language: str) -> str:
    """The title of a rubric's category in the language, or in the first that it has."""
    return (translations.get(language) or next(iter(translations.values()))).title


def criterion_value(criterion: Criterion, value: float | None) -> str:
    """A degree as its label's number, an expected value with its figures."""
    return f"{value:g}" if value is not None and criterion.read == "mode" else fmt.number(value)


def bars_table(labels: str, shares: str, rows: Iterable[tuple[Text, float, str]]) -> Table:
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
        look="numbers bars",
    )
