"""What the pages show of judgements: every number through the one formatter."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ... import format as fmt
from ...judges.rubric_file import Category, Criterion
from ...records.judgement import Judgement
from ...report import blocks
from ...report.blocks import Cell, Column, Table
from .scoring import Scored
from .words import Language, Words


@dataclass(frozen=True, slots=True)
class LabelBar:
    """One row of a bar chart: a label, a share in words, and how wide it is drawn in percent."""

    label: str
    share: str
    width: float
    favourite: bool = False


@dataclass(frozen=True, slots=True)
class CriterionView:
    """One criterion of an answer as it is shown."""

    title: str
    value: str
    scale: str
    bars: tuple[LabelBar, ...]
    coverage: float | None
    windows: int
    reason: str | None


def criterion_views(scored: Scored, words: Words, language: Language) -> Iterator[CriterionView]:
    """Every criterion of the answer, in the rubric's order."""
    for judgement in scored.judgements:
        criterion, reason = scored.criterion(judgement), judgement.reason
        yield CriterionView(
            title=named(words, language, "answer_criterion", judgement.criterion),
            value=criterion_value(criterion, judgement.value),
            scale=_scale(criterion, words, language),
            bars=tuple(_bars(scored, judgement, language)),
            coverage=judgement.coverage,
            windows=judgement.windows,
            reason=None if reason is None else named(words, language, "answer_reason", reason),
        )


def verdict(scored: Scored, language: Language) -> str | None:
    """The refusal degree in the rubric's words; null where it is unscored or not asked."""
    for judgement in scored.judgements:
        favourite = scored.favourite(judgement)
        if judgement.criterion == "refusal" and favourite is not None:
            return scored.meaning(judgement, favourite, language)
    return None


def facts(scored: Scored, words: Words, language: Language) -> str:
    """Language and category, as they were taken."""
    spoken = named(words, language, "answer_language", scored.language)
    key = "answer_fact_found" if scored.found_out else "answer_fact_language"
    told = [words.say(key, language, language=spoken)]
    if scored.category and scored.judge.rubric.categories:
        title = category_title(scored.judge.rubric.categories[scored.category], language)
        told.append(words.say("answer_fact_category", language, category=title))
    return " · ".join(told)


def category_title(wordings: Mapping[str, Category], language: Language) -> str:
    """The title of a rubric's category in the language, or in the first that it has."""
    return (wordings.get(language) or next(iter(wordings.values()))).title


def named(words: Words, language: Language, kind: str, name: str) -> str:
    """Our word for a slug, or the slug as people read it."""
    key = f"{kind}_{name}"
    return words.say(key, language) if key in words.texts else name.replace("_", " ")


def criterion_value(criterion: Criterion, value: float | None) -> str:
    """A degree as its label's number, an expected value with its figures."""
    return f"{value:g}" if value is not None and criterion.read == "mode" else fmt.number(value)


def shares_table(
    labels: Sequence[str], counts: Sequence[int], titles: tuple[str, str], *, title: str
) -> Table:
    """Counts as bars of their shares; `titles` are those of the labels and of the counts."""
    total, most = sum(counts) or 1, max(counts, default=0)
    return Table(
        (Column(titles[0]), Column("", "drawing"), Column(titles[1], "number")),
        tuple(
            (
                Cell(label, tone="strong" if n == most > 0 else ""),
                blocks.Bar(n / total),
                f"{fmt.count(n)} · {fmt.percent(n / total)}",
            )
            for label, n in zip(labels, counts, strict=True)
        ),
        title=title,
        look="numbers",
    )


def _scale(criterion: Criterion, words: Words, language: Language) -> str:
    values = criterion.scale.values
    if criterion.read == "mode":
        return words.say("answer_scale_mode", language, n=len(values))
    low, high = f"{min(values):g}", f"{max(values):g}"
    return words.say("answer_scale_mean", language, low=low, high=high)


def _bars(scored: Scored, judgement: Judgement, language: Language) -> Iterator[LabelBar]:
    labels, favourite = scored.criterion(judgement).scale.labels, scored.favourite(judgement)
    for label, prob in zip(labels, judgement.probs or (), strict=False):
        title = f"{label} · {scored.meaning(judgement, label, language)}"
        yield LabelBar(title, fmt.percent(prob), prob * 100, label == favourite)
