"""The figures: files that are whole and stable, shapes to be counted, input that is refused."""

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from normscope.datasets_builders.taxonomy import CFSAFETY, CHISAFETYBENCH, LIKERT
from normscope.errors import DataError, UsageError
from normscope.report.charts import (
    answers,
    caution,
    heatmap,
    norms_heatmap,
    prompt_spread,
    radar,
    ridge,
    save,
    temperatures,
)
from normscope.report.charts import fonts as fonts_module
from normscope.report.charts.canvas import PALETTE, wrapped
from normscope.report.charts.fonts import fonts
from normscope.report.charts.norms import cut, path
from normscope.report.charts.parts import area, parts
from normscope.report.charts.ridge import density
from normscope.report.charts.words import say

pytest.importorskip("matplotlib")

MODELS = ["base", "aligned", "quantised", "checkpoint-12000"]
RNG = np.random.default_rng(0)
TABLE = RNG.uniform(0, 1, (4, 5))
TABLE[1, 2] = np.nan
FLOWS = {
    "sender": [s for s in ("a toy", "a doll") for _ in range(6)],
    "attribute": ["audio", "video", "location"] * 4,
    "recipient": [r for _ in range(2) for r in ("its maker", "an advertiser") for _ in range(3)],
}
NORMS = RNG.choice([-2, -1, 0, 1, 2, np.nan], (4, 12))


def figures(language: str, word: str = "") -> dict[str, Callable[[], Any]]:
    """Every kind of figure; `word` stands wherever somebody else's text can."""
    names = [say(category.slug, language) + word for category in CFSAFETY[:5]]
    models = [model + word for model in MODELS]
    common: dict[str, Any] = {"models": models, "language": language, "title": f"title{word}"}
    samples = [[RNG.uniform(0, 5, 20) for _ in range(5)] for _ in MODELS]
    points = [[t, 1 + t, 0.5 + t, 2 + t] for t in (0, 0.7)] * 2
    classes = [say(name, language) + word for name in (*LIKERT, "no answer")]
    counts = np.arange(24).reshape(4, 6)
    means = RNG.uniform(-2, 2, (4, 11))
    wordings = [f"{n}{word}" for n in range(11)]
    flows = {name: [level + word for level in levels] for name, levels in FLOWS.items()}
    return {
        "radar": lambda: radar(TABLE, categories=names, limits=(0, 1), **common),
        "heatmap": lambda: heatmap(TABLE, categories=names, limits=(0, 1), percent=True, **common),
        "ridge": lambda: ridge(samples, categories=names, limits=(0, 5), **common),
        "answers": lambda: answers(counts, classes=classes, absent=1, **common),
        "prompts": lambda: prompt_spread(means, wordings=wordings, **common),
        "temperature": lambda: temperatures(
            points, **{**common, "models": [f"{m}{word}" for m in "aabb"]}
        ),
        "norms": lambda: norms_heatmap(NORMS, flows=flows, **common),
    }


@pytest.mark.parametrize("name", list(figures("en")))
def test_an_svg_is_xml_whatever_the_names_in_it_are(name: str, tmp_path: Path) -> None:
    word = "\x00\x1b\ufffe\u202e --> ]]> </svg><script>alert(1)</script>&amp;"
    figure = figures("en", word)[name]()
    caution(figure, f"not measured alike: {word}")
    with warnings.catch_warnings():
        # characters that the font lacks
        warnings.simplefilter("ignore")
        (path,) = save(figure, tmp_path / name, ["svg"])
    tags = {element.tag for element in ElementTree.fromstring(path.read_bytes()).iter()}  # noqa: S314 - ours
    assert len(tags) > 5
    assert not [tag for tag in tags if "script" in str(tag)]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", list(figures("en")))
def test_a_figure_is_written_in_both_formats_and_is_the_same_twice(
    name: str, language: str, tmp_path: Path
) -> None:
    if language == "zh" and fonts("zh").note:
        pytest.skip("no font with Chinese characters is installed")
    figure = figures(language)[name]()
    caution(figure, "not measured alike: the runs differ in min_coverage")
    first = save(figure, tmp_path / "one" / name)
    again = save(figure, tmp_path / "two" / name)
    assert [p.suffix for p in first] == [".svg", ".png"]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in again]
    svg, png = (p.read_bytes() for p in first)
    assert png.startswith(b"\x89PNG")
    assert b"<svg" in svg
    assert b"dc:date" not in svg


LONG = ["org/a-model-with-a-long-name-13B-chat", "org/another-model-with-a-long-name-0.6B"]


def with_long_names() -> dict[str, Callable[[], Any]]:
    """Figures whose labels need more room than the layout keeps for them."""
    names = [f"a rather long name of a category, number {n}" for n in range(5)]
    common: dict[str, Any] = {"models": LONG, "title": "a long title that says what it is of, " * 3}
    table = TABLE[:2]
    samples = [[RNG.uniform(0, 5, 2_000 + n + row) for n in range(5)] for row in range(2)]
    means = [[1.9, 2.0, 1.95], [-2.0, -1.9, -1.95]]
    return {
        "answers": lambda: answers(
            [[100_000, 1, 2, 3, 4], [1, 1, 1, 1, 1]], classes=list(LIKERT), **common
        ),
        "heatmap": lambda: heatmap(table, categories=names, limits=(0, 1), **common),
        "radar": lambda: radar(table, categories=names, limits=(0, 1), **common),
        "ridge": lambda: ridge(samples, categories=names, limits=(0, 5), **common),
        "prompts": lambda: prompt_spread(
            means, wordings=["unacceptable", "options_first", "a-variant-of-mine"], **common
        ),
        "norms": lambda: norms_heatmap(NORMS[:2], flows=FLOWS, **common),
    }


@pytest.mark.parametrize("name", list(with_long_names()))
def test_no_label_is_shaved_at_an_edge(name: str, tmp_path: Path) -> None:
    from matplotlib.image import imread

    with warnings.catch_warnings():
        # a layout that gives up says so
        warnings.simplefilter("error")
        path = save(with_long_names()[name](), tmp_path / name, ["png"])[0]
    picture = imread(path)[:, :, :3]
    for edge in (picture[0], picture[-1], picture[:, 0], picture[:, -1]):
        assert (edge == 1).all(), "something is drawn up to the edge"


def test_counts_that_are_nan_are_gaps() -> None:
    from matplotlib.patches import Rectangle

    nothing = [np.nan, np.nan, np.nan]
    figure = answers([[30, np.nan, 10], nothing], models=["a", "b"], classes=["x", "y", "z"])
    axes = figure.axes[0]
    # 30 and 10 of 40; nothing where there is no count
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert [bar.get_width() for bar in bars] == [0.75, 0, 0, 0, 0.25, 0]
    told = [text.get_text() for text in axes.texts]
    assert told == ["75 %", "25 %", "n = 40", "n = –"]


def test_a_figure_is_saved_under_a_name_that_is_a_string(tmp_path: Path) -> None:
    figure = heatmap([[0.5]], models=["a"], categories=["x"], limits=(0, 1))
    paths = save(figure, str(tmp_path / "mine"))
    assert [path.name for path in paths] == ["mine.svg", "mine.png"]


def test_a_figure_drawn_anew_in_another_process_has_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from normscope.report.charts import heatmap, save\n"
        "f = heatmap([[0.25, 0.5]], models=['a'], categories=['x', 'y'], limits=(0, 1))\n"
        "save(f, Path(sys.argv[1])); assert 'matplotlib.pyplot' not in sys.modules"
    )
    for name in ("one", "two"):
        subprocess.run([sys.executable, "-c", script, str(tmp_path / name)], check=True)
    for ending in ("svg", "png"):
        one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
        assert one == two


def test_a_figure_leaves_no_trace_in_pyplot_or_the_users_style(tmp_path: Path) -> None:
    import matplotlib

    with matplotlib.rc_context({"font.size": 33, "axes.facecolor": "pink"}):
        before = dict(matplotlib.rcParams)
        mine = save(figures("en")["heatmap"](), tmp_path / "mine", ["svg"])[0]
        assert dict(matplotlib.rcParams) == before
    plain = save(figures("en")["heatmap"](), tmp_path / "plain", ["svg"])[0]
    assert mine.read_bytes() == plain.read_bytes()


def test_nothing_heavy_is_imported_with_the_figures() -> None:
    script = (
        "import sys, normscope.report.charts, normscope.compare; print('matplotlib' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert told.stdout.strip() == "False"


@pytest.mark.parametrize("models", [1, 2, 3, 4])
def test_the_parts_of_a_cell_fill_it_without_overlap(models: int) -> None:
    shapes = parts(models)
    assert len(shapes) == models
    assert sum(area(shape) for shape in shapes) == pytest.approx(1)
    from matplotlib.path import Path as Outline

    points = np.random.default_rng(1).uniform(0, 1, (500, 2))
    inside = np.stack([Outline(shape).contains_points(points) for shape in shapes])
    assert (inside.sum(axis=0) == 1).all()


def test_a_triangle_per_norm_and_none_where_there_is_no_majority() -> None:
    norms = np.array([[2.0, -2.0, np.nan], [2.0, np.nan, np.nan], [0, 0, 0], [1, 1, -1]])
    places = np.array([[0, 0], [1, 0], [0, 1]])
    drawn = {value: cut(norms, places, value) for value in (-2, -1, 0, 1, 2)}
    assert {value: len(found) for value, found in drawn.items()} == {-2: 1, -1: 1, 0: 3, 1: 2, 2: 2}
    # the first model's part is the upper triangle of the flow's cell
    assert drawn[-2][0].tolist() == [[1, 0], [2, 0], [1.5, 0.5]]
    assert len(np.asarray(path(drawn[0]).vertices)) == 3 * 4


def test_the_map_has_a_triangle_for_each_norm_of_each_model() -> None:
    figure = norms_heatmap(NORMS, models=MODELS, flows=FLOWS)
    axes = figure.subfigs[0].axes[0]
    closed = [np.asarray(patch.get_path().codes).tolist().count(79) for patch in axes.patches]
    # CLOSEPOLY is 79; every combination is a flow, so that no cell is hatched
    assert sum(closed) == int((~np.isnan(NORMS)).sum())
    # attributes within senders, recipients without a principle
    assert len(axes.get_yticks()) == 2 * 3
    assert len(axes.get_xticks()) == 2


def test_a_combination_that_is_no_flow_is_hatched() -> None:
    flows = {name: levels[:-1] for name, levels in FLOWS.items()}
    figure = norms_heatmap(NORMS[:1, :-1], models=["a"], flows=flows)
    hatched = [p for p in figure.subfigs[0].axes[0].patches if p.get_hatch()]
    assert len(hatched) == 1
    assert np.asarray(hatched[0].get_path().codes).tolist().count(79) == 1


def test_the_heatmap_writes_every_value_and_a_dash_for_none() -> None:
    names = list("abcde")
    figure = heatmap(TABLE, models=MODELS, categories=names, limits=(0, 1), percent=True)
    axes = figure.axes[0]
    told = [text.get_text() for text in axes.texts]
    assert len(told) == 20
    assert told.count("–") == 1
    # rows are categories: the first row holds the models' values of "a"
    assert told[:4] == [f"{value * 100:#.3g}" for value in TABLE[:, 0]]


def test_shares_of_a_bar_add_up_and_absent_answers_have_no_colour() -> None:
    figure = answers(
        [[1, 2, 3, 4, 0, 10], [0, 0, 0, 0, 0, 0]],
        models=["a", "b"],
        classes=[*LIKERT, "no answer"],
        absent=1,
    )
    from matplotlib.patches import Rectangle

    bars = figure.axes[0].patches
    widths = np.array([bar.get_bbox().width for bar in bars if isinstance(bar, Rectangle)]).reshape(
        6, 2
    )
    assert widths[:, 0].tolist() == pytest.approx([0.05, 0.1, 0.15, 0.2, 0, 0.5])
    # nobody answered: no bar, and no division by zero
    assert widths[:, 1].sum() == 0
    assert [bool(bar.get_hatch()) for bar in bars] == [False] * 10 + [True] * 2


def test_a_density_keeps_its_mass_on_the_scale() -> None:
    grid = np.linspace(0, 5, 256)
    for values in (np.zeros(50), np.full(50, 5.0), np.linspace(0, 5, 50), np.array([2.0] * 9)):
        curve = density(values, grid)
        assert np.trapezoid(curve, grid) == pytest.approx(1, abs=0.01)
        assert (curve >= 0).all()


def test_a_few_values_are_drawn_one_by_one() -> None:
    figure = ridge([[[1, 2, 3], [1.0] * 8]], models=["a"], categories=["x", "y"], limits=(0, 5))
    lines = figure.axes[0].get_lines()
    marks = [line for line in lines if line.get_marker() == "o"]
    assert [np.asarray(line.get_xdata()).tolist() for line in marks] == [[1, 2, 3]]
    # one ridge with its 256 points
    assert [len(np.asarray(line.get_xdata())) for line in lines].count(256) == 1


def test_models_are_told_apart_by_colour_line_and_mark() -> None:
    axes = radar(TABLE, models=MODELS, categories=list("abcde"), limits=(0, 1)).axes[0]
    lines = axes.get_lines()
    for style in ("get_color", "get_linestyle", "get_marker"):
        assert len({getattr(line, style)() for line in lines}) == 4
    # a missing value interrupts the line
    assert np.isnan(np.asarray(lines[1].get_ydata())[2])


@pytest.mark.parametrize("key", [c.slug for c in (*CFSAFETY, *CHISAFETYBENCH)] + list(LIKERT))
def test_every_category_and_answer_has_a_chinese_name(key: str) -> None:
    assert any("\u4e00" <= character <= "\u9fff" for character in say(key, "zh"))
    assert say(key, "en").isascii()


def test_without_a_chinese_font_labels_are_english_and_that_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fonts_module, "_first_installed", lambda _: None)
    chosen = fonts("zh")
    assert chosen.language == "en"
    assert chosen.note is not None
    assert "no font with Chinese characters is installed" in chosen.note
    assert fonts("en").note is None


def test_a_character_that_no_font_has_is_told_and_not_silently_a_box(tmp_path: Path) -> None:
    figure = heatmap([[1.0]], models=["\U0001fbf0"], categories=["x"], limits=(0, 1))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        save(figure, tmp_path / "x", ["png"])
    assert any("missing from font" in str(warning.message) for warning in told)


def test_text_of_users_is_no_formula(tmp_path: Path) -> None:
    figure = heatmap([[1.0]], models=["$a_{b}$"], categories=["cost $\\bad{"], limits=(0, 1))
    assert save(figure, tmp_path / "x", ["svg"])[0].stat().st_size > 0


def test_wrapping_counts_chinese_characters_twice() -> None:
    assert wrapped("模型改写", 4) == "模型\n改写"
    assert wrapped("", 4) == ""


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: radar(TABLE, models=["a"], categories=list("abcde"), limits=(0, 1)), "1, 5|1 × 5"),
        (lambda: radar([[1, 1]], models=["a"], categories=["x", "y"], limits=(0, 1)), "3 to 16"),
        (
            lambda: heatmap([[1]], models=["a"], categories=["x", "y"], limits=(0, 1)),
            r"1 × 2 as their names are, not \(1, 1\)",
        ),
        (lambda: ridge([[[7]]], models=["a"], categories=["x"], limits=(0, 5)), "7 … 7 leave"),
        (lambda: ridge([[[1]]], models=["a"], categories=["x", "y"], limits=(0, 5)), "1 rows of 2"),
        (lambda: temperatures([[0, 1]], models=["a"]), "1 rows of temperature"),
        (lambda: norms_heatmap([[1.0]], models=["a"], flows=FLOWS), "1 models × 12 flows"),
        (
            lambda: norms_heatmap([[1.0] * 2], models=["a"], flows={"sender": ["x", "x"]}),
            "more than one flow has sender 'x'",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(make: Callable[[], Any], told: str) -> None:
    with pytest.raises(DataError, match=told):
        make()


def test_more_than_can_be_told_apart_is_refused(tmp_path: Path) -> None:
    many = [str(n) for n in range(len(PALETTE) + 1)]
    with pytest.raises(UsageError, match="9 models in one figure"):
        radar(np.ones((9, 3)), models=many, categories=list("abc"), limits=(0, 1))
    with pytest.raises(UsageError, match="room for 1 to 4 models, not 5"):
        norms_heatmap(np.ones((5, 12)), models=many[:5], flows=FLOWS)
    with pytest.raises(UsageError, match="'pdf'"):
        save(heatmap([[1]], models=["a"], categories=["x"], limits=(0, 1)), tmp_path / "x", ["pdf"])
    with pytest.raises(UsageError, match="no labels in 'fr'"):
        heatmap([[1]], models=["a"], categories=["x"], limits=(0, 1), language="fr")


def test_long_names_of_models_stay_within_the_figure() -> None:
    names = [f"an-organisation/a-model-{at}B-chat" for at in range(8)]
    figure = radar(np.full((8, 5), 0.5), models=names, categories=list("abcde"), limits=(0, 1))
    figure.canvas.draw()
    room = figure.bbox
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert room.x0 <= box.x0
    assert box.x1 <= room.x1


def test_a_radar_of_rates_counts_in_percent() -> None:
    figure = radar([[0.5] * 3], models=["a"], categories=list("xyz"), limits=(0, 1), percent=True)
    rings = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rings == ["20 %", "40 %", "60 %", "80 %", "100 %"]
