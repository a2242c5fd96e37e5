"""docs/papers.md: its commands run as they stand there, and everything is where it says."""

import csv
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from annotated_runs import fill
from click.testing import CliRunner
from tiny_model import make_tiny_model

from normscope.builders.taxonomy import LIKERT
from normscope.cli import cli
from normscope.judges import bundled
from normscope.judges.engine import LabelRequest
from normscope.judges.respondent import ACCEPTABILITY, item_scale
from normscope.records.item import Item, Turn

PAGE = (Path(__file__).parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(re.sub(r"\\\n\s+", " ", command))
    for command in re.findall(r"^    normscope ((?:.*\\\n)*.*)$", PAGE, re.MULTILINE)
]
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and "`" in line
]
RATERS = ("rater-1.csv", "rater-2.csv", "rater-3.csv")
SLICE = ["--limit", "24", "--set", "max_new_tokens=8"]
DONE_UNSCORED = 3


def test_every_table_row_says_with_which_command_and_where() -> None:
    verbs = {command[0] for command in COMMANDS}
    for _, command, where, _ in ROWS:
        named = re.findall(r"`([^`]+)`", command)
        assert named
        assert {word for name in named for word in name.split()[:1]} <= verbs
        assert re.search(r"`[^`]+/[^`]+`", where), where


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_commands_make_every_table_and_figure(
    tmp_path: Path, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _prepare(sources)
    for command in COMMANDS:
        arguments = list(_here(command))
        if command[:2] == ["annotate", "import"]:
            for number, name in enumerate(RATERS, 1):
                sheet = next(Path("labels/sheets").glob(f"*{number}.html")).with_suffix(".csv")
                fill(sheet, lambda row, _: str(len(row["answer"]) % 4), Path(name))
        result = CliRunner().invoke(cli, arguments)
        may_be_unscored = command[0] in {"run", "score", "report"}
        allowed = {0, DONE_UNSCORED} if may_be_unscored else {0}
        assert result.exit_code in allowed, (command, result.output, result.exception)
    missing = [place for row in ROWS for place in _missing(row[2])]
    assert not missing


def _prepare(sources: Path) -> None:
    """The files that the page takes for granted, under the names that it gives them."""
    scale = item_scale(Item("", "", (), "en"), ACCEPTABILITY)
    questions = ("Is this acceptable?", "Should it be so?", "这可以接受吗？")
    lessons = [LabelRequest((Turn("user", question),), scale) for question in questions]
    # an untaught model ends at once, and an empty answer cannot be labelled by people
    for steps, name in enumerate(("base", "chat", "chat-awq", "writer"), 20):
        make_tiny_model(Path("models", name), [*questions, *LIKERT], teach=lessons, steps=steps)
    shutil.copytree(bundled.path(), "models/judge")
    Path("sources").symlink_to(sources)
    with (sources / "chisafetybench" / "silver_key.csv").open(encoding="utf-8") as file:
        rows = [(row["id"], row["answer"]) for row in csv.DictReader(file)]
    lines = [f"{number},{answer}\n" for number, answer in rows]
    Path("key.csv").write_text("id,answer\n" + "".join(lines), encoding="utf-8")


def _here(command: list[str]) -> Iterator[str]:
    """The command's arguments as a shell would give them, on a slice."""
    for argument in command:
        if "*" in argument:
            yield from sorted(map(str, Path().glob(argument)))
        else:
            yield "30" if argument == "563" else argument
    if command[0] == "run":
        yield from SLICE


def _missing(where: str) -> Iterator[str]:
    """The files of a cell that are not there, and what they lack of what it says of them."""
    for clause in where.split("; "):
        path, _, names = clause.partition("`: ")
        pattern = path.rpartition("`")[2] if names else clause.split("`")[1]
        files = sorted(Path().glob(pattern))
        if not files:
            yield pattern
        for name in re.findall(r"`([^`:]+)`", names):
            if files and not _has(files[0], name):
                yield f"{pattern}: {name}"


def _has(path: Path, name: str) -> bool:
    if path.name == "scores.json":
        statistics = json.loads(path.read_text(encoding="utf-8")).values()
        return any(name in (row["group"], row["name"]) for rows in statistics for row in rows)
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            return name in next(csv.reader(file))
    if path.suffix == ".parquet":
        return name in pq.read_schema(path).names
    return f"config_name: {name}\n" in path.read_text(encoding="utf-8")
