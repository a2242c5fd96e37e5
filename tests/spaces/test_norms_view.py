"""The first tab: a flow as a sentence, each model's norm of it, its neighbours and the maps."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
import pytest

from normscope.builders.ci_vignettes.published_answers import published_norms
from normscope.metrics.vignette_norms import NormState, vignette_norms
from normscope.pipeline.norms import norm_columns
from normscope.space import limits
from normscope.space.flows import (
    FlowNorms,
    ModelNorms,
    norms_named,
    norms_of_files,
    opened,
    published,
)
from normscope.space.texts import VisitorError
from normscope.space.views_norms import norms_page

POLICE = {
    "sender": "a refrigerator",
    "attribute": "owner's eating habits",
    "recipient": "the local police",
    "transmission_principle": "if owner has given consent",
}


def toy() -> FlowNorms:
    """Two models on three of four flows; `b` has no norm of the last."""
    factors = {"sender": ["tv", "tv", "car"], "recipient": ["police", "friend", "friend"]}
    votes = np.eye(5, dtype=np.intp)[[0, 3, 4]] * 3
    asked = np.array([4, 4, 4])
    models = [
        ModelNorms(name, np.array(states), votes, asked)
        for name, states in (("a", [0, 3, 4]), ("b", [0, 1, NormState.NO_MAJORITY]))
    ]
    return FlowNorms(factors, tuple(models))


def page(query: Mapping[str, str], own: FlowNorms) -> str:
    """What is shown of a visitor's norms."""
    return norms_page({**query, "own": opened(own)}, "en")[1]


def test_the_published_norms_are_the_released_ones() -> None:
    norms = published()
    assert [model.name for model in norms.models][1] == "gpt-4o-mini-8B"
    for model in norms.models:
        released = np.array(published_norms(model.name)["majority"].to_pylist(), dtype=float)
        np.testing.assert_array_equal(np.isnan(released), model.states == NormState.NO_MAJORITY)
        known = ~np.isnan(released)
        np.testing.assert_array_equal(released[known], model.states[known] - 2)
    assert {int(model.asked[0]) for model in norms.models} == {3, 11}


def test_a_flow_is_a_sentence_with_what_each_model_says_and_how_steadily() -> None:
    title, html = norms_page({}, "en")
    assert title == (
        "May a refrigerator send owner's eating habits to the local police, if owner has given "
        "consent?"
    )
    assert "Acceptable to 1 of 5 models, unacceptable to 2, neither to 2." in html
    assert re.findall(r"\d+ of \d+ wordings agree", html)[:2] == [
        "7 of 11 wordings agree",
        "1 of 3 wordings agree",
    ]
    assert [html.count(f'<select name="{name}"') for name in POLICE] == [1] * 4


def test_an_address_names_the_flow_and_what_it_does_not_know_is_the_first() -> None:
    other = {**POLICE, "recipient": "owner's doctor", "sender": "<script>", "rows": "nothing"}
    title, html = norms_page(other, "en")
    assert title.startswith("May a refrigerator send owner's eating habits to owner's doctor")
    assert "script" not in html
    assert "如果主人已同意，冰箱可以把主人的饮食习惯发送给当地警察吗？" in norms_page({}, "zh")[1]


def test_neighbours_differ_in_one_factor_and_say_what_turns() -> None:
    html = page({"sender": "tv", "recipient": "friend"}, toy())
    # of tv and friend: another sender turns b, which has no norm of it, in nothing; police turns a
    assert "turns an answer in 0 of 1" in html
    assert "turns an answer in 1 of 1" in html
    assert html.count("turned") == 1


def test_a_map_has_the_mean_norm_and_how_many_flows_have_one() -> None:
    norms = published()
    model = norms.models[2]
    every = np.full(6912, True)
    mean, having, n = norms.mean_norms(model.states, "transmission_principle", "recipient", every)
    rows = np.array(norms.factors["transmission_principle"]) == "if owner is notified"
    cell = rows & (np.array(norms.factors["recipient"]) == "owner's doctor")
    of_cell = model.states[cell & (model.states <= NormState.STRONGLY_ACCEPTABLE)] - 2
    assert (n[1, 2], having[1, 2]) == (72, len(of_cell))
    assert mean[1, 2] == pytest.approx(of_cell.mean())


def test_a_cell_leads_to_its_flows_and_each_flow_to_its_sentence() -> None:
    _, html = norms_page(POLICE, "en")
    links = re.findall(r'<a href="\?([^"#]*)(#norms-flows)?" (?:tabindex="-1" )?title', html)
    assert len(links) == 5 * (12 * 8 + 8 * 9)
    assert sum(bool(to) for _, to in links) == 5 * 12 * 8
    last = dict(parse_qsl(links[-1][0].replace("&amp;", "&")))
    assert last["recipient"] == POLICE["recipient"]
    assert norms_page(last, "en")[0].startswith("May a personal assistant (e.g., Siri")
    assert "The 72 flows of the cell" in html


def written(folder: Path, **columns: object) -> Path:
    """A table of norms of two flows."""
    flow = {"item_id": ["1", "2"], "sender": ["tv", "car"], "recipient": ["police", "friend"]}
    path = folder / "norms.csv"
    pd.DataFrame({**flow, **columns}).to_csv(path, index=False)
    return path


def test_norms_of_a_run_and_of_a_comparison_open_in_the_same_view(tmp_path: Path) -> None:
    answers = np.array([[1.0, 1, 2], [-2, -2, np.nan]])
    made = norm_columns(vignette_norms(answers, np.isnan(answers), rule="published"))
    config = tmp_path / "config.yaml"
    config.write_text("benchmark: [ci-vignettes:iot]\nmodel: {model: models/mine}\n")
    # of a run's folder the table of norms is read, and what its model is called
    one = norms_of_files([tmp_path / "scores.csv", written(tmp_path, **made), config])
    assert [model.name for model in one.models] == ["mine"]
    html = page({"sender": "car", "recipient": "friend"}, one)
    assert "2 of 3 answers agree" in html
    assert '<p class="sentence">sender: <select' in html
    both = norms_of_files([written(tmp_path, **{"agree": True, "x: norm": -1, "y<b>: norm": 2})])
    assert [model.name for model in both.models] == ["x", "y<b>"]
    assert "y&lt;b&gt;" in page({}, both)


def test_norms_of_the_same_flows_stand_beside_the_published(tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    path.write_text(",".join([*POLICE, "norm"]) + "\n" + ",".join([*POLICE.values(), "2"]) + "\n")
    with path.open("a") as file:
        file.write("a thermostat,video of owner,its manufacturer,if owner is notified,\n")
    own = norms_of_files([path])
    assert [model.name for model in own.models][:2] == ["norms", "Meta-Llama-3.1-8B-Instruct"]
    assert own.models[0].states.tolist() == [4, NormState.NO_MAJORITY]
    place = published().place(POLICE)
    assert own.models[2].states[0] == published().models[1].states[place]


@pytest.mark.parametrize(
    ("columns", "told"),
    [({"other": 1}, "no table of norms"), ({"norm": 7}, "A norm is"), ({"norm": "x"}, "A norm is")],
)
def test_what_is_no_table_of_norms_says_what_is_needed(
    tmp_path: Path, columns: dict[str, object], told: str
) -> None:
    with pytest.raises(VisitorError, match=told):
        norms_of_files([written(tmp_path, **columns)])
    with pytest.raises(VisitorError, match=r"norms\.csv"):
        norms_of_files([tmp_path / "items.parquet"])


def test_a_visitors_norms_are_gone_after_half_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    name = opened(toy())
    assert norms_named(name).models[0].name == "a"
    monkeypatch.setattr(limits, "KEEP_S", -1)
    with pytest.raises(VisitorError, match="Open it again"):
        norms_named(name)
    title, html = norms_page({"own": name}, "en")
    assert title.startswith("May a refrigerator")
    assert "Open it again" in html
