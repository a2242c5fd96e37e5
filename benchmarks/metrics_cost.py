"""Prints what the metrics cost: rows through evaluate and in numpy, and the bootstraps."""

import argparse
from collections.abc import Callable
from time import perf_counter, process_time

import evaluate
import numpy as np

import normscope.metrics
from normscope.metrics.bootstrap import bootstrap_mean, crossed_bootstrap
from normscope.metrics.cfsafety import cfsafety_score
from normscope.metrics.norms import norm_consensus
from normscope.metrics.paired import paired_mean_difference, paired_rate_difference
from normscope.metrics.rates import mean, rate
from normscope.metrics.refusal import refusal_rates
from normscope.metrics.shape import score_shape
from normscope.metrics.significance import wilcoxon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    n = parser.parse_args().rows
    random = np.random.default_rng(0)
    classes = random.integers(0, 4, n).astype(float)
    moral, rating = random.random(n), 1 + 4 * random.random(n)
    ones, others = random.integers(0, 2, (2, n)).astype(float)
    categories = np.array([f"c{at}" for at in range(10)], dtype=object)[np.arange(n) % 10]
    letters = np.array(["A", "B", "C", "D"])[random.integers(0, 4, (2, n))]
    answers = random.integers(-2, 3, (n // 11, 11)).astype(float)
    items = [f"i{at // 11}" for at in range(answers.size)]
    variants = [f"v{at % 11}" for at in range(answers.size)]

    half = answers.size // 2
    long = {"predictions": answers.ravel().tolist(), "item_id": items, "variant_id": variants}
    halves = {
        "predictions": long["predictions"][: 2 * half],
        "item_id": items[:half] * 2,
        "variant_id": variants[:half] * 2,
    }
    sides = ["a"] * half + ["b"] * half

    print(f"{n:,} rows in numpy, the best of three")
    show("rate", lambda: rate(ones), 3)
    show("mean", lambda: mean(rating, bounds=(1, 5)), 3)
    show("rate, in pairs", lambda: rate(ones, clusters=np.arange(n) // 2), 3)
    show("paired rate difference", lambda: paired_rate_difference(ones, others), 3)
    show("paired mean difference", lambda: paired_mean_difference(moral, rating, bounds=(0, 5)), 3)
    show("Wilcoxon", lambda: wilcoxon(moral, rating), 3)
    show("refusal_rates", lambda: refusal_rates(classes), 3)
    show("refusal_rates by category", lambda: refusal_rates(classes, groups={"c": categories}), 3)
    show("cfsafety_score", lambda: cfsafety_score(moral, rating), 3)
    show("norm_consensus", lambda: norm_consensus(answers), 3)
    show("score_shape", lambda: score_shape(moral, rating), 3)

    print(f"\n{n:,} rows through evaluate, loaded from its folder")
    for name, columns in {
        "refusal_rates": {"predictions": classes.tolist()},
        "cfsafety_score": {"moral": moral.tolist(), "rating": rating.tolist()},
        "risk_identification": {
            "predictions": letters[0].tolist(),
            "references": letters[1].tolist(),
        },
        "score_shape": {"moral": moral.tolist(), "rating": rating.tolist()},
        "norm_consensus": long,
        "norm_shift": {**halves, "condition": sides},
        "norm_agreement": {**halves, "model": sides},
        "factor_effects": {
            **long,
            "groups": {
                name: [f"{name} {at // 11 // step % levels}" for at in range(answers.size)]
                for name, step, levels in (("sender", 1, 10), ("recipient", 10, 9), ("rule", 90, 8))
            },
        },
    }.items():
        metric = evaluate.load(normscope.metrics.path(name))
        show(name, lambda metric=metric, columns=columns: metric.compute(**columns))  # type: ignore[misc]

    few = min(n, 100_000)
    print(f"\n1,000 resamples of {few:,} items")
    show("bootstrap", lambda: bootstrap_mean(rating[:few]))
    show("in pairs", lambda: bootstrap_mean(rating[:few], clusters=np.arange(few) // 2))
    show("in 10 strata", lambda: bootstrap_mean(rating[:few], strata=np.arange(few) % 10))
    show("crossed, × 11 variants", lambda: crossed_bootstrap(answers[: few // 11]))


def show(name: str, run: Callable[[], object], times: int = 1) -> None:
    spent = []
    for _ in range(times):
        start, busy = perf_counter(), process_time()
        run()
        spent.append((perf_counter() - start, process_time() - busy))
    wall, busy = min(spent)
    # the wall clock of a shared machine counts the others' work too
    print(f"  {name:32} {wall:8.3f} s, of the processor {busy:8.3f} s", flush=True)


if __name__ == "__main__":
    main()
