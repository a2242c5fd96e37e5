"""A card in words and tables, as Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from ...format import count, interval, number, percent
from ...judges.trust.card import Card, JudgeIdentity, Slice
from ...markdown import code, escaped, words_table
from ...metrics.calibration import BINS
from ...metrics.estimate import Estimate, Statistic
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
"""The statistics that are told per language, category and kind of dialogue."""

_MOST_CATEGORIES = 12

_READING = """\
κ, α, τ, ρ and r are 0 where the judge goes with people no better than chance, and 1 where it always
says the same. AUC is the chance that of a harmful and a harmless answer the judge holds the harmful
one to be more likely harmful; 0.5 is chance. The commonest label and the keyword list read nothing:
what the judge has over them is what it adds.

Intervals are for new questions of the kind: questions are redrawn with all their answers. They know
nothing of other languages, rubrics, judges or kinds of question, and people's labels count as true.

The card holds for this judge, chat template, dtype, rubric and criterion. The report of a run that
differs in any of these, or in a language that is not above, says so."""


def markdown(card: Card, *, figures: Sequence[str] = ()) -> str:
    """The card as a page; `figures` are the names of image files that lie beside it."""
    parts = [
        f"# Judge's card: {code(card.judge.model)}, criterion {code(card.rubric.criterion)}",
        "\n".join(f"- {escaped(line)}" for line in summary(card)),
        "\n".join(f"![{name}]({name})" for name in figures),
        "## What was measured",
        words_table(("", ""), _measured(card)),
        "## Agreement with people",
        _agreement(card.overall),
        *_undefined(card.overall),
        "## Label by label",
        *_confusion(card),
        "## Calibration",
        *_calibration(card),
        *_groups(card),
        "## Not scored",
        _unscored(card.overall),
        "## How to read this",
        _READING,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def shown(found: Estimate, *, rate: bool = False) -> str:
    """An estimate with its interval.

    >>> shown(Estimate(0.5, 0.25, 0.75, 10, 0, 0.5, 0.5, "these items", "exact"))
    '0.500 [0.250, 0.750]'
    """
    value = percent(found.value) if rate else number(found.value)
    limits = interval(found.low, found.high, rate=rate)
    return value if found.low is None else f"{value} {limits}"


def _measured(card: Card) -> Iterator[tuple[str, str]]:
    judge, rubric, source = card.judge, card.rubric, card.source
    yield "judge", code(judge.model)
    yield "revision or content", code(judge.content or judge.revision or "not known")
    yield "chat template", code(judge.chat_template or "none")
    yield "dtype, engine", escaped(f"{_dtype(judge)}, {judge.engine}")
    declared = escaped(", ".join(card.training.declared))
    yield "declared training data", declared or "none is declared"
    yield "rubric", f"{escaped(rubric.name)}, version {rubric.version}, {code(rubric.hash)}"
    values, harmful = ", ".join(rubric.labels), ", ".join(rubric.harmful)
    yield "criterion", escaped(f"{rubric.criterion}: {values}; harmful: {harmful}")
    taken = count(source.taken)
    rows = taken if source.taken == source.rows else f"{taken} of {count(source.rows)}"
    yield "labels", f"{escaped(source.benchmark)}: {rows} rows of {code(source.file)}"
    yield "their hash", code(source.sha256)
    meaning = f": {escaped(source.meaning)}" if source.meaning else ""
    yield "people's label", f"column {code(source.column)}{meaning}"
    if source.mapping:
        mapped = (
            f"{escaped(v)} → {escaped(label) or 'left out'}" for v, label in source.mapping.items()
        )
        yield "as labels of the criterion", ", ".join(mapped)
    judged = sorted(source.judged_as.items(), key=lambda pair: (-pair[1], pair[0]))
    told = [f"{escaped(name) or 'no category'} ({count(n)})" for name, n in judged]
    more = " …" if len(told) > _MOST_CATEGORIES else ""
    yield "judged under", ", ".join(told[:_MOST_CATEGORIES]) + more
    for note in source.notes:
        yield "note", escaped(note)
    settings = ", ".join(f"{name} {value}" for name, value in sorted(card.settings.items()))
    yield "settings", escaped(settings)
    yield "made", escaped(f"{card.date} (UTC) by normscope {card.normscope}")


def _dtype(judge: JudgeIdentity) -> str:
    """The dtype in use, and the checkpoint's where that is another."""
    used, stored = judge.dtype or "not known", judge.all.get("checkpoint_dtype")
    return used if stored in (None, used) else f"{used} (the checkpoint says {stored})"


def _agreement(part: Slice) -> str:
    columns = ["", "the judge", *(BASELINES.get(name, name) for name in part.baselines)]
    gains = next(iter(part.gains.values()), ())
    if gains:
        columns.append("judge over keyword list")
    rows = []
    for mine in _told(part):
        row = [NAMES.get(mine.name, mine.name), _stat(mine)]
        row += [_of(mine.name, table) for table in part.baselines.values()]
        if gains:
            row.append(_of(mine.name, gains))
        rows.append(row)
    level = percent(part.statistics[0].estimate.level)
    counted = f"{count(part.n)} answers to {count(part.clusters)} questions"
    return f"{counted}; intervals at {level.replace('.0 ', ' ')}.\n\n{words_table(columns, rows)}"


def _told(part: Slice) -> list[Statistic]:
    """The judge's statistics; with two labels, weights change nothing and are left out."""
    weighted = {"kappa_linear", "kappa_quadratic"} if len(part.confusion.labels) == 2 else set()  # noqa: PLR2004
    return [one for one in part.statistics if one.name not in weighted]


def _undefined(part: Slice) -> Iterator[str]:
    """Why a statistic of the judge has no value, or no interval; and cases of the unscored."""
    lines = [
        f"- {NAMES.get(s.name, s.name)}: {escaped(s.estimate.method)}"
        for s in _told(part)
        if s.estimate.value is None or s.estimate.low is None
    ]
    if lines:
        yield "\n".join(lines)
    if part.unscored:
        rows = [
            (NAMES.get(s.name, s.name), _number(s, s.estimate.worst), _number(s, s.estimate.best))
            for s in _told(part)
            if s.estimate.worst is not None and s.estimate.best is not None
        ]
        yield (
            "Intervals of the same label, of the bias and of sensitivities allow for the unscored "
            "answers; the others are over the scored. Were every unscored one as wrong as can be, "
            "or right:"
        )
        yield words_table(("", "worst", "best"), rows)


def _confusion(card: Card) -> Iterator[str]:
    part = card.overall
    table, labels = part.confusion, part.confusion.labels
    columns = ["people ↓ judge →", *map(escaped, labels), *(["unscored"] if part.unscored else [])]
    rows = []
    for label, counts, missing in zip(labels, table.counts, table.unscored, strict=True):
        cells = [count(one) for one in counts] + ([count(missing)] if part.unscored else [])
        rows.append([escaped(label), *cells])
    yield words_table(columns, rows)
    rates = [
        (
            escaped(one.label),
            shown(one.sensitivity, rate=True),
            count(one.sensitivity.n),
            shown(one.specificity, rate=True),
            count(one.specificity.n),
        )
        for one in part.classes
    ]
    yield words_table(("label", "sensitivity", "n", "specificity", "n"), rates)


def _calibration(card: Card) -> Iterator[str]:
    rows = [
        (
            f"{number(one.low) if one.low else 0} – {number(one.high)}",
            count(one.n),
            number(one.stated),
            shown(one.observed, rate=True),
        )
        for one in card.overall.reliability
        if one.n
    ]
    yield words_table(("stated P(harmful)", "n", "mean stated", "people say harmful"), rows)
    yield (
        f"The calibration error is Σ n_b/n · |mean stated − share harmful| over {BINS} bins of "
        "equal width; chance alone lifts it above 0, for which its lower limit makes up."
    )


def _groups(card: Card) -> Iterator[str]:
    groups: dict[str, list[Slice]] = {}
    for part in card.slices[1:]:
        groups.setdefault(part.group, []).append(part)
    names = [name for name in _SHORT if name in {one.name for one in _told(card.overall)}]
    for group, parts in groups.items():
        yield f"## By {escaped(group)}"
        columns = ["", "n", "questions", "unscored", *(_SHORT[name] for name in names)]
        rows = []
        for part in parts:
            counts = (part.n, part.clusters, sum(part.unscored.values()))
            row = [escaped(part.member), *(count(one) for one in counts)]
            rows.append(row + [_of(name, part.statistics) for name in names])
        yield words_table(columns, rows)


def _unscored(part: Slice) -> str:
    missing = sum(part.unscored.values())
    if not missing:
        return "Every answer was scored."
    total = part.n + missing
    why = ", ".join(f"{escaped(reason)} {count(n)}" for reason, n in part.unscored.items())
    return f"{count(missing)} of {count(total)} ({percent(missing / total)}): {why}."


def _of(name: str, table: Iterable[Statistic]) -> str:
    return next((_stat(one) for one in table if one.name == name), "")


def _stat(found: Statistic) -> str:
    return shown(found.estimate, rate=found.unit == "rate")


def _number(found: Statistic, value: float | None) -> str:
    return percent(value) if found.unit == "rate" else number(value)
