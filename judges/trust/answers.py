"""What a judge said of answers, from a run's folder or a judged file, as the checks need it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...files import read_parquet
from ...languages import language_code
from ...metrics.cfsafety import SCORE as SCORE_BOUNDS
from ...metrics.intervals import Bounds
from ...records.config import RunConfig
from ...records.integrity import ITEMS, JUDGEMENTS, RESPONSES, read_checked
from ...rows import read_rows

Key = tuple[str, str, str, str, int]
"""Benchmark, item, variant, order of the scale, sample."""

SCORE = "score"
"""The product of moral and rating."""

_ITEM = ("benchmark", "item_id", "variant_id", "scale_order", "category", "language", "cluster")
_JUDGED = ("benchmark", "item_id", "variant_id", "scale_order", "sample")
_SAID = ("criterion", "source", "labels", "probs", "value", "reason")
_JUDGE = "judge_logits"


@dataclass(frozen=True, slots=True)
class Said:
    """What the judge said under one criterion: the value, and the place of the likeliest label."""

    value: float | None
    place: int | None
    labels: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and what was said of it. `own` is whether the model under test wrote it.

    `text` is null where it is not at hand.
    """

    key: Key
    category: str
    language: str
    cluster: str
    own: bool
    facets: Mapping[str, str]
    said: Mapping[str, Said]
    text: str | None = None

    def was_asked(self, outcome: str) -> bool:
        """Whether the judge was asked about it: one of another benchmark is no failure here."""
        return {"moral", "rating"} <= set(self.said) if outcome == SCORE else outcome in self.said

    def value(self, outcome: str) -> float | None:
        """The value of a criterion, or the score moral × rating; null where it is unscored."""
        if outcome != SCORE:
            found = self.said.get(outcome)
            return None if found is None else found.value
        moral, rating = self.value("moral"), self.value("rating")
        return None if moral is None or rating is None else moral * rating


@dataclass(frozen=True, slots=True)
class Judged:
    """Answers with a name, who wrote and who judged them, and with which settings."""

    name: str
    model: str
    judge: str
    answers: tuple[Answer, ...]
    config: RunConfig = field(default_factory=RunConfig)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The score, where there are both of its criteria, then the criteria."""
        criteria = tuple(dict.fromkeys(criterion for one in self.answers for criterion in one.said))
        return (SCORE, *criteria) if {"moral", "rating"} <= set(criteria) else criteria

    def outcome(self, wanted: str | None = None) -> str:
        """The one that is wanted, else the first; an error that names all if it is not there."""
        known = self.outcomes
        if not known:
            raise DataError(f"{self.name}: no judge has said anything of an answer in it")
        if wanted is not None and wanted not in known:
            raise DataError(f"{self.name} has no {wanted!r}: it has {', '.join(known)}")
        return wanted or known[0]


BOUNDS: Mapping[str, Bounds] = {
    SCORE: SCORE_BOUNDS,
    "moral": (0.0, 1.0),
    "rating": (1.0, 5.0),
    "refusal": (0.0, 3.0),
}
"""Of the usual outcomes; of others it is not known."""


def read_judged(path: Path) -> Judged:
    """The judge's sayings in a run's folder or a judged file."""
    return _of_run(path) if path.is_dir() else _of_file(path)


def _of_run(path: Path) -> Judged:
    config = read_checked(path, stages=("respond", "judge"))
    said: dict[Key, dict[str, Said]] = {}
    for row in read_parquet(path / JUDGEMENTS, columns=[*_JUDGED, *_SAID]).to_pylist():
        if row["source"] == _JUDGE:
            said.setdefault(_key(row), {})[row["criterion"]] = said_of(
                row["value"], row["probs"], row["reason"], labels=len(row["labels"] or ())
            )
    items = {
        _key(row | {"sample": 0})[:4]: row
        for row in read_parquet(path / ITEMS, columns=[*_ITEM, "response", "facets"]).to_pylist()
    }
    judge = config.judge.model if config.judge else ""
    rows = read_parquet(path / RESPONSES, columns=[*_JUDGED, "text"]).to_pylist()
    texts = {_key(row): row["text"] for row in rows}
    return Judged(
        name=path.resolve().name,
        model=config.model.model if config.model else "reference",
        judge=judge,
        answers=tuple(
            _of_item(items[key[:4]], key, criteria, texts.get(key))
            for key, criteria in said.items()
        ),
        config=config,
    )


def _of_item(
    item: Mapping[str, Any], key: Key, criteria: Mapping[str, Said], text: str | None
) -> Answer:
    return Answer(
        key=key,
        category=item["category"],
        language=item["language"],
        cluster=item["cluster"] or item["item_id"],
        own=item["response"] is None,
        facets=dict(item["facets"] or ()),
        said=criteria,
        text=text,
    )


def _of_file(path: Path) -> Judged:
    rows = read_rows(path)
    have = list(rows[0]) if rows else []
    criteria = [name.removesuffix("_probs") for name in have if name.endswith("_probs")]
    if not criteria:
        raise DataError(f"{path} is not a judged file: `normscope judge {path} --out …` makes one")
    answers = []
    for number, row in enumerate(rows, start=1):
        told = [name for name in _FACETS if row.get(name) not in _NO]
        pair = row.get("cluster") or row.get("question_id") or row.get("pair_id")
        said = {
            criterion: said_of(
                _number(row.get(criterion), path, number, criterion),
                _probs(row.get(f"{criterion}_probs"), path, number),
                row.get(f"{criterion}_reason") or None,
            )
            for criterion in criteria
        }
        answers.append(
            Answer(
                key=("file", str(row.get("item_id") or number), "", "", 0),
                category=str(row.get("category") or ""),
                language=language_code(str(row.get("language") or "")),
                cluster=str(pair or row.get("item_id") or number),
                own="grade" not in told,
                facets={name: str(row[name]) for name in told},
                said=said,
                text=None if row.get("response") is None else str(row["response"]),
            )
        )
    return Judged(path.stem, "file", "", tuple(answers))


_FACETS = ("grade", "refusal_degree", "pair_confidence")
_NO = (None, "")


def said_of(
    value: float | None, probs: Sequence[float] | None, reason: str | None, *, labels: int = 0
) -> Said:
    place = None
    if value is not None and probs:
        place = max(range(len(probs)), key=lambda at: (probs[at], -at))
    return Said(value, place, labels or len(probs or ()), reason)


def _key(row: Mapping[str, Any]) -> Key:
    return (
        row["benchmark"],
        row["item_id"],
        row["variant_id"] or "",
        row["scale_order"] or "",
        int(row["sample"] or 0),
    )


def _number(cell: Any, path: Path, row: int, criterion: str) -> float | None:
    if cell in _NO:
        return None
    try:
        return float(cell)
    except ValueError:
        raise DataError(f"{path}, row {row}: {criterion} is {cell!r}, not a number") from None


def _probs(cell: Any, path: Path, row: int) -> list[float] | None:
    if cell in _NO:
        return None
    try:
        return list(map(float, json.loads(cell) if isinstance(cell, str) else cell))
    except (TypeError, ValueError):
        raise DataError(f"{path}, row {row}: {cell!r} is no list of probabilities") from None
