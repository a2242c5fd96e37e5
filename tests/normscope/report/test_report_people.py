"""A model's answers beside people's: from a context that states ratings to scores and report."""

import math
from pathlib import Path

import numpy as np
import pytest
import undrawn
from mock_museum import HEAD
from scipy import stats

from normscope.errors import ConfigError, RunError, UsageError
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.metrics.estimate import Estimate
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import read_scores, score
from normscope.pipeline.workers.here import Here
from normscope.records.folder import fork, opened
from normscope.records.integrity import is_whole
from normscope.records.model_spec import ModelSpec
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.report.write import report

NAME = "ci-vignettes:mock_museum"
MUSEUM = (
    HEAD
    + """\
factors:
  attribute: {levels: [the rooms a visitor saw, the length of a visit, the age of a visitor]}
  recipient: {levels: [a painter, a newspaper]}
practices:
  museum: {template: "The museum tells {recipient} {attribute}"}
ratings:
  question: Is it acceptable?
  low: 0
  high: 1
  source: written for this test
  file: people.csv
  answers: {"yes": 1, "no": 0}
  no_answer: [unclear]
"""
)
EACH = """attribute,recipient,yes,no,unclear
the rooms a visitor saw,a painter,9,1,0
the rooms a visitor saw,a newspaper,7,3,2
the length of a visit,a painter,6,4,0
the length of a visit,a newspaper,2,8,0
the age of a visitor,a painter,3,7,1
the age of a visitor,a newspaper,1,9,0
"""
TOGETHER = """recipient,yes,no
a painter,8,2
a newspaper,2,8
"""


def answers(counted: str) -> str:
    """The counts of answers as a table with a row per answer."""
    head, *rows = (line.split(",") for line in counted.splitlines())
    factors = sum(name in {"attribute", "recipient"} for name in head)
    said = [
        ",".join([*row[:factors], name])
        for row in rows
        for name, n in zip(head[factors:], row[factors:], strict=True)
        for _ in range(int(n))
    ]
    return "\n".join([",".join([*head[:factors], "answer"]), *said, ""])


# the model's label of each attribute, 0 … 4
LABELS = {"rooms": 4, "length": 3, "age": 1}


def answer(request: LabelRequest) -> LabelResult:
    """The label of the attribute, one lower for a newspaper; the variants agree."""
    _, text = request.conversation[-1]
    best = next(at for word, at in LABELS.items() if word in text) - ("newspaper" in text)
    return LabelResult(tuple(math.log(0.9 if at == best else 0.025) for at in range(5)))


def reply(_: TextRequest) -> TextResult:
    return TextResult("No.")


def scripted(spec: ModelSpec) -> FakeEngine:
    return FakeEngine(answer, reply, name=spec.model)


def context(folder: Path, table: str) -> Path:
    path = folder / "mock_museum.yaml"
    path.write_text(MUSEUM, encoding="utf-8")
    (folder / "people.csv").write_text(answers(table), encoding="utf-8")
    return path


def config_of(path: Path, **settings: object) -> Settings:
    return Settings(
        benchmark=(NAME,),
        context=(str(path),),
        model=ModelSpec("model"),
        **settings,  # type: ignore[arg-type]
    )


def scored(folder: Path, table: str, **settings: object) -> dict[str, Estimate]:
    config = config_of(context(folder, table), **settings)
    with opened(folder / "run", create=True) as run:
        for stage in (respond, judge):
            stage(run, config, Here(scripted))
        rows = score(run).by_benchmark[NAME]
    return {row.name: row.estimate for row in rows if not row.group}


def test_the_agreement_with_people_is_that_of_the_vignettes_means(tmp_path: Path) -> None:
    found = scored(tmp_path, EACH)
    # labels 0 … 4 are −2 … 2, in the order of the table
    model = np.array([2, 1, 1, 0, -1, -2])
    people = np.array([0.9, 0.7, 0.6, 0.2, 0.3, 0.1])
    assert found["people_pearson"].value == pytest.approx(stats.pearsonr(model, people).statistic)
    rho = stats.spearmanr(model, people).statistic
    assert found["people_spearman"].value == pytest.approx(rho)
    tau = stats.kendalltau(model, people).statistic
    assert found["people_kendall"].value == pytest.approx(tau)
    # 0 … 1 becomes −2 … 2
    difference = stats.ttest_rel(model, 4 * people - 2)
    bias = found["people_bias"]
    assert bias.value == pytest.approx((model - (4 * people - 2)).mean())
    limits = difference.confidence_interval()
    assert (bias.low, bias.high) == pytest.approx((limits.low, limits.high))
    assert {found[f"people_{name}"].n for name in ("pearson", "kendall", "bias")} == {6}
    assert "ratings of 0 … 1" in bias.method


def test_a_mean_of_several_vignettes_counts_once(tmp_path: Path) -> None:
    bias = scored(tmp_path, TOGETHER)["people_bias"]
    # painter: (2 + 1 − 1)/3 beside 1.2; newspaper: (1 + 0 − 2)/3 beside −1.2
    assert bias.n == 2
    assert bias.value == pytest.approx(((2 / 3 - 1.2) + (-1 / 3 + 1.2)) / 2)


def test_a_context_without_ratings_has_no_comparison(tmp_path: Path) -> None:
    path = context(tmp_path, EACH)
    path.write_text(MUSEUM.partition("ratings:")[0], encoding="utf-8")
    config = config_of(path)
    with opened(tmp_path / "run", create=True) as run:
        for stage in (respond, judge):
            stage(run, config, Here(scripted))
        names = {row.name for row in score(run).by_benchmark[NAME]}
    assert not {name for name in names if name.startswith("people")}
    assert not (tmp_path / "run" / "ratings.parquet").exists()


def test_ratings_are_sealed_in_the_run_and_it_goes_on_without_the_file(tmp_path: Path) -> None:
    scored(tmp_path, EACH)
    with undrawn.no_charts(), opened(tmp_path / "run") as run:
        report(run)
    assert is_whole(tmp_path / "run")
    fork(tmp_path / "run", tmp_path / "again")
    (tmp_path / "mock_museum.yaml").unlink()
    (tmp_path / "people.csv").unlink()
    with opened(tmp_path / "again") as run:
        judge(run, run.config, Here(scripted))
        again = score(run)
    assert again == read_scores(Run.open(tmp_path / "run"))
    with (tmp_path / "run" / "ratings.parquet").open("ab") as file:
        file.write(b"x")
    assert not is_whole(tmp_path / "run")
    with pytest.raises(RunError, match=r"ratings\.parquet: it was changed"):
        _ = Run.open(tmp_path / "run").ratings


def test_a_rating_of_no_vignette_is_an_error_before_anything_is_asked(tmp_path: Path) -> None:
    path = context(tmp_path, EACH)
    (tmp_path / "people.csv").write_text("item_id,answer\nmock_museum-000000000000,yes\n", "utf-8")
    with (
        pytest.raises((ConfigError, UsageError), match="no vignette has the id"),
        opened(tmp_path / "run", create=True) as run,
    ):
        respond(run, config_of(path), Here(scripted))
    assert not (tmp_path / "run").exists()


def test_the_report_shows_people_beside_the_model(tmp_path: Path) -> None:
    scored(tmp_path, EACH)
    with undrawn.no_charts(), opened(tmp_path / "run") as run:
        page = report(run).read_text(encoding="utf-8")
    start = page.index('id="people"')
    section = page[start : page.index('id="statistics"', start)]
    assert "People were asked: Is it acceptable? From 0 to 1. 6 ratings" in section
    assert "3 answers of people that are none on the scale are left out" in section
    # 0 beside −1.2 is the furthest
    first_row = section.split("<tbody>")[1].split("</tr>")[0]
    assert "a newspaper · the length of a visit" in first_row
    assert "Spearman&#39;s ρ with people" in page[: page.index('id="limits"')]
