"""The norms heatmap as it is shown: panels of cells, the numbers over all, the parts of a cell."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ... import format as fmt
from ...datasets_builders.taxonomy import LIKERT
from ...metrics.majority import LIKERT as VALUES
from ...metrics.norms import NormState
from ...reasons import is_ours
from .asked import Vignette, prompts_of, sides
from .norms import Answer, Norms
from .words import Language, Words

MARKS = ("−2", "−1", "0", "+1", "+2", "×", "–", "!", "?")
"""What stands in the cell of each `NormState`."""

SHADES = ("h0", "h1", "h2", "h3", "h4", "hnone", "hsilent", "hunscored", "hblank")
"""The class of its colour."""

_NONE = ("no_majority", "no_answer", "unscored", "not_asked")

SHOWN = (
    *("mean_acceptability", "accept_share", "reject_share", "neutral_share", "undecided"),
    *("no_answer", "unanimous", "flip_rate", "raw_agreement"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """A segment of a bar: which colour, how wide in percent."""

    shade: str
    width: float


@dataclass(frozen=True, slots=True)
class CellView:
    """A vignette in its place: its norm, how its answers are spread, and all of it in words."""

    item_id: str
    mark: str
    shade: str
    parts: tuple[Part, ...]
    agree: str
    told: str


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
                        _cell(cells.get((row, column)), norms, words, language)
                        for column in columns
                    ),
                )
                for row in rows
            ),
        )


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


def lines(norms: Norms, words: Words, language: Language) -> Iterator[dict[str, str]]:
    """The statistics over all vignettes, each with its interval and what it is about."""
    by_name = {row.name: row for row in norms.statistics}
    for name in SHOWN:
        row = by_name.get(name)
        if row is None:
            continue
        rate, found = row.unit == "rate", row.estimate
        exact = found.target == "these items" and not found.unscored
        yield {
            "label": words.say(f"vignettes_stat_{name}", language),
            "value": fmt.percent(found.value) if rate else _minus(fmt.number(found.value)),
            "interval": words.say("vignettes_exact", language)
            if exact
            else _minus(fmt.interval(found.low, found.high, rate=rate)),
            "target": found.target,
            "method": found.method,
            "n": fmt.count(found.n),
        }


def wordings(norms: Norms) -> Iterator[dict[str, Any]]:
    """The mean answer in each wording, and where it stands between −2 and +2 in percent."""
    for variant, mean in norms.by_wording.items():
        known = mean == mean  # noqa: PLR0124 - not NaN
        yield {
            "variant": variant,
            "mean": _minus(fmt.number(mean)) if known else fmt.MISSING,
            "at": (mean + 2) / 4 * 100 if known else None,
        }


def _minus(number: str) -> str:
    """The number with the sign that the scale has, not a hyphen."""
    return number.replace("-", "−")


def cell_detail(norms: Norms, one: Vignette, words: Words, language: Language) -> dict[str, Any]:
    """Everything behind a cell: its flow, its norm, and every wording with its answer."""
    state = norms.states[norms.vignettes.index(one)]
    prompts = prompts_of(one)
    answers = norms.answers[one.item_id]
    return {
        "vignette": one,
        "flow": [(name, level) for name, level in one.flow.items() if level],
        "mark": MARKS[state],
        "shade": SHADES[state],
        "norm": name_of(state, words, language),
        "spread": spread_bars(answers, words, language) if answers else [],
        "asked": [_asked(answer, prompts, words, language) for answer in answers]
        or [_unasked(variant, prompt, words, language) for variant, prompt in prompts.items()],
    }


def spread_bars(
    answers: Sequence[Answer], words: Words, language: Language
) -> list[dict[str, Any]]:
    """How often each degree was answered, and how often none, as bars."""
    counts = Counter(map(state_of, answers))
    shown = [state for state in NormState if state < len(LIKERT) or counts[state]]
    return [
        {
            "label": name_of(state, words, language),
            "shade": SHADES[state],
            "count": counts[state],
            "width": counts[state] / len(answers) * 100,
        }
        for state in shown
    ]


def state_of(answer: Answer) -> NormState:
    """The label of one answer, or whose doing it is that there is none."""
    if answer.value is not None:
        return NormState(VALUES.index(answer.value))
    return NormState.UNSCORED if is_ours(answer.reason) else NormState.NO_ANSWER


def name_of(state: NormState, words: Words, language: Language) -> str:
    """What the state is called."""
    at = state - len(LIKERT)
    key = f"likert_{int(state)}" if at < 0 else _NONE[at]
    return words.say(f"vignettes_{key}", language)


def _cell(
    one: Vignette | None,
    norms: Norms,
    words: Words,
    language: Language,
) -> CellView | None:
    if one is None:
        return None
    state = norms.states[norms.vignettes.index(one)]
    answers = norms.answers[one.item_id]
    flow = "; ".join(level for level in one.flow.values() if level)
    if not answers:
        told = f"{flow}: {words.say('vignettes_not_asked', language)}"
        return CellView(one.item_id, MARKS[state], SHADES[state], (), "", told)
    counts = Counter(answer.value for answer in answers)
    agree = max((n for value, n in counts.items() if value is not None), default=0)
    valid = len(answers) - counts[None]
    differing = len([value for value in counts if value is not None])
    told = words.say(
        "vignettes_cell",
        language,
        norm=name_of(state, words, language),
        agree=agree,
        n=len(answers),
        valid=valid,
        different=differing,
    )
    spread = Counter(map(state_of, answers))
    return CellView(
        item_id=one.item_id,
        mark=MARKS[state],
        shade=SHADES[state],
        parts=tuple(
            Part(SHADES[part], spread[part] / len(answers) * 100)
            for part in NormState
            if spread[part]
        ),
        agree=f"{agree}/{len(answers)}",
        told=f"{flow}: {told}",
    )


def _asked(
    answer: Answer, prompts: dict[str, str], words: Words, language: Language
) -> dict[str, Any]:
    variant, order, sample, temperature = answer.way
    more = [part for part in (order if order != "forward" else "",) if part]
    more += [f"#{sample}"] if sample else []
    more += [f"t = {temperature:g}"] if temperature else []
    why = f"answer_reason_{answer.reason}"
    return {
        "variant": variant,
        "more": ", ".join(more),
        "shade": SHADES[state_of(answer)],
        "sign": MARKS[state_of(answer)],
        "label": name_of(state_of(answer), words, language),
        "reason": words.say(why, language) if why in words.texts else (answer.reason or ""),
        "probs": [
            (words.say(f"vignettes_likert_{at}", language), f"h{at}", fmt.percent(p), p * 100)
            for at, p in enumerate(answer.probs or ())
        ]
        if answer.probs is not None and max(answer.probs) < 1
        else [],
        "prompt": prompts.get(variant, ""),
        "text": answer.text,
    }


def _unasked(variant: str, prompt: str, words: Words, language: Language) -> dict[str, Any]:
    blank: dict[str, Any] = {"more": "", "reason": "", "probs": [], "text": None}
    state = NormState.NOT_ASKED
    shown = {
        "label": name_of(state, words, language),
        "shade": SHADES[state],
        "sign": MARKS[state],
    }
    return {"variant": variant, "prompt": prompt, **blank, **shown}
