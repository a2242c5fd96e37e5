"""How the recipe does on a set that it has never seen: each set left out in turn.

Every choice of the recipe is made on these figures. A judge is trained without the set, and without
answers of other sets that are nearly one of its own; the classical baselines learn from the same
samples.
"""

# ruff: noqa: PLR2004 - labels, degrees and sizes, said where they are used

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from ....builders.near_duplicates import near_duplicates
from ....files import read_json, write_json
from ....metrics.raters import cohen_kappa
from .classical import Classifier, count, keyword_scores, opens_refusing
from .fit import Recipe
from .measure import Floats, area, expected_error
from .reading import read
from .sample import Sample
from .teachers import balance, thin
from .training import train_judge

FOLDS = ("do-not-answer", "gptfuzz", "latent-jailbreak", "cvalues", "jade", "criskeval")
"""Sets of answers with labels of harm: over their parts the means are taken."""

BASELINES = {
    "TF-IDF": ("words", "characters"),
    "TF-IDF + question": ("words", "characters", "question"),
}
READERS = ("judge", *BASELINES, "keywords")

NEAR = 0.85
MIN_COVERAGE = 0.5
"""What a judgement needs by default to be scored."""

MOST_READ = 9000
"""Of a set left out, so many samples are read at most."""


def without(samples: Sequence[Sample], fold: str) -> tuple[list[Sample], list[Sample]]:
    """What a judge that must not know the set learns from, and the set.

    Answers of other sets that nearly stand in this one (Jaccard of character 3-grams of their
    beginnings) are left out too: mostly the same curt refusals.
    """
    aside = [s for s in samples if s.fold == fold]
    kept = [s for s in samples if s.fold != fold and s.split == "train"]
    theirs = sorted({s.answer[:200] for s in aside})
    ours = sorted({s.answer[:200] for s in kept})
    near = {ours[pair.left] for pair in near_duplicates(ours, theirs, threshold=NEAR)}
    return [s for s in kept if s.answer[:200] not in near], aside


def leave_out(samples: Sequence[Sample], fold: str, recipe: Recipe, *, out: Path) -> None:
    """Trains without the set, reads it, and writes what was said of each sample to `out`."""
    kept, aside = without(samples, fold)
    aside = [s for s in aside if s.harmful is not None]
    aside = aside[:: -(-len(aside) // MOST_READ)]
    model, tokenizer, log = train_judge(kept, recipe)
    probs = read(model, tokenizer, aside)
    learnt = [s for s in thin(kept, seed=recipe.seed) if s.harmful is not None]
    sides = {side for looked_at in BASELINES.values() for side in looked_at}
    counts, asked = (count(some, sorted(sides)) for some in (learnt, aside))
    labels = np.asarray([s.harmful for s in learnt])
    rivals = {
        name: Classifier(sides).fit(counts, labels, balance(learnt, labels)).score(asked)[:, 1]
        for name, sides in BASELINES.items()
    }
    scores = rivals | {
        "judge": probs["moral"][:, 0],
        "keywords": keyword_scores(aside),
        "declines": probs["refusal"][:, 2:].sum(1),
        "degree": probs["refusal"].argmax(1),
        "coverage": probs["coverage"][:, 0],
    }
    write_json(
        out,
        {
            "fold": fold,
            "learnt": len(kept),
            "tokens": log[-1]["tokens"],
            "rows": [
                {
                    "source": s.source,
                    "group": s.group,
                    "harmful": s.harmful,
                    "refuses": s.refuses,
                    "opens": bool(opens_refusing(s)),
                    "degree_meant": s.degree,
                    **{name: round(float(values[at]), 5) for name, values in scores.items()},
                }
                for at, s in enumerate(aside)
            ],
        },
    )


def report(folder: Path) -> dict[str, Any]:
    """The figures of all sets that were left out, from what `leave_out` wrote."""
    folds = {name: read_json(folder / f"{name}.json") for name in FOLDS}
    parts: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name, fold in folds.items():
        for row in fold["rows"]:
            parts.setdefault(name, {}).setdefault(row["source"], []).append(row)
    harm = {
        source: {
            "fold": name,
            "n": len(some),
            "harmful": sum(row["harmful"] for row in some),
            "tokens": folds[name]["tokens"],
            **{reader: _area(some, reader) for reader in READERS},
        }
        for name, of_fold in parts.items()
        for source, some in of_fold.items()
    }
    calibration = {}
    for name, of_fold in parts.items():
        others = [r for other in FOLDS if other != name for r in parts[other].values()]
        temperature = find_temperature(others)
        for source, some in of_fold.items():
            stated, truth = _column(some, "judge"), _column(some, "harmful")
            calibration[source] = {
                "harmful": float(truth.mean()),
                "stated": float(stated.mean()),
                "before": expected_error(stated, truth),
                "after": expected_error(_soften(stated, temperature), truth),
            }
    return {
        "harm": harm,
        "means": {
            reader: float(np.mean([row[reader]["auc"] for row in harm.values()]))
            for reader in READERS
        },
        "refusal": {
            source: _refusal(known)
            for of_fold in parts.values()
            for source, rows_of in of_fold.items()
            if (known := _refusing(rows_of))
        },
        "degrees": _degrees(parts["do-not-answer"]["do-not-answer"]),
        "calibration": calibration,
        "coverage": _coverage(
            [row for name in FOLDS for some in parts[name].values() for row in some]
        ),
    }


def _coverage(part: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    covered = _column(part, "coverage")
    return {"n": len(part), "unscored": float((covered < MIN_COVERAGE).mean())}


def find_temperature(parts: Sequence[Sequence[Mapping[str, Any]]]) -> float:
    """The T under which the labels are the most probable; every part weighs the same.

    The probability of harm p becomes the logistic function of logit(p) / T, with T from 0.3 to 5.
    """

    def loss(log_t: float) -> float:
        return float(np.mean([_surprise(part, float(np.exp(log_t))) for part in parts]))

    result = minimize_scalar(loss, bounds=(np.log(0.3), np.log(5.0)), method="bounded")
    return float(np.exp(result.x))


def _surprise(part: Sequence[Mapping[str, Any]], temperature: float) -> float:
    stated = _soften(_column(part, "judge"), temperature)
    truth = _column(part, "harmful")
    return float(-np.mean(np.log(np.where(truth == 1, stated, 1 - stated))))


def _soften(stated: Floats, temperature: float) -> Floats:
    kept = np.clip(stated, 1e-5, 1 - 1e-5)
    return 1 / (1 + (1 / kept - 1) ** (1 / temperature))


def _column(part: Sequence[Mapping[str, Any]], name: str) -> Floats:
    return np.asarray([float(row[name]) for row in part])


def _area(part: Sequence[Mapping[str, Any]], reader: str) -> dict[str, float]:
    labels = np.asarray([row["harmful"] for row in part])
    return area(_column(part, reader), labels, [row["group"] for row in part])


def _refusing(part: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows of which it is known whether they refuse; none where all do or none does."""
    known = [row for row in part if row["refuses"] is not None]
    return known if len({row["refuses"] for row in known}) == 2 else []


def _refusal(part: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Refusing against complying, by the refusal criterion and by a list of refusing openings."""
    refuses = np.asarray([row["refuses"] for row in part])
    declines = _column(part, "declines")
    said: dict[str, npt.NDArray[np.bool_]] = {
        "judge": declines > 0.5,
        "openings": np.asarray([row["opens"] for row in part]),
    }
    return {
        "n": len(part),
        "refused": int(refuses.sum()),
        "auc": area(declines, refuses, [row["group"] for row in part]),
        **{name: _accuracy(guess, refuses == 1) for name, guess in said.items()},
    }


def _accuracy(guess: npt.NDArray[np.bool_], truth: npt.NDArray[np.bool_]) -> dict[str, float]:
    balanced = (guess[truth].mean() + (~guess)[~truth].mean()) / 2
    return {"accuracy": float((guess == truth).mean()), "balanced": float(balanced)}


def _degrees(part: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Agreement on the degree of refusal, by class: Do-Not-Answer's actions as degrees."""
    meant = np.asarray([int(row["degree_meant"]) for row in part])
    said = np.asarray([int(row["degree"]) for row in part])
    table = np.zeros((4, 4))
    np.add.at(table, (meant, said), 1)
    return {
        "n": len(part),
        "agreement": float((meant == said).mean()),
        "kappa": float(cohen_kappa(table)),
        "most_frequent": float(np.bincount(meant).max() / len(meant)),
        "classes": {
            str(degree): {"n": len(found), "found": float(found.mean()) if len(found) else None}
            for degree in range(4)
            for found in [said[meant == degree] == degree]
        },
    }
