"""A card as a page: what was measured, how far it agrees with people, and for what that holds."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...format import MISSING, count, estimate, number, percent
from ...judges.trust.card import Card, JudgeIdentity, Slice
from ...metrics.calibration import BINS
from ...metrics.estimate import Estimate, Statistic, Unit
from ..blocks import (
    Block,
    Bullets,
    Chart,
    Code,
    Facts,
    Page,
    Paragraph,
    Section,
    Table,
    Text,
    columns,
)
from ..charts import ConfusionTables, Plot, Reliability
from .card_summary import summary

NAMES = {
    "agreement": "same label as people",
    "kendall": "Kendall's τ-b",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
    "kappa": "Cohen's κ",
    "kappa_linear": "κ, linear weights",
    "kappa_quadratic": "κ, quadratic weights",
    "alpha": "Krippendorff's α, ordinal",
    "f1_harmful": "F1 of the harmful labels",
    "auc_harmful": "AUC of P(harmful)",
    "bias": "bias: judge − people",
    "ece": "calibration error of P(harmful)",
    "brier": "Brier score of P(harmful)",
}
BASELINES = {"constant": "always people's commonest label", "keywords": "keyword list"}
_SHORT = {
    "agreement": "same label",
    "kappa": "κ",
    "kappa_quadratic": "κ quadratic",
    "kendall": "τ-b",
    "auc_harmful": "AUC",
    "f1_harmful": "F1",
    "bias": "bias",
}
"""The statistics that are shown per language, category and kind of conversation."""

_MOST_CATEGORIES = 12
_MOST_LANGUAGES = 4
"""In one chart."""

_READING = (
    (
        "κ, α, τ, ρ and r are 0 where the judge goes with people no better than chance, and 1 "
        "where it always says the same. AUC is the chance that of a harmful and a harmless answer"
        " the judge holds the harmful one to be more likely harmful; 0.5 is chance. The commonest"
        " label and the keyword list read nothing: what the judge has over them is what it adds."
    ),
    (
        "Intervals are for new questions of the kind: questions are redrawn with all their "
        "answers. They know nothing of other languages, rubrics, judges or kinds of question, and"
        " people's labels count as true."
    ),
    (
        "The card holds for this judge, chat template, dtype, rubric and criterion. The report of"
        " a run that differs in any of these, or in a language that is not above, says so."
    ),
)


def page(card: Card, files: Mapping[str, str] | None = None, *, figures: bool = True) -> Page:
    """The card as a page, with its `figures`; `files` names the images of them that lie beside."""
    whole = card.overall
    drawn = charts(card, files or {}) if figures else {}
    return Page(
        title=(
            "Judge's card: ",
            Code(card.judge.model),
            ", criterion ",
            Code(card.rubric.criterion),
        ),
        blocks=(
            Bullets(tuple(summary(card))),
            *drawn.values(),
            Section("What was measured", (Facts(tuple(_measured(card))),)),
            Section("Agreement with people", tuple(_agreement(whole))),
            Section("Label by label", tuple(_labels(whole))),
            Section("Calibration", tuple(_calibration(whole))),
            *_groups(card),
            Section("Not scored", (Paragraph(_unscored(whole)),)),
            Section("How to read this", tuple(map(Paragraph, _READING))),
        ),
    )


def charts(card: Card, files: Mapping[str, str]) -> dict[str, Chart]:
    """The reliability curve and the confusion matrix, per language if there are several.

    None where nothing was scored. `files` names the images that lie beside the page.
    """
    if not card.overall.n:
        return {}
    languages = [s for s in card.slices if s.group == "language" and s.n][:_MOST_LANGUAGES]
    slices = languages if len(languages) > 1 else [card.overall]
    plots: dict[str, tuple[Plot, str]] = {
        "reliability": (
            Reliability(
                points=[_points(s) for s in slices],
                series=[f"{s.member or 'all'} (n {s.n:,})" for s in slices],
                xlabel="judge: P(harmful)",
                ylabel="people: share harmful",
                title=f"Reliability, criterion {card.rubric.criterion}",
            ),
            "Reliability: the judge's P(harmful) against the share that people call harmful",
        ),
        "confusion": (
            _confusion(slices, f"criterion {card.rubric.criterion}"),
            "Confusion: people's labels against the judge's",
        ),
    }
    return {name: Chart(plot, alt, file=files.get(name, "")) for name, (plot, alt) in plots.items()}


def _points(part: Slice) -> np.ndarray:
    """Rows of stated probability, observed share, low, high: a row per bin that has any."""
    rows = [
        (each.stated, each.observed.value, each.observed.low, each.observed.high)
        for each in part.reliability
        if each.n and each.observed.value is not None
    ]
    return np.array(rows, dtype=float)


def _confusion(slices: Sequence[Slice], title: str) -> ConfusionTables:
    """People's labels against the judge's, and how many it left unscored if it did."""
    labels = slices[0].confusion.labels
    gaps = any(s.unscored for s in slices)
    return ConfusionTables(
        tables=[
            np.column_stack([s.confusion.counts, s.confusion.unscored])
            if gaps
            else s.confusion.counts
            for s in slices
        ],
        titles=[s.member or title for s in slices],
        rows=labels,
        columns=[*labels, *(["unscored"] if gaps else [])],
        xlabel="judge",
        ylabel="people",
    )


def _measured(card: Card) -> Iterator[tuple[Text, Text]]:
    judge, rubric, source = card.judge, card.rubric, card.source
    yield "judge", Code(judge.model)
    yield "revision or content", Code(judge.content or judge.revision or "not known")
    yield "chat template", Code(judge.chat_template or "none")
    yield "dtype, engine", f"{_dtype(judge)}, {judge.engine}"
    yield "declared training data", ", ".join(card.training.declared) or "none is declared"
    yield "rubric", (f"{rubric.name}, version {rubric.version}, ", Code(rubric.hash))
    values, harmful = ", ".join(rubric.labels), ", ".join(rubric.harmful)
    yield "criterion", f"{rubric.criterion}: {values}; harmful: {harmful}"
    taken = count(source.taken)
    rows = taken if source.taken == source.rows else f"{taken} of {count(source.rows)}"
    yield "labels", (f"{source.benchmark}: {rows} rows of ", Code(source.file))
    yield "their hash", Code(source.sha256)
    yield (
        "people's label",
        ("column ", Code(source.column), f", {source.meaning}" if source.meaning else ""),
    )
    if source.mapping:
        mapped = (f"{value} → {label or 'left out'}" for value, label in source.mapping.items())
        yield "as labels of the criterion", ", ".join(mapped)
    judged = sorted(source.judged_as.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [f"{name or 'no category'} ({count(n)})" for name, n in judged]
    more = " …" if len(named) > _MOST_CATEGORIES else ""
    yield "judged under", ", ".join(named[:_MOST_CATEGORIES]) + more
    for caveat in source.notes:
        yield "caveat", caveat
    yield "settings", ", ".join(f"{name} {value}" for name, value in sorted(card.settings.items()))
    yield "made", f"{card.date} (UTC) by normscope {card.normscope}"


def _dtype(judge: JudgeIdentity) -> str:
    """The dtype in use, and the checkpoint's where that is another."""
    used, stored = judge.dtype or "not known", judge.all.get("checkpoint_dtype")
    return used if stored in (None, used) else f"{used} (the checkpoint says {stored})"


def _agreement(part: Slice) -> Iterator[Block]:
    gains = next(iter(part.gains.values()), ())
    tables = [*part.baselines.values(), *([gains] if gains else [])]
    header = ["", "the judge", *(BASELINES.get(name, name) for name in part.baselines)]
    header += ["judge over keyword list"] if gains else []
    shown = _shown(part)
    rows = tuple(
        (NAMES[each.name], _cell(each), *(_cell(_named(each.name, table)) for table in tables))
        for each in shown
    )
    level = f"{100 * part.statistics[0].estimate.level:g} %"
    answers = f"{count(part.n)} answers to {count(part.clusters)} questions"
    yield Paragraph(f"{answers}; intervals at {level}.")
    yield Table(columns(*header), rows)
    yield Bullets(
        tuple(
            f"{NAMES[each.name]}: {each.estimate.method}"
            for each in shown
            if each.estimate.value is None or each.estimate.low is None
        )
    )
    if part.unscored:
        yield Paragraph(
            "Intervals of the same label, of the bias and of sensitivities allow for the unscored "
            "answers; the others are over the scored. Were every unscored one as wrong as can be, "
            "or right:"
        )
        extremes = tuple(
            (
                NAMES[each.name],
                _number(each, each.estimate.worst),
                _number(each, each.estimate.best),
            )
            for each in shown
            if each.estimate.worst is not None and each.estimate.best is not None
        )
        yield Table(columns("", "worst", "best"), extremes)


def _shown(part: Slice) -> list[Statistic]:
    """The judge's statistics; with two labels, weights change nothing and are left out."""
    weighted = {"kappa_linear", "kappa_quadratic"} if len(part.confusion.labels) == 2 else set()  # noqa: PLR2004
    return [each for each in part.statistics if each.name not in weighted]


def _labels(part: Slice) -> Iterator[Block]:
    table, missing = part.confusion, part.unscored
    header = ("people ↓ judge →", *table.labels, *(["unscored"] if missing else []))
    rows = tuple(
        (label, *map(count, counts), *([count(unscored)] if missing else []))
        for label, counts, unscored in zip(table.labels, table.counts, table.unscored, strict=True)
    )
    yield Table(columns(*header), rows)
    rates = tuple(
        (
            each.label,
            _value(each.sensitivity, "rate"),
            count(each.sensitivity.n),
            _value(each.specificity, "rate"),
            count(each.specificity.n),
        )
        for each in part.classes
    )
    yield Table(columns("label", "sensitivity", "n", "specificity", "n"), rates)


def _calibration(part: Slice) -> Iterator[Block]:
    rows = tuple(
        (
            f"{number(each.low)} – {number(each.high)}",
            count(each.n),
            number(each.stated),
            _value(each.observed, "rate"),
        )
        for each in part.reliability
        if each.n
    )
    yield Table(columns("stated P(harmful)", "n", "mean stated", "people say harmful"), rows)
    yield Paragraph(
        f"The calibration error is Σ n_b/n · |mean stated − share harmful| over {BINS} bins of "
        "equal width; chance alone lifts it above 0, for which its lower limit makes up."
    )


def _groups(card: Card) -> Iterator[Section]:
    names = [name for name in _SHORT if name in {each.name for each in _shown(card.overall)}]
    header = columns("", "n", "questions", "unscored", *(_SHORT[name] for name in names))
    for group in dict.fromkeys(part.group for part in card.slices[1:]):
        rows = tuple(
            (
                part.member,
                *map(count, (part.n, part.clusters, sum(part.unscored.values()))),
                *(_cell(_named(name, part.statistics)) for name in names),
            )
            for part in card.slices[1:]
            if part.group == group
        )
        yield Section(f"By {group}", (Table(header, rows),))


def _unscored(part: Slice) -> str:
    missing = sum(part.unscored.values())
    if not missing:
        return "Every answer was scored."
    total = part.n + missing
    why = ", ".join(f"{reason} {count(n)}" for reason, n in part.unscored.items())
    return f"{count(missing)} of {count(total)} ({percent(missing / total)}): {why}."


def _named(name: str, table: tuple[Statistic, ...]) -> Statistic | None:
    return next((each for each in table if each.name == name), None)


def _cell(statistic: Statistic | None) -> str:
    if statistic is None:
        return ""
    return _value(statistic.estimate, statistic.unit, signs=statistic.name == "bias")


def _value(result: Estimate, unit: Unit, *, signs: bool = False) -> str:
    """The value and, if there is one, its interval."""
    text = estimate(result, unit, signs=signs)
    return text.value if text.interval == MISSING else f"{text.value} {text.interval}"


def _number(statistic: Statistic, value: float | None) -> str:
    return percent(value) if statistic.unit == "rate" else number(value)
