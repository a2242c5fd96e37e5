"""The public sets with human labels, as samples.

What each label is taken to mean for our criteria is written at the function that reads the set.
"""

# ruff: noqa: PLR2004 - shares, grades and lengths of a recipe, said where they are used

import csv
import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from ....files import hash_file
from .sample import Sample, Split, peaked

_HAN = re.compile(r"[\u4e00-\u9fff]")

SETS = (
    "do-not-answer",
    "gptfuzz",
    "latent-jailbreak",
    "cvalues",
    "jade",
    "cold",
    "diasafety",
    "criskeval",
    "cmoraleval",
    "hh-harmless-test",
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
    """All samples of the sets under `root`; `limit` draws so many rows of each."""
    readers = {
        "do-not-answer": _do_not_answer,
        "gptfuzz": _gptfuzz,
        "latent-jailbreak": _latent,
        "cvalues": _cvalues,
        "jade": _jade,
        "cold": _cold,
        "diasafety": _diasafety,
        "criskeval": _criskeval,
        "cmoraleval": _cmoraleval,
        "hh-harmless-test": _hh_harmless,
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
        if path.suffix in {".csv", ".json", ".gz"}
    )
    return {str(path.relative_to(root)): hash_file(path) for path in files}


def _thin(rows: list[Sample], limit: int) -> list[Sample]:
    draw = random.Random(0)  # noqa: S311 - texts, not secrets
    return draw.sample(rows, min(limit, len(rows)))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(1 << 24)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
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


DEGREE_OF_ACTION = {0: 2, 1: 3, 2: 1, 3: 3, 4: 2, 5: 1}
"""The degree of refusal that each action of a harmless answer counts as, where one is to be named.

0 refuses: a refusal (2); 1 refutes and 3 warns: with a reason (3); 4 is not capable: a refusal; 2
shows both sides and 5 follows: harmless without refusing (1). A harmful answer is of degree 0.
"""


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
            split="train",
            language="en",
            question=row["question"],
            answer=row["response"],
            group=row["question"],
            targets=targets,
            harmful=harmful,
            refuses={0: 1, 5: 0}.get(action),
            degree=DEGREE_OF_ACTION[action] if not harmful else 0,
        )


def _gptfuzz(root: Path) -> Iterator[Sample]:
    """Label 1: the jailbreak worked. The authors' evaluation file is the test part."""
    questions = [row["text"] for row in _rows(root / "question_list.csv")]
    parts: tuple[tuple[str, Split], ...] = (("train", "train"), ("evaluate", "test"))
    rows = [(split, row) for name, split in parts for row in _rows(root / f"{name}.csv")]
    for split, row in rows:
        question, label = questions[int(row["question"])], int(row["label"])
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
            answer=row["Response"],
            # the same jailbreak brings the same first words out of a model
            group=" ".join(row["Response"].split()).casefold()[:80],
            targets=complied if label else refused,
            harmful=label,
            refuses=1 - label,
        )


def _latent(root: Path) -> Iterator[Sample]:
    """Grouped by the people that the sentence is about; answers in Chinese are `-zh`."""
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
                    split="train",
                    language=language,
                    question=row["context"],
                    answer=row["response"],
                    group=people,
                    targets=_HARMFUL if unsafe else safe,
                    harmful=int(unsafe),
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
            split="train",
            language="zh",
            question=row["question"],
            answer=row["response"],
            group=row["question"],
            targets=targets if bad else {**_SAFE, "refusal": peaked(4, (3, 0.5), (1, 0.5))},
            harmful=bad,
        )


def _jade(root: Path) -> Iterator[Sample]:
    """Labels by construction: the violating and the safe answer, which mostly refuses."""
    for row in _rows(root / "jade_alignment_medium_zh_utf8.csv"):
        for column, bad in (("违规回答", 1), ("安全有用回答", 0)):
            yield Sample(
                source="jade",
                split="train",
                language="zh",
                question=row["问题"],
                answer=row[column],
                group=row["问题"],
                targets=_HARMFUL
                if bad
                else {**_SAFE, "refusal": peaked(4, (3, 0.75), (2, 0.2), (1, 0.05))},
                harmful=bad,
            )


def _cold(root: Path) -> Iterator[Sample]:
    """Offensive texts without a question; a weak label of harm, since no answer is judged."""
    splits: dict[str, Split] = {"train": "train", "dev": "train", "test": "test"}
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
                targets={"moral": peaked(2, (1 - label, 0.85), (label, 0.15))},
                harmful=label,
            )


def _diasafety(root: Path) -> Iterator[Sample]:
    """Replies in chat that are unsafe in their context: rude, sceptical, ignorant of a risk."""
    splits: dict[str, Split] = {"train": "train", "val": "train", "test": "test"}
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
                targets={"moral": peaked(2, (1 - label, 0.85), (label, 0.15))},
                harmful=label,
            )


_RANKS: dict[int, tuple[Shares, Shares]] = {
    1: (((1, 0.97), (0, 0.03)), ((4, 0.8), (3, 0.2))),
    2: (((1, 0.75), (0, 0.25)), ((3, 0.5), (2, 0.5))),
    3: (((1, 0.3), (0, 0.7)), ((1, 0.5), (2, 0.5))),
    4: (((1, 0.03), (0, 0.97)), ((0, 0.8), (1, 0.2))),
}
"""Moral and rating of CRiskEval's ranks of risk; rank 2 mostly has no opinion, rank 3 hedges."""

_ASKED = re.compile(r"从下面四个选项中根据你的想法选择答案（单选题）[。：:]?")


def _criskeval(root: Path) -> Iterator[Sample]:
    """Four answers of an AI about its own conduct, ranked; one that comes again is dropped."""
    seen: set[tuple[str, int]] = set()
    for row in _rows(root / "criskeval.csv.gz"):
        question = _ASKED.sub("", row["question"]).strip().removesuffix("，")
        for letter in "ABCD":
            answer, rank = row[letter].strip(), int(row[f"risk_{letter}"])
            if (answer, rank) in seen:
                continue
            seen.add((answer, rank))
            moral, rating = _RANKS[rank]
            yield Sample(
                source="criskeval",
                split="train",
                language="zh",
                question=question,
                answer=answer,
                group=f"{row['category']} {row['id']}",
                targets={"moral": peaked(2, *moral), "rating": peaked(5, *rating)},
                harmful={1: 0, 4: 1}.get(rank),
                grade={1: 5, 2: 4, 3: 2, 4: 1}[rank],
            )


def _cmoraleval(root: Path) -> Iterator[Sample]:
    """A right and a wrong thing to do; where the wrong one is asked for, they swap."""
    seen: set[tuple[str, bool]] = set()
    for row in _rows(root / "cmoraleval.csv.gz"):
        choices = {text[0]: text[2:].strip() for text in json.loads(row["choices"])}
        swapped = "unmoral" in row["file"]
        question = row["question"].partition("\n")[2].strip()
        for letter, right in ((row["correct"], not swapped), (row["wrong"], swapped)):
            answer = choices.get(letter, "")
            if (answer, right) in seen:
                continue
            seen.add((answer, right))
            yield Sample(
                source="cmoraleval",
                split="train",
                language="zh",
                question=question,
                answer=answer,
                group=question,
                targets={"moral": peaked(2, (int(right), 0.9), (int(not right), 0.1))},
                harmful=int(not right),
            )


def _hh_harmless(root: Path) -> Iterator[Sample]:
    """Of two dialogues a person chose the less harmful: a weak label, since both may be harmful."""
    with gzip.open(root / "test.jsonl.gz", "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            pair = json.loads(line)
            for name, decent in (("chosen", 0.65), ("rejected", 0.38)):
                dialogue, _, answer = pair[name].rpartition("\n\nAssistant:")
                yield Sample(
                    source="hh-harmless-test",
                    split="train",
                    language="en",
                    question=dialogue.rpartition("\n\nHuman:")[2].strip(),
                    answer=answer.strip(),
                    group=f"pair {number}",
                    targets={"moral": peaked(2, (1, decent), (0, 1 - decent))},
                    harmful=int(name == "rejected"),
                )
