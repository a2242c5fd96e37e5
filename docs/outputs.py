"""The outputs that README and docs print, made by the commands that stand above them.

`python docs/outputs.py` writes them anew; with names of pages, only theirs. A block marked `text`
that follows a block of Python or indented commands is what these print, run in the order of the
page: an expression shows its value as in a console, an error its type and its text. Blocks that no
output follows are not run. A line `…` stands for lines that are left out.
"""

import ast
import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from normscope.cli import cli

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "docs/python.md",
    "docs/view.md",
    "docs/papers.md",
    "docs/auditor.md",
    "docs/gate.md",
)
DEMO = "runs/demo"
"""Blocks that name it need the runs of the whole `normscope demo`, which takes minutes."""

WIDTH = 100
ELIDED = "…"
_OUTPUT = re.compile(
    r"(?P<before>```python\n(?P<python>(?:(?!```)[\s\S])*)```|(?P<commands>(?:^ {4}\S.*\n)+))"
    r"\n+```text\n(?P<text>[\s\S]*?)```",
    re.MULTILINE,
)
_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


@dataclass(frozen=True, slots=True)
class Output:
    """A block of a page: what it prints, and what its page says that it prints."""

    page: str
    source: str
    kept: str
    printed: str

    @property
    def merged(self) -> str:
        """What is printed, without the lines that the page leaves out."""
        if ELIDED not in self.kept.splitlines():
            return self.printed
        # lines that differ in numbers alone come in their order
        alike: dict[str, list[str]] = {}
        for line in self.printed.splitlines():
            alike.setdefault(skeleton(line), []).append(line)
        printed = {each: iter(lines) for each, lines in alike.items()}
        lines = (
            line if line == ELIDED else next(printed.get(skeleton(line), iter(())), "")
            for line in self.kept.splitlines()
        )
        return "\n".join(lines) + "\n"


def skeleton(text: str) -> str:
    """The text with its numbers and spaces made alike.

    >>> skeleton("score  1.48 [1.28, 1.68]") == skeleton("score    1.5  [1.3, 1.7]")
    True
    """
    return re.sub(r"[ \t]+", " ", _NUMBER.sub("#", text)).strip()


def numbers(text: str) -> list[float]:
    """The numbers of a text in their order."""
    return [
        float(number.replace("−", "-").replace(",", "").rstrip("e"))
        for number in _NUMBER.findall(text)
    ]


def outputs(page: str) -> Iterator[Output]:
    """Runs the page's blocks in the present folder and gives each with what it printed.

    Without the runs of the demo those that read them are left out.
    """
    names: dict[str, Any] = {}
    for found in _OUTPUT.finditer((ROOT / page).read_text(encoding="utf-8")):
        if DEMO in found["before"] and not Path(DEMO).is_dir():
            continue
        printed = (
            _of_python(found["python"], names)
            if found["commands"] is None
            else _of_commands(found["commands"])
        )
        yield Output(page, found["before"], found["text"], printed)


def _of_python(source: str, names: dict[str, Any]) -> str:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()):
        try:
            for statement in ast.parse(source).body:
                if not isinstance(statement, ast.Expr):
                    exec(compile(ast.Module([statement], []), "page", "exec"), names)  # noqa: S102
                    continue
                value = eval(compile(ast.Expression(statement.value), "page", "eval"), names)  # noqa: S307
                if value is not None:
                    sys.stdout.write(f"{value!r}\n")
        except Exception as error:  # noqa: BLE001 - a page may show what an error says
            sys.stdout.write(f"{type(error).__name__}: {error}\n")
    return _lines(shown.getvalue())


def _of_commands(block: str) -> str:
    printed = []
    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[0] != "normscope":
            raise ValueError(f"{line.strip()!r} is no command of ours: give it no output")
        result = CliRunner().invoke(cli, words[1:])
        # beside what is printed stand bars and notes; of a command that failed they say why
        printed.append(result.stderr if result.exit_code in {1, 2} else result.stdout)
    return _lines("".join(printed))


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


@contextlib.contextmanager
def prepared(folder: Path, demo: Path | None = None) -> Iterator[None]:
    """The folder as the present one, narrow as a page; with the runs of a demo where they are."""
    import pandas as pd

    before = Path.cwd()
    os.environ["COLUMNS"] = str(WIDTH)
    if demo is not None:
        shutil.copytree(demo, folder / DEMO)
    os.chdir(folder)
    try:
        with pd.option_context("display.width", WIDTH, "display.max_columns", 20):
            yield
    finally:
        os.chdir(before)


def main(pages: Sequence[str]) -> None:
    """Writes the outputs of the pages, or of all, into them."""
    with tempfile.TemporaryDirectory() as place:
        demo = Path(place) / "demo"
        CliRunner().invoke(cli, ["demo", "--out", str(demo)], catch_exceptions=False)
        for number, page in enumerate(pages or PAGES):
            path = ROOT / page
            text = path.read_text(encoding="utf-8")
            folder = Path(place) / str(number)
            folder.mkdir()
            with prepared(folder, demo):
                for each in outputs(page):
                    head, _, rest = text.partition(each.source)
                    kept, merged = (f"```text\n{block}```" for block in (each.kept, each.merged))
                    text = f"{head}{each.source}{rest.replace(kept, merged, 1)}"
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
