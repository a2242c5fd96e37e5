"""The tab *Your runs*: what visitors bring as the folder of a run, and what is made of it."""

import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.builders.ci_vignettes.published_answers import published_answers
from normscope.builders.taxonomy import LIKERT
from normscope.errors import NormscopeError
from normscope.records.model_spec import ModelSpec
from normscope.records.run import Run
from normscope.space.example_runs import FLOWS, example_runs
from normscope.viewer import answers_page
from tests.shared.viewed_runs import CHANGED, EVIL, N, aligned, base

tab = pytest.importorskip(
    "normscope.space.tabs.runs", reason="needs gradio: pip install 'normscope[space]'"
)

KEY = ["item_id", "variant_id", "scale_order"]
REQUEST = SimpleNamespace(headers={"accept-language": "en"})


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return base(folder), aligned(folder)


def brought(folder: Path) -> list[str]:
    """The files of a folder as gradio hands them over."""
    return [str(path) for path in folder.iterdir() if path.is_file()]


def test_two_folders_are_compared_and_come_back_as_files(runs: tuple[Path, Path]) -> None:
    sides = [*map(brought, runs), None, []]
    steps = list(tab.compared_page(REQUEST, False, False, *sides))
    [shown, *_], [_, status, figures, files] = steps[0], steps[-1]
    # every fourth answer was risky and is a responsible refusal
    assert f"{CHANGED / N * 100:.3g}" in shown
    assert (status, "<figure" in figures) == ("", True)
    # the files are there until gradio has copied them
    assert {"compare.csv", "compare.json", "compare.md"} <= {Path(p).name for p in files["value"]}


def test_every_answer_stands_in_a_frame_that_reaches_nothing(runs: tuple[Path, Path]) -> None:
    [[shown, *_, files]] = tab.answers(REQUEST, False, brought(runs[0]), None)
    assert '<iframe class="answers" sandbox="allow-scripts allow-downloads"' in shown
    assert "<script" not in shown
    assert EVIL not in unescape(shown)
    assert [Path(path).name for path in files["value"]] == ["answers.html"]


@pytest.mark.parametrize("make", ["compare", "look"])
def test_without_runs_it_is_said_what_is_needed(make: str) -> None:
    steps = (
        tab.compared_page(REQUEST, False, False, None, None)
        if make == "compare"
        else tab.answers(REQUEST, False, None, None)
    )
    [[shown, *_]] = steps
    assert "A comparison needs two runs" in shown or "of one run, or of two" in shown


def refused(files: list[str]) -> str:
    with pytest.raises(NormscopeError) as error, tab.run_folders([files]) as [folder]:
        tab.read_runs([folder])
    assert "normscope-" not in str(error.value)
    return str(error.value)


def test_what_is_no_whole_run_or_was_changed_is_refused_by_name(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    files = brought(runs[0])
    assert "no manifest.json" in refused([p for p in files if not p.endswith("manifest.json")])
    other = shutil.copytree(runs[0], tmp_path / "other")
    shutil.copy(runs[1] / "judgements.parquet", other)
    assert "judgements.parquet" in refused(brought(other))


def test_a_table_that_unpacks_into_much_is_refused_before_it_is_read(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    bomb = shutil.copytree(runs[0], tmp_path / "bomb")
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 90_000), ["x" * 1_000_000])
    pq.write_table(pa.table({"text": texts}), bomb / "responses.parquet")
    assert (bomb / "responses.parquet").stat().st_size < 2_000_000
    assert "once it is read" in refused(brought(bomb))
    (bomb / "responses.parquet").write_bytes(b"PAR1 and no more PAR1")
    assert "responses.parquet" in refused(brought(bomb))


def test_no_file_that_a_configuration_names_is_read(
    runs: tuple[Path, Path],
) -> None:
    # a rubric that is read would never end
    run = Run.open(runs[0])
    evil = replace(run.config, rubric="/dev/zero", judge=ModelSpec("/etc"))
    page = answers_page(tab.answers_of([replace(run, config=evil)]))
    assert "</html>" in page


def test_names_are_short_unlike_and_no_formulas() -> None:
    def config(model: str | None) -> Any:
        return SimpleNamespace(model=model and SimpleNamespace(model=model))

    named = tab.names_of([*map(config, ("a/b", "c/b", "=1+1", None, "x" * 90))])
    assert named == ["b", "b (2)", "'=1+1", "run", "x" * 40]


def test_the_example_is_what_was_published_and_can_be_compared() -> None:
    runs = example_runs()
    for run in runs:
        published = published_answers(run.name).to_pandas().set_index(KEY)["answer"]
        rows = run.judgements.to_pandas().set_index(KEY)
        assert len(rows) == rows.index.nunique() == FLOWS * 33
        assert rows["value"].equals(published.loc[rows.index].astype(float).rename("value"))
        assert (rows["reason"].isna() == rows["value"].notna()).all()
    frame = tab.answers_of([*runs]).to_frame()
    assert len(frame) == FLOWS * 33
    assert set(frame.acceptability.dropna()) <= {*LIKERT}
    first, *_ = next(tab.compared_page(REQUEST, False, True, None, None))
    assert f"{runs[0].name} accepts" in first
