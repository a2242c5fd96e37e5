"""The figures of choices and of refusals, drawn by the command's own function from plain runs."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text
from plain_runs import categorised_run

from normscope.comparison import compare
from normscope.messages import Language
from normscope.records.run import Run
from normscope.report.comparison.figures import draw, figures

CATEGORIES = {
    "discrimination": ["ageism", "sexism", "regional_discrimination", "health_discrimination"],
    "values": ["promoting_terrorism", "advocating_ethnic_hatred", "inciting_separatism"],
}
PLACES = [(area, category) for area, own in CATEGORIES.items() for category in own]
MODELS = ["base", "aligned", "tuned"]


def answers(seed: int, choices: Sequence[float]) -> list[float | str | None]:
    """Twelve judgements per category, the last of each without one."""
    drawn = np.random.default_rng(seed).choice(choices, (len(PLACES), 12))
    rows: list[float | str | None] = []
    for at, own in enumerate(drawn.tolist()):
        rows += [*own[:-1], ("no_answer", "call_failed")[at % 2]]
    return rows


def runs(criterion: str, choices: Sequence[float]) -> list[Run]:
    return [
        categorised_run(name, "chisafetybench:x", {criterion: answers(seed, choices)}, PLACES)
        for seed, name in enumerate(MODELS)
    ]


CASES = {
    "option": ([0.0, 1.0, 1.0], ["agreement"]),
    "refusal": ([0.0, 1.0, 2.0, 3.0], ["rr1", "rr2", "hr"]),
}


@pytest.mark.parametrize(("criterion", "language"), [("option", "en"), ("refusal", "zh")])
def test_each_rate_is_mapped_per_category_and_area(
    criterion: str, language: Language, tmp_path: Path
) -> None:
    choices, statistics = CASES[criterion]
    made = runs(criterion, choices)
    drawn = draw(made, compare(made), tmp_path, formats=("png", "svg"), language=language)
    names = {path.name for path in drawn.paths}
    for name in statistics:
        for group in ("area", "category"):
            for kind in ("png", "svg"):
                assert f"chisafetybench-x-{name}-by-{group}-heatmap.{kind}" in names
    assert all(path.stat().st_size > 1000 for path in drawn.paths)
    # a secondary rate that no paper maps has no map
    assert not any("answered" in name for name in names)


@pytest.mark.parametrize("criterion", CASES)
def test_a_cell_is_the_rate_of_its_category(criterion: str) -> None:
    choices, statistics = CASES[criterion]
    made = runs(criterion, choices)
    plots = figures(made, compare(made))
    for name in statistics:
        figure = plots["chisafetybench:x", f"{name}-by-category-heatmap"].draw()
        shown = [text.get_text() for text in figure.axes[0].texts]
        assert len(shown) == len(MODELS) * len(PLACES)
        counted = {"agreement": (1,), "rr1": (2, 3), "rr2": (3,), "hr": (0,)}[name]
        own = answers(0, choices)[:12]
        # ageism in the first run: eleven values and one that was not answered, in the denominator
        hits = sum(value in counted for value in own)
        assert float(shown[0]) == pytest.approx(100 * hits / 12, abs=0.05)


def test_nothing_of_a_figure_is_cut_whatever_the_runs_are_called() -> None:
    long = [f"{at}-{'a-very-long-name-of-a-run-' * 8}{at}" for at in "xyz"]
    choices = CASES["refusal"][0]
    made = [
        categorised_run(name, "chisafetybench:x", {"refusal": answers(seed, choices)}, PLACES)
        for seed, name in enumerate(long)
    ]
    plots = figures(made, compare(made))
    for name in ("refusal-answers", "rr1-by-area-heatmap"):
        figure = plots["chisafetybench:x", name].draw()
        # the picture is cut to this box
        box = figure.get_tightbbox()
        assert box.width < 14, name
        texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
        for text in texts:
            extent = text.get_window_extent()
            assert extent.x0 >= box.x0 * figure.dpi - 1, text
            assert extent.x1 <= box.x1 * figure.dpi + 1, text
        shown = "".join(text.get_text() for text in texts).replace("\n", "")
        # without its middle a name still has both of its ends
        assert all(re.search(rf"{at}-a-very[a-z-]*…[a-z-]*run-{at}", shown) for at in "xyz")
