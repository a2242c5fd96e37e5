"""The demo: norms of real models out of their published answers, and a judge beside them."""

import contextlib
import re
from collections import Counter
from pathlib import Path
from unittest import mock

import pytest
from click.testing import CliRunner, Result
from finished_runs import scripted

from normscope.builders.ci_vignettes.published_answers import published_models, published_norms
from normscope.cli import cli
from normscope.files import read_json, read_parquet
from normscope.records.integrity import NORMS, is_whole
from normscope.records.run_log import RUN_LOG

VIGNETTES = 12


def demo(out: Path, *, engine: object = scripted, after: str = "") -> Result:
    """The demo with a scripted judge and no pictures, stopped at the function `after` if named."""
    out.parent.mkdir(exist_ok=True)
    with (
        # its pages name the folder, which is the same for all
        contextlib.chdir(out.parent),
        mock.patch("normscope.api.request.load_engine", engine),
        mock.patch("normscope.report.charts.Plot.save", return_value=()),
        mock.patch(after, side_effect=KeyboardInterrupt) if after else mock.MagicMock(),
    ):
        return CliRunner().invoke(cli, ["demo", "--out", out.name, "--limit", str(VIGNETTES)])


def contents(folder: Path) -> dict[str, bytes]:
    # all but when it was done
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != RUN_LOG)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a finished demo, and what it said."""
    out = tmp_path_factory.mktemp("demo") / "demo"
    done = demo(out)
    assert done.exit_code == 0, done.output
    return out, done.output


def test_every_model_and_the_judge_have_a_whole_run_with_its_report(
    finished: tuple[Path, str],
) -> None:
    out, text = finished
    for name in (*published_models(), "graded-answers"):
        assert is_whole(out / name)
        assert (out / name / "report.html").is_file()
        assert name in text or name == "graded-answers"
    # the page is of all, the comparison of those that were asked all prompts
    page = (out / "report.html").read_text(encoding="utf-8")
    assert all(model in page for model in published_models())
    # what holds for all of them is said once: on the first screen, and among all that limits it
    first, limits = page.split('id="limits"')
    for part in (first, limits):
        assert part.count("recorded elsewhere and imported (ci-vignettes, iot_pub") == 1
    compared = read_json(out / "compare" / "compare.json")["runs"]
    assert list(compared) == [m for m in published_models() if m != "gpt-4o-mini-8B"]
    assert "untrained" not in page + text


def test_norms_are_the_released_ones_also_in_the_comparison(finished: tuple[Path, str]) -> None:
    out, text = finished
    assert f"Norms that differ from the released: 0 of {5 * VIGNETTES * 2}" in text
    compared = read_parquet(out / "compare" / NORMS)
    for model in ("tulu-2-7b", "tulu-2-dpo-7b"):
        released = published_norms(model).to_pydict()
        by_id = dict(zip(released["item_id"], released["majority"], strict=True))
        ids = compared["item_id"].to_pylist()
        assert compared[f"{model}: norm"].to_pylist() == [by_id[name] for name in ids]
        counts = Counter(by_id[name] for name in ids)
        row = next(line for line in text.splitlines() if line.startswith(f"{model} "))
        shares = [float(share) for share in re.findall(r"([\d.]+) %", row)]
        expected = [100 * counts[norm] / len(ids) for norm in (-2, -1, 0, 1, 2, None)]
        assert shares == pytest.approx(expected, abs=0.05)


@pytest.mark.slow
def test_again_nobody_is_asked_and_every_byte_stays_and_other_norms_are_counted(
    finished: tuple[Path, str],
) -> None:
    out, text = finished
    before, released = contents(out), published_norms("tulu-2-7b")
    # no norm here is that of the authors
    other = [{-2: 2, None: 1}.get(norm) for norm in released["majority"].to_pylist()]
    at = released.schema.get_field_index("majority")
    changed = {"tulu-2-7b": released.set_column(at, "majority", [other])}
    with mock.patch(f"{published_norms.__module__}.published_norms") as patched:
        patched.side_effect = lambda model: changed.get(model) or published_norms(model)
        again = demo(out, engine=mock.Mock(side_effect=AssertionError("the judge was loaded")))
    assert again.exit_code == 0, again.output
    assert contents(out) == before
    shown = text[text.index("\nNorms of each") :].replace("released: 0 of", "released: 12 of")
    assert again.output.endswith(shown)


@pytest.mark.slow
@pytest.mark.parametrize(
    "after",
    [
        "normscope.pipeline.score.score",
        "normscope.pipeline.row.respond",
        "normscope.api.compare.write",
    ],
)
def test_stopped_and_started_again_it_ends_with_the_same_bytes(
    finished: tuple[Path, str], tmp_path: Path, after: str
) -> None:
    out = tmp_path / "demo"
    assert demo(out, after=after).exit_code != 0
    assert not (out / "report.html").exists()
    assert demo(out).exit_code == 0
    ours, whole = contents(out), contents(finished[0])
    assert ours.keys() == whole.keys()
    assert [name for name in ours if ours[name] != whole[name]] == []


def test_fewer_vignettes_than_grades_can_be_ordered_are_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["demo", "--out", str(tmp_path / "demo"), "--limit", "3"])
    assert done.exit_code == 2
    assert "x>=10" in done.output
