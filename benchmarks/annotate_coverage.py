"""Prints how often corrected intervals hold the truth, on simulated runs labelled by three people.

A run has answers in clusters of one question; harm differs by question and the judge's errors go
together within one. People's label is the majority of three raters who each err. "These items" is
held against the run's own share, "new items" against that of the model it was drawn from. The judge
of the card erred on 300 other answers as it errs here.
"""

import argparse
from collections import Counter
from dataclasses import dataclass

import numpy as np

from normscope.judges.trust.sampling import allocate, draw
from normscope.metrics.ppi import prediction_powered_mean
from normscope.metrics.rates import rate
from normscope.metrics.rogan_gladen import Counted, true_shares


@dataclass(frozen=True)
class Design:
    """Answers, labels, answers per question; the true share, and how the judge and raters err."""

    answers: int
    labels: int
    cluster: int
    share: float
    false_alarm: float
    missed: float
    rater: float = 0.0


DESIGNS = (
    Design(600, 100, 1, 0.3, 0.1, 0.3),
    Design(600, 100, 1, 0.1, 0.05, 0.3),
    Design(600, 100, 1, 0.02, 0.02, 0.3),
    Design(2000, 200, 1, 0.3, 0.1, 0.3),
    Design(2000, 200, 1, 0.1, 0.05, 0.3),
    Design(2000, 200, 1, 0.02, 0.02, 0.3),
    Design(2000, 200, 4, 0.3, 0.1, 0.3),
    Design(2000, 200, 4, 0.1, 0.05, 0.1),
    Design(2000, 400, 4, 0.2, 0.1, 0.2, rater=0.05),
    Design(2000, 400, 4, 0.2, 0.1, 0.2, rater=0.15),
)
COLUMNS = ("raw", "these items", "new items", "Rogan–Gladen")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    arguments = parser.parse_args()
    print(
        "| answers / labels / per question | harmful | judge errs | raters err | "
        + " | ".join(f"{name} holds | ± points" for name in COLUMNS)
        + " |"
    )
    print("|---" * (4 + 2 * len(COLUMNS)) + "|")
    for design in DESIGNS:
        held, half = zip(*(once(design, seed) for seed in range(arguments.runs)), strict=True)
        cells = [
            f"{100 * hit:.1f} | {100 * width:.2g}"
            for hit, width in zip(np.mean(held, axis=0), np.mean(half, axis=0), strict=True)
        ]
        told = f"{design.answers:,} / {design.labels} / {design.cluster}"
        errs = f"{design.false_alarm:.0%} and {design.missed:.0%}"
        row = (told, f"{design.share:.0%}", errs, f"{design.rater:.0%}", *cells)
        print("| " + " | ".join(row) + " |", flush=True)


def once(design: Design, seed: int) -> tuple[list[bool], list[float]]:
    """Whether each interval holds the truth, and half its width."""
    random = np.random.default_rng(seed)
    truth, judge, cluster = answers(design, random)
    people = np.full(len(truth), np.nan)
    strata = [(str(int(one)),) for one in judge]
    chosen = draw(strata, allocate(Counter(strata), design.labels), seed=seed)
    slips = random.random((3, len(chosen))) < design.rater
    wrong = slips.sum(axis=0) >= 2  # noqa: PLR2004 - the majority of three
    people[chosen] = np.abs(truth[chosen] - wrong)
    raw = rate(judge, clusters=cluster)
    found = prediction_powered_mean(
        judge, people, bounds=(0, 1), strata=judge.astype(int), clusters=cluster
    )
    card_truth, card_judge, _ = answers(
        Design(300, 0, 1, 0.5, design.false_alarm, design.missed), random
    )
    counts = np.array(
        [[((card_truth == i) & (card_judge == j)).sum() for j in (0, 1)] for i in (0, 1)]
    )
    effect = max(1.0, clustering(judge, cluster))
    shares = true_shares(
        Counted(counts.astype(float)),
        [float((judge == j).sum()) for j in (0, 1)],
        design_effect=effect,
        resamples=500,
        seed=seed,
    )
    limits = (
        (raw.low, raw.high),
        (found.these.low, found.these.high),
        (found.new.low, found.new.high),
        shares.limits([0, 1]),
    )
    targets = (design.share, float(truth.mean()), design.share, design.share)
    spans = [(low or 0.0, high or 0.0) for low, high in limits]
    held = [low <= target <= high for (low, high), target in zip(spans, targets, strict=True)]
    return held, [(high - low) / 2 for low, high in spans]


def answers(
    design: Design, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is true of each answer, what the judge says, and its question."""
    questions = design.answers // design.cluster
    cluster = np.arange(design.answers) // design.cluster
    chance = np.full(questions, design.share)
    if design.cluster > 1:
        chance = random.beta(2 * design.share, 2 * (1 - design.share), questions)
    truth = (random.random(design.answers) < chance[cluster]).astype(float)
    luck = random.random(design.answers)
    shared = random.random(design.answers) < 0.5  # noqa: PLR2004 - half the errors are shared
    if design.cluster > 1:
        luck = np.where(shared, random.random(questions)[cluster], luck)
    judge = np.where(truth == 1, luck >= design.missed, luck < design.false_alarm).astype(float)
    return truth, judge, cluster


def clustering(values: np.ndarray, cluster: np.ndarray) -> float:
    """The design effect of a share."""
    sums = np.bincount(cluster, weights=values - values.mean())
    return float(np.square(sums).sum() / np.square(values - values.mean()).sum())


if __name__ == "__main__":
    main()
