"""The report of several runs as Markdown: their numbers side by side, and what differs."""

from collections.abc import Iterator

from ..markdown import command, escaped, page, table
from .compared import Line
from .several import SeveralData, SeveralView, several_view
from .words import Language, Words


def render_several_markdown(data: SeveralData, language: Language = "en") -> str:
    """The runs and their comparison as Markdown, with the numbers of the page."""
    words = Words(language)
    view = several_view(data, words)
    parts = (
        _criterion(view, words),
        _scores(view, words),
        _limits(view, words),
        _differences(view, words),
        _reproduce(view, words),
    )
    return page(line for part in parts for line in part)


def _criterion(view: SeveralView, words: Words) -> Iterator[str]:
    yield f"# {', '.join(map(escaped, view.data.names))} · {words('Normscope report')}"
    yield ""
    nobody = words("none: read from the model under test")
    yield from table(
        [words("run"), words("Model under test"), words("Judge"), words("Settings")],
        (
            [
                escaped(name),
                ", ".join(map(escaped, run.models)) or words("none recorded"),
                ", ".join(map(escaped, run.judges)) or nobody,
                escaped(run.settings),
            ]
            for name, run in view.runs
        ),
    )
    for one in view.said:
        if one.warns:
            yield f"> **{one.about}** {escaped(one.text)}{_of(one.of)}"
            yield ""
    for text in view.limits:
        yield f"> **{words('Comparing')}** {escaped(text)}"
        yield ""


def _scores(view: SeveralView, words: Words) -> Iterator[str]:
    yield f"## {words('The answer')}"
    yield ""
    for found in view.tables:
        yield f"### {escaped(found.benchmark)}"
        yield ""
        yield from table(
            [words("statistic"), *map(escaped, view.data.names)],
            (
                [
                    escaped(f"{row.label} {row.scale}".strip()),
                    *(f"{one.value} {one.interval}" if one else "–" for one in row.lines),
                ]
                for row in found.rows
            ),
        )


def _limits(view: SeveralView, words: Words) -> Iterator[str]:
    yield f"## {words('What limits it')}"
    yield ""
    for one in view.said:
        if not one.warns:
            yield f"- {one.about}: {escaped(one.text)}{_of(one.of)}"
    yield ""


def _differences(view: SeveralView, words: Words) -> Iterator[str]:
    yield f"## {words('Differences')}"
    yield ""
    yield view.meaning
    yield ""
    for part in view.sections:
        yield f"### {escaped(part.benchmark)}"
        yield ""
        yield words("{n} paired judgements per criterion and run", n=part.rows)
        yield ""
        yield from _lines(part.overall, words)
        if part.tested:
            yield part.tested
            yield ""
        if part.leads:
            yield f"**{words('Where they differ most surely')}**"
            yield ""
            yield from _lines(part.leads, words)


def _lines(lines: tuple[Line, ...], words: Words) -> Iterator[str]:
    names = ("statistic", "compared", "values", "difference", "95 % interval")
    more = ("p corrected", "effect")
    gaps = ("unscored (both)", "worst – best", "their 95 % limits")
    yield from table(
        [*map(words, names), "p", *map(words, more), "n", *map(words, gaps)],
        (
            [
                f"**{escaped(line.label)}**" if line.primary else escaped(line.label),
                *(escaped(line.pair), line.values, line.difference, line.interval),
                *(line.p, line.adjusted, line.effect, line.n),
                *(line.unscored, line.extremes, line.reach),
            ]
            for line in lines
        ),
    )


def _reproduce(view: SeveralView, words: Words) -> Iterator[str]:
    yield f"## {words('Reproduce')}"
    yield ""
    yield words("This command repeats the report:")
    yield ""
    yield from command(view.data.command)
    for name, run in view.runs:
        yield f"**{escaped(name)}**"
        yield ""
        yield from command(run.data.command)
        yield from table(
            [words("file"), "SHA-256"],
            ([escaped(file), held] for file, held in run.data.files.items()),
        )


def _of(names: tuple[str, ...]) -> str:
    return f" ({', '.join(map(escaped, names))})" if names else ""
