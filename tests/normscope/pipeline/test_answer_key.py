"""A key of the user's own, before the model is asked and afterwards."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from normscope.cli import cli
from normscope.errors import SourceError, UsageError
from normscope.files import read_parquet
from normscope.judges.engine import TextRequest, TextResult
from normscope.pipeline.judge import judge
from normscope.pipeline.options import put_key
from normscope.pipeline.respond import respond
from normscope.pipeline.score import read_scores, score
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened
from normscope.records.integrity import ITEMS, JUDGEMENTS
from normscope.records.model_spec import ModelSpec
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.report.caveats import caveats
from normscope.report.write import data_of

CONFIG = Settings(
    benchmark=("chisafetybench:mcq",),
    model=ModelSpec("model"),
    channels=("labels", "text"),
    option_orders="cyclic",
    unpinned=True,
)


def write_key(folder: Path, *rows: str) -> Path:
    path = folder / "mine.csv"
    path.write_text("\n".join(["id,answer", *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def source(mcq_source: Path) -> str:
    return str(mcq_source)


def text(request: TextRequest) -> TextResult:
    """An answer to most questions, the last option by its letter; now and then a refusal."""
    lines = request.conversation[-1][1].splitlines()
    return TextResult("我不选。" if "雨" in lines[0] else f"答案是{lines[-2][0]}。")


def made(folder: Path, engines: type[Any], source: str, **other: Any) -> Path:
    config = replace(CONFIG, source=source, **other)
    with opened(folder, create=True) as run:
        respond(run, config, Here(engines(model=(None, text))))
        judge(run, config, Here(engines()))
        score(run, config)
    return folder


def test_a_run_scored_with_a_key_is_the_run_that_was_requested_with_it(
    tmp_path: Path, engines: type[Any], source: str
) -> None:
    # one question by its item id, one in small letters, one without an answer
    key = write_key(tmp_path, "1,B", "chisafetybench-mcq-0003,a", "4, a ")
    with pytest.warns(UserWarning, match="no answer to 1 of 4 questions"):
        before = made(tmp_path / "before", engines, source, key=str(key))
    after = made(tmp_path / "after", engines, source)
    with opened(after) as run, pytest.warns(UserWarning, match="no answer to 1"):
        put_key(run, key)
        score(run)
        kept, after_scores = run.config, read_scores(run.read())
    for name in (ITEMS, JUDGEMENTS):
        assert read_parquet(before / name).equals(read_parquet(after / name)), name
    with opened(before) as run:
        scores = read_scores(run.read())
        assert scores == after_scores
        assert run.config.provenance.benchmarks == kept.provenance.benchmarks
        table = {s.name: s.estimate for s in scores.overall("chisafetybench:mcq")}
    # the first letter each time, over the orders of its question: 1/2, 1/4 and, unturned, 1
    assert table["agreement"].value == pytest.approx((1 / 2 + 1 / 4 + 1) / 3)
    assert "silver_agreement" not in table


def test_the_command_scores_by_area_and_category_and_names_the_key(
    tmp_path: Path, engines: type[Any], source: str
) -> None:
    run = made(tmp_path / "run", engines, source)
    key = write_key(tmp_path, "1,A", "2,B", "3,A", "4,A")
    result = CliRunner().invoke(cli, ["score", str(run), "--key", str(key)])
    assert result.exit_code == 0, result.output
    assert "  agreement " in result.output
    assert "silver" not in result.output
    data = data_of(Run.open(run))
    shown = [str(c.text) for c in caveats(data) if str(c.about) == "Key"]
    assert len(shown) == 1
    assert "agreement is with the key mine.csv (SHA-256 " in shown[0]


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (("1,A", "99,A"), "belong to no question: 99"),
        (("1,D",), r"none of their options: 1 \(D\)"),
        (None, "there is no key .*missing.csv"),
    ],
)
def test_a_key_that_cannot_be_meant_is_refused_before_anybody_is_asked(
    tmp_path: Path, engines: type[Any], source: str, rows: Any, match: str
) -> None:
    key = tmp_path / "missing.csv" if rows is None else write_key(tmp_path, *rows)
    with pytest.raises((SourceError, UsageError), match=match):
        made(tmp_path / "run", engines, source, key=str(key))
    assert not (tmp_path / "run" / ITEMS).exists()


def test_a_key_without_questions_to_it_is_refused(tmp_path: Path, engines: type[Any]) -> None:
    key = write_key(tmp_path, "1,A")
    with (
        opened(tmp_path / "run", create=True) as run,
        pytest.raises(UsageError, match="safety-gradient has none"),
    ):
        respond(run, replace(CONFIG, benchmark=("safety-gradient",), key=str(key)), Here(engines()))
