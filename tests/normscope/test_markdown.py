"""Text of others in Markdown: whoever names a run, a model or a label writes text and no markup."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_runs import judged_run
from report_runs import small_run

from normscope.builders.builder import Builder, Card
from normscope.builders.card import render_card, taxonomy_table
from normscope.builders.ci_vignettes.builder import describe
from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.taxonomy import Category
from normscope.comparison import compare
from normscope.judges.rubric_files import RUBRICS
from normscope.judges.trust.card import read_card
from normscope.markdown import code, escaped, table
from normscope.records.run import Run
from normscope.report import Report, render
from normscope.report.blocks import Bullets, Page, Table, columns
from normscope.report.comparison.page import comparison_page
from normscope.report.trust.card import page as card_page
from normscope.report.writers import markdown

markdown_it = pytest.importorskip("markdown_it", reason="rich brings markdown-it-py along")

HOSTILE = {
    "image": "![x](https://evil.example/p.png)",
    "reference": "![x][y] [y]: //evil.example",
    "link": "[a](javascript:alert(1)) <https://evil.example>",
    "bare": "https://evil.example www.evil.example HTTP://E.X WWW.e.x a@evil.example",
    "tag": "<img src=//evil.example onerror=alert(1)>",
    "script": "<script>alert(1)</script><!-- ",
    "entity": "&lt;img src=x&gt; &#60;b&#62;",
    "code": "` `` ``` ~~~",
    "emphasis": "**b** _c_ *d* ~~e~~ __f__",
    "cell": "a|b\\|c\\",
    "lines": "a\n\n# b\n\n- c\n\n    d\n\n<div>\n\n| e | f |\n|---|---|\n",
    "item": "- a",
    "number": "1. a",
    "heading": "# a #",
    "rule": "---",
    "under": "===",
    "quote": "> a",
    "formula": "$\\alpha$ $$x$$",
    "unseen": "a\x00\x1b[31m\u202eb\u200b\ufffe",
}


def parsed(text: str) -> list[Any]:
    """The page's tokens, those within its lines among them; tables are GitHub's."""
    reader = markdown_it.MarkdownIt("commonmark", {"html": True})
    flat = []
    for token in reader.enable(["table", "strikethrough"]).parse(text):
        flat += [token, *(token.children or ())]
    return flat


def shape(text: str) -> list[tuple[str, str, str]]:
    """What the page is made of: everything but its words."""
    return [(t.type, t.tag, str(t.attrs.get("href", ""))) for t in parsed(text)]


def runs(name: str) -> list[Run]:
    values = {"refusal": [3.0, 0.0, 3.0, 1.0] * 5}
    return [
        judged_run(f"r{at} {name}", f"toy {name}", values, category=f"kind {name}") for at in (0, 1)
    ]


def judge_card(name: str) -> str:
    card = read_card(next(iter(sorted((RUBRICS.parent / "cards").glob("*.moral.*.json")))))
    judge = replace(card.judge, model=name, note=name, engine=name, dtype=name)
    source = replace(
        card.source,
        benchmark=name,
        file=name,
        column=name,
        meaning=name,
        mapping={name: name},
        judged_as={name: 1},
        notes=(name,),
    )
    slices = tuple(replace(one, group=f"g {name}", member=name) for one in card.slices[1:3])
    card = replace(card, judge=judge, source=source, slices=(card.overall, *slices))
    return markdown.page(card_page(card))


def dataset_card(name: str) -> str:
    card = Card(name, name, ("en",), "mit", (), "Own words.", f"c {name}", command=name)
    tables = {f"c {name}": pa.table({f"column {name}": ["x"]})}
    page = render_card(Builder("toy", lambda *_, **__: tables, card, ()), tables)
    # the front matter is YAML, which a library writes
    return page.split("\n---\n", 1)[1]


def contexts(name: str) -> str:
    context = next(iter(bundled_contexts().values()))
    return describe([replace(context, title=name, population=name, instrument=name)])


def several(name: str) -> str:
    sides = runs(name)
    data = Report(
        runs=tuple(replace(small_run(name), name=run.name) for run in sides),
        compared=compare(sides),
        command=f"normscope report {name}",
    )
    return render(data, form="md")


def check(name: str) -> str:
    table = Table(columns(name, "n"), ((name, "1"),), title=name, note=name)
    return markdown.page(Page(name, (Bullets((name,)), table)))


WRITERS: dict[str, Callable[[str], str]] = {
    "report": lambda name: render(small_run(name), form="md"),
    "several": several,
    "compare": lambda name: markdown.page(comparison_page(compare(runs(name)))),
    "card": judge_card,
    "dataset": dataset_card,
    "taxonomy": lambda name: taxonomy_table((Category(name, name, name, (name,)),)),
    "contexts": contexts,
    "check": check,
}


@pytest.fixture(scope="module")
def plain() -> dict[str, list[tuple[str, str, str]]]:
    """The shape of each page with harmless names."""
    return {name: shape(write("plain")) for name, write in WRITERS.items()}


# what takes long to write is tried with a few: every text goes through the same two functions
LONG = {"report", "several", "compare"}
FEW = ("lines", "cell", "link")


@pytest.mark.parametrize(
    ("writer", "hostile"),
    [(writer, text) for writer in WRITERS for text in (FEW if writer in LONG else HOSTILE)],
)
def test_a_hostile_name_changes_words_and_nothing_else(
    writer: str, hostile: str, plain: dict[str, list[tuple[str, str, str]]]
) -> None:
    told = WRITERS[writer](HOSTILE[hostile])
    assert shape(told) == plain[writer]
    shown = [t.content for t in parsed(told) if t.type == "text"]
    assert not [text for text in shown if "://evil" in text or "www." in text.lower()]
    assert "\x00" not in told
    told.encode()


def in_places(text: str) -> Iterator[str]:
    yield f"# {escaped(text)}\n"
    yield f"{escaped(text)}\n"
    yield f"- **{escaped(text)}**\n"
    yield f"> {escaped(text)} {code(text)}.\n"
    yield "\n".join(table([escaped(text), "n"], [[code(text), escaped(text)]]))


@given(st.text(min_size=1))
def test_no_text_changes_the_shape_of_what_stands_around_it(text: str) -> None:
    word = escaped(text)
    if not word:
        return
    assert list(map(shape, in_places(text))) == list(map(shape, in_places("x")))


def test_what_is_escaped_reads_as_it_was() -> None:
    for text in ("a_b _c_ *d* `e` [f](g) <h> & i | j # k ~l~ \\ m", "1. a", "- a", "$x$"):
        (_, shown, _) = [t for t in parsed(escaped(text)) if t.type != "text"]
        assert "".join(t.content for t in shown.children) == text
