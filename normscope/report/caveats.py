"""What limits the numbers of a run: how it was made, its key, its variants, what is unscored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from ..categorical import group_by
from ..format import count, percent, shortened
from ..judges.trust.cards import KnownCards
from ..messages import joined, known, message
from ..metrics.scores import ScoreTable
from ..pipeline.judged_rows import Judged, counts_of
from ..pipeline.norms import ANCHORS
from ..records import judgement
from ..records.absent import ITEM, JUDGED, WhollyUnscored, unscored, wholly_unscored
from ..records.integrity import JUDGEMENTS
from ..records.item import Item
from ..records.items import Items
from ..records.judgements import off_scale
from ..records.provenance import Provenance
from ..records.reproduction import serving_notes
from ..records.run import Run
from ..records.settings import Settings
from ..records.tables import to_table
from .blocks import Caveat, Details, Link, Paragraph, Section
from .data import ReportData
from .judge_caveats import card_caveats
from .names import name_of

_CONSTANT = 0.9
_TOP = 3
"""So many caveats stand on the first screen."""
_FEWEST = 20
"""From how many answers on, and from which share of one label, a model hardly chooses."""


def failures(run: Run) -> Iterator[Caveat]:
    """Why a benchmark has hardly any numbers, and what mends that: nobody must pass it by."""
    for text in off_scale(run.counted):
        yield Caveat(text, about=message("Warning"), warns=True)


def caveats(data: ReportData) -> Iterator[Caveat]:
    """What limits the numbers of a run, in the order in which a reader should know it."""
    if data.stale:
        stale = message(
            "{n} corrections in this folder belong to judgements that are no longer there and are "
            "not shown: correct the run again.",
            n=data.stale,
        )
        yield Caveat(stale, about=message("Warning"), warns=True)
    wholly = wholly_unscored(data.items.table.select(ITEM), data.judgements)
    for text in unscored_caveats(wholly):
        yield Caveat(text, about=message("Warning"), warns=True)
    yield from answer_caveats(data.scores)
    for text in model_caveats(data.config):
        yield Caveat(text, about=message("Warning"), warns=True)
    yield from (caveat for caveat in of_judge(data) if caveat.warns)
    for text in slice_caveats(data.config):
        yield Caveat(text, about=message("Slice"))
    yield from _keys(data)


def of_judge(data: ReportData) -> list[Caveat]:
    """What is known of the judge: what limits the numbers, and what speaks for it."""
    return card_caveats(data.config, data.judgements, data.items, data.known_cards)


def top_caveats(listed: Sequence[Caveat]) -> Details | None:
    """The first of them behind one line, and the way to all."""
    top = listed[:_TOP]
    if not top:
        return None
    n = len(listed)
    summary = message("{n} things limit this", n=n) if n > 1 else message("One thing limits this")
    more = Paragraph((Link(message("All that limits it"), "#limits"),), note=True)
    calm = (replace(each, about="", warns=False) for each in top)
    return Details(summary, (*calm, *((more,) if n > _TOP else ())), brief=True)


def model_caveats(config: Settings) -> list[str]:
    """What is to be said of the model under test and of the judge, and of the run's repetition."""
    texts: list[str] = []
    provenance = config.provenance
    if (imported := provenance.imported) is not None:
        texts.append(
            message(
                "The answers were recorded elsewhere and imported{file}: how they were drawn is "
                "known only as far as the file says.",
                file=f" ({imported.file})" if imported.file else "",
            )
        )
        if imported.note:
            texts.append(message("Of the imported answers: {note}.", note=known(imported.note)))
        if imported.reworded:
            texts.append(
                message(
                    "{n} of these answers are to prompts in other words than the benchmark's.",
                    n=count(imported.reworded),
                )
            )
    for who, identity in (
        (message("The model under test"), provenance.model or {}),
        (message("The judge"), provenance.judge or {}),
    ):
        name = message("{name} ({of})", name=who, of=identity.get("model", ""))
        # where the judge is the model under test, the same is said of it once
        if (note := identity.get("note")) and not any(known(note) in text for text in texts):
            texts.append(message("{name} is {note}.", name=name, note=known(note)))
    texts += provenance.judgements.caveats if provenance.judgements else ()
    return [*texts, *serving_notes(provenance), *reproduction_notes(provenance)]


def slice_caveats(config: Settings) -> list[str]:
    """The benchmarks of which only some items, or some prompt variants, were asked."""
    texts: list[str] = []
    slices: list[str] = []
    imported = config.provenance.imported
    for name, scope in config.provenance.benchmarks.items():
        items, whole = scope.items, scope.items_in_dataset
        if imported is not None:
            whole = max(whole, imported.items_in_benchmark)
        if items < whole:
            n, m = count(items), count(whole)
            slices.append(message("{benchmark} {n} of {m} items", benchmark=name, n=n, m=m))
        if 0 < (n_variants := len(scope.variants)) < (m_variants := scope.variants_in_dataset):
            text = message("{n} of {m} prompt variants", n=n_variants, m=m_variants)
            slices.append(joined((name, text, f"({', '.join(scope.variants)})"), " "))
        if scope.other_variants:
            text = message(
                "{benchmark}: asked in {n} prompt variants that are none of its own ({variants}).",
                benchmark=name,
                n=len(scope.other_variants),
                variants=", ".join(scope.other_variants),
            )
            texts.append(text)
    if slices:
        texts.insert(0, message("Slices: {slices}.", slices=joined(slices, "; ")))
    return texts


def unscored_caveats(wholly: Iterable[WhollyUnscored]) -> Iterator[str]:
    """A sentence per benchmark that names what in it has no score at all, and why."""
    for benchmark, rows in group_by(wholly, lambda row: row.benchmark).items():
        texts = []
        for row in rows:
            where: str = message("all items")
            if row.group:
                where = joined((name_of(row.group), name_of(row.member)), " ")
            what = joined([where, *map(name_of, row.criteria)])
            reasons = counted_reasons(row.reasons)
            texts.append(message("{what} ({reasons})", what=what, reasons=reasons))
        yield message(
            "{benchmark}: the judge or the engine failed at every judgement of {what}.",
            benchmark=benchmark,
            what=joined(texts, "; "),
        )


def unscored_texts(run: Run) -> list[str]:
    """A line for each benchmark of which more is unscored than the run's settings allow."""
    most = run.config.max_unscored
    return [
        f"{each.benchmark}: {percent(each.share)} of the judgements are unscored "
        f"({count(each.count)} of {count(each.judgements)}: {counted_reasons(each.reasons)}), "
        f"more than {percent(most)}"
        for each in unscored(run.table(JUDGEMENTS, JUDGED))
        if each.share > most
    ]


def counted_reasons(reasons: Mapping[str, int]) -> str:
    """Each reason with its count, the commonest first.

    >>> counted_reasons({"low_coverage": 2, "language_not_covered": 40})
    '40 × language not covered, 2 × low coverage'
    """
    ordered = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return joined(
        message("{n} × {reason}", n=count(n), reason=name_of(reason)) for reason, n in ordered
    )


def answer_caveats(scores: ScoreTable) -> Iterator[Caveat]:
    """Anchors that the model answers otherwise; where nearly all of its answers are one label."""
    rows = ((name, row) for name, of in scores.by_benchmark.items() for row in of)
    for benchmark, row in rows:
        n, value = row.estimate.n, row.estimate.value
        if row.name == ANCHORS and not row.group and value is not None and value < 1:
            text = message(
                "{benchmark}: the model answers {n} of {m} anchors otherwise than nobody "
                "doubts, so that its other norms mean little.",
                benchmark=benchmark,
                n=count(n - round(value * n)),
                m=count(n),
            )
            yield Caveat(text, about=message("Warning"), warns=True)
        if row.name == "most_frequent_label" and n >= _FEWEST and (value or 0.0) >= _CONSTANT:
            text = message(
                "{benchmark}: {share} of {n} answers are {label}, nearly whatever was asked.",
                benchmark=benchmark,
                share=percent(value),
                n=count(n),
                label=name_of(row.member),
            )
            yield Caveat(text, about=message("One label"))


def _keys(data: ReportData) -> Iterator[Caveat]:
    """Whose the answer keys are: of these benchmarks the authors published none."""
    of_benchmark, source = (data.items.column(name) for name in ("benchmark", "answer_source"))
    for benchmark in data.scores.by_benchmark:
        for key in sorted(filter(None, source[of_benchmark.equals(benchmark)].seen().names)):
            scope = data.config.provenance.benchmarks.get(benchmark)
            name: str = message("this project's silver key")
            if key != "silver":
                name = joined((key, shortened(scope.key)) if scope and scope.key else (key,), " ")
            text = message(
                "{benchmark}: agreement is with {name}, since the authors published no key.",
                benchmark=benchmark,
                name=name,
            )
            yield Caveat(text, about=message("Key"))


def reproduction_notes(provenance: Provenance) -> Iterator[str]:
    """In what a run that repeats another one is computed otherwise."""
    note = provenance.repeats
    if note is None:
        return
    for change in chain.from_iterable(note.differs.values()):
        values = (change.before, change.after)
        then, now = ("none" if value is None else shortened(str(value)) for value in values)
        yield message(
            "This run repeats {run} with another {field} (then {then}, now {now}), which "
            "should move a number by rounding only.",
            run=note.run,
            field=change.field,
            then=then,
            now=now,
        )


def judged_section(
    config: Settings,
    items: Sequence[Item],
    judged: Judged,
    caveats: Sequence[str],
    known: KnownCards,
) -> Section:
    """How many answers were judged outside of a run, and what limits the numbers over them."""
    counts, texts = counts_of(judged), [*caveats]
    title = message(
        "{rows} responses, {unscored} of them without a verdict under some criterion",
        rows=count(counts.rows),
        unscored=count(counts.unscored),
    )
    if counts.reasons:
        reasons = counted_reasons(counts.reasons)
        texts.insert(0, message("Without a verdict: {reasons}.", reasons=reasons))
    table = to_table((each for several in judged for each in several), judgement.SCHEMA)
    cards = card_caveats(config, table, Items.of(items), known)
    return Section(title, (*map(Caveat, model_caveats(config)), *cards, *map(Caveat, texts)))
