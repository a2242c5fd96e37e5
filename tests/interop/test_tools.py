"""The tools themselves, each in an environment of its own: what they write today is what is read.

So the small files of the tests of each format, which are read in every run, are what they write.
"""

from pathlib import Path

import pytest
from click.testing import CliRunner
from peers import python_of
from tool_logs import BENCHMARK, FILES, KEPT, inspect_log, lm_eval_samples
from undrawn import undrawn

from normscope.cli import cli
from normscope.files import read_json, read_parquet
from normscope.pipeline.importing.read import read_answers
from normscope.records.integrity import JUDGEMENTS

__all__ = ["undrawn"]

pytestmark = pytest.mark.interop


def written(tool: str, folder: Path) -> dict[Path, Path]:
    """The files that the tool writes now, by those of the tests."""
    python = Path(python_of(tool))
    (folder / "work").mkdir()
    if tool == "inspect":
        logs = inspect_log(python, folder / "work")
        return {
            logs / "flows.eval": FILES / "inspect.eval",
            logs / "inspect.json": FILES / "inspect.json",
        }
    samples = lm_eval_samples(python, folder / "work")
    return {
        next(samples.glob(f"samples_{name}_*")): next(FILES.glob(f"samples_{name}_*"))
        for name in ("flows", "choices")
    }


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("tool", KEPT)
def test_what_the_tool_writes_today_is_imported_to_a_scored_run(tool: str, tmp_path: Path) -> None:
    for number, (path, kept) in enumerate(written(tool, tmp_path).items()):
        fresh, small = read_answers(path), read_answers(kept)
        assert fresh.table.equals(small.table), path
        assert (fresh.roles, fresh.note) == (small.roles, small.note)
        out = tmp_path / f"run-{number}"
        for verb in (["import", path, "-b", BENCHMARK, "--out", out], ["judge", out]):
            result = CliRunner().invoke(cli, list(map(str, verb)))
            assert result.exit_code == 0, (result.output, result.exception)
        assert CliRunner().invoke(cli, ["score", str(out)]).exit_code in {0, 3}
        assert read_json(out / "scores.json")[BENCHMARK]
        values = read_parquet(out / JUDGEMENTS)["value"]
        assert len(values) == len(small.table)
        assert values.null_count == (2 if tool == "inspect" else 0)
