"""Every output that README and docs print is what its command prints."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from outputs import PAGES, numbers, outputs, prepared, skeleton

from normscope.cli import cli


def same(page: str, folder: Path, demo: Path | None = None) -> None:
    """Word by word, and numbers to half a per cent: the last digits hang on the processor."""
    with prepared(folder, demo):
        for each in outputs(page):
            remedy = f"python docs/outputs.py {page}, after\n{each.source}"
            kept, printed = each.kept, each.merged
            assert skeleton(printed) == skeleton(kept), remedy
            assert numbers(printed) == pytest.approx(numbers(kept), rel=5e-3, abs=5e-3), remedy


@pytest.mark.parametrize("page", PAGES)
def test_a_page_prints_what_its_commands_print(page: str, tmp_path: Path) -> None:
    same(page, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_so_it_does_where_it_is_about_the_demo(tmp_path: Path) -> None:
    CliRunner().invoke(cli, ["demo", "--out", str(tmp_path / "demo")], catch_exceptions=False)
    for number, page in enumerate(PAGES):
        (tmp_path / str(number)).mkdir()
        same(page, tmp_path / str(number), tmp_path / "demo")
