"""Colours that everybody can tell apart, the same for one thing everywhere."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.builders.taxonomy import LIKERT
from normscope.metrics.registry import REFUSAL
from normscope.palette import LABELS, PAGE, SERIES, contrast, on_colour, places

APART = 15.0
"""ΔE*ab (CIE 1976) at which two fills beside one another are told apart at a glance."""

# Machado, Oliveira and Fernandes (2009), severity 1.0, for linear sRGB
_SEEN = {
    "trichromacy": (1, 0, 0, 0, 1, 0, 0, 0, 1),
    "protanopia": (
        *(0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216),
        *(-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        *(0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413),
        *(-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        *(1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602),
        *(0.004733, 0.691367, 0.303900),
    ),
}
VISION = {name: np.reshape(matrix, (3, 3)) for name, matrix in _SEEN.items()}
# sRGB to CIE XYZ, and the white of D65
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.95047, 1.0, 1.08883])


def lab(colour: str, vision: str) -> np.ndarray:
    """CIELAB of what somebody with the vision sees of the colour."""
    shares = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    ratio = _XYZ @ np.clip(VISION[vision] @ linear, 0, 1) / _WHITE
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(first: str, second: str, vision: str) -> float:
    return float(np.linalg.norm(lab(first, vision) - lab(second, vision)))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(
    "fills",
    [[LABELS[name] for name in LIKERT], [LABELS[name] for name in REFUSAL]],
    ids=["acceptability", "refusal"],
)
def test_neighbours_in_a_scale_are_told_apart_with_any_colour_vision(
    fills: list[str], vision: str
) -> None:
    assert min(apart(a, b, vision) for a, b in itertools.pairwise(fills)) >= APART


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_any_two_series_are_told_apart_with_any_colour_vision(mode: str, vision: str) -> None:
    lines = [getattr(tone, mode) for tone in SERIES]
    assert min(apart(a, b, vision) for a, b in itertools.combinations(lines, 2)) >= APART


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_graphics_and_text_have_the_contrast_of_wcag_on_either_page(mode: str) -> None:
    page = {name: getattr(tone, mode) for name, tone in PAGE.items()}
    for tone in SERIES:
        assert contrast(getattr(tone, mode), page["paper"]) >= 3
    for ground in (page["paper"], page["panel"]):
        # the outline of every fill and the hatch of every absence
        assert contrast(page["muted"], ground) >= 4.5
        for text in ("ink", "blue", "orange"):
            assert contrast(page[text], ground) >= 4.5
    for text, ground in (("ink", "orange-soft"), ("orange", "orange-soft"), ("ink", "blue-soft")):
        assert contrast(page[text], page[ground]) >= 4.5
    # an absence's text stands on its stripes
    assert contrast(page["ink"], page["line"]) >= 4.5


@given(st.integers(0, 0xFFFFFF))
def test_text_reads_on_any_fill(rgb: int) -> None:
    colour = f"#{rgb:06x}"
    assert contrast(on_colour(colour), colour) >= 4.5


@given(st.lists(st.text(max_size=8), unique=True, min_size=1, max_size=len(SERIES)), st.randoms())
def test_a_model_has_its_colour_whatever_the_order_and_each_another(names, random) -> None:  # type: ignore[no-untyped-def]  # hypothesis types them
    shuffled = list(names)
    random.shuffle(shuffled)
    assert places(names) == places(shuffled)
    assert len(set(places(names).values())) == len(names)
