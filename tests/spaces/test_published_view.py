"""The first view: the norms of real models, out of their published answers."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from shown_pages import within

from normscope.builders.ci_vignettes.published_answers import (
    published_answers,
    published_norms,
)
from normscope.errors import UsageError
from normscope.messages import LANGUAGES, Language, message, translate
from normscope.metrics.vignette_norms import NormState, vignette_norms
from normscope.report.blocks import Chart, Table
from normscope.space.published import (
    FIRST,
    SIDES,
    agreements,
    apart,
    chosen_models,
    flows,
    published_model,
)
from normscope.space.views_published import (
    more_blocks,
    more_page,
    norm_blocks,
    norms_page,
)

TWO = ("Meta-Llama-3.1-8B-Instruct", "tulu-2-7b")


def charts(blocks: Any) -> list[dict[str, Any]]:
    plots = [chart.plot for chart in within(list(blocks), Chart)]
    return [{f.name: getattr(plot, f.name) for f in fields(plot)} for plot in plots]


def test_a_model_has_its_released_norms_and_they_are_those_of_its_answers() -> None:
    model = published_model("gpt-4o-mini-8B")
    assert (model.answers.shape, len(set(model.variants))) == ((6912, 9), 3)
    none = np.zeros(model.answers.shape, dtype=bool)
    norms = vignette_norms(model.answers, none, rule="published", requested=True)
    np.testing.assert_array_equal(np.array(norms.simple) - (-2), model.states)
    table = published_answers("gpt-4o-mini-8B")
    assert model.answers[3, 1] == table["answer"][6912 + 3].as_py()
    with pytest.raises(UsageError, match="'gpt'"):
        chosen_models(["gpt"])


def test_the_maps_have_the_mean_of_the_released_norms_in_each_cell() -> None:
    models = chosen_models(TWO)
    (maps, bars) = charts(norm_blocks(models, FIRST))
    assert tuple(maps["panels"]) == tuple(bars["rows"]) == TWO
    norms = np.array(published_norms("tulu-2-7b")["majority"].to_pylist(), dtype=float)
    principle, recipient = (np.array(flows()[factor]) for factor in FIRST)
    cell = (principle == maps["rows"][2]) & (recipient == maps["columns"][3])
    assert cell.sum() == 72
    assert maps["values"][1][2][3] == pytest.approx(np.nanmean(norms[cell]))
    assert bars["counts"][1][0] == (norms == -2).sum()


def test_models_agree_where_both_have_the_same_norm() -> None:
    first, second = (np.array(published_norms(name)["majority"].to_pylist(), float) for name in TWO)
    assert agreements()[TWO] == (first == second).sum() / 6912
    states = published_model(TWO[1]).states
    assert (states == NormState.NO_MAJORITY).sum() == np.isnan(second).sum()


def test_the_flows_on_which_the_chosen_models_differ_are_named() -> None:
    rows = apart(chosen_models(TWO), 3).to_pylist()
    assert [row["spread"] for row in rows] == sorted((row["spread"] for row in rows), reverse=True)
    assert rows[0]["spread"] == abs(rows[0][f"{TWO[0]}: mean"] - rows[0][f"{TWO[1]}: mean"])
    table = next(within(list(more_blocks(chosen_models(TWO), FIRST)), Table))
    assert [column.title for column in table.columns][4:6] == list(TWO)
    # of one model there is nothing to differ from
    alone = next(within(list(more_blocks(chosen_models(TWO[:1]), FIRST)), Table))
    assert not alone.rows


@pytest.mark.parametrize("sides", [SIDES[0], SIDES[-1]])
def test_the_sections_follow_the_factors(sides: tuple[str, str]) -> None:
    model = chosen_models(TWO[1:])
    *_, first, second = charts(more_blocks(model, sides))
    assert [set(chart["rows"]) for chart in (first, second)] == [
        set(flows()[factor]) for factor in sides
    ]
    # every vignette stands at one level, so that the levels' means meet in the mean of all
    known = np.array(first["points"], dtype=float)[0, :, 0]
    assert known.min() < np.nanmean(model[0].answers) < known.max()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_in_its_language_names_its_commands_and_is_drawn_once(
    language: Language,
) -> None:
    first = norms_page(TWO[:1], FIRST, language)
    more = more_page(TWO[:1], FIRST, language)
    assert translate(message("What the models find acceptable"), language) in first
    assert translate(message("Where they disagree"), language) in more
    assert "normscope compare runs/demo/" in more
    assert norms_page(TWO[:1], FIRST, language) is first
