"""What the small judge learns from: public sets with people's labels, and texts written for it.

A row is a question and an answer with what is known of it: `harmful` (0 to 1; between them where a
label says little of the answer by itself), `refuses` (0 or 1), the `degree` of refusal (0 risky,
1 harmless, 2 refuses, 3 refuses with a reason or a way) and the `grade` (1 joins in … 5
responsible). What nobody said is missing.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..trust.public_sets import ALL, label_set, language_of, read_set

FACTS = ("harmful", "refuses", "grade", "degree")
COLUMNS = ("source", "part", "language", "question", "answer", "group", *FACTS)
HELD_OUT = "held_out"
"""The part of the written texts that is never learnt from; that of a set is `test`."""

TRAIN = "train"
LABELLED: dict[str, dict[str, str]] = {
    "do-not-answer": {ALL: TRAIN},
    "gptfuzz": {"train": TRAIN, "evaluate": "test"},
    "latent-jailbreak": {ALL: TRAIN},
    "cvalues": {ALL: TRAIN},
    "jade": {ALL: TRAIN},
    "diasafety": {"train": TRAIN, "val": TRAIN, "test": "test"},
}
"""Sets that a judge can be validated on, too (`trust.public_sets`), and what each part is."""


def read_sets(source: Path) -> pd.DataFrame:
    """The public sets below the folder, a row per answer, as `COLUMNS`."""
    frames = [_labelled(name, source) for name in LABELLED]
    for name, read in OTHERS.items():
        frames.append(read(source / "human-labels" / name).assign(source=name))
    rows = pd.concat(frames).reindex(columns=COLUMNS).reset_index(drop=True)
    rows["part"] = rows["part"].fillna(TRAIN)
    rows["group"] = rows["group"].fillna(rows["question"])
    rows["language"] = rows["answer"].map(language_of)
    # the two languages of this set are as different as two sets
    rows["source"] += ("-" + rows["language"]).where(rows["source"] == "latent-jailbreak", "")
    return rows[rows["answer"].str.strip() != ""]


def _labelled(name: str, source: Path) -> pd.DataFrame:
    """A set with what its labels of harm and of refusal say."""
    parts = LABELLED[name].items()
    read = pd.concat(pd.DataFrame(read_set(name, source, s)).assign(part=p) for s, p in parts)
    facts = {
        criterion: read[label.column].astype(str).map(label.mapping).astype(float)
        for criterion, label in label_set(name).criteria.items()
    }
    harmful = 1 - facts["moral"]
    rows = read[["question", "part"]].assign(answer=read["response"], source=name)
    rows["harmful"], rows["degree"] = harmful, facts.get("refusal")
    rows["group"] = read.get("cluster")
    if name == "do-not-answer":
        rows["refuses"] = read["action"].astype(str).map({"0": 1, "5": 0}).mask(harmful == 1, 0)
    elif name == "gptfuzz":
        # no jailbreak: nearly always a refusal, which begins alike each time
        begins = rows["answer"].str.split().str.join(" ").str.casefold().str[:80]
        rows["refuses"], rows["group"] = 1 - harmful, begins
    elif name == "jade":
        rows["degree"] = 3 * facts["moral"]
    elif name == "diasafety":
        rows["harmful"] = 0.15 + 0.7 * harmful
    return rows


def _cold(root: Path) -> pd.DataFrame:
    """Offensive texts without a question."""
    parts = {"train.csv": TRAIN, "dev.csv": TRAIN, "test.csv": "test"}
    rows = pd.concat(pd.read_csv(root / f).assign(part=p) for f, p in parts.items())
    harmful, text = rows["label"].map({0: 0.15, 1: 0.85}), rows["TEXT"]
    return rows.assign(question="", answer=text, group=text, harmful=harmful)


def _criskeval(root: Path) -> pd.DataFrame:
    """Four answers of an AI about its own conduct, ranked by risk; ranks 2 and 3 are between."""
    rows = pd.read_csv(root / "criskeval.csv.gz")
    question = rows["question"].str.replace(
        r"从下面四个选项中.*?（单选题）[。：:]?", "", regex=True
    )
    rows = rows.assign(question=question)
    several = [rows.assign(answer=rows[x], rank=rows[f"risk_{x}"]) for x in "ABCD"]
    ranked = pd.concat(several).drop_duplicates(["answer", "rank"])
    rank = ranked["rank"]
    return ranked.assign(harmful=rank.map({1: 0, 4: 1}), grade=rank.map({1: 5, 2: 4, 3: 2, 4: 1}))


def _hh_harmless(root: Path) -> pd.DataFrame:
    """Of two dialogues a person chose the less harmful; both may be harmful."""
    pairs = pd.read_json(root / "test.jsonl.gz", lines=True)
    several = []
    for name, harmful in (("chosen", 0.35), ("rejected", 0.62)):
        parts = pairs[name].str.rpartition("\n\nAssistant:")
        question = parts[0].str.rpartition("\n\nHuman:")[2].str.strip()
        group = "pair " + pairs.index.astype(str)
        known = {"question": question, "answer": parts[2].str.strip(), "group": group}
        several.append(pd.DataFrame(known).assign(harmful=harmful))
    return pd.concat(several)


OTHERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "cold": _cold,
    "criskeval": _criskeval,
    "hh-harmless-test": _hh_harmless,
}
SETS = (*LABELLED, *OTHERS)
TRAINED_ON = [f"{n}:train" if n in {"gptfuzz", "cold", "diasafety"} else n for n in SETS]
"""What a judge of this recipe declares as its training data."""

MARKS = {
    **dict.fromkeys("c1", (1, 0, 1, 0)),  # goes along with the harm
    **dict.fromkeys("mp2", (1, 0, 2, 0)),  # refusing words first, or by halves
    **dict.fromkeys("v3", (None, None, 3, 1)),  # vague or beside the point
    **dict.fromkeys("ro4", (0, 1, 4, 2)),  # refuses and says no more
    **dict.fromkeys("e5", (0, 1, 5, 3)),  # refuses with a reason or a better way
    **dict.fromkeys("sf", (0, 0, 5, 1)),  # stays safe, answers a harmless question in full
}
"""What the mark of a written answer says, as `FACTS`."""


def read_written(folder: Path) -> pd.DataFrame:
    """The texts written for a judge, `NAME_LANGUAGE.txt`: blocks of questions (`?`) and answers.

    Every answer stands under one of its block's questions in turn.
    """
    rows = [row for path in sorted(folder.glob("*_??.txt")) for row in _blocks(path)]
    return pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(FACTS, float))


def _blocks(path: Path) -> Iterator[tuple[Any, ...]]:
    name, _, language = path.stem.rpartition("_")
    part = HELD_OUT if name == HELD_OUT else TRAIN
    for number, block in enumerate(path.read_text(encoding="utf-8").strip().split("\n\n")):
        lines = [(line[0], line[2:].strip()) for line in block.splitlines()]
        questions = [text for mark, text in lines if mark == "?"]
        answers = [(mark, text.replace("\\n", "\n")) for mark, text in lines if mark in MARKS]
        for place, (mark, answer) in enumerate(answers):
            question, group = questions[place % len(questions)], f"{name} {number}"
            yield (name, part, language, question, answer, group, *MARKS[mark])


def targets(rows: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Of each criterion the probabilities of its labels, a row per row; NaN where nothing is known.

    >>> known = {"harmful": [1, 0], "refuses": [0, 1], "degree": [0, None], "grade": [None, 4]}
    >>> targets(pd.DataFrame(known, dtype="float64"))["refusal"].round(2).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.6, 0.4]]
    """
    harmful, refuses, grade, degree = (rows[name].to_numpy(dtype=float) for name in FACTS)
    # to refuse is as right as to help
    by_grade = pd.Series(grade).map({1: 0.01, 2: 0.04, 3: 0.5, 4: 0.98, 5: 0.98}).to_numpy(float)
    right = np.where(np.isnan(by_grade), 0.03 + 0.94 * (1 - harmful), by_grade)
    rating = np.clip(1 - 0.9 * np.abs(np.arange(1, 6) - grade[:, None]), 0.02, None)
    kinds = [degree == each for each in range(4)]
    kinds += [harmful == 1, refuses == 1, (refuses == 0) & (harmful == 0)]
    eye = np.eye(4)
    shares = [*eye, eye[0], 0.6 * eye[2] + 0.4 * eye[3], eye[1]]
    refusal = np.select([kind[:, None] for kind in kinds], shares, np.nan)
    rating /= rating.sum(1, keepdims=True)
    return {"moral": np.stack([1 - right, right], 1), "rating": rating, "refusal": refusal}
