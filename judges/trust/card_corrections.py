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
from ...records.folder import JUDGEMENTS, RunFolder
from .card import Card
from .cards import Use, find_card, tell
from .corrections import Corrected, Correction, judge_of, raw
from .frame import UNSCORED, Frame, FrameRow, judged_frame
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
    criterion = card.rubric.criterion
    judged = run.table(JUDGEMENTS, made_by="judge").column("benchmark").unique().to_pylist()
    if card.source.benchmark not in judged:
        raise DataError(
            f"the card was measured on {card.source.benchmark!r}, and this run asked "
            f"{', '.join(judged)}: a judge errs otherwise on other questions. Label a sample of "
            "this run (`normscope annotate sample`)"
        )
    frame = judged_frame(run, name=card.source.benchmark, criteria=[criterion])
    languages = list(dict.fromkeys(row.item.language for row in frame.readable))
    _refuse_others(run, card, frame, languages)
    parts = {
        language: _part(
            card,
            language,
            [r for r in frame.readable if r.item.language == language],
            criterion,
            frame,
            seed=seed,
        )
        for language in languages
    }
    rows = list(_rows(frame, criterion, parts))
    return Correction(
        method="Rogan–Gladen",
        benchmark=frame.benchmark,
        judge=judge_of(run, frame),
        basis=(
            message(
                "the judge's card of {date} ({n} answers to {m} questions of {labels})",
                date=card.date,
                n=count(card.overall.n),
                m=count(card.overall.clusters),
                labels=card.source.benchmark,
            )
        ),
        judgements=hash_file(run.path / JUDGEMENTS),
        rows=tuple(rows),
        notes=(_BELIEVED, _condition(max(parts.values(), key=lambda part: part.condition))),
    )


def _condition(worst: Shares) -> str:
    told = message(
        "{share} % of the draws had a negative share, which was set to 0",
        share=f"{100 * worst.clipped:.3g}",
    )
    return message(
        "Condition number of the confusion matrix: {condition}; {note}.",
        condition=f"{worst.condition:.3g}",
        note=told,
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
        )
        match = find_card([card], use)
        if match is None:
            raise DataError(
                f"the card is of the judge {card.judge.model!r}, and this run was judged by "
                f"{identity.get('model', 'another')!r}: its errors are its own"
            )
        if match.differences:
            raise DataError(
                f"the card does not hold for this run ({tell(match.differences)}): make a card for "
                "this judge, or label a sample of this run (`normscope annotate sample`)"
            )


def _part(
    card: Card, language: str, rows: Sequence[FrameRow], criterion: str, frame: Frame, *, seed: int
) -> Shares:
    """The shares in one language."""
    labels = frame.criteria[criterion].scale.labels
    measured = card.part("language", language)
    weighted = card.settings.get(WEIGHTED, {}).get(language)
    if measured is None:
        raise DataError(f"the card has no answers in {language!r}")
    counts = np.array(weighted or measured.confusion.counts, dtype=np.float64)
    scored = [row for row in rows if row.labels[criterion] != UNSCORED]
    hits = np.array([[row.labels[criterion] == label for row in scored] for label in labels], float)
    codes = cluster_codes([row.cluster for row in scored], len(scored))
    effects = [1.0]
    if codes is not None:
        # of the label that goes furthest together within a question
        effects += [value for hit in hits if (value := design_effect(hit, codes)) is not None]
    return true_shares(
        Counted(counts, max(1.0, measured.design_effect or 1.0)),
        hits.sum(axis=1).tolist() if scored else [0.0] * len(labels),
        design_effect=max(effects),
        seed=seed,
    )


def _rows(frame: Frame, criterion: str, parts: Mapping[str, Shares]) -> Iterator[Corrected]:
    """Each number over all, and in each language where there are several."""
    labels = frame.criteria[criterion].scale.labels
    anything = {row.row_id: {criterion: labels[0]} for row in frame.readable}
    worths = _worths(frame, criterion)
    for outcome in outcomes_of(frame, anything):
        if outcome.name in worths:
            yield _row(frame, outcome, parts, worths[outcome.name], list(parts))
            if len(parts) > 1 and "=" not in outcome.name:
                for language in parts:
                    yield _row(frame, outcome, parts, worths[outcome.name], [language])


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
    frame: Frame,
    outcome: Outcome,
    parts: Mapping[str, Shares],
    worth: Floats,
    languages: Sequence[str],
) -> Corrected:
    criterion = next(iter(frame.names))
    spoken = np.array([row.item.language for row in frame.rows])
    inside = outcome.counted & np.isin(spoken, languages)
    silent = np.array([row.silent for row in frame.rows], dtype=np.bool_)
    read = np.array([not r.silent and r.labels[criterion] != UNSCORED for r in frame.rows])
    rows, scored = int(inside.sum()), int((inside & read).sum())
    missing = int((inside & ~read & ~silent).sum())
    # an answer that was not given is in no class and in the denominator: it adds nothing to these
    total, draws = 0.0, np.zeros(len(parts[languages[0]].draws))
    for language in languages:
        n = int((inside & read & (spoken == language)).sum())
        total += n * float(parts[language].shares @ worth)
        draws += n * (parts[language].draws @ worth)
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # what the unscored could make of it, as everywhere
    least, most = missing * float(worth.min()), missing * float(worth.max())
    clusters = [row.cluster for row, kept in zip(frame.rows, inside, strict=True) if kept]
    return Corrected(
        name=outcome.name,
        unit=outcome.unit,
        raw=raw(outcome, inside, clusters),
        these=None,
        new=Estimate(
            value=total / (rows - missing) if rows > missing else None,
            low=(float(low) + least) / rows,
            high=(float(high) + most) / rows,
            n=scored,
            unscored=missing,
            worst=(total + least) / rows,
            best=(total + most) / rows,
            target="new items of the kind",
            method=f"Rogan–Gladen, {len(draws)} draws of matrix and shares",
            level=LEVEL,
        ),
        rectifier=None,
        tuning=None,
        labelled=0,
        judged=scored,
        rows=rows,
        group="" if len(languages) == len(parts) else "language",
        member="" if len(languages) == len(parts) else languages[0],
    )
