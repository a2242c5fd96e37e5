"""The figures of choices and of refusals, drawn by the command's own function from plain runs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
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
