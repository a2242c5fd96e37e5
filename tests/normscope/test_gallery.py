"""The gallery: every picture is there and named, small, and made by a command that there is."""

import re
import shlex
from pathlib import Path

import click

from normscope.cli import cli
from normscope.datasets_builders.ci_vignettes.published_answers import published_models

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")
MOST, MOST_TOGETHER = 150_000, 1_000_000


def commands() -> list[list[str]]:
    lines = PAGE.replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line.startswith("    normscope ")]


def test_every_picture_is_in_the_page_described_and_small() -> None:
    named = re.findall(r"!\[([^\]]{10,})\]\(images/gallery/([\w-]+\.png)\)", PAGE)
    pictures = list((DOCS / "images" / "gallery").iterdir())
    assert sorted(name for _, name in named) == sorted(path.name for path in pictures)
    sizes = [path.stat().st_size for path in pictures]
    assert min(sizes) > 1_000
    assert max(sizes) < MOST
    assert sum(sizes) < MOST_TOGETHER


def test_every_section_with_pictures_names_a_command_that_is_understood() -> None:
    assert {command[1] for command in commands()} == {"demo", "compare"}
    for _, verb, *words in commands():
        known = cli.get_command(click.Context(cli), verb)
        assert known is not None
        # parsed as it will be, and not run
        known.make_context(verb, list(words), resilient_parsing=True)
        runs = [Path(word).name for word in words if word.startswith("runs/demo/")]
        assert set(runs) <= set(published_models())


def test_the_flows_on_which_models_differ_stand_in_a_table_of_all_of_them() -> None:
    table = PAGE.partition("<!-- table -->")[2].partition("<!-- end -->")[0].split()
    assert set(published_models()) <= set(table)
