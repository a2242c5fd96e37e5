"""The first tab as HTML: a flow, each model's norm of it, its neighbours, and maps of all."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import urlencode

import numpy as np
from jinja2 import Environment

from .. import format as fmt
from ..builders.ci_vignettes.published_answers import CONTEXT
from ..messages import Language, joined, known, marked, message, translate
from ..metrics.vignette_norms import NormState
from ..palette import DIVERGING, css_class
from ..report.names import name_of
from ..report.norm_charts import norm_values
from ..report.templates import translated
from .flows import FACTORS, Counts, FlowNorms, ModelNorms, norms_named
from .texts import VisitorError

_TEMPLATES = Path(__file__).parent / "templates"
_SENTENCE = marked("May {sender} send {attribute} to {recipient}, {transmission_principle}?")
_FIRST = {
    "sender": "a refrigerator",
    "attribute": "owner's eating habits",
    "recipient": "the local police",
    "transmission_principle": "if owner has given consent",
}
_SIDES = ("transmission_principle", "recipient")


@dataclass(frozen=True, slots=True)
class Chosen:
    """What an address names: the flow by its levels, the factors along the map, the norms."""

    norms: FlowNorms
    flow: dict[str, str]
    sides: tuple[str, str]
    own: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str], own: str) -> "Chosen":
        """What the address names; the first of all where it names none that is there."""
        norms = norms_named(own)
        usual = dict(zip(norms.factors, next(iter(norms.places)), strict=True))
        usual |= {name: of for name, of in _FIRST.items() if of in norms.levels.get(name, ())}
        flow = {
            name: query[name] if query.get(name) in levels else usual[name]
            for name, levels in norms.levels.items()
        }
        asked = (query.get("rows"), *_SIDES, *norms.factors)
        first, *others = (name for name in dict.fromkeys(asked) if name in norms.factors)
        second = query.get("columns")
        return cls(norms, flow, (first, second if second in others else [*others, first][0]), own)

    def address(self, **levels: str) -> str:
        """The address of the flow at other levels."""
        sides = dict(zip(("rows", "columns"), self.sides, strict=True))
        own = {"own": self.own} if self.own else {}
        return f"?{urlencode({**self.flow, **levels, **sides, **own})}"


def norms_page(query: Mapping[str, str], language: Language) -> tuple[str, str]:
    """The title and the HTML of what the address names."""
    problem = ""
    try:
        chosen = Chosen.of(query, query.get("own", ""))
    except VisitorError as error:
        problem, chosen = error.message, Chosen.of(query, "")
    sentence = [*_sentence(chosen, language)]
    # without drop-downs
    title = "".join(
        words + (translate(chosen.flow[factor], language) if factor else "")
        for words, factor in sentence
    )
    page = _templates(language).get_template("norms.html")
    return title, page.render(
        problem=problem,
        title=title,
        chosen=chosen,
        sentence=sentence,
        verdict=_verdict(chosen.norms.states(chosen.flow)),
        answers=[_answer(model, chosen) for model in chosen.norms.models],
        neighbours=[_neighbours(chosen, name) for name in chosen.flow],
        maps=[*_maps(chosen)],
        context=CONTEXT,
        style=_style,
        mean_text=fmt.number,
        name_of=name_of,
        known=known,
        joined=joined,
    )


@cache
def _templates(language: Language) -> Environment:
    return translated(_TEMPLATES, language)


def _sentence(chosen: Chosen, language: Language) -> Iterator[tuple[str, str]]:
    """Words and the factor behind them, or none; a factor without a place of its own is last."""
    left = [*chosen.flow]
    if {*FACTORS} <= {*left}:
        for words, slot, *_ in Formatter().parse(translate(_SENTENCE, language)):
            yield words, slot or ""
            left = [name for name in left if name != slot]
    for at, name in enumerate(left):
        between = " · " if at or len(left) < len(chosen.flow) else ""
        yield f"{between}{translate(name_of(name), language)}: ", name


def _verdict(states: Counts) -> str:
    """How many models find it acceptable, how many not."""
    norms = norm_values(states)
    accepted, refused = int((norms > 0).sum()), int((norms < 0).sum())
    return message(
        "Acceptable to {accepted} of {n} models, unacceptable to {refused}, neither to {neither}.",
        accepted=accepted,
        n=len(states),
        refused=refused,
        neither=len(states) - accepted - refused,
    )


def _answer(model: ModelNorms, chosen: Chosen) -> dict[str, Any]:
    """A model's norm of the flow, and how many of its wordings agree."""
    here = model.at(np.array([chosen.norms.place(chosen.flow)]))
    [state], [votes], [asked] = here.states, here.votes, here.asked
    most = int(votes[state] if state < len(votes) else votes.max())
    steady = (
        message("{n} of {m} wordings agree", n=most, m=asked)
        if model.by_variant
        else message("{n} of {m} answers agree", n=most, m=asked)
    )
    return {
        "model": model.name,
        **_shown(state),
        "steady": steady if asked else "",
        "parts": [
            (*_shown(label).values(), int(n), f"{n / asked:.2%}")
            for label, n in enumerate(votes)
            if n
        ],
    }


def _shown(state: int) -> dict[str, str]:
    """The class and the words of a state."""
    label = NormState(state).name.lower().replace("_", " ")
    return {"look": css_class(label), "label": name_of(label)}


def _neighbours(chosen: Chosen, factor: str) -> dict[str, Any]:
    """The flows that differ in one factor, with each model's norm; how many turn an answer."""
    rows, turning = [], 0
    before = norm_values(chosen.norms.states(chosen.flow))
    for level in chosen.norms.levels[factor]:
        states = chosen.norms.states({**chosen.flow, factor: level})
        turned = norm_values(states) * before < 0
        turning += bool(turned.any())
        cells = [
            {**_shown(state), "norm": _signed(state), "turned": turn}
            for state, turn in zip(states, turned, strict=True)
        ]
        rows.append((level, chosen.address(**{factor: level}), cells))
    return {"factor": factor, "rows": rows, "turning": turning, "others": len(rows) - 1}


def _signed(state: int) -> str:
    """The norm as a number; a point where there is none."""
    value = norm_values(np.array([state]))[0]
    return "·" if np.isnan(value) else f"{value:+.0f}".replace("-", "−").replace("+0", "0")


def _maps(chosen: Chosen) -> Iterator[dict[str, Any]]:
    """The map of all flows by two factors, and that of the flows in the chosen cell by others."""
    columns = {name: np.array(column) for name, column in chosen.norms.factors.items()}
    all_places = np.full(len(chosen.norms.places), True)
    yield _map(chosen, chosen.sides, all_places)
    free = [name for name in columns if name not in chosen.sides]
    if free:
        sides = (*free, chosen.sides[1])[:2]
        held = [name for name in chosen.sides if name not in sides]
        within = np.logical_and.reduce([columns[name] == chosen.flow[name] for name in held])
        yield _map(chosen, (sides[0], sides[1]), within)


def _map(chosen: Chosen, sides: tuple[str, str], among: Any) -> dict[str, Any]:
    rows, columns = (chosen.norms.levels[name] for name in sides)
    links = [[chosen.address(**{sides[0]: row, sides[1]: to}) for to in columns] for row in rows]
    here = tuple(chosen.flow[name] for name in sides)
    panels = []
    for model in chosen.norms.models:
        means = chosen.norms.mean_norms(model.states, *sides, among)
        mean, with_norm, flows = (of.tolist() for of in means)
        cells = [
            [
                (links[at][to], mean[at][to], with_norm[at][to], flows[at][to], (row, name) == here)
                for to, name in enumerate(columns)
            ]
            for at, row in enumerate(rows)
        ]
        panels.append((model.name, list(zip(rows, cells, strict=True))))
    held = [known(level) for name, level in chosen.flow.items() if name not in sides]
    return {
        "sides": sides,
        "columns": columns,
        "panels": panels,
        "n": fmt.count(int(among.sum())),
        "held": held if not among.all() else [],
    }


def _style(mean: float, with_norm: int, flows: int) -> str:
    """The colour of a mean norm, and how much of the cell it fills: the share that has a norm."""
    at = mean + 2
    low = min(int(at), 3)
    first, second = (
        [int(DIVERGING[to][start : start + 2], 16) for start in (1, 3, 5)] for to in (low, low + 1)
    )
    colour = [round(a + (b - a) * (at - low)) for a, b in zip(first, second, strict=True)]
    side = (with_norm / flows) ** 0.5
    return f"--c:rgb({' '.join(map(str, colour))});--s:{side:.2f}"
