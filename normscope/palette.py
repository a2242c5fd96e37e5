"""Which colour stands for what, in figures, pages, the Space and the terminal: defined here only.

A label has one fill on light and on dark pages, so that a picture and a page look alike; what is
drawn as lines and marks on the page itself (series, intervals, text) has a tone for each.
Neighbouring fills are told apart under any colour vision (ΔE*ab ≥ 15, all kinds simulated), text
on them and graphics on the page have the contrast of WCAG 2.2 AA, and no meaning hangs on a colour
alone: fills stand in the order of their scale, have an outline, their name or a pattern.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from zlib import crc32


class Tone(NamedTuple):
    """A colour on a light page, and the one that takes its place on a dark one."""

    light: str
    dark: str


class Pattern(NamedTuple):
    """How an absence is drawn: matplotlib's hatch, and the directions of CSS stripes in degrees."""

    hatch: str
    stripes: tuple[int, ...]


PAGE = {
    "ink": Tone("#1c2330", "#e7eaf0"),
    "muted": Tone("#566072", "#a6b0c0"),
    "paper": Tone("#ffffff", "#14181f"),
    "panel": Tone("#f5f7f9", "#1c222c"),
    "line": Tone("#d7dde5", "#38414f"),
    "blue": Tone("#1f5fa8", "#7fb6f0"),
    "blue-soft": Tone("#bcd6ee", "#2c4a6b"),
    "orange": Tone("#a34d00", "#f0a050"),
    "orange-soft": Tone("#fdebd5", "#3a2a18"),
}
"""Text and ground; blue is what was measured (estimates, intervals, links), orange a warning.

A published number is a hollow mark in `muted`: it was not measured here.
"""

# Okabe and Ito's where they are strong enough on white, darker ones else; theirs again on black
SERIES = (
    Tone("#0072B2", "#0072B2"),
    Tone("#D55E00", "#D55E00"),
    Tone("#009E73", "#009E73"),
    Tone("#7733CC", "#56B4E9"),
    Tone("#CC79A7", "#CC79A7"),
    Tone("#7A3B10", "#E69F00"),
    Tone("#10207A", "#F0E442"),
    Tone("#111111", "#FFFFFF"),
)
"""One per model, each with a mark and a line of its own beside (`report.charts.axes`)."""

_ACCEPTABILITY = {
    "strongly unacceptable": "#D55E00",
    "somewhat unacceptable": "#F2B48A",
    "neutral": "#C9C9C9",
    "somewhat acceptable": "#93C6E8",
    "strongly acceptable": "#0072B2",
}

DIVERGING = tuple(_ACCEPTABILITY.values())
"""The five degrees of acceptability, also as a scale between −2 and +2."""

LABELS = {
    **_ACCEPTABILITY,
    "risky": "#D55E00",
    "harmless": "#E69F00",
    "refusal": "#56B4E9",
    "responsible refusal": "#0072B2",
    **{f"rating {rating}": fill for rating, fill in enumerate(DIVERGING, start=1)},
    "moral 0": DIVERGING[0],
    "moral 1": DIVERGING[-1],
}
"""The fill of each label: orange to blue, from what is to be avoided to what is wanted."""

ABSENT = {
    "no majority": Pattern("", ()),
    "no answer": Pattern("////", (45,)),
    "unscored": Pattern("xxxx", (45, 135)),
    "not asked": Pattern("\\\\\\\\", (135,)),
}
"""Why there is no value: no colour of a scale, but a pattern in the page's own two tones."""

EVEN = "cividis"
"""Matplotlib's scale for amounts: it gets lighter evenly."""

ON_LIGHT, ON_DARK = "#000000", "#FDFDFD"
"""Text on a fill, which has its colour on either page: one of them reaches 4.5 : 1 on any fill."""


def contrast(first: str, second: str) -> float:
    """How much brighter one colour is than the other, from 1 to 21 (WCAG 2.2, contrast ratio).

    >>> round(contrast("#ffffff", "#000000")), round(contrast("#ffffff", "#777777"), 2)
    (21, 4.48)
    """
    darker, brighter = sorted((_luminance(first), _luminance(second)))
    return (brighter + 0.05) / (darker + 0.05)


def on_colour(colour: str) -> str:
    """The text that reads better on the fill.

    >>> on_colour("#C9C9C9"), on_colour("#0072B2")
    ('#000000', '#FDFDFD')
    """
    return max((ON_LIGHT, ON_DARK), key=lambda text: contrast(text, colour))


def places(names: Sequence[str]) -> dict[str, int]:
    """The place in `SERIES` of each name, whatever order the names come in.

    Each name has a place of its own, drawn from its letters, so that a model keeps its colour from
    one comparison to the next; where two meet, the later in the order of names takes the next that
    is free. One series alone has the first. More names than places are a `ValueError`.

    >>> places(["base", "aligned"]) == places(["aligned", "base"]), places(["base"])
    (True, {'base': 0})
    """
    single = list(dict.fromkeys(names))
    if len(single) > len(SERIES):
        raise ValueError(f"{len(single)} names have {len(SERIES)} places")
    if len(single) == 1:
        return {single[0]: 0}
    holders: dict[int, str] = {}
    for name in sorted(single):
        start = crc32(name.encode("utf-8", "surrogatepass"))
        steps = ((start + step) % len(SERIES) for step in range(len(SERIES)))
        holders[next(place for place in steps if place not in holders)] = name
    return {name: place for place, name in holders.items()}


def css_class(label: str) -> str:
    """The class of the style sheets that has the look of a label or of an absence.

    >>> css_class("no answer")
    'of-no-answer'
    """
    return f"of-{label.replace(' ', '-')}"


def properties(selector: str = ":root", dark: str = "") -> str:
    """The tones as custom properties of CSS, for the elements of the selector.

    Dark ones are for the elements of `dark`; without it, where the reader's system is dark.
    """
    tones = {**PAGE, **{f"series-{place}": tone for place, tone in enumerate(SERIES)}}
    light, black = (
        " ".join(f"--{name}: {tone[at]};" for name, tone in tones.items()) for at in range(2)
    )
    rule = f"{dark or selector} {{ {black} }}"
    media = rule if dark else f"@media (prefers-color-scheme: dark) {{ {rule} }}"
    return f"{selector} {{ {light} }}\n{media}\n"


def rules(within: str = "") -> str:
    """The rules of CSS for the classes of all labels and absences, in HTML and in SVG."""
    return "".join(f"{rule}\n" for rule in _rules(f"{within} ".lstrip()))


def _rules(within: str) -> Iterator[str]:
    outline = "box-shadow: inset 0 0 0 1px var(--muted); stroke: var(--muted);"
    for label, fill in LABELS.items():
        text = on_colour(fill)
        look = f"background: {fill}; color: {text}; fill: {fill}; {outline}"
        yield f"{within}.{css_class(label)} {{ {look} }}"
    for name, pattern in ABSENT.items():
        layers = ", ".join(
            f"repeating-linear-gradient({angle}deg, transparent 0 4px, var(--line) 4px 6px)"
            for angle in pattern.stripes
        )
        ground = f"{layers}, var(--paper)" if layers else "var(--paper)"
        look = f"background: {ground}; color: var(--ink); fill: var(--line); {outline}"
        yield f"{within}.{css_class(name)} {{ {look} }}"


def _luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb` (WCAG 2.2)."""
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]  # noqa: PLR2004 - sRGB's
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
