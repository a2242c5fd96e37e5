"""The public sets with human labels, as samples.

What each label is taken to mean for our criteria is written at the function that reads the set.
Splits are by question; in GPTFuzz, where the same jailbreak brings the same first words out of a
model, answers whose beginning occurs in validation or test are left out of training too.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

from ....files import hash_file
from .sample import Sample, Split, peaked, split_of

PREFIX = 80
_HAN = re.compile(r"[\u4e00-\u9fff]")

SETS = (
    "do-not-answer",
    "gptfuzz",
    "latent-jailbreak",
    "cvalues",
    "jade",
    "cold",
    "diasafety",
)

_LEARNT_PARTS = {"gptfuzz": ("train",), "cold": ("train", "dev"), "diasafety": ("train", "val")}
"""Of sets that are published in parts, those that are learnt from or chosen by."""

_RIGHT, _WRONG = peaked(2, (1, 1.0)), peaked(2, (0, 1.0))
_SAFE = {"moral": _RIGHT, "rating": peaked(5, (4, 0.85), (3, 0.15))}
_HARMFUL = {
    "moral": _WRONG,
    "rating": peaked(5, (0, 0.7), (1, 0.3)),
    "refusal": peaked(4, (0, 1.0)),
}


Shares = tuple[tuple[int, float], ...]


def language_of(text: str) -> str:
    """`zh` where a tenth of the characters or more are Chinese ones, else `en`."""
    return "zh" if len(_HAN.findall(text)) * 10 >= len(text) else "en"


def read_sets(root: Path, *, limit: int | None = None) -> list[Sample]:
    """All samples of the sets under `root`; `limit` takes the first so many rows of each."""
    readers = {
        "do-not-answer": _do_not_answer,
        "gptfuzz": _gptfuzz,
        "latent-jailbreak": _latent,
        "cvalues": _cvalues,
        "jade": _jade,
        "cold": _cold,
        "diasafety": _diasafety,
    }
    result: list[Sample] = []
    for name in SETS:
        rows = [sample for sample in readers[name](root / name) if sample.answer.strip()]
        result += _thin(rows, limit) if limit else rows
    return result


def trained_on() -> list[str]:
    """What a judge of this recipe declares as its training data: sets, or parts of them."""
    return [
        f"{name}:{split}" if split else name
        for name in SETS
        for split in _LEARNT_PARTS.get(name, ("",))
    ]


def hash_inputs(root: Path) -> dict[str, str]:
    """The SHA-256 of every input file, by its path under `root`."""
    files = sorted(
        path
        for name in SETS
        for path in (root / name).rglob("*")
        if path.suffix in {".csv", ".json"}
    )
    return {str(path.relative_to(root)): hash_file(path) for path in files}


def _thin(rows: list[Sample], limit: int) -> list[Sample]:
    step = max(1, len(rows) // limit)
    return rows[::step][:limit]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(1 << 24)
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)


_DEGREES: dict[int, tuple[Shares, Shares]] = {
    0: (((2, 0.9), (3, 0.1)), ((2, 0.35), (3, 0.65))),
    1: (((3, 0.8), (1, 0.2)), ((3, 0.8), (1, 0.2))),
    2: (((1, 0.7), (3, 0.3)), ((1, 0.7), (3, 0.3))),
    3: (((3, 0.5), (1, 0.5)), ((3, 0.5), (1, 0.5))),
    4: (((2, 0.85), (1, 0.15)), ((2, 0.45), (3, 0.4), (1, 0.15))),
    5: (((1, 0.6), (0, 0.4)), ((1, 0.6), (0, 0.4))),
}
"""Refusal degrees and their shares for each action of Do-Not-Answer: of short answers, of long."""


def _do_not_answer(root: Path) -> Iterator[Sample]:
    """Actions: 0 refuses, 1 refutes, 2 both sides, 3 warns, 4 not capable, 5 follows."""
    for row in _rows(root / "human_all_5634.csv"):
        harmful, action = int(row["harmful"]), int(row["action"])
        targets = dict(_HARMFUL)
        if not harmful:
            long = len(row["response"]) > 160
            plain = action in {0, 4} and not long
            rating = peaked(5, (3, 0.7), (4, 0.3)) if plain else peaked(5, (4, 0.8), (3, 0.2))
            if action == 5:
                rating = peaked(5, (2, 0.5), (3, 0.5))
            targets = {
                "moral": _RIGHT,
                "rating": rating,
                "refusal": peaked(4, *_DEGREES[action][long]),
            }
        yield Sample(
            source="do-not-answer",
            split=split_of(row["question"]),
            language="en",
            question=row["question"],
            answer=row["response"],
            group=row["question"],
            targets=targets,
            binary=harmful,
            degree=action,
        )


def _gptfuzz(root: Path) -> Iterator[Sample]:
    """Label 1: the jailbreak worked. The authors' evaluation file is the test split as it is."""
    questions = [row["text"] for row in _rows(root / "question_list.csv")]
    rows: list[tuple[Split, str, str, int]] = []
    for row in _rows(root / "train.csv"):
        question = questions[int(row["question"])]
        split: Split = "val" if int(row["question"]) % 8 == 3 else "train"
        rows.append((split, question, row["Response"], int(row["label"])))
    rows += [
        ("test", questions[int(row["question"])], row["Response"], int(row["label"]))
        for row in _rows(root / "evaluate.csv")
    ]
    kept_out = {_prefix(answer) for split, _, answer, _ in rows if split != "train"}
    for split, question, answer, label in rows:
        if split == "train" and _prefix(answer) in kept_out:
            continue
        # some labels are wrong, as the authors say: they are taught as 94 %, not as certain
        refused = {
            "moral": peaked(2, (1, 0.94), (0, 0.06)),
            "rating": peaked(5, (4, 0.5), (3, 0.45), (0, 0.05)),
            "refusal": peaked(4, (2, 0.55), (3, 0.35), (1, 0.07), (0, 0.03)),
        }
        complied = {
            "moral": peaked(2, (0, 0.94), (1, 0.06)),
            "rating": peaked(5, (0, 0.75), (1, 0.2), (3, 0.05)),
            "refusal": peaked(4, (0, 0.94), (2, 0.06)),
        }
        yield Sample(
            source="gptfuzz",
            split=split,
            language="en",
            question=question,
            answer=answer,
            group=question,
            targets=complied if label else refused,
            binary=label,
        )


def _prefix(answer: str) -> str:
    return " ".join(answer.split()).casefold()[:PREFIX]


_LATENT_SPLITS: dict[str, Split] = {
    "disabled people": "test",
    "Muslims": "test",
    "immigrants": "test",
    "elderly people": "test",
    "Arabs": "val",
    "black people": "val",
}


def _latent(root: Path) -> Iterator[Sample]:
    """Split by the group of people that the sentence is about; answers in Chinese are `-zh`."""
    for path in sorted(root.rglob("*.json")):
        for people, rows in json.loads(path.read_text(encoding="utf-8")).items():
            for row in rows:
                unsafe, refused = row["safety"] == "unsafe", row["following"] == "not_follow"
                safe = {
                    "moral": _RIGHT,
                    "rating": peaked(5, (3, 0.6), (4, 0.4)),
                    "refusal": peaked(4, (2, 0.6), (3, 0.2), (1, 0.2))
                    if refused
                    else peaked(4, (1, 0.9), (2, 0.1)),
                }
                language = language_of(row["response"])
                yield Sample(
                    source=f"latent-{language}",
                    split=_LATENT_SPLITS.get(people, "train"),
                    language=language,
                    question=row["context"],
                    answer=row["response"],
                    group=people,
                    targets=_HARMFUL if unsafe else safe,
                    binary=int(unsafe),
                )


def _cvalues(root: Path) -> Iterator[Sample]:
    """Responsible answers are approved by experts; the others are rejected or rewritten ones."""
    for row in _rows(root / "cvalues_flat.csv"):
        bad = int(row["irresponsible"])
        targets = {
            "moral": _WRONG,
            "rating": peaked(5, (0, 0.45), (1, 0.45), (2, 0.1)),
            "refusal": peaked(4, (0, 0.95), (1, 0.05)),
        }
        yield Sample(
            source="cvalues",
            split=split_of(row["question"]),
            language="zh",
            question=row["question"],
            answer=row["response"],
            group=row["question"],
            targets=targets if bad else {**_SAFE, "refusal": peaked(4, (3, 0.5), (1, 0.5))},
            binary=bad,
        )


def _jade(root: Path) -> Iterator[Sample]:
    """Labels by construction: the violating and the safe answer, which mostly refuses."""
    for row in _rows(root / "jade_alignment_medium_zh_utf8.csv"):
        for column, bad in (("违规回答", 1), ("安全有用回答", 0)):
            yield Sample(
                source="jade",
                split=split_of(row["问题"]),
                language="zh",
                question=row["问题"],
                answer=row[column],
                group=row["问题"],
                targets=_HARMFUL
                if bad
                else {**_SAFE, "refusal": peaked(4, (3, 0.75), (2, 0.2), (1, 0.05))},
                binary=bad,
            )


def _cold(root: Path) -> Iterator[Sample]:
    """Offensive texts without a question; the authors' own splits; a task of its own."""
    splits: dict[str, Split] = {"train": "train", "dev": "val", "test": "test"}
    for name, split in splits.items():
        for row in _rows(root / f"{name}.csv"):
            label = int(row["label"])
            yield Sample(
                source="cold",
                split=split,
                language="zh",
                question="",
                answer=row["TEXT"],
                group=row["TEXT"],
                targets={"offence": peaked(2, (label, 1.0))},
                binary=label,
            )


def _diasafety(root: Path) -> Iterator[Sample]:
    """Replies in chat that are unsafe in their context; the authors' own splits; an own task."""
    splits: dict[str, Split] = {"train": "train", "val": "val", "test": "test"}
    for name, split in splits.items():
        for row in json.loads((root / f"{name}.json").read_text(encoding="utf-8")):
            label = int(row["label"] == "Unsafe")
            yield Sample(
                source="diasafety",
                split=split,
                language="en",
                question=row["context"],
                answer=row["response"],
                group=row["context"],
                targets={"dialogue": peaked(2, (label, 1.0))},
                binary=label,
            )
