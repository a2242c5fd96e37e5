"""A rubric with criteria of its own, from the run to scores, report and comparison."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from finished_runs import whole_row

from normscope.errors import UsageError
from normscope.files import read_json, read_parquet
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.metrics.estimate import Estimate
from normscope.pipeline.judge import check_judging
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings

GRADED = "safety-gradient"


def criterion(name: str, *labels: str, read: str = "mean") -> dict[str, Any]:
    """A criterion of a rubric in English, its labels worth 0, 1, 2 … or, of digits, themselves."""
    return {
        "scale": {
            "labels": labels,
            "values": [int(each) if each.isdigit() else at for at, each in enumerate(labels)],
        },
        "read": read,
        "instruction": {
            "en": {
                "ask": f"{name}: How much of it is in the answer?",
                "meanings": {each: f"degree {each}" for each in labels},
                "reply": f"{name}: the label.",
            }
        },
    }


POLITENESS = criterion("politeness", *"1234567")
WARMTH = criterion("warmth", "cold", "luke warm", "warm", read="mode")
MORAL = criterion("moral", "0", "1")
REFUSAL = criterion("refusal", *"0123", read="mode")


def rubric_of(folder: Path, **criteria: Any) -> str:
    text = json.dumps(
        {
            "name": "mine",
            "version": 3,
            "license": "CC0-1.0",
            "fallback_language": "en",
            "criteria": criteria,
            "languages": {
                "en": {
                    "template": "Between ⟦…⟧ stands what is judged.\n{conversation}",
                    "turns": {"system": "S", "user": "U", "assistant": "B", "answer": "A"},
                    "lead": "",
                }
            },
        }
    )
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def load(spec: ModelSpec) -> FakeEngine:
    """Puts 0.8 on the second label of a scale; the judge `other` on the last."""

    def on_labels(request: LabelRequest) -> LabelResult:
        k = len(request.scale.labels)
        place = k - 1 if spec.model == "other" else 1
        probs = [0.8 if at == place else 0.2 / (k - 1) for at in range(k)]
        return LabelResult(tuple(map(math.log, probs)))

    def on_text(_: TextRequest) -> TextResult:
        return TextResult("No.")

    return FakeEngine(on_labels, on_text, name=spec.model)


CONFIG = Settings((GRADED,), ModelSpec("model"), ModelSpec("judge"), limit={"all": 8})


def estimates(run: Path) -> dict[tuple[str, str, str], Estimate]:
    rows = read_json(run / "scores.json")[GRADED]
    return {(row["name"], row["group"], row["member"]): Estimate(**row["estimate"]) for row in rows}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    rubric = rubric_of(folder, politeness=POLITENESS, warmth=WARMTH)
    whole_row(folder / "run", replace(CONFIG, rubric=rubric), load)
    return folder / "run"


def test_criteria_of_its_own_are_scored_on_their_scale_with_shares_per_label(run: Path) -> None:
    table = estimates(run)
    politeness = table["criterion:politeness", "", ""]
    # 0.8 on 2, and a thirtieth on each of 1, 3, 4, 5, 6, 7
    assert politeness.value == pytest.approx(0.8 * 2 + 26 / 30)
    assert politeness.n == 8
    assert politeness.low is not None and politeness.low >= 1
    assert table["criterion:politeness:2", "", ""].value == 1.0
    assert table["criterion:politeness:7", "", ""].value == 0.0
    assert table["criterion:warmth", "", ""].value == 1.0
    assert table["criterion:warmth:luke warm", "", ""].value == 1.0


def test_the_benchmarks_scores_are_not_made_of_criteria_that_were_not_asked(run: Path) -> None:
    names = {name for name, *_ in estimates(run)}
    assert all(name.startswith("criterion:") for name in names)
    criteria = read_parquet(run / "judgements.parquet")["criterion"].to_pylist()
    assert set(criteria) == {"politeness", "warmth"}


def test_the_report_shows_them_first_with_what_they_ask_and_their_range(run: Path) -> None:
    page = (run / "report.html").read_text()
    glance = page[: page.index('id="limits"')]
    assert "politeness: How much of it is in the answer?" in glance
    assert "from 1 to 7" in glance
    assert "warmth: luke warm" in page


@pytest.mark.parametrize(
    ("criteria", "asked"),
    [
        ({"politeness": POLITENESS}, ("politeness",)),
        ({"politeness": POLITENESS, "refusal": REFUSAL}, ("refusal", "politeness")),
        # what another benchmark has is asked of that one
        ({"refusal": REFUSAL, "moral": MORAL}, ("refusal",)),
    ],
)
def test_criteria_of_its_own_are_asked_beside_the_benchmarks_or_alone(
    criteria: dict[str, Any], asked: tuple[str, ...], tmp_path: Path
) -> None:
    benchmark = "chisafetybench:qa"
    config = replace(
        CONFIG,
        benchmark=(benchmark,),
        limit={},
        rubric=rubric_of(tmp_path, **criteria),
        judge=ModelSpec("http://localhost:9/v1#judge"),
    )
    assert check_judging(config).rubrics[benchmark].criteria == asked


def test_some_of_the_benchmarks_criteria_are_refused_with_the_remedy(tmp_path: Path) -> None:
    rubric = rubric_of(tmp_path, moral=MORAL, politeness=POLITENESS)
    with pytest.raises(UsageError, match="has no criterion rating, refusal"):
        check_judging(replace(CONFIG, rubric=rubric))
    # and one of the same name on another scale cannot be what the score needs
    rubric = rubric_of(tmp_path, refusal=MORAL, politeness=POLITENESS)
    with pytest.raises(UsageError, match="a criterion of your own has a name of its own"):
        check_judging(replace(CONFIG, rubric=rubric, benchmark=("chisafetybench:qa",), limit={}))
