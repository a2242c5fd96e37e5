"""Norms as they are shown: a heatmap of cells to choose, the numbers, what is behind a cell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jinja2 import Environment

from ... import format as fmt
from ...datasets_builders.ci_vignettes.prompts import bundled_prompts
from ...datasets_builders.taxonomy import LIKERT
from ...messages import Language, joined, message
from ...metrics.majority import LIKERT as VALUES
from ...metrics.vignette_norms import NormState
from ...palette import css_class
from ...reasons import Reason
from ...records.item import varying
from ...report.blocks import (
    Block,
    Column,
    Details,
    Facts,
    Label,
    Listing,
    Paragraph,
    Section,
    Table,
    Whisker,
)
from ...report.estimates import named
from ...report.names import name_of
from ...report.templates import translated
from .norms import Answer, Norms
from .views import REASONS, bars_table, statistics_table
from .vignettes import Vignette, prompts_of, sides

_FOLDER = Path(__file__).parent / "templates"
_STATISTICS = (
    *("mean_acceptability", "accept_share", "reject_share", "neutral_share", "undecided"),
    *("no_answer", "unanimous", "flip_rate", "raw_agreement"),
)
# the states begin with the five degrees
DEGREES = tuple(NormState)[: len(LIKERT)]


class Look(NamedTuple):
    """How a state is shown: its sign, what it is in the palette, its name."""

    sign: str
    slug: str
    name: str

    @property
    def shade(self) -> str:
        """The class of the style sheet that has its colour."""
        return css_class(self.slug)

    @property
    def label(self) -> Label:
        """Its name with its colour."""
        return Label(self.slug, self.name)


_SIGNS = ("−2", "−1", "0", "+1", "+2")

LOOKS = {
    NormState.NO_MAJORITY: Look("×", "no majority", name_of("no majority")),
    NormState.NO_ANSWER: Look("–", "no answer", name_of("no answer")),
    NormState.UNSCORED: Look("!", "unscored", message("unscored (our failure)")),
    NormState.NOT_ASKED: Look("?", "not asked", message("not asked yet")),
    **{
        degree: Look(sign, label, name_of(label))
        for degree, sign, label in zip(DEGREES, _SIGNS, LIKERT, strict=True)
    },
}


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the heatmap: its rows and columns of vignettes, all else the same in them."""

    constant: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Vignette | None, ...]], ...]


def heatmap(norms: Norms, note: str, language: Language) -> str:
    """The heatmap as HTML, each cell a button; `note` stands above it."""
    size, variants = len(norms.vignettes), len(bundled_prompts().variants)
    lead = message(
        "{n} vignettes in {variants} prompt variants each: {prompts} prompts",
        n=f"{size:,}",
        variants=variants,
        prompts=f"{size * variants:,}",
    )
    if norms.prompts:
        lead = message("{model}: norms in {n} vignettes", model=norms.model, n=f"{size:,}")
    notes = [note] if note else []
    if norms.left_out:
        left_out = f"{norms.left_out:,}"
        notes.append(
            message(
                "{n} of the chosen vignettes have no answer in the file; they are not shown.",
                n=left_out,
            )
        )
    varied = varying([vignette.flow for vignette in norms.vignettes])
    answers = (answer.state for several in norms.answers.values() for answer in several)
    shown = {*DEGREES, NormState.NO_MAJORITY, *norms.states.values(), *answers}
    template = _environment(language).get_template("norms.html")
    return template.render(
        note=joined(notes, " "),
        lead=lead,
        constant=[
            (name, level)
            for name, level in norms.vignettes[0].flow.items()
            if name not in varied and level
        ],
        legend=[LOOKS[state] for state in sorted(shown)],
        sides=(*sides(list(varied)), "", "")[:2],
        panels=tuple(panels(norms.vignettes)),
        norms=norms,
        cell_label=cell_label,
    )


def panels(vignettes: Sequence[Vignette]) -> Iterator[Panel]:
    """One panel per combination of the levels that go along neither side."""
    levels = {
        name: list(dict.fromkeys(several))
        for name, several in varying([vignette.flow for vignette in vignettes]).items()
    }
    row_name, column_name = (*sides(list(levels)), "", "")[:2]
    rest = [name for name in levels if name not in {row_name, column_name}]
    places: dict[tuple[str, ...], dict[tuple[str, str], Vignette]] = {}
    for vignette in vignettes:
        flow = vignette.flow
        place = (flow.get(row_name, ""), flow.get(column_name, ""))
        places.setdefault(tuple(flow.get(name, "") for name in rest), {})[place] = vignette
    for constant, cells in places.items():
        rows = [level for level in levels.get(row_name, [""]) if any(r == level for r, _ in cells)]
        columns = [c for c in levels.get(column_name, [""]) if any(k == c for _, k in cells)]
        yield Panel(
            tuple((name, level) for name, level in zip(rest, constant, strict=True) if level),
            tuple(columns),
            tuple((row, tuple(cells.get((row, column)) for column in columns)) for row in rows),
        )


def cell_label(norms: Norms, vignette: Vignette) -> str:
    """What a cell shows, for who does not see it."""
    flow = joined([level for level in vignette.flow.values() if level], "; ")
    return joined((flow, norm_text(norms, vignette)), ": ")


def norm_text(norms: Norms, vignette: Vignette) -> str:
    """The vignette's norm and how many answers agree on it, or which rule it fails."""
    state = norms.states[vignette.item_id]
    # silence and failures agree with nobody
    counts = Counter(answer.state for answer in norms.answers[vignette.item_id])
    votes = {degree: counts[degree] for degree in DEGREES if counts[degree]}
    valid, most = sum(votes.values()), max(votes.values(), default=0)
    if state == NormState.NOT_ASKED:
        return LOOKS[state].name
    if valid < norms.needed:
        return message(
            "too few valid answers: {valid} of {n}, {needed} are needed for a norm",
            valid=valid,
            n=norms.prompts,
            needed=norms.needed,
        )
    leading = [LOOKS[degree].name for degree, votes_of in votes.items() if votes_of == most]
    slots = {"agree": most, "valid": valid}
    if state != NormState.NO_MAJORITY:
        text = message("{norm}: {agree} of {valid} valid answers", norm=LOOKS[state].name, **slots)
    elif len(leading) > 1:
        text = message(
            "tie: {answers}, {agree} of {valid} valid answers each",
            answers=joined(leading),
            **slots,
        )
    else:
        text = message(
            "no majority: the most frequent answer, {answer}, is {agree} of {valid} valid ones",
            answer=leading[0],
            **slots,
        )
    if valid == norms.prompts:
        return text
    return message("{text}; {n} prompt variants", text=text, n=norms.prompts)


def number_blocks(norms: Norms) -> Iterator[Block]:
    """The statistics over all vignettes, and the mean answer to each prompt variant."""
    by_name = {statistic.name: statistic for statistic in norms.statistics}
    rows = ((named(by_name[name]), by_name[name]) for name in _STATISTICS if name in by_name)
    note = message(
        "Shares are exact for these vignettes and claim nothing about those of the context that "
        "are not among them. The intervals are for new prompt variants of the same vignettes."
    )
    yield Section(
        message("Over all of these vignettes"),
        (statistics_table(message("Statistic"), rows), Paragraph(note, note=True)),
    )
    low, high = VALUES[0], VALUES[-1]
    variants = Table(
        (
            Column(message("Prompt variant")),
            Column("", "drawing"),
            Column(message("Mean answer"), "number"),
        ),
        tuple(
            (
                variant,
                Whisker((mean - low) / (high - low) if np.isfinite(mean) else None),
                fmt.number(mean),
            )
            for variant, mean in norms.by_variant.items()
        ),
        look="numbers",
    )
    if len(variants.rows) > 1:
        note = message("The mean answer in each prompt variant, from −2 to +2.")
        title = message("How far the prompt variant moves the answer")
        yield Section(title, (Paragraph(note, note=True), variants))


def cell_blocks(norms: Norms, vignette: Vignette) -> Iterator[Block]:
    """What is behind a cell: its flow, its norm, and every prompt variant with its answer."""
    prompts, answers = prompts_of(vignette), norms.answers[vignette.item_id]
    shown: list[Block] = [
        Facts(tuple((name_of(name), level) for name, level in vignette.flow.items() if level)),
        Paragraph(vignette.text),
    ]
    if answers:
        counts = Counter(answer.state for answer in answers)
        states = (*DEGREES, *sorted(set(counts) - set(DEGREES)))
        shares = ((LOOKS[s].label, counts[s] / len(answers), str(counts[s])) for s in states)
        norm = LOOKS[norms.states[vignette.item_id]]
        shown += [
            Paragraph((norm.sign, " ", norm_text(norms, vignette))),
            bars_table(message("Answer"), "n", shares),
            *(_answer_details(answer, prompts) for answer in answers),
        ]
    else:
        shown += [
            Details(message("Prompt variant {variant}", variant=variant), (Paragraph(prompt),))
            for variant, prompt in prompts.items()
        ]
    yield Section(message("Behind the cell"), tuple(shown))


def _answer_details(answer: Answer, prompts: Mapping[str, str]) -> Details:
    """The prompt and the answer, folded: what a model wrote may be harmful."""
    key, look = answer.key, LOOKS[answer.state]
    other = message("(a prompt variant that is not one of the eleven published ones)")
    blocks: list[Block] = [Paragraph(prompts.get(key.variant_id, other))]
    if answer.reason is not None:
        blocks.append(Paragraph(REASONS[Reason(answer.reason)]))
    if answer.text:
        blocks.append(Listing(answer.text))
    drawn = [
        *([key.scale_order] if key.scale_order != "forward" else []),
        *([f"#{key.sample}"] if key.sample != "0" else []),
        *([f"t = {key.temperature}"] if key.temperature != "0.0" else []),
    ]
    variant = message("Prompt variant {variant}", variant=key.variant_id)
    return Details(
        (variant, " – ", look.sign, " ", look.name), tuple(blocks), note=", ".join(drawn)
    )


@cache
def _environment(language: Language) -> Environment:
    environment = translated(_FOLDER, language)
    environment.globals |= {"name_of": name_of, "looks": LOOKS, "Counter": Counter}
    return environment
