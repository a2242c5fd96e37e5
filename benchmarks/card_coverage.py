"""Prints how often the intervals of a judge's card hold the truth, on simulated answers.

Questions differ in how harmful their answers are, and a judge's error is half the question's and
half the answer's own. The truth is that of 60,000 questions.
"""

import argparse

import numpy as np

from normscope.judges.trust.predictor import (
    NAMES,
    CriterionScale,
    Predictions,
    Predictor,
    Resampling,
)

SCALE = CriterionScale(("0", "1", "2", "3"), np.arange(4.0), np.array([True, False, False, False]))
DESIGNS = ((20, 6), (50, 6), (200, 3), (1000, 1))
STEPS = (-1.0, 0.0, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=500)
    arguments = parser.parse_args()
    whole = judged(60_000, 4, seed=99, resamples=1)
    truth = {one.name: one.estimate.value for one in whole.statistics() if one.name in NAMES}
    print("| questions × answers | " + " | ".join(NAMES) + " |")
    print("|---|" + "---|" * len(NAMES))
    for questions, answers in DESIGNS:
        hits = dict.fromkeys(NAMES, 0)
        for run in range(arguments.runs):
            found = judged(questions, answers, seed=run, resamples=arguments.resamples)
            for one in found.statistics():
                known, low, high = truth.get(one.name), one.estimate.low, one.estimate.high
                if known is not None and low is not None and high is not None:
                    hits[one.name] += low <= known <= high
        shares = (f"{100 * hit / arguments.runs:.1f}" for hit in hits.values())
        print(f"| {questions} × {answers} | " + " | ".join(shares) + " |")


def judged(questions: int, answers: int, *, seed: int, resamples: int) -> Predictor:
    """A judge of so many answers to each of so many questions."""
    random = np.random.default_rng(seed)
    rows = questions * answers
    question = np.arange(rows) // answers
    harm = random.normal(size=questions)[question] + 0.7 * random.normal(size=rows)
    error = 0.6 * random.normal(size=questions)[question] + 0.6 * random.normal(size=rows)
    seen = harm + error
    places = np.digitize(seen, STEPS).astype(np.float64)
    risk = 1 / (1 + np.exp(2 * (seen - STEPS[0])))
    return Predictor(
        np.digitize(harm, STEPS),
        Predictions(places, SCALE.values[places.astype(int)], risk),
        tuple(map(str, question)),
        scale=SCALE,
        resampling=Resampling(resamples=resamples, seed=seed),
    )


if __name__ == "__main__":
    main()
