"""The example of the page for contributors: a context, and all that the page prints of it."""

from pathlib import Path

from click.testing import CliRunner

from normscope.cli import cli

FOLDER = Path(__file__).parents[2] / "docs" / "howto"
PAGE = (FOLDER / "contributor.md").read_text(encoding="utf-8")


def printed(*arguments: str) -> str:
    return CliRunner().invoke(cli, ["context", *arguments]).output


def test_the_clinic_has_no_mistake_and_previews_as_the_page_says() -> None:
    clinic = str(FOLDER / "clinic.yaml")
    assert "0 errors, 0 warnings" in printed("check", clinic)
    shown = printed("preview", clinic, "--sample", "3").partition("\n\nPrompts")[0]
    assert shown in PAGE


def test_the_slip_that_the_page_makes_is_reported_as_the_page_says(tmp_path: Path) -> None:
    text = (FOLDER / "clinic.yaml").read_text(encoding="utf-8")
    slip = tmp_path / "clinic.yaml"
    slip.write_text(text.replace("{recipient} under", "{recipent} under"), encoding="utf-8")
    said = printed("check", str(slip)).replace(f"{tmp_path}/", "")
    assert said.strip() in PAGE
