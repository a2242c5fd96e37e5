"""A run's shares corrected by the judge's card alone, where nobody labels this run.

It holds if the judge confuses here what it confused there, as often. So the card must be of the
same judge, rubric, criterion, benchmark and language, or the correction is refused.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...errors import DataError
from ...files import hash_file
from ...format import count
from ...messages import message
from ...metrics.estimate import Estimate
from ...metrics.groups import cluster_codes
from ...metrics.inputs import Floats
from ...metrics.refusal import RATES
from ...metrics.rogan_gladen import Counted, Shares, true_shares
from ...records.folder import RunFolder
from ...records.integrity import JUDGEMENTS
from ..judge import counting_channel
from .card import Card
from .cards import Use, find_cards, in_words
from .corrections import Corrected, Correction, judge_of, raw
from .frame import UNSCORED, Frame, judged_frame
from .outcomes import Outcome, outcomes_of
from .run_cards import WEIGHTED
from .slices import design_effect

LEVEL = 0.95

_BELIEVED = message(
    "This believes that the judge errs here as often as where its card was measured. Labels of a "
    "sample of this run would not have to believe it."
)


def correct_by_card(run: RunFolder, card: Card, *, seed: int = 0) -> Correction:
    """The shares of a criterion's labels, and what is made of them, by Rogan and Gladen."""
    judged = run.table(JUDGEMENTS, stage="judge").column("benchmark").unique().to_pylist()
    if card.source.benchmark not in judged:
        raise DataError(
            f"the card was measured on {card.source.benchmark!r}, and this run asked "
            f"{', '.join(judged)}: a judge errs otherwise on other questions. Label a sample of "
            "this run (`normscope annotate sample`)"
        )
    frame = judged_frame(run, name=card.source.benchmark, criteria=[card.rubric.criterion])
    languages = list(dict.fromkeys(row.item.language for row in frame.readable))
    _refuse_others(run, card, frame, languages)
    shares = {language: _shares(card, frame, language, seed) for language in languages}
    worst = max(shares.values(), key=lambda each: each.condition)
    clipped = message(
        "{share} % of the draws had a negative share, which was set to 0",
        share=f"{100 * worst.clipped:.3g}",
    )
    condition = message(
        "Condition number of the confusion matrix: {condition}; {note}.",
        condition=f"{worst.condition:.3g}",
        note=clipped,
    )
    return Correction(
        method="Rogan–Gladen",
        benchmark=frame.benchmark,
        judge=judge_of(run, frame),
        basis=message(
            "the judge's card of {date} ({n} answers to {m} questions of {labels})",
            date=card.date,
            n=count(card.overall.n),
            m=count(card.overall.clusters),
            labels=card.source.benchmark,
        ),
        judgements=hash_file(run.path / JUDGEMENTS),
        rows=tuple(_rows(frame, card.rubric.criterion, shares)),
        caveats=(_BELIEVED, condition),
    )


def _refuse_others(run: RunFolder, card: Card, frame: Frame, languages: Sequence[str]) -> None:
    identity = run.config.provenance.judge or {}
    for language in languages:
        use = Use(
            identity=identity,
            rubric_hash=frame.rubric.hash,
            criterion=card.rubric.criterion,
            language=language,
            label_orders=run.config.label_orders,
            min_coverage=run.config.min_coverage,
            channel=counting_channel(run.config.judge_channels),
        )
        matches = find_cards([card], use)
        if not matches:
            raise DataError(
                f"the card is of the judge {card.judge.model!r}, and this run was judged by "
                f"{identity.get('model', 'another')!r}: its errors are its own"
            )
        if differences := matches[0].differences:
            raise DataError(
                f"the card does not hold for this run ({in_words(differences)}): make a card for "
                "this judge, or label a sample of this run (`normscope annotate sample`)"
            )


def _shares(card: Card, frame: Frame, language: str, seed: int) -> Shares:
    """The true shares of the labels in one language."""
    criterion = card.rubric.criterion
    measured = card.slice_of("language", language)
    if measured is None:
        raise DataError(f"the card has no answers in {language!r}")
    # a card made on a run knows how many answers each row stands for, others count rows
    weighted = card.settings.get(WEIGHTED, {}).get(language)
    counts = np.array(weighted or measured.confusion.counts, dtype=np.float64)
    read = frame.read(criterion)
    scored = (frame.languages == language) & (read != UNSCORED)
    labels = np.array(frame.criteria[criterion].scale.labels)
    hits = (read[scored] == labels[:, None]).astype(np.float64)
    codes = cluster_codes(frame.clusters[scored].tolist(), int(scored.sum()))
    effects = [1.0]
    if codes is not None:
        # of the label that goes furthest together within a question
        effects += [value for hit in hits if (value := design_effect(hit, codes)) is not None]
    return true_shares(
        # an effect below 1 would claim more than independent rows could say
        Counted(counts, max(1.0, measured.design_effect or 1.0)),
        hits.sum(axis=1).tolist(),
        design_effect=max(effects),
        seed=seed,
    )


def _rows(frame: Frame, criterion: str, shares: Mapping[str, Shares]) -> Iterator[Corrected]:
    """Each number over all, and in each language where there are several."""
    worths = _worths(frame, criterion)
    for outcome in outcomes_of(frame, {}):
        if outcome.name in worths:
            yield _row(frame, outcome, shares, worths[outcome.name])
            if len(shares) > 1 and "=" not in outcome.name:
                for language in shares:
                    only = {language: shares[language]}
                    yield _row(frame, outcome, only, worths[outcome.name], member=language)


def _worths(frame: Frame, criterion: str) -> dict[str, Floats]:
    """What each label counts in each number."""
    scale = frame.criteria[criterion].scale
    values = np.array(scale.values)
    worths = {
        f"{criterion}={label}": np.eye(len(values))[at] for at, label in enumerate(scale.labels)
    }
    if criterion == "refusal":
        worths |= {name: np.isin(values, counted) * 1.0 for name, counted in RATES.items()}
    if criterion == "moral":
        worths["moral_share"] = (values > 0.5) * 1.0  # noqa: PLR2004 - the published threshold
    if criterion == "rating":
        worths["rating"] = values
    return worths


def _row(
    frame: Frame, outcome: Outcome, shares: Mapping[str, Shares], worth: Floats, member: str = ""
) -> Corrected:
    """One number over the answers in the languages of the shares, each label counting its worth."""
    inside = outcome.counted & np.isin(frame.languages, list(shares))
    read = frame.read(frame.names[0]) != UNSCORED
    rows, scored = int(inside.sum()), int((inside & read).sum())
    missing = int((inside & ~read & ~frame.silent).sum())
    # an answer that was not given is in no class and in the denominator: it adds nothing to these
    total, draws = 0.0, np.zeros(1)
    for language, each in shares.items():
        n = int((inside & read & (frame.languages == language)).sum())
        total += n * float(each.shares @ worth)
        draws = draws + n * (each.draws @ worth)
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # what the unscored could make of it, as everywhere
    least, most = missing * float(worth.min()), missing * float(worth.max())
    return Corrected(
        name=outcome.name,
        unit=outcome.unit,
        raw=raw(outcome, frame, inside),
        these=None,
        new=Estimate(
            value=total / (rows - missing) if rows > missing else None,
            low=(float(low) + least) / rows,
            high=(float(high) + most) / rows,
            n=scored,
            unscored=missing,
            lowest=(total + least) / rows,
            highest=(total + most) / rows,
            target="new items of the kind",
            method=message("Rogan–Gladen, {n} draws of matrix and shares", n=len(draws)),
            level=LEVEL,
        ),
        rectifier=None,
        tuning=None,
        labelled=0,
        judged=scored,
        rows=rows,
        group="language" if member else "",
        member=member,
    )
