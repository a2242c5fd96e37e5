"""The report as Markdown, for a README or a paper: the first screen, groups, and how to repeat it.

Only numbers and names are in it, none of the answers. Tables are GitHub's; what a run brings along
is escaped, so that a model's name is no link and no tag.
"""

from collections.abc import Iterator, Sequence

from ..markdown import command, escaped, page, table
from .data import ReportData
from .scores import Line
from .view import View, view_of
from .words import Language, Words


def render_markdown(data: ReportData, language: Language = "en") -> str:
    """The report as Markdown, with the numbers of the page; the same data give the same bytes."""
    words = Words(language)
    view = view_of(data, words)
    parts = (
        _criterion(view, words),
        _asked(view, words),
        _scores(view, words),
        _limits(view, words),
        _corrected(view, words),
        _groups(view, words),
        _wordings(view, words),
        _absent(view, words),
        _settings(view, words),
        _reproduce(view, words),
    )
    return page(line for part in parts for line in part)


def _criterion(view: View, words: Words) -> Iterator[str]:
    yield f"# {escaped(view.data.name)} · {words('Normscope report')}"
    yield ""
    judges = ", ".join(map(escaped, view.judges)) or words("none: read from the model under test")
    models = ", ".join(map(escaped, view.models)) or words("none recorded")
    yield f"- {words('Model under test')}: {models}"
    yield f"- {words('Judge')}: {judges}"
    if view.settings:
        yield f"- {words('Settings')}: {escaped(view.settings)}"
    yield ""
    for warning in view.warnings:
        yield f"> **{words('Warning')}** {escaped(warning)}"
        yield ""


def _asked(view: View, words: Words) -> Iterator[str]:
    if view.asked:
        yield f"## {words('What was asked')}"
        yield ""
        names = ("benchmark", "items", "in the dataset", "prompts", "languages", "read from")
        yield from table(
            [words(name) for name in names],
            (
                [
                    escaped(row.benchmark),
                    row.items,
                    row.of or "–",
                    row.prompts,
                    escaped(row.languages),
                    escaped(row.criteria),
                ]
                for row in view.asked
            ),
        )


def _scores(view: View, words: Words) -> Iterator[str]:
    yield f"## {words('The answer')}"
    yield ""
    if not any(section.overall for section in view.scores):
        yield words("Nothing in this run was scored.")
    for section in view.scores:
        if section.overall:
            yield f"### {escaped(section.benchmark)}"
            yield ""
            yield from _lines(words("statistic"), section.overall, words)
    yield ""


def _lines(first: str, lines: Sequence[Line], words: Words) -> Iterator[str]:
    columns = [words(name) for name in ("value", "interval", "unscored", "worst – best")]
    targets = {line.target for line in lines}
    yield from table(
        [escaped(first), *columns[:2], "n", *columns[2:]],
        (
            [
                escaped(f"{line.label} {line.scale}".strip()),
                line.value,
                line.interval if len(targets) == 1 else f"{line.interval} {escaped(line.target)}",
                line.n,
                line.unscored,
                line.bounds,
            ]
            for line in lines
        ),
    )
    if len(targets) == 1:
        levels = ", ".join(dict.fromkeys(line.level for line in lines if line.level))
        yield words("{level} interval for {target}", level=levels, target=lines[0].target).strip()
        yield ""


def _limits(view: View, words: Words) -> Iterator[str]:
    yield f"## {words('What limits it')}"
    yield ""
    for card in view.cards:
        yield f"- {escaped(card.text)}"
    for limit in view.limits:
        yield f"- {limit.about}: {escaped(limit.text)}"
    yield ""


def _corrected(view: View, words: Words) -> Iterator[str]:
    if view.corrected is None:
        return
    yield f"## {words('Corrected by people')}"
    yield ""
    for found in view.corrected.tables:
        yield f"### {escaped(found.benchmark)}, {escaped(found.method)}"
        yield ""
        yield from table(
            [
                words("statistic"),
                words("raw"),
                words("corrected"),
                words.name("these items"),
                words.name("new items of the kind"),
                words("labelled"),
                words("judged"),
            ],
            (
                [
                    escaped(line.label),
                    *(line.raw, line.value, line.these, line.new, line.labelled, line.judged),
                ]
                for line in found.lines
            ),
        )
        for note in found.notes:
            yield f"{escaped(note)}\n"


def _groups(view: View, words: Words) -> Iterator[str]:
    sections = [section for section in view.scores if section.breakdowns]
    if not sections:
        return
    yield f"## {words('By group')}"
    yield ""
    for section in sections:
        for breakdown in section.breakdowns:
            yield f"### {escaped(section.benchmark)}: {escaped(breakdown.group)}"
            yield ""
            for found in breakdown.tables:
                yield f"**{escaped(found.title)}**"
                yield ""
                yield from _lines(breakdown.group, found.lines, words)


def _wordings(view: View, words: Words) -> Iterator[str]:
    for section in view.wordings:
        yield f"## {words('Wordings')}: {escaped(section.benchmark)}"
        yield ""
        yield escaped(
            words(
                "The mean answer of a wording runs from {low} to {high}, a spread of {spread} "
                "(read from: {source}).",
                low=section.lowest,
                high=section.highest,
                spread=section.spread,
                source=section.source,
            )
        )
        yield ""
        yield from table(
            [words(name) for name in ("wording", "mean", "answers", "no answer", "unscored")],
            ([escaped(w.label), w.mean, w.valid, w.silent, w.lost] for w in section.wordings),
        )


def _absent(view: View, words: Words) -> Iterator[str]:
    if view.unanswered or view.failures:
        yield f"## {words('Without a score')}"
        yield ""
    for found in view.unanswered:
        channel = f", {escaped(found.channel)}" if found.channel else ""
        yield f"**{escaped(found.benchmark)}{channel}**"
        yield ""
        yield from _lines(words("reason"), found.lines, words)
    if view.failures:
        yield from table(
            [
                *(words(name) for name in ("benchmark", "criterion", "origin", "reason", "share")),
                "n",
            ],
            (
                [*map(escaped, (f.benchmark, f.criterion, f.origin, f.reason)), f.share, f.count]
                for f in view.failures
            ),
        )


def _settings(view: View, words: Words) -> Iterator[str]:
    titles = (
        ("How the scores move with the threshold", "least coverage", view.thresholds),
        ("Labels and text", "channel", view.channels),
        ("Temperatures", "temperature", view.temperatures),
    )
    for title, first, matrices in titles:
        if matrices:
            yield f"## {words(title)}"
            yield ""
        for matrix in matrices:
            yield f"**{escaped(matrix.benchmark)}**"
            yield ""
            yield from table(
                [words(first), *map(escaped, matrix.columns)],
                (
                    [
                        escaped(level.label) + (f" ({words('this run')})" if level.used else ""),
                        *(f"{p.value} {p.interval}" if p else "–" for p in level.places),
                    ]
                    for level in matrix.levels
                ),
            )


def _reproduce(view: View, words: Words) -> Iterator[str]:
    yield f"## {words('Reproduce')}"
    yield ""
    yield words("This command repeats the run:")
    yield ""
    yield from command(view.data.command)
    made = view.made_with
    for title, rows in (
        ("Files of the run", list(view.data.files.items())),
        ("Revisions, hashes and versions in the configuration", list(made.pins)),
        ("Packages", list(made.packages)),
    ):
        if rows:
            yield f"**{words(title)}**"
            yield ""
            yield from table(["", ""], ([escaped(name), escaped(value)] for name, value in rows))
