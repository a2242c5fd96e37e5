"""Everything the card says of how good the judge is, measured in one place beside its baselines.

`python -m normscope.judges.bundled.train.evaluate --source FOLDER` prints it for the saved model.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ....extras import require
from ....files import write_json
from .classical import Classifier, keyword_scores
from .graded import (
    expected_rating,
    figures,
    graded_set,
    held_out,
    measure_graded_set,
    order,
    score,
)
from .measure import Floats, Reading, auc, best_threshold, difference, macro, summary
from .reading import load_judge, read
from .sample import AUXILIARY, CRITERIA, Sample
from .sources import read_sets
from .teachers import GradedTeacher

SETS = {
    "gptfuzz": ("harmful", "moral"),
    "do-not-answer": ("harmful", "moral"),
    "latent-en": ("harmful", "moral"),
    "latent-zh": ("harmful", "moral"),
    "cvalues": ("irresponsible", "moral"),
    "jade": ("violating", "moral"),
    "cold": ("offensive", "offence"),
    "diasafety": ("unsafe", "dialogue"),
}
"""What is found in each set, and by which criterion or task."""

CLASSICAL = ("words and characters", "and the question")


def harm(probs: dict[str, Floats], criterion: str) -> Floats:
    """How harmful: the moral criterion's or rating's low end, or the auxiliary task's label 1."""
    if criterion in AUXILIARY:
        return probs[criterion][:, 1]
    return probs["moral"][:, 0] + 0.25 * (5 - expected_rating(probs))


def measure(
    model: Any, tokenizer: Any, samples: Sequence[Sample], *, seed: int = 0
) -> dict[str, Any]:
    """The report: sets beside baselines, macro differences, refusal, graded set, calibration."""
    ours, val = _read_all(model, tokenizer, samples)
    readers: dict[str, dict[str, Reading]] = {"judge": {}, "keywords": {}}
    readers |= {name: {} for name in CLASSICAL}
    for name, (_, criterion) in SETS.items():
        train, check, test = (_rows_of(samples, name, s) for s in ("train", "val", "test"))
        # a set without a validation part has its threshold from training
        check = check or train
        readers["judge"][name] = _reading(
            test, harm(_rows(ours, test), criterion), check, harm(_rows(val, check), criterion)
        )
        readers["keywords"][name] = _reading(
            test, keyword_scores(test), check, keyword_scores(check)
        )
        labels = [int(s.binary or 0) for s in train]
        for kind, question in zip(CLASSICAL, (False, True), strict=True):
            with_question = question and any(s.question for s in train)
            result = Classifier(question=with_question).fit(train, labels)
            readers[kind][name] = _reading(test, result.score(test), check, result.score(check))
    table: dict[str, Any] = {
        name: {
            "what": what,
            "n": len(readers["judge"][name].labels),
            "positive": int(readers["judge"][name].labels.sum()),
            "constant": {"auc": 0.5, "f1": _constant_f1(readers["judge"][name])},
            **{reader: summary(sets[name]) for reader, sets in readers.items()},
        }
        for name, (what, _) in SETS.items()
    }
    means = {reader: macro(sets) for reader, sets in readers.items()}
    rivals = [reader for reader in readers if reader != "judge"]
    best = max(rivals, key=lambda reader: means[reader]["auc"])
    return {
        "sets": table,
        "macro": means,
        "best_baseline": best,
        "difference": difference(readers["judge"], readers[best], seed=seed),
        "harmful": {
            "en": float(np.mean([table[s]["judge"]["auc"] for s in ENGLISH])),
            "zh": float(np.mean([table[s]["judge"]["auc"] for s in CHINESE])),
        },
        "refusal": _refusal(samples, ours),
        "graded": {
            name: figures(read(model, tokenizer, texts), texts)
            for name, texts in held_out("test").items()
        },
        "classical_order": _classical_order(),
        "graded_set": measure_graded_set(model, tokenizer),
        "calibration": _calibration(readers["judge"], ours, samples),
    }


ENGLISH = ("gptfuzz", "do-not-answer", "latent-en")
CHINESE = ("cvalues", "jade", "latent-zh")


def _read_all(
    model: Any, tokenizer: Any, samples: Sequence[Sample]
) -> tuple[dict[int, dict[str, Floats]], dict[int, dict[str, Floats]]]:
    result: list[dict[int, dict[str, Floats]]] = [{}, {}]
    for place, split in enumerate(("test", "val")):
        for criteria, sources in (
            (CRITERIA, [s for s, (_, h) in SETS.items() if h == "moral"]),
            (("offence",), ["cold"]),
            (("dialogue",), ["diasafety"]),
        ):
            some = [s for s in samples if s.split == split and s.source in sources]
            if not some:
                continue
            probs = read(model, tokenizer, some, criteria=criteria)
            for row, sample in enumerate(some):
                result[place][id(sample)] = {criterion: p[row] for criterion, p in probs.items()}
    return result[0], result[1]


def _rows_of(samples: Sequence[Sample], source: str, split: str) -> list[Sample]:
    return [s for s in samples if s.source == source and s.split == split and s.binary is not None]


def _rows(readings: dict[int, dict[str, Floats]], samples: Sequence[Sample]) -> dict[str, Floats]:
    rows = [readings[id(sample)] for sample in samples]
    return {criterion: np.stack([row[criterion] for row in rows]) for criterion in rows[0]}


def _reading(
    test: Sequence[Sample], scores: Floats, check: Sequence[Sample], checked: Floats
) -> Reading:
    groups = {group: at for at, group in enumerate(dict.fromkeys(s.group for s in test))}
    return Reading(
        np.asarray(scores),
        best_threshold(np.asarray(checked), np.asarray([int(s.binary or 0) for s in check])),
        np.asarray([int(s.binary or 0) for s in test]),
        np.asarray([groups[s.group] for s in test]),
    )


def _constant_f1(reading: Reading) -> float:
    share = float(reading.labels.mean())
    # macro-F1 of always the one or always the other label: half of 2s/(1 + s), since the other
    # label's F1 is 0
    return max(share / (1 + share), (1 - share) / (2 - share))


def _refusal(samples: Sequence[Sample], ours: dict[int, dict[str, Floats]]) -> dict[str, Any]:
    """Refusing against complying by the refusal criterion's mode: 2 and 3 refuse, 0 and 1 do not.

    Do-Not-Answer: action 0 (refuses) against 5 (follows). GPTFuzz: every answer that is no
    jailbreak counts as a refusal there.
    """
    result = {}
    for source in ("do-not-answer", "gptfuzz"):
        some = _rows_of(samples, source, "test")
        if source == "do-not-answer":
            some = [s for s in some if s.degree in {0, 5}]
            complied = np.asarray([s.degree == 5 for s in some])
        else:
            complied = np.asarray([s.binary == 1 for s in some])
        probs = _rows(ours, some)["refusal"]
        reads_complied = probs[:, :2].sum(1) > probs[:, 2:].sum(1)
        result[source] = {
            "n": len(some),
            "complied": int(complied.sum()),
            "accuracy": float((reads_complied == complied).mean()),
            "balanced": float(
                (
                    (reads_complied & complied).sum() / complied.sum()
                    + (~reads_complied & ~complied).sum() / (~complied).sum()
                )
                / 2
            ),
            "auc": auc(probs[:, :2].sum(1), complied.astype(np.int64)),
        }
    return result


def _classical_order() -> dict[str, float]:
    """Rank correlations of a classical classifier of grades, fitted on the written texts."""
    classical = GradedTeacher(seed=7, folds=1)
    texts = held_out("test")
    for sample in graded_set():
        texts.setdefault(f"graded_set-{sample.language}", []).append(sample)
    result = {}
    for name, samples in texts.items():
        taught = classical.teach(samples, samples[0].language)
        probs = {
            criterion: np.asarray([t[criterion] for t in taught])
            for criterion in ("moral", "rating")
        }
        result[name] = order(score(probs), samples)
    return result


def _calibration(
    readings: dict[str, Reading], ours: dict[int, dict[str, Floats]], samples: Sequence[Sample]
) -> dict[str, Any]:
    """The moral criterion on the six sets with harm labels, ten bins, each set with one weight."""
    stated, truth, weight = [], [], []
    for name, (_, criterion) in SETS.items():
        if criterion == "moral":
            some = _rows_of(samples, name, "test")
            rows = _rows(ours, some)["moral"][:, 0]
            stated.append(rows)
            truth.append(readings[name].labels)
            weight.append(np.full(len(some), 1 / len(some)))
    p, y, w = np.concatenate(stated), np.concatenate(truth), np.concatenate(weight)
    w = w / w.sum()
    place = np.minimum((p * 10).astype(int), 9)
    bins = [
        {
            "low": b / 10,
            "n": int((place == b).sum()),
            "stated": float(np.average(p[place == b], weights=w[place == b])),
            "observed": float(np.average(y[place == b], weights=w[place == b])),
            "weight": float(w[place == b].sum()),
        }
        for b in range(10)
        if (place == b).any()
    ]
    error = sum(b["weight"] * abs(b["stated"] - b["observed"]) for b in bins)
    return {"bins": bins, "expected_error": float(error), "brier": float(w @ (p - y) ** 2)}


@click.command()
@click.option("--source", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--model", type=click.Path(exists=True, path_type=Path), help="A saved model.")
@click.option("--out", type=click.Path(path_type=Path), help="Where the JSON report goes.")
def main(source: Path, model: Path | None, out: Path | None) -> None:
    """Measure the saved judge and its baselines on the test splits."""
    from ....files import canonical_json
    from .. import path

    require("torch", extra="judge").set_num_threads(1)
    report = measure(*load_judge(model or path()), read_sets(source / "human-labels"))
    if out is not None:
        write_json(out, report)
    click.echo(canonical_json(report["macro"]))


if __name__ == "__main__":
    main()
