"""What the pages link to is there: files, anchors, the site's pages and what code refers to."""

import html
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MARKDOWN = MarkdownIt("commonmark").enable("table")
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//")
"""An address with a scheme or a host: not asked here."""


def tracked(pattern: str) -> list[Path]:
    """The files of the repository that the pattern covers, and those that are not committed yet."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", pattern],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(ROOT / name for name in filter(None, listed.stdout.split("\0")))


# a page of the tests is compared with what is written, links and all
PAGES = [path for path in tracked("*.md") if ROOT / "tests" not in path.parents]


@cache
def tokens(page: Path) -> tuple[Token, ...]:
    return tuple(MARKDOWN.parse(page.read_text(encoding="utf-8")))


def links(page: Path) -> Iterator[str]:
    """The targets of the page's links and pictures, those in HTML included."""
    for token in tokens(page):
        for each in (token, *(token.children or ())):
            if each.type in {"link_open", "image"}:
                yield str(each.attrs.get("href") or each.attrs.get("src"))
            elif each.type in {"html_inline", "html_block"}:
                yield from map(
                    html.unescape, re.findall(r"""(?:href|src)=["'](.*?)["']""", each.content)
                )


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of the page's headings, as GitHub makes them (the site checks its own)."""
    names: list[str] = []
    opened = False
    for token in tokens(page):
        if opened and token.type == "inline":
            children = token.children or ()
            text = "".join(c.content for c in children if c.type in {"text", "code_inline"})
            name = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            names.append(f"{name}-{names.count(name)}" if name in names else name)
        opened = token.type == "heading_open"
    return frozenset(names)


def broken(page: Path) -> list[str]:
    """The relative links of the page that lead nowhere."""
    lost = []
    for link in links(page):
        if OUTSIDE.match(link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    return lost


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_and_anchor_resolves(page: Path) -> None:
    assert broken(page) == []


def test_a_page_that_the_code_refers_to_is_there() -> None:
    """Help, messages and docstrings send people to docs/….md."""
    for path in [*tracked("*.py"), *tracked("*.po"), ROOT / "Makefile"]:
        if ROOT / "tests" not in path.parents:
            for name in re.findall(r"\bdocs/[\w/]+\.md\b", path.read_text(encoding="utf-8")):
                assert (ROOT / name).is_file(), (path, name)


class SiteLoader(yaml.SafeLoader):
    """Reads mkdocs.yml, whose tags name functions of Python."""


SiteLoader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def in_navigation(entry: object) -> Iterator[str]:
    """The pages below an entry of the navigation."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict | list):
        for below in entry.values() if isinstance(entry, dict) else entry:
            yield from in_navigation(below)


def test_every_page_of_the_folder_stands_in_the_navigation_of_the_site() -> None:
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), SiteLoader)  # noqa: S506 - a safe loader
    listed = [name.replace(".ipynb", ".md") for name in in_navigation(settings["nav"])]
    assert len(listed) == len(set(listed))
    pages = {path.relative_to(DOCS).as_posix() for path in tracked("docs/*.md")}
    notebooks = {path.relative_to(DOCS).as_posix() for path in tracked("docs/*.ipynb")}
    assert pages - set(listed) == set()
    assert {name.replace(".ipynb", ".md") for name in notebooks} - set(listed) == set()
