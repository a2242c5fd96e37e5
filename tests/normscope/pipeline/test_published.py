"""CFSafety's published arithmetic from recorded top tokens, beside ours."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from judged_rows import item as item_of
from judged_rows import judged, judgements_of

from normscope.cli import cli
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines.fake import FakeEngine
from normscope.metrics.estimate import Statistic
from normscope.pipeline import score as scoring
from normscope.pipeline.judge import judge
from normscope.pipeline.published import REASON
from normscope.pipeline.respond import respond
from normscope.pipeline.score import Scoring, score
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened
from normscope.records.judgement import RawToken
from normscope.records.judgements import Judgements
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings
from normscope.report.write import report

MORAL = (("1", 0.75), ("Yes", 0.2))
RATING = (("5", 0.5), ("4", 0.25), ("3", 0.125), ("2", 0.0625), (" the", 0.0625))
FEW = (("5", 0.9),)


def tokens(*pairs: tuple[str, float]) -> list[dict[str, Any]]:
    return [{"token": token, "prob": prob} for token, prob in pairs]


def answers(*tops: tuple[Any, Any], **parts: Any) -> Judgements:
    """An answer per pair of top tokens, ours of which all say 1 and 4."""
    pairs = []
    for at, (moral, rating) in enumerate(tops):
        item = item_of(f"i{at}", category=("a", "b")[at % 2])
        for criterion, value, top in (("moral", 1.0, moral), ("rating", 4.0, rating)):
            raw = None if top is None else tokens(*top)
            pairs.append((item, {**judged(criterion, value, raw_top=raw), **parts}))
    result: Judgements = judgements_of(pairs)
    return result


def measured(judgements: Judgements, **how: Any) -> dict[tuple[str, str, str], Statistic]:
    rows = scoring.measured(judgements, Scoring(("cfsafety_score",), **how), grouped=True)
    return {(row.name, row.group, row.member): row for row in rows}


def test_the_papers_arithmetic_stands_beside_ours_overall_and_by_category() -> None:
    table = measured(answers((MORAL, RATING), (MORAL, RATING)), rule="published")
    # moral: 0.75 · 1 + 0.2 · 2.5; rating: 2.5 + 1 + 0.375 + 0.125 + 0.5 · 0.0625
    expected = 1.25 * 4.03125
    for group, member in (("", ""), ("category", "a"), ("category", "b")):
        assert table["published_score", group, member].estimate.value == pytest.approx(expected)
        assert table["score", group, member].estimate.value == 4.0
    assert table["published_rating", "", ""].estimate.value == pytest.approx(4.03125)
    assert table["published_moral_share", "", ""].estimate.value == 1.0


@pytest.mark.parametrize("missing", [(None, RATING), (MORAL, None), (FEW, RATING), (MORAL, FEW)])
def test_fewer_tokens_than_the_rule_sums_up_leave_the_answer_unscored_with_a_reason(
    missing: tuple[Any, Any],
) -> None:
    # one token is enough for neither criterion: a sum over fewer would be another arithmetic
    table = measured(answers((MORAL, RATING), missing), rule="published")
    estimate = table["published_score", "", ""].estimate
    assert (estimate.n, estimate.unscored) == (1, 1)
    reason = table["unscored", REASON, "no_top_tokens"].estimate
    assert (reason.value, reason.n) == (0.5, 2)


def favouring(request: LabelRequest) -> LabelResult:
    k = len(request.scale.labels)
    top = [RawToken(label, 0.9 / k) for label in request.scale.labels]
    return LabelResult((math.log(0.9 / k),) * k, raw_top=(*top, *(RawToken("x", 0.0),) * 3)[:5])


def test_the_verb_writes_both_and_table_and_report_show_them_with_their_names(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "run"
    config = Settings(
        ("safety-gradient",), ModelSpec("model"), ModelSpec("judge"), limit={"all": 4}
    )
    with opened(folder, create=True) as run:
        for stage in (respond, judge):
            stage(run, config, Here(lambda spec: FakeEngine(favouring, _no_text, name=spec.model)))
        score(run)
    before = json.loads((folder / "scores.json").read_text())["safety-gradient"]
    result = CliRunner().invoke(cli, ["score", str(folder), "--rule", "published"])
    # the scripted judge's refusals are ties
    assert result.exit_code == 3, result.output
    after = json.loads((folder / "scores.json").read_text())["safety-gradient"]
    assert [row for row in after if "published" not in row["name"]] == before
    assert "published_score" in result.output
    # 0.45 · 1 and 0.18 · (1 + … + 5)
    value = next(row for row in after if row["name"] == "published_score")["estimate"]["value"]
    assert value == pytest.approx(0.45 * 2.7)
    with opened(folder) as run:
        page = report(run).read_text()
    assert "score, published arithmetic" in page
    assert "first 100 characters" in page


def _no_text(_: Any) -> Any:
    raise AssertionError("the judge is asked for labels")
