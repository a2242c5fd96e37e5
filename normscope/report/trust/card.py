"""A card as a page, and its files: what was measured, how it agrees with people, and where."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from ...files import hash_value
from ...format import MISSING, count, estimate
from ...judges.trust.card import Card, Slice, write_card
from ...messages import joined, message
from ...metrics.estimate import Estimate, Statistic, Unit
from ..blocks import (
    AnyCell,
    Bullets,
    Cell,
    Chart,
    Code,
    Facts,
    Page,
    Paragraph,
    Record,
    Section,
    Table,
    Text,
)
from ..charts import Reliability
from ..estimates import explained
from ..judge_caveats import summary
from ..names import name_of
from ..writers import write

_SHORT = {
    "agreement": message("same label"),
    "kappa": message("κ"),
    "kappa_quadratic": message("κ quadratic"),
    "kendall": message("τ-b"),
    "auc_harmful": message("AUC"),
    "f1_harmful": message("F1"),
    "bias": message("bias"),
}
"""The statistics that are shown per language, category and kind of conversation."""


_OF_PEOPLE = {
    "agreement": message("same label as people"),
    "alpha": message("Krippendorff's α, ordinal"),
}
"""Statistics that are of something else in a report, where they have another name."""

_BASELINES = {
    "constant": message("always people's commonest label"),
    "keywords": message("keyword list"),
}

_TELLING = ("model", "revision", "content", "chat_template", "dtype")
"""What tells a judge from others of its name."""


def write_card_files(card: Card, out: Path) -> tuple[Path, ...]:
    """Writes the card into `out` as a page with its charts, and as JSON; the files' paths."""
    stem = file_stem(card)
    shown, data = out / f"{stem}.html", out / f"{stem}.json"
    write(page(card), shown)
    write_card(card, data)
    return shown, data


def file_stem(card: Card) -> str:
    """The name of a card's files: judge, rubric, criterion, labels, and what tells it from others.

    The last part hangs on the judge's files, the rubric's hash and the labels, not on the results.
    """
    texts = (
        Path(card.judge.model).name or card.judge.model,
        card.rubric.name,
        card.rubric.criterion,
        card.source.benchmark,
    )
    # two cards of one judge on one set may differ in its revision or the rubric's wording only
    key = hash_value(
        [
            [getattr(card.judge, name) for name in _TELLING],
            card.rubric.hash,
            card.source.sha256,
            dict(card.source.mapping),
            card.source.taken,
        ]
    )[:8]
    names = (re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] for text in texts)
    return ".".join([*(name or "x" for name in names), key])


def page(card: Card) -> Page:
    """The card as a page."""
    whole = card.overall
    counts = message(
        "{n} answers to {m} questions; intervals at {level}.",
        n=count(whole.n),
        m=count(whole.clusters),
        level=f"{100 * whole.statistics[0].estimate.level:g} %",
    )
    return Page(
        title=title(card),
        blocks=(
            Bullets(tuple(summary(card))),
            *((_reliability(card),) if whole.n else ()),
            Section(message("What was measured"), (Facts(tuple(_measured(card))),)),
            Section(message("Agreement with people"), (Paragraph(counts), agreement_table(whole))),
            Section(message("Label by label"), (_labels(whole),)),
            Section(message("By group"), (groups_table(card),)),
            explained("docs/validate.md"),
        ),
    )


def title(card: Card) -> Text:
    """Which judge and criterion the card is of."""
    return (
        message("Judge's card: "),
        Code(card.judge.model),
        message(", criterion "),
        Code(card.rubric.criterion),
    )


def _reliability(card: Card) -> Chart:
    """The share that people call harmful, by the judge's probability of that."""
    bins = [
        (each.stated, each.observed.value, each.observed.low, each.observed.high)
        for each in card.overall.reliability
        if each.n and each.observed.value is not None
    ]
    criterion = name_of(card.rubric.criterion)
    chart = Reliability(
        points=np.array(bins, dtype=float),
        xlabel=message("judge: P(harmful)"),
        ylabel=message("people: share harmful"),
        title=message("Reliability, criterion {criterion}", criterion=criterion),
    )
    text = message("Reliability: the judge's P(harmful) against the share that people call harmful")
    return Chart(chart, text)


def _measured(card: Card) -> Iterator[tuple[Text, Text]]:
    judge, rubric, source = card.judge, card.rubric, card.source
    yield message("judge"), Code(judge.model)
    yield message("revision or content"), Code(judge.content or judge.revision or "not known")
    yield message("chat template"), Code(judge.chat_template or "none")
    used, stored = judge.dtype or message("not known"), judge.all.get("checkpoint_dtype")
    if stored not in (None, used):
        used = message("{dtype} (the checkpoint says {stored})", dtype=used, stored=stored)
    yield message("dtype, engine"), joined((used, judge.engine))
    declared = joined(card.training.declared) or message("none is declared")
    yield message("declared training data"), declared
    version = message("{rubric}, version {version}, ", rubric=rubric.name, version=rubric.version)
    yield message("rubric"), (version, Code(rubric.hash))
    if rubric.published:
        yield message("published by its makers"), "; ".join(rubric.published)
    criterion = message(
        "{criterion}: {labels}; harmful: {harmful}",
        criterion=name_of(rubric.criterion),
        labels=joined(rubric.labels),
        harmful=joined(rubric.harmful),
    )
    yield message("criterion"), criterion
    rows = count(source.taken)
    if source.taken != source.rows:
        rows = message("{n} of {m}", n=rows, m=count(source.rows))
    rows_of = message("{labels}: {rows} rows of ", labels=source.benchmark, rows=rows)
    yield message("labels"), (rows_of, Code(source.file), ", ", Code(source.sha256))
    meaning = (", ", source.meaning) if source.meaning else ()
    yield message("people's label"), (message("column "), Code(source.column), *meaning)
    if source.mapping:
        labels = ((value, to or message("left out")) for value, to in source.mapping.items())
        yield message("as labels of the criterion"), joined(joined(pair, " → ") for pair in labels)
    yield from ((message("caveat"), caveat) for caveat in source.notes)
    settings = ", ".join(f"{name} {value}" for name, value in sorted(card.settings.items()))
    yield message("settings"), settings
    by = message("{date} (UTC) by normscope {version}", date=card.date, version=card.normscope)
    yield message("made"), by


def agreement_table(group: Slice, names: Collection[str] = ()) -> Table:
    """The judge's statistics beside those of predictors that read nothing; `names`: only these."""
    gains = next(iter(group.gains.values()), ())

    def record(row: Statistic) -> Record:
        cells: dict[str, AnyCell] = {
            "": _OF_PEOPLE.get(row.name) or name_of(row.name),
            message("the judge"): _cell(row.name, group.statistics),
        }
        if group.unscored:
            # the range that they leave open, were every one as low, or as high, as can be
            cells[message("lowest – highest")] = estimate(row.estimate, row.unit).extremes
        for name, table in group.baselines.items():
            cells[_BASELINES.get(name, name)] = _cell(row.name, table)
        if gains:
            cells[message("judge over keyword list")] = _cell(row.name, gains)
        return cells

    return Table.of(record(row) for row in _shown(group) if not names or row.name in names)


def _shown(group: Slice) -> list[Statistic]:
    """The judge's statistics; with two labels, weights change nothing and are left out."""
    weighted = {"kappa_linear", "kappa_quadratic"} if len(group.confusion.labels) == 2 else set()  # noqa: PLR2004
    return [each for each in group.statistics if each.name not in weighted]


def _labels(group: Slice) -> Table:
    """Per label of people how often the judge gave each, how often none, and how well it tells."""
    table = group.confusion
    return Table.of(
        {
            message("people ↓ judge →"): label,
            **dict(zip(table.labels, map(count, counts), strict=True)),
            message("unscored"): count(unscored),
            message("sensitivity"): _with_interval(of.sensitivity, "rate"),
            message("specificity"): _with_interval(of.specificity, "rate"),
        }
        for label, counts, unscored, of in zip(
            table.labels, table.counts, table.unscored, group.classes, strict=True
        )
    )


def groups_table(card: Card) -> Table:
    """The statistics per language, category and kind of conversation."""
    names = [name for name in _SHORT if name in {row.name for row in _shown(card.overall)}]
    return Table.of(
        (
            {
                message("group"): name_of(group.group),
                message("of"): name_of(group.member),
                "n": count(group.n),
                message("questions"): count(group.clusters),
                message("unscored"): count(sum(group.unscored.values())),
                **{_SHORT[name]: _cell(name, group.statistics) for name in names},
            }
            for group in card.slices[1:]
        ),
        texts=2,
    )


def _cell(name: str, table: tuple[Statistic, ...]) -> Cell:
    """The statistic of the table with its interval; why there is none on pointing at it."""
    row = next((each for each in table if each.name == name), None)
    if row is None:
        return Cell("")
    text = _with_interval(row.estimate, row.unit, signs=name == "bias")
    return Cell(text, hint=row.estimate.method if row.estimate.low is None else "")


def _with_interval(result: Estimate, unit: Unit = "score", *, signs: bool = False) -> str:
    text = estimate(result, unit, signs=signs)
    return text.value if text.interval == MISSING else f"{text.value} {text.interval}"
