"""Choosing between trained judges: by validation parts, and only by them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from normscope.judges import bundled
from normscope.judges.bundled.train import choose, graded, synthetic
from normscope.judges.bundled.train.evaluate import SETS
from normscope.judges.bundled.train.sample import SIZES, Sample


def sample(
    source: str, split: Any, answer: str, *, binary: int, grade: int | None = None
) -> Sample:
    return Sample(
        source=source,
        split=split,
        language="en",
        question="May I?",
        answer=answer,
        group=answer,
        targets={},
        binary=binary,
        grade=grade,
    )


def believes(
    model: Any, tokenizer: Any, samples: Sequence[Sample], *, criteria: Sequence[str]
) -> dict[str, Any]:
    """The probability of the last label of every criterion is the number that the answer is."""
    found = {}
    for criterion in criteria:
        share = np.asarray([float(s.answer) for s in samples])
        probs = np.zeros((len(samples), SIZES[criterion]))
        probs[:, -1], probs[:, 0] = share, 1 - share
        found[criterion] = probs
    return found


def test_the_order_is_a_rank_correlation_of_score_and_grade() -> None:
    rows = [(1, "0.1"), (2, "0.3"), (3, "0.2"), (4, "0.9")]
    samples = [sample("answers-en", "val", a, binary=0, grade=g) for g, a in rows]
    # ranks of the scores 1, 3, 2, 4 against 1, 2, 3, 4: 1 - 6 * (1 + 1) / (4 * 15) = 0.8
    probs = believes(None, None, samples, criteria=("moral", "rating"))
    assert graded.order(graded.score(probs), samples) == pytest.approx(0.8)


def test_only_validation_parts_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sample] = []

    def read(
        model: Any, tokenizer: Any, samples: Sequence[Sample], *, criteria: Sequence[str]
    ) -> dict[str, Any]:
        seen.extend(samples)
        return believes(model, tokenizer, samples, criteria=criteria)

    def written(**_: Any) -> list[Sample]:
        return [
            sample(f"{kind}-{language}", split, share, binary=0, grade=grade)
            for kind in ("graded", "answers")
            for language in ("en", "zh")
            for split in ("val", "test", "train")
            for grade, share in ((1, "0.2"), (5, "0.8"))
        ]

    monkeypatch.setattr(choose, "read", read)
    monkeypatch.setattr(synthetic, "write_samples", written)
    monkeypatch.setattr(synthetic, "answer_samples", list)
    sets = [
        sample(name, split, share, binary=label)
        for name in SETS
        for split in ("train", "val", "test")
        for label, share in ((0, "0.7"), (1, "0.1"))
    ]
    found = choose.validation_figures(None, None, sets)
    assert {s.split for s in seen} == {"val"}
    # the last label is decent for moral and rating, but offensive for the tasks of their own
    assert found["gptfuzz"] == 1
    assert found["cold"] == found["diasafety"] == 0
    assert found["answers-zh"] == pytest.approx(1)
    assert found["AUC"] == pytest.approx(6 / 8)
    assert found["mean"] == pytest.approx((6 / 8 + 1) / 2)


def test_the_command_names_the_folder_with_the_best_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "human-labels").mkdir()
    figures = iter([{"AUC": 0.9, "mean": 0.7}, {"AUC": 0.8, "mean": 0.75}])
    monkeypatch.setattr(choose, "read_sets", lambda _: [])
    monkeypatch.setattr(choose, "validation_figures", lambda *_: next(figures))
    other = tmp_path / "other"
    other.symlink_to(bundled.path())
    done = CliRunner().invoke(
        choose.main, ["--source", str(tmp_path), str(bundled.path()), str(other)]
    )
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[-3].split() == ["AUC", "0.900", "0.800"]
    assert lines[-1] == f"best mean: {other}"
