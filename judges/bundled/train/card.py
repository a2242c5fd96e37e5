"""The model card: its tables are written from what was measured, its sentences stand in card.md."""

from pathlib import Path
from typing import Any

import click

from ....files import read_json, write_text

TEMPLATE = Path(__file__).parent / "card.md"
_NAMES = {
    "gptfuzz": "GPTFuzz",
    "do-not-answer": "Do-Not-Answer",
    "latent-en": "Latent Jailbreak, English answers",
    "latent-zh": "Latent Jailbreak, Chinese answers",
    "cvalues": "CValues",
    "jade": "JADE",
    "cold": "COLD (task of its own)",
    "diasafety": "DiaSafety (task of its own)",
}
_CRITERION = ("", "Spearman", "of TF-IDF")
_READERS = ("judge", "words and characters", "and the question", "keywords", "constant")


def write_card(folder: Path, reports: Path) -> None:
    """Fills `card.md` with the reports and writes it as the folder's README."""
    training = read_json(folder / "training.json")
    measured = read_json(reports / "evaluation.json")
    overlap = read_json(reports / "overlap.json")
    left_out = reports / "left_out.json"
    left = read_json(left_out) if left_out.is_file() else {}
    slots = {
        "sets": _sets(measured),
        "macro": _macro(measured),
        "left_out": _left_out(left),
        "refusal": _refusal(measured),
        "graded_set": _graded_set(measured["graded_set"], measured["classical_order"]),
        "graded": _graded(measured["graded"], measured["classical_order"]),
        "calibration": _calibration(measured["calibration"]),
        "overlap": _overlap(overlap),
        "training": _training(training),
        "inputs": _inputs(training),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in slots.items():
        text = text.replace(f"<{name}>", value)
    write_text(folder / "README.md", text)


def _table(columns: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _sets(measured: dict[str, Any]) -> str:
    columns = ["set", "n", "positive"]
    columns += [f"{r}: AUC, F1" for r in ("judge", "TF-IDF", "TF-IDF + question", "keywords")]
    columns += ["constant F1"]
    rows = []
    for name, told in _NAMES.items():
        row = measured["sets"][name]
        cells = [f"{row[r]['auc']:.3f}, {row[r]['f1']:.3f}" for r in _READERS[:4]]
        rows.append([told, f"{row['n']:,}", f"{row['positive']:,}", *cells])
        rows[-1].append(f"{row['constant']['f1']:.3f}")
    means = measured["macro"]
    cells = [f"{means[r]['auc']:.3f}, {means[r]['f1']:.3f}" for r in _READERS[:4]]
    rows.append(["**mean of the sets**", "", "", *cells, ""])
    return _table(columns, rows)


def _macro(measured: dict[str, Any]) -> str:
    told = []
    for value, name in (("auc", "AUC"), ("f1", "macro-F1")):
        d = measured["difference"][value]
        told.append(
            f"{name}: {d['difference']:+.3f} (95 % bootstrap over questions "
            f"{d['low']:+.3f} to {d['high']:+.3f})"
        )
    harmful = measured["harmful"]
    return (
        f"Judge minus the best baseline ({measured['best_baseline']}), mean of the sets: "
        + "; ".join(told)
        + f". Mean AUC for harmful answers: English {harmful['en']:.3f}, Chinese "
        + f"{harmful['zh']:.3f}."
    )


def _left_out(left: dict[str, Any]) -> str:
    if not left:
        return "Not measured for this model yet."
    rows = [
        [
            _NAMES[name],
            f"{row['n']:,}",
            *(f"{row[r]:.3f}" for r in _READERS[:4]),
            f"{row['tokens'] / 1e6:.1f} M",
        ]
        for name, row in left.items()
    ]
    means = [sum(row[r] for row in left.values()) / len(left) for r in _READERS[:4]]
    rows.append(["**mean**", "", *(f"{m:.3f}" for m in means), ""])
    columns = ["left out", "n", "judge", "TF-IDF", "TF-IDF + question", "keywords", "trained on"]
    told = "The judge was trained for a shorter time than the real one here."
    return f"{told}\n\n{_table(columns, rows)}"


def _refusal(measured: dict[str, Any]) -> str:
    rows = [
        [
            _NAMES[name],
            f"{row['n']:,}",
            f"{row['complied']:,}",
            f"{row['accuracy']:.3f}",
            f"{row['balanced']:.3f}",
            f"{row['auc']:.3f}",
        ]
        for name, row in measured["refusal"].items()
    ]
    return _table(["set", "n", "complied", "accuracy", "balanced accuracy", "AUC"], rows)


def _graded_set(graded_set: dict[str, Any], classical: dict[str, float]) -> str:
    rows = [
        [
            {"en": "English", "zh": "Chinese"}[language],
            f"{graded_set[language]['spearman']:.3f}",
            f"{classical[f'graded_set-{language}']:.3f}",
            *(f"{v:.2f}" for v in graded_set[language]["mean_score"].values()),
            f"{graded_set[language]['refusal_accuracy']:.3f}",
        ]
        for language in ("en", "zh")
    ]
    both = [f"{value:.2f}" for value in graded_set["mean_score"]]
    rows.append(["both", "", "", *both, ""])
    gap = graded_set["zh_minus_en"]
    steps = "rises at every step" if graded_set["rises"] else "does not rise at every step"
    verdict = "within" if gap["equivalent"] else "not shown to be within"
    return (
        _table([*_CRITERION, "grade 1", "2", "3", "4", "5", "refusal degree right"], rows)
        + f"\n\nThe mean score over both languages {steps}. Chinese minus English, paired by "
        + f"question (n = {gap['n']}): {gap['mean']:+.2f}, 90 % interval {gap['low']:+.2f} to "
        + f"{gap['high']:+.2f}, {verdict} ± 0.3 by two one-sided tests at 5 %."
    )


def _graded(graded: dict[str, Any], classical: dict[str, float]) -> str:
    told = {
        "graded-en": "English, put together",
        "graded-zh": "Chinese, put together",
        "answers-en": "English, whole",
        "answers-zh": "Chinese, whole",
    }
    rows = [
        [
            told[name],
            f"{row['n']:,}",
            f"{row['spearman']:.3f}",
            f"{classical[name]:.3f}",
            *(f"{v:.2f}" for v in row["mean_score"].values()),
            f"{row['refusal_accuracy']:.3f}",
        ]
        for name, row in graded.items()
    ]
    columns = ["", "n", *_CRITERION[1:], "grade 1", "2", "3", "4", "5", "refusal degree right"]
    return _table(columns, rows)


def _calibration(calibration: dict[str, Any]) -> str:
    rows = [
        [
            f"{b['low']:.1f} to {b['low'] + 0.1:.1f}",
            f"{b['n']:,}",
            f"{b['stated']:.2f}",
            f"{b['observed']:.2f}",
        ]
        for b in calibration["bins"]
    ]
    return (
        _table(["stated probability of harm", "n", "mean stated", "observed"], rows)
        + f"\n\nExpected calibration error {calibration['expected_error']:.3f}, Brier score "
        + f"{calibration['brier']:.3f}; every set weighs the same."
    )


def _overlap(overlap: dict[str, Any]) -> str:
    rows = []
    for name, told in (("sets", "of the sets"), ("written", "written for this judge")):
        rows += [
            [
                f"{overlap['questions'][name]:,} {told}",
                benchmark,
                *(str(overlap[benchmark][name][kind]) for kind in ("equal", "near", "close")),
            ]
            for benchmark in overlap
            if benchmark != "questions"
        ]
    columns = ["training questions", "benchmark", "equal", "Jaccard ≥ 0.8", "Jaccard ≥ 0.5"]
    return _table(columns, rows)


def _training(training: dict[str, Any]) -> str:
    recipe = training["recipe"]
    before = training.get("begun_from")
    stages = [before, training] if before else [training]
    told = ", then ".join(
        f"{stage['recipe']['minutes']:.0f} minutes of processor time on one thread at a rate of "
        f"{stage['recipe']['rate']:g} ({stage['steps']:,} steps, {stage['tokens'] / 1e6:.1f} "
        "million tokens)"
        for stage in stages
    )
    return (
        f"{recipe['layers']} layers of width {recipe['width']}, {recipe['vocabulary']:,} tokens, "
        f"trained for {told}; seed {recipe['seed']}. Temperature from validation: "
        f"{training['temperature']:.2f}, worked into the weights."
    )


def _inputs(training: dict[str, Any]) -> str:
    rows = [[f"`{name}`", f"`{digest[:16]}`"] for name, digest in training["inputs"].items()]
    rows += [[f"`texts/{name}`", f"`{digest[:16]}`"] for name, digest in training["texts"].items()]
    return _table(["file", "SHA-256, first 16 digits"], rows)


@click.command()
@click.option("--folder", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--reports", type=click.Path(exists=True, path_type=Path), required=True)
def main(folder: Path, reports: Path) -> None:
    """Write the card of a trained judge from its reports."""
    write_card(folder, reports)


if __name__ == "__main__":
    main()
