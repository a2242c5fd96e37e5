"""A run is repeated with what it was made with, or not at all."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from finished_runs import normscope
from tiny_model import make_tiny_model

from normscope.errors import RunError
from normscope.files import hash_file
from normscope.messages import translate
from normscope.records.model_spec import ModelSpec
from normscope.records.provenance import (
    BenchmarkItems,
    Provenance,
    Repetition,
    ResponsesProvenance,
)
from normscope.records.reproduction import Reproduction
from normscope.records.settings import Settings, read
from normscope.report.caveats import model_caveats, reproduction_notes

TABLES = ("items.parquet", "responses.parquet", "judgements.parquet", "scores.json")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Path:
    """A folder with a run, and the model and the judge that it was made with."""
    folder = tmp_path_factory.mktemp("made")
    for name in ("model", "judge"):
        shutil.copytree(tiny_model, folder / name)
    asked = ("-b", "ci-vignettes:coppa,safety-gradient", "--limit", "2", "--set", "max_unscored=1")
    models = ("--model", folder / "model", "--judge", folder / "judge")
    assert normscope("run", *models, *asked, "--out", folder / "run").exit_code == 0
    return folder


def test_a_run_is_repeated_to_the_byte(made: Path, tmp_path: Path) -> None:
    told = "--reproduce", made / "run", "--out", tmp_path / "again"
    assert normscope("run", *told).exit_code == 0
    for name in TABLES:
        assert (tmp_path / "again" / name).read_bytes() == (made / "run" / name).read_bytes(), name
    config = read(tmp_path / "again" / "config.yaml")
    nothing = {"respond": (), "judge": ()}
    settings = hash_file(made / "run" / "config.yaml")
    assert config.provenance.repeats == Repetition("run", settings, nothing)
    assert model_caveats(config) == model_caveats(read(made / "run" / "config.yaml"))
    # the same command goes on, and a repetition can be repeated
    before = (tmp_path / "again" / "config.yaml").read_bytes()
    assert "nothing was asked again" in normscope("run", *told).stderr
    assert (tmp_path / "again" / "config.yaml").read_bytes() == before
    assert f"--reproduce {made / 'run'} " in (made / "run" / "report.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("role", ["model", "judge"])
def test_swapped_weights_are_refused_before_anything_is_asked(
    made: Path, role: str, tmp_path: Path
) -> None:
    shutil.copytree(made, tmp_path / "made")
    here = tmp_path / "made"
    paths = ("--model", here / "model", "--judge", here / "judge")
    shutil.rmtree(here / role)
    make_tiny_model(here / role, ["Other words: 0, 1, 2, 3, 4, 5."])
    again = ("run", "--reproduce", here / "run", "--out", tmp_path / "again", *paths)
    with pytest.raises(RunError, match=rf"was made with.*\n(?s:.*){role}\.content: then '"):
        normscope(*again)
    assert not (tmp_path / "again" / "journal.sqlite").exists()


@pytest.mark.slow
def test_the_same_weights_in_another_place_are_the_same_model(made: Path, tmp_path: Path) -> None:
    for name in ("model", "judge"):
        shutil.copytree(made / name, tmp_path / name)
    moved = ("--model", tmp_path / "model", "--judge", tmp_path / "judge")
    normscope("run", "--reproduce", made / "run", *moved, "--out", tmp_path / "again")
    repeats = read(tmp_path / "again" / "config.yaml").provenance.repeats
    assert repeats is not None
    assert repeats.differs == {"respond": (), "judge": ()}


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        (("--limit", "1"), "limit.all: then 2, now 1"),
        (("--set", "min_coverage=0.9"), "min_coverage: then 0.5, now 0.9"),
        (("--channels", "text"), "channels: then"),
        (("--set", "dtype=bfloat16"), "dtype: then"),
    ],
)
def test_other_settings_are_no_repetition(
    made: Path, tmp_path: Path, flags: tuple[str, ...], field: str
) -> None:
    with pytest.raises(RunError, match=field):
        normscope("run", "--reproduce", made / "run", *flags, "--out", tmp_path / "again")


MODEL = {"model": "m", "content": "c" * 64, "dtype": "float32", "device": "cpu"}
RESPONSES = ResponsesProvenance(
    benchmarks={"b": BenchmarkItems(revision="r" * 64)}, model=MODEL, packages={"torch": "2.1"}
)
THEN = Settings(model=ModelSpec("m"), provenance=Provenance(RESPONSES))


@pytest.mark.parametrize(
    ("now", "field", "is_rounding"),
    [
        ({"benchmarks": {"b": BenchmarkItems(revision="s" * 64)}}, "benchmarks.b.revision", False),
        ({"model": MODEL | {"content": "d" * 64}}, "model.content", False),
        ({"model": MODEL | {"dtype": "bfloat16"}}, "model.dtype", False),
        ({"model": MODEL | {"chat_template": "t"}}, "model.chat_template", False),
        ({"model": MODEL | {"device": "cuda"}}, "model.device", True),
        ({"packages": {"torch": "2.2"}}, "packages.torch", True),
    ],
)
def test_what_only_rounds_is_noted_and_everything_else_refused(
    now: dict[str, Any], field: str, is_rounding: bool
) -> None:
    again = Reproduction("run", "0" * 64, THEN)
    changed = "respond", again.settings, replace(RESPONSES, **now)
    if not is_rounding:
        with pytest.raises(RunError, match=field):
            again.differences(*changed)
        return
    (found,) = again.differences(*changed)
    assert found.field == field
    repeats = Repetition(again.name, again.config_hash, {"respond": (found,)})
    (note,) = reproduction_notes(Provenance(repeats=repeats))
    assert "rounding only" in note
    assert translate(note, "zh") != note


def test_another_name_without_a_content_to_go_by_is_another_model() -> None:
    made = Provenance(ResponsesProvenance(model={"model": "http://one/v1#m"}))
    again = Reproduction("run", "0" * 64, Settings(provenance=made))
    elsewhere = ResponsesProvenance(model={"model": "http://two/v1#m"})
    with pytest.raises(RunError, match=r"model\.model: then 'http://one"):
        again.differences("respond", Settings(), elsewhere)
