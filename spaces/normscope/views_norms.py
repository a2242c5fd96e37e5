"""The norms heatmap as it is shown: panels of cells, the numbers over all, the parts of a cell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import format as fmt
from ...messages import joined, known, translate
from ...metrics.estimate import Statistic
from ...metrics.majority import LIKERT as VALUES
from ...metrics.norms import NormState
from ...report.blocks import Block, Cell, Column, Paragraph, Row, Section, Table, Whisker
from ...report.names import name_of
from .norms import Answer, Norms
from .vignettes import Vignette, prompts_of, sides
from .words import Language, Words

_MARKS = ("−2", "−1", "0", "+1", "+2", "×", "–", "!", "?")
_SHADES = ("h0", "h1", "h2", "h3", "h4", "hnone", "hsilent", "hunscored", "hblank")
_WORDS = (
    *(f"likert_{at}" for at in range(5)),
    *("no_majority", "no_answer", "unscored", "not_asked"),
)
SHOWN = (
    *("mean_acceptability", "accept_share", "reject_share", "neutral_share", "undecided"),
    *("no_answer", "unanimous", "flip_rate", "raw_agreement"),
)
DEGREES = tuple(state for state in NormState if state <= NormState.STRONGLY_ACCEPTABLE)


@dataclass(frozen=True, slots=True)
class Part:
    """A segment of a bar: which colour, how wide in percent."""

    shade: str
    width: float


@dataclass(frozen=True, slots=True)
class StateView:
    """What became of a vignette or of an answer: its sign, its colour, and its name."""

    mark: str
    shade: str
    label: str

    @classmethod
    def of(cls, state: NormState, words: Words, language: Language) -> "StateView":
        """The state as it is shown in the language."""
        return cls(_MARKS[state], _SHADES[state], words.say(f"vignettes_{_WORDS[state]}", language))


@dataclass(frozen=True, slots=True)
class CellView:
    """A vignette in its place: its norm, how its answers are spread, and all of it in words."""

    item_id: str
    norm: StateView
    parts: tuple[Part, ...]
    agree: str
    label: str


@dataclass(frozen=True, slots=True)
class SpreadBar:
    """A share of a state, in words and in percent."""

    state: StateView
    share: str
    width: float


@dataclass(frozen=True, slots=True)
class AnswerView:
    """A prompt variant and the answer to it; without one it has only its prompt."""

    state: StateView
    variant: str
    prompt: str
    more: str = ""
    reason: str = ""
    text: str | None = None
    probs: tuple[SpreadBar, ...] = ()


@dataclass(frozen=True, slots=True)
class Grid:
    """A panel: rows × columns, everything else held."""

    held: tuple[tuple[str, str], ...]
    row_name: str
    column_name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[CellView | None, ...]], ...]


def grids(norms: Norms, words: Words, language: Language) -> Iterator[Grid]:
    """The panels of the heatmap, one per combination of what goes along neither side."""
    levels = levels_in(norms.vignettes)
    place = sides(list(levels))
    row_name, column_name = (*place, "", "")[:2]
    rest = [name for name in levels if name not in place]
    states = norms.state_of()
    groups: dict[tuple[str, ...], dict[tuple[str, str], Vignette]] = {}
    for one in norms.vignettes:
        held = tuple(one.flow.get(name, "") for name in rest)
        spot = (one.flow.get(row_name, ""), one.flow.get(column_name, ""))
        groups.setdefault(held, {})[spot] = one
    for held, cells in groups.items():
        rows = [level for level in levels.get(row_name, [""]) if any(r == level for r, _ in cells)]
        columns = [c for c in levels.get(column_name, [""]) if any(k == c for _, k in cells)]
        yield Grid(
            held=tuple((n, level) for n, level in zip(rest, held, strict=True) if level),
            row_name=row_name,
            column_name=column_name,
            columns=tuple(columns),
            rows=tuple(
                (
                    row,
                    tuple(
                        _cell(cells.get((row, column)), norms, states, words, language)
                        for column in columns
                    ),
                )
                for row in rows
            ),
        )


def legend(norms: Norms, words: Words, language: Language) -> tuple[StateView, ...]:
    """The degrees, and what else became of a vignette or an answer that is shown."""
    answers = (answer.state for answers in norms.answers.values() for answer in answers)
    states = sorted({*DEGREES, NormState.NO_MAJORITY, *norms.states, *answers})
    return tuple(StateView.of(state, words, language) for state in states)


def levels_in(chosen: Sequence[Vignette]) -> dict[str, list[str]]:
    """The levels of each factor that differ among the vignettes."""
    names = dict.fromkeys(name for vignette in chosen for name in vignette.flow)
    found = {
        name: list(dict.fromkeys(vignette.flow.get(name, "") for vignette in chosen))
        for name in names
    }
    return {name: levels for name, levels in found.items() if len(levels) > 1}


def constants_in(chosen: Sequence[Vignette]) -> list[tuple[str, str]]:
    """The factors that have one level in all of the vignettes."""
    moving = levels_in(chosen)
    return [(n, level) for n, level in chosen[0].flow.items() if n not in moving and level]


def number_blocks(norms: Norms, words: Words, language: Language) -> tuple[Block, ...]:
    """The statistics over all vignettes, and the mean answer to each prompt variant."""

    def say(key: str) -> str:
        return words.say(key, language)

    by_name = {statistic.name: statistic for statistic in norms.statistics}
    numbers = Table(
        (
            Column(say("file_statistic")),
            Column(say("file_value"), "number", tone="strong"),
            *(Column(say(f"file_{name}"), "number") for name in ("interval", "n")),
        ),
        tuple(_numbers(by_name[name], words, language) for name in SHOWN if name in by_name),
        look="numbers",
    )
    low, high = VALUES[0], VALUES[-1]
    variants = Table(
        (
            Column(say("vignettes_variant")),
            Column("", "drawing", axis=tuple((at / 4, _MARKS[at]) for at in range(5))),
            Column(say("vignettes_mean"), "number"),
        ),
        tuple(
            (
                f"{say('vignettes_variant')} {variant}",
                Whisker((mean - low) / (high - low) if np.isfinite(mean) else None),
                fmt.number(mean),
            )
            for variant, mean in norms.by_variant.items()
        ),
        look="numbers",
    )
    sections = [Section(say("vignettes_numbers"), (numbers, _note(say("vignettes_numbers_note"))))]
    if len(variants.rows) > 1:
        note = _note(say("vignettes_variants_note"))
        sections.append(Section(say("vignettes_variants"), (note, variants)))
    return tuple(sections)


def _note(text: str) -> Paragraph:
    return Paragraph(text, note=True)


def _numbers(statistic: Statistic, words: Words, language: Language) -> Row:
    estimate = statistic.estimate
    text = fmt.estimate(estimate, statistic.unit)
    exact = estimate.target == "these items" and not estimate.unscored
    about = translate(joined((name_of(estimate.target), known(estimate.method)), "; "), language)
    interval = words.say("vignettes_exact", language) if exact else text.interval
    label = words.say(f"vignettes_stat_{statistic.name}", language)
    return label, text.value, Cell(interval, hint=about), text.n


def cell_detail(norms: Norms, one: Vignette, words: Words, language: Language) -> dict[str, Any]:
    """Everything behind a cell: its flow, its norm, and every prompt variant with its answer."""
    prompts = prompts_of(one)
    answers = norms.answers[one.item_id]
    return {
        "vignette": one,
        "flow": [(name, level) for name, level in one.flow.items() if level],
        "norm": StateView.of(norms.state_of()[one.item_id], words, language),
        "spread": tuple(_spread(answers, words, language)),
        "asked": [_answer(answer, prompts, words, language) for answer in answers]
        or [_unasked(variant, prompt, words, language) for variant, prompt in prompts.items()],
    }


def _spread(answers: Sequence[Answer], words: Words, language: Language) -> Iterator[SpreadBar]:
    """How often each degree was answered, and how often none and why, as bars."""
    counts = Counter(answer.state for answer in answers)
    for state in (*DEGREES, *sorted(set(counts) - set(DEGREES))) if answers else ():
        view = StateView.of(state, words, language)
        yield SpreadBar(view, str(counts[state]), counts[state] / len(answers) * 100)


def _cell(
    one: Vignette | None,
    norms: Norms,
    states: Mapping[str, NormState],
    words: Words,
    language: Language,
) -> CellView | None:
    if one is None:
        return None
    answers = norms.answers[one.item_id]
    norm = StateView.of(states[one.item_id], words, language)
    flow = "; ".join(level for level in one.flow.values() if level)
    counts = Counter(answer.state for answer in answers)
    degrees = [counts[degree] for degree in DEGREES if counts[degree]]
    agree, label = max(degrees, default=0), norm.label
    if answers:
        label = words.say(
            "vignettes_cell",
            language,
            norm=norm.label,
            agree=agree,
            n=len(answers),
            valid=sum(degrees),
            different=len(degrees),
        )
    return CellView(
        item_id=one.item_id,
        norm=norm,
        parts=tuple(
            Part(_SHADES[state], counts[state] / len(answers) * 100) for state in sorted(counts)
        ),
        agree=f"{agree}/{len(answers)}" if answers else "",
        label=f"{flow}: {label}",
    )


def _answer(
    answer: Answer, prompts: Mapping[str, str], words: Words, language: Language
) -> AnswerView:
    variant, order, sample, temperature = answer.way
    more = [order] if order != "forward" else []
    more += [f"#{sample}"] if sample else []
    more += [f"t = {temperature:g}"] if temperature else []
    why = f"answer_reason_{answer.reason}"
    probs = answer.probs if answer.probs is not None and max(answer.probs) < 1 else ()
    return AnswerView(
        state=StateView.of(answer.state, words, language),
        variant=variant,
        prompt=prompts.get(variant, ""),
        more=", ".join(more),
        reason=words.say(why, language) if why in words.texts else (answer.reason or ""),
        text=answer.text,
        probs=tuple(
            SpreadBar(StateView.of(degree, words, language), fmt.percent(prob), prob * 100)
            for degree, prob in zip(DEGREES, probs, strict=False)
        ),
    )


def _unasked(variant: str, prompt: str, words: Words, language: Language) -> AnswerView:
    return AnswerView(StateView.of(NormState.NOT_ASKED, words, language), variant, prompt)
