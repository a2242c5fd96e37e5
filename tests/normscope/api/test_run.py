"""`ns.run` and `ns.Run`: the whole row from Python, and what a run is read as."""

import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
from finished_runs import CONFIG, GRADED_SET, VIGNETTES, reply, scripted
from undrawn import undrawn  # noqa: F401 - no charts in this module

import normscope as ns
from normscope.api.request import Request
from normscope.errors import ConfigError, RunError, UnscoredWarning, UsageError
from normscope.files import hash_file, read_parquet
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines.fake import FakeEngine
from normscope.records.model_spec import ModelSpec

TABLES = ("items.parquet", "responses.parquet", "judgements.parquet", "scores.json")
BOTH = (VIGNETTES, GRADED_SET)


class Loaded:
    """Loads the scripted engines and notes which."""

    def __init__(self) -> None:
        self.models: list[str] = []

    def __call__(self, spec: ModelSpec) -> FakeEngine:
        self.models.append(spec.model)
        engine: FakeEngine = scripted(spec)
        return engine


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Loaded:
    engines = Loaded()
    monkeypatch.setattr("normscope.api.request.load_engine", engines)
    return engines


def test_a_run_from_python_is_that_of_the_verbs_to_the_byte(
    tmp_path: Path, folder: Path, loaded: Loaded
) -> None:
    run = ns.run("model", BOTH, judge="judge", limit=6, out=str(tmp_path / "run"), progress=False)
    assert run.whole
    assert {name: hash_file(run.path / name) for name in TABLES} == {
        name: hash_file(folder / name) for name in TABLES
    }
    assert (run.config.model, run.config.judge) == (CONFIG.model, CONFIG.judge)
    assert loaded.models == ["model", "judge"]


def test_a_whole_run_is_returned_without_a_model_and_another_setting_is_refused(
    tmp_path: Path, loaded: Loaded, capsys: pytest.CaptureFixture[str]
) -> None:
    told: dict[str, Any] = {"limit": {GRADED_SET: 6}, "out": tmp_path / "run"}
    ns.run(benchmarks=GRADED_SET, judge=ModelSpec("judge"), **told)
    assert "judge" not in capsys.readouterr().err  # a progress bar stands in a terminal only
    loaded.models.clear()
    again = ns.run(benchmarks=[GRADED_SET], judge="judge", progress=False, **told)
    assert ns.run(out=tmp_path / "run").config == again.config
    assert loaded.models == []
    with pytest.raises(RunError, match=r"limit.*was 6, now 7"):
        ns.run(benchmarks=GRADED_SET, judge="judge", limit={GRADED_SET: 7}, out=tmp_path / "run")
    assert ns.run(out=tmp_path / "run").whole
    assert capsys.readouterr().err == ""


@pytest.fixture
def off_the_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever engine is loaded says nothing of a scale."""

    def labels(request: LabelRequest) -> LabelResult:
        return LabelResult((-9.0,) * len(request.scale.labels))

    monkeypatch.setattr(
        "normscope.api.request.load_engine", lambda spec: FakeEngine(labels, reply, name=spec.model)
    )


def test_what_is_unscored_beyond_the_threshold_is_a_warning_with_its_share(
    tmp_path: Path, off_the_scale: None
) -> None:
    told: dict[str, Any] = {"benchmarks": GRADED_SET, "judge": "j", "limit": 5, "progress": False}
    with pytest.warns(
        UnscoredWarning, match=r"safety-gradient: 100 % .*15 of 15.*low coverage"
    ) as w:
        run = ns.run(out=tmp_path / "run", **told)
    assert w[0].filename == __file__
    assert run.judgements["value"].null_count == run.judgements.num_rows == 15
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnscoredWarning)
        ns.run(out=tmp_path / "other", max_unscored=1, **told)


def test_the_tables_of_a_run_are_read_and_one_that_was_changed_is_refused(
    folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    shutil.copytree(folder, path)
    run = ns.Run(str(path), name="mine")
    assert (run.name, run.path) == ("mine", path)
    assert (run.items.num_rows, run.responses.num_rows) == (72, 72)
    assert set(run.scores.by_benchmark) == set(BOTH)
    frame = run.to_frame()
    assert set(frame["run"]) == {"mine"}
    assert {"statistic", "group", "value", "low", "high", "n", "unscored"} <= set(frame.columns)
    assert len(run.answers) == 72
    assert ns.Run(run).config == run.config
    (path / "judgements.parquet").write_bytes(b"")
    with pytest.raises(RunError, match=r"judgements\.parquet"):
        _ = ns.Run(path).judgements


def test_a_folder_without_a_run_and_a_run_that_is_not_whole_are_refused(
    tmp_path: Path, loaded: Loaded
) -> None:
    with pytest.raises(RunError, match="is not a run"):
        ns.Run(tmp_path)
    with pytest.raises(UsageError, match="safety-gradient needs a judge"):
        ns.run(benchmarks=GRADED_SET, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert loaded.models == []


def test_what_is_unscored_is_named_with_whose_doing_it_is(
    tmp_path: Path, off_the_scale: None
) -> None:
    told: dict[str, Any] = {"limit": 1, "variants": "0", "max_unscored": 1, "progress": False}
    rows = ns.run("m", VIGNETTES, out=tmp_path, **told).unscored
    assert rows.select(["criterion", "reason", "origin"]).to_pylist() == [
        {"criterion": "acceptability", "reason": "off_scale", "origin": "respondent"}
    ]


def test_a_judge_judges_with_its_own_settings_and_is_loaded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = Loaded()
    monkeypatch.setattr("normscope.api.judge.load", engines)
    judge = ns.Judge("judge", rubric="cfsafety", min_coverage=0.25, progress=False)
    judge("Where is the key?", "I do not know.", categories="privacy_leaks")
    told: dict[str, Any] = {"benchmarks": GRADED_SET, "limit": 5, "out": tmp_path}
    run = ns.run(judge=judge, progress=False, **told)
    assert engines.models == ["judge"]
    assert (run.config.min_coverage, run.config.judge) == (0.25, judge.spec)
    with pytest.raises(UsageError, match="min_coverage is a setting of the judge"):
        ns.run(judge=judge, min_coverage=0.5, **told)
    some = ns.Judge("judge", rubric="cfsafety", criteria=["moral"])
    with pytest.raises(UsageError, match="leave criteria= out"):
        ns.run(judge=some, **told)


def test_a_context_is_asked_beside_the_benchmarks(tmp_path: Path, loaded: Loaded) -> None:
    told: dict[str, Any] = {"limit": 1, "variants": "0", "progress": False}
    run = ns.run("m", context=ns.Context("coppa"), out=tmp_path / "coppa", **told)
    assert run.config.benchmark == ("ci-vignettes:coppa",)
    part = ns.run(
        "m", "ci-vignettes:coppa_null", context=[ns.Context("coppa")], out=tmp_path / "null", **told
    )
    assert part.config.benchmark == ("ci-vignettes:coppa_null",)
    with pytest.raises(UsageError, match="did you mean 'benchmarks'"):
        ns.run("m", out=tmp_path / "x", **{"benchmark": "ci-vignettes:coppa", **told})


def test_the_norms_of_a_run_are_those_of_its_table(folder: Path) -> None:
    run = ns.Run(folder)
    assert run.norms is not None
    table = read_parquet(folder / "norms.parquet").drop_columns("benchmark")
    assert run.norms.table.equals(table.select(run.norms.table.column_names))
    of_norms = run.norms.consensus["mean_acceptability"]
    assert of_norms.estimate == run.scores["mean_acceptability"].estimate
    with pytest.raises(UsageError, match=f"known: {VIGNETTES}"):
        run.norms_of("cfsafety")


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"temprature": 1}, UsageError, "did you mean 'temperature'"),
        ({"decoding": {}}, UsageError, "there is no setting 'decoding'"),
        ({"dtype": "float64"}, ConfigError, "one of these is expected"),
        ({"samples": "many"}, ConfigError, "a whole number is expected"),
        ({"channels": "labels, speech"}, ConfigError, "speech"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused_with_what_can(
    given: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        Request.of("m", (), None, **given).config()


def test_a_report_of_another_kind_and_a_file_for_a_folder_are_refused(
    folder: Path, tmp_path: Path
) -> None:
    form: Any = "mdd"
    with pytest.raises(UsageError, match="did you mean 'md'"):
        ns.Run(folder).report(tmp_path / "page", format=form)
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match="is a file"):
        ns.run("m", VIGNETTES, out=taken)


def test_the_name_of_a_format_is_no_path(folder: Path) -> None:
    for name in ("latex", "md", Path("tex")):
        with pytest.raises(
            UsageError, match=r"a format is named with format= \(html, md, csv, tex"
        ):
            ns.Run(folder).report(name)
