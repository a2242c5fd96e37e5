"""From `context new` to a loadable dataset, as a contributor goes."""

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from normscope.builders.push import built_files
from normscope.cli import cli
from normscope.errors import ConfigError

WORDS = {
    "title": "A lending library",
    "population": "readers of a lending library",
    "instrument": "written for this test",
    "year": "2026",
    "source": "written for this test",
    "subject": "a reader",
}
LEVELS = [
    *("a lending library", "a bookshop"),
    *("the titles that a reader borrowed", "the days on which a reader came"),
    *("the reader's school", "a publisher"),
    *("if the reader has agreed", "if the reader is not named"),
]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _run(verb: str, *arguments: str) -> Result:
    words = ["build", "--context"] if verb == "build" else ["context", verb]
    return CliRunner().invoke(cli, [*words, *arguments])


def _fill(path: Path) -> None:
    """Fills the blanks of a starter, each with a text of its own."""
    levels, lines = iter(LEVELS), []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        key = line.strip().removeprefix("- ").partition(":")[0]
        if "___" in line and not line.lstrip().startswith("#"):
            level = line.strip() == "- ___" and line.startswith("      ")
            text = next(levels) if level else WORDS.get(key, f"a text for line {number}")
            lines.append(line.replace("___", text))
        else:
            lines.append(line)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_new_context_goes_from_its_blanks_to_a_dataset_that_loads(tmp_path: Path) -> None:
    assert _run("new", "mock_library").exit_code == 0
    blank = _run("check", "mock_library.yaml")
    assert blank.exit_code == 1
    assert "mock_library.yaml:10: error: title: this is still a blank" in blank.output
    _fill(Path("mock_library.yaml"))
    checked = _run("check", "mock_library.yaml")
    assert checked.exit_code == 0, checked.output
    assert checked.output.startswith("0 errors, 0 warnings\n")
    assert "16  vignettes" in checked.output
    assert "a lending library sends the titles that a reader borrowed to" in checked.output
    built = _run("build", "mock_library.yaml", "--out", "data")
    assert built.exit_code == 0, built.output
    assert "mock_library_prompts  176 rows" in built.output

    from datasets import load_dataset

    cache = str(tmp_path / "cache")
    rows = load_dataset("data/mock_library", "mock_library", split="test", cache_dir=cache)
    assert len(rows) == 16
    assert rows[0]["sender"] == "a lending library"
    orders = load_dataset(
        "data/mock_library", "mock_library_orders_prompts", split="test", cache_dir=cache
    )
    assert len(orders) == 16 * 11 * 4
    anchors = load_dataset(
        "data/mock_library", "mock_library_anchors", split="test", cache_dir=cache
    )
    assert anchors.num_rows == 2
    assert {*anchors["context"]} == {"mock_library"}


def test_a_context_built_anew_keeps_its_anchors_and_loses_what_its_file_has_no_more() -> None:
    _run("new", "mock_library")
    path, data = Path("mock_library.yaml"), Path("data/mock_library")
    _fill(path)
    assert _run("build", "mock_library.yaml", "--out", "data").exit_code == 0
    text = path.read_text(encoding="utf-8").replace("CC-BY-4.0", "Of my own")
    lines = [line for line in text.splitlines() if not line.startswith("    null_control")]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert _run("build", "mock_library.yaml", "--out", "data").exit_code == 0
    configs = {file.partition("/")[0] for file in built_files(None, data)}
    assert "mock_library_anchors" in configs
    assert "mock_library_null" not in configs
    card = (data / "README.md").read_text(encoding="utf-8")
    assert "license: other\n" in card
    assert "license_name: Of my own" in card


def test_a_context_is_not_built_into_another_dataset(tmp_path: Path) -> None:
    _run("new", "mock_library")
    _fill(Path("mock_library.yaml"))
    other = tmp_path / "data" / "mock_library"
    other.mkdir(parents=True)
    (other / "README.md").write_text("somebody's")
    refused = _run("build", "mock_library.yaml", "--out", "data")
    assert "mock_library holds another dataset; name another folder" in str(refused.exception)
    assert (other / "README.md").read_text() == "somebody's"


def test_a_prompt_variant_goes_the_same_way() -> None:
    _run("new", "mock_library")
    _fill(Path("mock_library.yaml"))
    assert _run("new", "kindly", "--prompts").exit_code == 0
    assert "kindly.yaml:16: error" in _run("check", "kindly.yaml").output
    path = Path("kindly.yaml")
    text = path.read_text(encoding="utf-8").replace("source: ___", "source: this test")
    asks = "Kindly say what you think: {scenario}. Say one of"
    path.write_text(text.replace("___ {scenario}. ___", asks), encoding="utf-8")
    shown = _run("check", "kindly.yaml").output
    assert "Kindly say what you think: a sleep monitor records" in shown
    built = _run("build", "mock_library.yaml", "--prompts", "kindly.yaml", "--out", "mine")
    assert "mock_library_prompts  16 rows" in built.output
    assert "mock_library_orders_prompts  32 rows" in built.output


def test_a_file_with_errors_is_neither_shown_nor_built() -> None:
    _run("new", "mock_library")
    for verb in (["check", "mock_library.yaml"], ["build", "mock_library.yaml", "--out", "data"]):
        refused = _run(*verb)
        assert refused.exit_code == 1
        assert "still a blank" in f"{refused.output}{refused.exception}"
    assert not os.path.lexists("data")


def test_what_cannot_be_meant_is_refused() -> None:
    _run("new", "mock_library")
    assert "mock_library.yaml exists" in str(_run("new", "mock_library").exception)
    assert "must be lower-case" in str(_run("new", "My Library").exception)
    assert "there is a context 'coppa' already" in str(_run("new", "coppa").exception)
    assert "missing.yaml does not exist" in str(_run("check", "missing.yaml").exception)
    _fill(Path("mock_library.yaml"))
    twice = _run("build", "mock_library.yaml", "--prompts", "mock_library.yaml", "--out", "data")
    assert isinstance(twice.exception, ConfigError)


def test_a_check_speaks_the_language_that_it_is_asked_for() -> None:
    assert _run("new", "mock_library").exit_code == 0
    checked = _run("check", "mock_library.yaml", "--language", "zh")
    assert checked.exit_code == 1
    *findings, counts = checked.output.splitlines()
    # an editor jumps to a line that begins with its file and number
    assert all(re.match(r"mock_library\.yaml:\d+: (错误|警告)：", line) for line in findings)
    assert re.fullmatch(r"\d+ 个错误，\d+ 个警告", counts)
