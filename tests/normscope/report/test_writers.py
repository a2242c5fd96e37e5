"""Every writer shows every block, and text of others as text."""

import io
import re
from typing import Any

import pytest
from rich.console import Console

from normscope.messages import message
from normscope.report.blocks import (
    Bar,
    Beside,
    Block,
    Bullets,
    Caveat,
    Cell,
    Chart,
    Code,
    Column,
    Details,
    Facts,
    Label,
    Link,
    Listing,
    Page,
    Paragraph,
    Sample,
    Section,
    Table,
    Whisker,
    columns,
)
from normscope.report.charts import Bars
from normscope.report.writers import html, markdown, terminal

HOSTILE = "<img src=x onerror=a()> ![i](https://evil.example) [bold]b[/bold] a|b\n# c\u202e\x1b[2J"

BARS = Bars(counts=[[1, 2]], rows=["a"], classes=["x", "y"])


def every_block(text: str) -> tuple[Block, ...]:
    """Each block, with the text wherever a text can stand."""
    drawn = Column(text, "drawing")
    table = Table(
        (*columns(text, "n"), drawn, Column("read")),
        (
            (Cell(text, note=text, hint=text, tone="strong"), "−1.00", Whisker(0.5, 0.1, 2), text),
            ((text, Code(text)), Cell(text, hint=text), Bar(0.5), Link(text, "#scores")),
        ),
        title=text,
        note=text,
        look="wide",
    )
    return (
        Caveat(text, about=text, warns=True, runs=(text,)),
        Facts(((text, text),)),
        Section(
            text,
            (
                Paragraph((text, Code(text), Link(text, "#scores"))),
                Paragraph(text, note=True),
                Bullets((text, text)),
                Caveat(text, about=text),
                table,
                Table(columns("sample"), ((Sample(((text, "a harmful answer"),)),),)),
                Beside((Chart(BARS, alt=text, title=text),)),
                Chart(BARS, alt=text),
                Listing(text),
                Listing(text, command=True),
                Details(text, (Section(text, (Paragraph(text),), note=text),), note=text),
                Section("nothing here", (Table(columns("a"), ()), Bullets(()))),
            ),
            id="scores",
        ),
        Section("for the screen", (Details(text, (Paragraph(text),)),)),
        Section(text, (Details(text, (Paragraph(text),), brief=True),), id="x", folded=True),
        Paragraph(text, lead=True),
    )


def test_html_shows_text_of_others_as_text() -> None:
    text = html.page(Page(HOSTILE, every_block(HOSTILE), kind=HOSTILE))
    tags = re.findall(r"<(\w+)", text)
    images = re.findall(r"<img[^>]*>", text)
    assert len(images) == tags.count("img") > 0
    assert all(image.startswith('<img class="chart" alt=') for image in images)
    assert " onerror=a()>" not in text
    assert "\u202e" not in text
    assert "\\u{202e}" in text
    assert "\x1b" not in text
    assert "nothing here" not in text
    assert "a harmful answer" in text


def test_a_whisker_is_held_to_its_axis() -> None:
    drawn = Table((Column("a"), Column("", "drawing")), (("x", Whisker(0.5, -1.0, 2.0)),))
    assert "M0.0 5v8m0-4H200.0m0-4v8" in html.fragment([drawn])


def test_a_fragment_is_a_part_of_another_page() -> None:
    text = html.fragment([Section("a & b", (Paragraph("c"),))])
    assert "<h3><bdi>a &amp; b</bdi></h3>" in text
    assert "<html" not in text


def test_markdown_shows_text_of_others_as_text_and_no_samples() -> None:
    markdown_it = pytest.importorskip("markdown_it", reason="rich brings markdown-it-py along")
    text = markdown.page(Page(HOSTILE, every_block(HOSTILE), kind=HOSTILE))
    parser = markdown_it.MarkdownIt("commonmark").enable("table")

    def kinds(tokens: list[Any]) -> list[Any]:
        return [t for token in tokens for t in (token, *kinds(token.children or []))]

    tokens = kinds(parser.parse(text))
    assert {t.type for t in tokens} & {"html_inline", "html_block", "link_open"} == set()
    assert not [t for t in tokens if t.type == "image"]
    assert "a harmful answer" not in text
    assert "for the screen" not in text
    assert "nothing here" not in text
    assert "| −1.00 |" in text


def test_the_terminal_shows_text_of_others_as_text() -> None:
    file = io.StringIO()
    console = Console(file=file, width=200, force_terminal=True, color_system=None)
    terminal.show(Page(HOSTILE, every_block(HOSTILE)), console)
    text = file.getvalue()
    assert "[bold]b[/bold]" in text
    assert "\x1b[2J" not in text
    assert "a harmful answer" not in text


@pytest.mark.parametrize("to", ["https://evil.example", "javascript:a()", "//evil.example", "#a b"])
def test_a_link_leads_to_a_part_of_the_page_or_a_file_beside_it(to: str) -> None:
    with pytest.raises(ValueError, match="leads to a part of it"):
        Link("a", to)


def test_messages_are_written_in_the_language_of_the_page_and_names_of_others_are_not() -> None:
    blocks = (
        Paragraph((message("neutral"), "neutral")),
        Table(columns(message("unscored")), ((message("neutral"),),)),
    )
    text = html.fragment(blocks, "zh")
    assert "<p>中立<bdi>neutral</bdi></p>" in text
    assert '<th scope="row">中立</th>' in text
    assert "中立neutral" in markdown.page(Page("a", blocks), "zh")
    file = io.StringIO()
    terminal.show_blocks(blocks, Console(file=file), "zh")
    assert "中立neutral" in file.getvalue()


def test_a_label_has_its_colour_in_a_page_and_in_a_terminal_that_may_use_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = ((Label("neutral"), Bar(0.5, "neutral"), "0.5"),)
    table = Table((Column(Label("risky")), Column("", "drawing"), Column("n")), rows)
    page = html.fragment([table], "zh")
    assert '<i class="swatch of-risky" aria-hidden="true"></i> 有害' in page
    assert 'class="bar of-neutral"' in page
    assert "neutral" in markdown.page(Page("x", (table,)))
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor")
    terminal.show_blocks([table], coloured)
    # the fill of the label risky, #D55E00
    assert "38;2;213;94;0" in coloured.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor")
    terminal.show_blocks([table], plain)
    assert "■" not in plain.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert "risky" in plain.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
