"""Answers as they were judged, from a run's folder or a judged file, as the checks need them."""

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
_JUDGEMENT = ("criterion", "source", "labels", "probs", "value", "reason")
_JUDGE = "judge_logits"


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A judgement under one criterion: the value, and the place of the likeliest label."""

    value: float | None
    place: int | None
    labels: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer and its judgements. `by_model` is whether the model under test wrote it.

    `text` is null where it is not at hand.
    """

    key: Key
    category: str
    language: str
    cluster: str
    by_model: bool
    facets: Mapping[str, str]
    results: Mapping[str, CriterionResult]
    text: str | None = None

    def was_judged(self, outcome: str) -> bool:
        """Whether the judge was asked about it: one of another benchmark is no failure here."""
        return (
            {"moral", "rating"} <= set(self.results)
            if outcome == SCORE
            else outcome in self.results
        )

    def value(self, outcome: str) -> float | None:
        """The value of a criterion, or the score moral × rating; null where it is unscored."""
        if outcome != SCORE:
            result = self.results.get(outcome)
            return None if result is None else result.value
        moral, rating = self.value("moral"), self.value("rating")
        return None if moral is None or rating is None else moral * rating


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """Answers with a name, who wrote and who judged them, and with which settings."""

    name: str
    model: str
    judge: str
    answers: tuple[JudgedAnswer, ...]
    config: RunConfig = field(default_factory=RunConfig)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The score, where there are both of its criteria, then the criteria."""
        criteria = tuple(
            dict.fromkeys(criterion for one in self.answers for criterion in one.results)
        )
        return (SCORE, *criteria) if {"moral", "rating"} <= set(criteria) else criteria

    def outcome(self, wanted: str | None = None) -> str:
        """The outcome that is wanted, else the first; if it is not there, an error names all."""
        known = self.outcomes
        if not known:
            raise DataError(f"{self.name}: no judge has judged an answer in it")
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


def read_judged(path: Path) -> JudgedAnswers:
    """The judge's judgements in a run's folder or a judged file."""
    return _of_run(path) if path.is_dir() else _of_file(path)


def _of_run(path: Path) -> JudgedAnswers:
    config = read_checked(path, stages=("respond", "judge"))
    results: dict[Key, dict[str, CriterionResult]] = {}
    for row in read_parquet(path / JUDGEMENTS, columns=[*_JUDGED, *_JUDGEMENT]).to_pylist():
        if row["source"] == _JUDGE:
            results.setdefault(_key(row), {})[row["criterion"]] = criterion_result(
                row["value"], row["probs"], row["reason"], labels=len(row["labels"] or ())
            )
    items = {
        _key(row | {"sample": 0})[:4]: row
        for row in read_parquet(path / ITEMS, columns=[*_ITEM, "response", "facets"]).to_pylist()
    }
    judge = config.judge.model if config.judge else ""
    rows = read_parquet(path / RESPONSES, columns=[*_JUDGED, "text"]).to_pylist()
    texts = {_key(row): row["text"] for row in rows}
    return JudgedAnswers(
        name=path.resolve().name,
        model=config.model.model if config.model else "reference",
        judge=judge,
        answers=tuple(
            _of_item(items[key[:4]], key, criteria, texts.get(key))
            for key, criteria in results.items()
        ),
        config=config,
    )


def _of_item(
    item: Mapping[str, Any], key: Key, criteria: Mapping[str, CriterionResult], text: str | None
) -> JudgedAnswer:
    return JudgedAnswer(
        key=key,
        category=item["category"],
        language=item["language"],
        cluster=item["cluster"] or item["item_id"],
        by_model=item["response"] is None,
        facets=dict(item["facets"] or ()),
        results=criteria,
        text=text,
    )


def _of_file(path: Path) -> JudgedAnswers:
    rows = read_rows(path)
    have = list(rows[0]) if rows else []
    criteria = [name.removesuffix("_probs") for name in have if name.endswith("_probs")]
    if not criteria:
        raise DataError(f"{path} is not a judged file: `normscope judge {path} --out …` makes one")
    answers = []
    for number, row in enumerate(rows, start=1):
        facets = [name for name in _FACETS if row.get(name) not in _NO]
        pair = row.get("cluster") or row.get("question_id") or row.get("pair_id")
        results = {
            criterion: criterion_result(
                _number(row.get(criterion), path, number, criterion),
                _probs(row.get(f"{criterion}_probs"), path, number),
                row.get(f"{criterion}_reason") or None,
            )
            for criterion in criteria
        }
        answers.append(
            JudgedAnswer(
                key=("file", str(row.get("item_id") or number), "", "", 0),
                category=str(row.get("category") or ""),
                language=language_code(str(row.get("language") or "")),
                cluster=str(pair or row.get("item_id") or number),
                by_model="grade" not in facets,
                facets={name: str(row[name]) for name in facets},
                results=results,
                text=None if row.get("response") is None else str(row["response"]),
            )
        )
    return JudgedAnswers(path.stem, "file", "", tuple(answers))


_FACETS = ("grade", "refusal_degree", "pair_confidence")
_NO = (None, "")


def criterion_result(
    value: float | None, probs: Sequence[float] | None, reason: str | None, *, labels: int = 0
) -> CriterionResult:
    place = None
    if value is not None and probs:
        place = max(range(len(probs)), key=lambda at: (probs[at], -at))
    return CriterionResult(value, place, labels or len(probs or ()), reason)


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
