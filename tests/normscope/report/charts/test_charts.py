"""The charts: files that are whole and stable, shapes to be counted, input that is refused."""

import base64
import re
import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from normscope.builders.taxonomy import CFSAFETY, LIKERT
from normscope.errors import DataError, UsageError
from normscope.messages import Language, joined, message
from normscope.palette import ABSENT, SERIES
from normscope.report.charts import (
    Bars,
    Heatmap,
    Intervals,
    NormsMap,
    Plot,
    Reliability,
    Ridges,
    canvas,
    image,
    labels,
)
from normscope.report.charts.axes import MARKERS
from normscope.report.names import name_of

MODELS = ["base", "aligned", "quantised", "checkpoint-12000"]
RNG = np.random.default_rng(0)
TABLE = RNG.uniform(0, 1, (4, 5))
TABLE[1, 2] = np.nan
FLOWS = {
    "sender": [s for s in ("a toy", "a doll") for _ in range(6)],
    "attribute": ["audio", "video", "location"] * 4,
    "recipient": [r for _ in range(2) for r in ("its maker", "an advertiser") for _ in range(3)],
}
STATES = RNG.choice(8, 12)


def charts(word: str = "") -> dict[str, Plot]:
    """Every kind of chart; `word` stands wherever somebody else's text can."""
    names = [joined((name_of(category.slug), word), "") for category in CFSAFETY[:5]]
    models = [model + word for model in MODELS]
    common: dict[str, Any] = {
        "title": f"title{word}",
        "caveat": message("not measured alike: {problem}", problem=f"min_coverage{word}"),
    }
    axes: dict[str, Any] = {"xlabel": f"x{word}", "ylabel": f"y{word}"}
    samples = [[RNG.uniform(0, 5, 20) for _ in range(5)] for _ in MODELS]
    answers = [joined((name_of(name), word), "") for name in LIKERT]
    flows = {name: [level + word for level in levels] for name, levels in FLOWS.items()}
    lines: dict[str, Any] = {"series": models, "categories": names, **common}
    return {
        "heatmap": Heatmap(
            values=TABLE.T, rows=names, columns=models, limits=(0, 1), percent=True, **common
        ),
        "heatmaps": Heatmap(
            values=[TABLE[:2, :2], TABLE[:2, :2] - 1],
            panels=models[:2],
            rows=names[:2],
            columns=models[2:],
            limits=(-1, 1),
            palette="norms",
            **common,
        ),
        "intervals": Intervals(
            points=RNG.uniform(-2, 2, (2, 2, 3)).tolist(),
            series=models[:2],
            rows=names[:2],
            limits=(-2, 2),
            **axes,
            **common,
        ),
        "ridges": Ridges(samples=samples, limits=(0, 5), **lines),
        "bars": Bars(
            counts=np.arange(24).reshape(4, 6),
            rows=models,
            classes=answers,
            absent=["no answer"],
            **common,
        ),
        "norms": NormsMap(states=STATES, flows=flows, **common),
        "reliability": Reliability(points=[(0.1, 0.2, 0.1, 0.3)], **axes, **common),
    }


HOSTILE = "\x00\x1b\ufffe\u202e --> ]]> </svg><script>alert(1)</script>&amp;"


@pytest.mark.parametrize("name", list(charts()))
def test_an_svg_is_xml_whatever_the_names_in_it_are_and_the_same_twice(
    name: str, tmp_path: Path
) -> None:
    with warnings.catch_warnings():
        # characters that the font lacks
        warnings.simplefilter("ignore")
        path, again = (
            chart.save(tmp_path / folder / name, ["svg"])[0]
            for chart in [charts(HOSTILE)[name]]
            for folder in ("one", "two")
        )
    assert path.read_bytes() == again.read_bytes()
    # the caveat stands in the figure, which a page cuts to what is drawn
    assert "min_coverage" in path.read_text(encoding="utf-8")
    tags = {element.tag for element in ElementTree.fromstring(path.read_bytes()).iter()}  # noqa: S314 - ours
    assert len(tags) > 5
    assert not [tag for tag in tags if "script" in str(tag)]


def test_a_figure_is_written_in_every_format_and_is_the_same_twice(tmp_path: Path) -> None:
    name = "heatmaps"
    language: Language = "en" if labels.lacking("zh") else "zh"
    chart, formats = charts()[name], ["svg", "png", "pdf"]
    first = chart.save(tmp_path / "one" / name, formats, language=language)
    again = chart.save(tmp_path / "two" / name, formats, language=language)
    assert [p.suffix for p in first] == [".svg", ".png", ".pdf"]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in again]
    svg_, png, pdf = (p.read_bytes() for p in first)
    assert png.startswith(b"\x89PNG")
    assert pdf.startswith(b"%PDF")
    assert b"<svg" in svg_


def test_a_chart_in_a_page_is_an_image_that_holds_itself() -> None:
    drawn = image(charts()["bars"], alt=f'What "it" shows {HOSTILE}')
    assert drawn.count("<") == 1
    alt, source = re.findall(r' alt="([^"]*)".*;base64,([^"]*)">$', drawn)[0]
    assert alt.startswith("What &#34;it&#34; shows \\u{0}")
    ElementTree.fromstring(base64.b64decode(source))  # noqa: S314 - ours


def test_chinese_labels_have_room_where_no_font_here_has_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def width(word: str) -> int:
        drawn = image(Reliability(points=[(0.1, 0.2, 0.1, 0.3)], xlabel=word), alt="")
        return int(re.findall(r'width="(\d+)"', drawn)[0])

    plain = width("x" * 12)
    monkeypatch.setattr(labels, "chinese_font", lambda: None)
    monkeypatch.setattr(canvas, "chinese_font", lambda: None)
    assert width("x" * 12) == plain
    # forty letters of twelve pixels; without a font they are measured as 24 of them
    assert width("题" * 40) >= 40 * 12


@pytest.mark.parametrize("name", list(charts()))
def test_no_label_is_shaved_at_an_edge(name: str, tmp_path: Path) -> None:
    from matplotlib.image import imread

    with warnings.catch_warnings():
        # a layout that gives up says so
        warnings.simplefilter("error")
        chart = charts(", of a rather long name that says what it is")[name]
        (path,) = chart.save(tmp_path / name, ["png"])
    picture = imread(path)[:, :, :3]
    for edge in (picture[0], picture[-1], picture[:, 0], picture[:, -1]):
        assert (edge == 1).all(), "something is drawn up to the edge"


def test_each_level_has_a_dot_and_its_interval_per_model() -> None:
    points = np.array([[(1, 0.5, 1.5), (np.nan,) * 3], [(-1, -2, 0), (0, np.nan, np.nan)]])
    chart = Intervals(points=points.tolist(), rows=["x", "y"], limits=(-2, 2), series=["a", "b"])
    a, b = chart.draw().axes[0].child_axes
    assert (a.get_xlabel(), b.get_xlabel()) == ("a", "b")
    dots = [
        next(np.asarray(line.get_xydata()) for line in panel.lines if line.get_marker() in MARKERS)
        for panel in (a, b)
    ]
    np.testing.assert_equal(dots[0][:, 0], [1, np.nan])
    np.testing.assert_equal(dots[1][:, 0], [-1, 0])
    # the first level is on top
    assert dots[0][0, 1] > dots[0][1, 1]
    arrows = [line for line in b.lines if line.get_marker() == "<"]
    np.testing.assert_equal(arrows[0].get_xdata(), [-2, np.nan])


def test_a_figure_leaves_no_trace_in_pyplot_or_the_users_style(tmp_path: Path) -> None:
    import matplotlib

    with matplotlib.rc_context({"font.size": 33, "axes.facecolor": "pink"}):
        before = dict(matplotlib.rcParams)
        mine = charts()["heatmap"].save(tmp_path / "mine", ["svg"])[0]
        assert dict(matplotlib.rcParams) == before
    plain = charts()["heatmap"].save(tmp_path / "plain", ["svg"])[0]
    assert mine.read_bytes() == plain.read_bytes()


def test_for_a_paper_a_chart_has_the_width_and_the_letters_of_the_caller(tmp_path: Path) -> None:
    import matplotlib
    from matplotlib.image import imread

    chart = charts()["bars"]
    (plain,) = chart.save(tmp_path / "plain.svg")
    with matplotlib.rc_context({"font.size": 6, "font.family": ["serif"]}):
        files = chart.save(tmp_path / "small", ["svg", "png"], width="84mm", dpi=300, title=False)
        (pdf,) = chart.save(tmp_path / "small.pdf", width="3.3in")
    svg = files[0].read_text(encoding="utf-8")
    # the letters of the names and the ticks
    assert "font-size: 9px; font-family: 'DejaVu Sans'" in plain.read_text(encoding="utf-8")
    assert "font-size: 6px; font-family: 'DejaVu Serif'" in svg
    assert ">title<" in plain.read_text(encoding="utf-8")
    assert ">title<" not in svg
    # what a reader must know stays
    assert "min_coverage" in svg
    assert imread(files[1]).shape[1] == pytest.approx(300 * 84 / 25.4, abs=1)
    left, _, right, _ = map(
        float, re.findall(rb"/MediaBox \[([^]]*)\]", pdf.read_bytes())[0].split()
    )
    assert right - left == pytest.approx(3.3 * 72, abs=0.1)
    assert b"/Type3" not in pdf.read_bytes()


def test_a_format_or_a_width_that_there_is_not_is_refused_with_those_there_are() -> None:
    chart = charts()["bars"]
    with pytest.raises(UsageError, match="no figure format 'eps'; there are svg, png, pdf"):
        chart.save("fig.eps")
    with pytest.raises(UsageError, match=r"a number of in, cm, mm, .* not '3 feet'"):
        chart.save("fig.pdf", width="3 feet")
    with pytest.raises(UsageError, match=r"room from a width of \d\.\din on"):
        chart.save("fig.pdf", width="1in")


@pytest.mark.parametrize("name", list(charts()))
def test_a_chart_stands_in_the_axes_of_a_caller(name: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    beside, mine = figure.subplots(1, 2)
    place = mine.get_position().bounds
    chart = charts()[name]
    assert chart.draw(ax=mine) is figure
    assert (mine.get_title(loc="left"), mine.get_position().bounds) == ("title", place)
    drawn = [mine, *mine.child_axes]
    assert any(axes.has_data() or axes.artists for axes in drawn)
    assert not beside.has_data()
    assert len(chart.to_frame())


def test_the_numbers_of_a_chart_are_a_tidy_table() -> None:
    flows = {"sender": ["a toy", "a doll"]}
    table = NormsMap(states=[0, 5], flows=flows).to_frame()
    assert table["norm"].tolist()[0] == -2
    assert np.isnan(table["norm"].tolist()[1])
    assert table["state"].tolist() == ["strongly unacceptable", "no majority"]
    heatmap = Heatmap(
        values=[[[1.0]], [[np.nan]]],
        counts=[[[(12, 72)]], [[(0, 72)]]],
        panels=["a", "b"],
        rows=["x"],
        columns=["y"],
        limits=(-2, 2),
    )
    assert heatmap.to_frame().fillna(9).to_numpy().tolist() == [
        ["a", "x", "y", 1.0, 12, 72],
        ["b", "x", "y", 9.0, 0, 72],
    ]


def test_a_cell_says_of_how_many_it_is_the_mean_and_is_as_strong_as_their_share() -> None:
    def cell(n: int) -> tuple[list[str], Any]:
        chart = Heatmap(
            values=[[2.0]],
            counts=[[(n, 4)]],
            rows=["x"],
            columns=["y"],
            limits=(-2, 2),
            palette="norms",
        )
        axes = chart.draw().axes[0]
        return [text.get_text() for text in axes.texts], np.asarray(
            axes.collections[0].get_array()
        )[0, 0]

    texts, full = cell(4)
    assert texts == ["4/4", "2.0"]
    texts, quarter = cell(1)
    assert texts == ["1/4", "2.0"]
    # a quarter of the way from white
    np.testing.assert_allclose(1 - np.array(quarter[:3]), (1 - np.array(full[:3])) / 4, atol=0.01)


def drawn_states(chart: NormsMap) -> tuple[dict[str, Any], list[str]]:
    """The look of each group of cells, by its label in the key, and the labels of the key."""
    axes = chart.draw().axes[0]
    legend = axes.get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]

    def look(patch: Any) -> tuple[Any, ...]:
        return patch.get_facecolor(), patch.get_hatch(), patch.get_edgecolor()[:3]

    handles = zip(labels, legend.legend_handles, strict=True)
    cells = {look(patch) for patch in axes.patches}
    shown = {label: look(handle) for label, handle in handles if look(handle) in cells}
    return shown, labels


def test_every_state_of_a_norm_is_told_apart_in_the_cells_and_in_the_key() -> None:
    # eight flows in the eight states that a vignette can be in, and a ninth that nobody asked about
    flows = {"sender": list("abcdefgh"), "recipient": ["x"] * 4 + ["y"] * 4}
    chart = NormsMap(states=range(8), flows=flows)
    shown, labels = drawn_states(chart)
    none = ["no majority", "no answer", "unscored", "not asked"]
    assert [label.partition(" (")[0] for label in labels] == [*LIKERT, *none]
    assert len(shown) == len(set(shown.values())) == 9
    assert labels[5:8] == ["no majority (1)", "no answer (1)", "unscored (1)"]
    assert set(none) == set(ABSENT)


def test_shares_of_a_bar_add_up_and_absent_answers_have_no_colour() -> None:
    chart = Bars(
        counts=[[1, 2, 3, 4, 0, 10], [0, 0, 0, 0, 0, 0]],
        rows=["a", "b"],
        classes=LIKERT,
        absent=["no answer"],
    )
    from matplotlib.patches import Rectangle

    bars = chart.draw().axes[0].patches
    drawn = [bar.get_bbox().width for bar in bars if isinstance(bar, Rectangle)]
    widths = np.nan_to_num(drawn).reshape(6, 2)
    assert widths[:, 0].tolist() == pytest.approx([0.05, 0.1, 0.15, 0.2, 0, 0.5])
    # nobody answered: no bar, and no division by zero
    assert widths[:, 1].sum() == 0
    assert [bool(bar.get_hatch()) for bar in bars] == [False] * 10 + [True] * 2


def test_a_character_that_no_font_has_is_told_and_not_silently_a_box(tmp_path: Path) -> None:
    figure = Heatmap(values=[[1.0]], rows=["\U0001fbf0"], columns=["x"], limits=(0, 1))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        figure.save(tmp_path / "x", ["png"])
    assert any("missing from font" in str(warning.message) for warning in told)


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match=r"1 × 2 as their names are, not \(1, 1\)"):
        Heatmap(values=[[1]], rows=["a"], columns=["x", "y"], limits=(0, 1))
    with pytest.raises(DataError, match="7 … 7 leave"):
        Ridges(samples=[[[7]]], series=["a"], categories=["x"], limits=(0, 5))
    with pytest.raises(DataError, match="more than one flow has sender 'x'"):
        NormsMap(states=[1] * 2, flows={"sender": ["x", "x"]})
    many = [str(n) for n in range(len(SERIES) + 1)]
    with pytest.raises(UsageError, match="9 models in one figure"):
        Ridges(samples=[[[1]]] * 9, series=many, categories=["x"], limits=(0, 5)).draw()
