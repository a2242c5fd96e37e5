import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.datasets_builders.taxonomy import LIKERT
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines.fake import FakeEngine
from normscope.metrics.norms import NormState
from normscope.report.blocks import Section
from normscope.spaces.normscope import norms, vignettes
from normscope.spaces.normscope.model import ServedModel
from normscope.spaces.normscope.norms import Asking, ask_model, context_of, norms_of, read_answers
from normscope.spaces.normscope.views_norms import cell_detail, grids, legend, number_blocks
from normscope.spaces.normscope.vignettes import (
    MAX_FACETS,
    begin_with,
    choose,
    levels_of,
    prompts_of,
)
from normscope.spaces.normscope.words import Told, Words

tab = pytest.importorskip(
    "normscope.spaces.normscope.tabs.vignettes",
    reason="needs gradio: pip install 'normscope[space]'",
)

ONE = {
    "sender": ["a smart speaker/baby monitor"],
    "recipient": ["its manufacturer"],
    "attribute": ["the times it is used"],
    "transmission_principle": ["if its privacy policy permits it"],
}


def written(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def answered(texts: Mapping[str, str]) -> list[Mapping[str, object]]:
    """Rows with an answer to the one vignette per variant."""
    [vignette] = choose("coppa", ONE)
    return [
        {"item_id": vignette.item_id, "variant_id": variant, "answer": text}
        for variant, text in texts.items()
    ]


def certain(label: str) -> FakeEngine:
    def says(request: LabelRequest) -> LabelResult:
        shares = [0.9 if one == label else 0.02 for one in request.scale.labels]
        return LabelResult(tuple(map(math.log, shares)))

    return FakeEngine(on_labels=says, on_text=lambda _: pytest.fail("asked for text"))


@pytest.mark.parametrize("name", list(bundled_contexts()))
def test_every_context_begins_with_a_small_map_that_fits_the_menus(name: str) -> None:
    assert len(levels_of(name)) <= MAX_FACETS
    assert 4 <= len(choose(name, begin_with(name, most=16))) <= 16


def test_no_level_chosen_means_all() -> None:
    assert len(choose("coppa", {})) == 1800
    assert len(choose("coppa", {"sender": []})) == 1800
    assert len(choose("coppa", ONE)) == 1


@pytest.mark.parametrize(
    ("name", "levels", "key"),
    [
        ("coppa2", {}, "vignettes_no_context"),
        ("coppa", {"colour": ["red"]}, "vignettes_no_factor"),
        ("coppa", {"sender": ["a <b>toaster</b>"]}, "vignettes_no_level"),
    ],
)
def test_what_is_not_in_the_context_is_told(name: str, levels: vignettes.Levels, key: str) -> None:
    with pytest.raises(Told) as told:
        choose(name, levels)
    assert told.value.key == key


def test_a_text_is_read_by_the_rule_and_a_majority_of_eleven_is_the_norm(tmp_path: Path) -> None:
    # 6 of 11 valid answers are at least half, and no other label is as frequent
    texts = {str(at): "Somewhat acceptable" if at < 6 else "neutral" for at in range(11)}
    found = read_answers(written(tmp_path / "a.csv", answered(texts)), "coppa", ONE)
    assert found.norms == (1.0,)
    assert found.model == "a"
    assert [one.label for one in found.answers[found.vignettes[0].item_id]][:1] == [LIKERT[3]]


def test_an_answer_off_the_scale_is_a_reason_and_not_a_number(tmp_path: Path) -> None:
    texts = {str(at): "I cannot say" if at < 4 else "neutral" for at in range(11)}
    found = read_answers(written(tmp_path / "a.csv", answered(texts)), "coppa", ONE)
    # 7 valid answers are fewer than the 10 that are needed, and the model gave no others
    assert found.norms == (None,)
    assert found.states == (NormState.NO_ANSWER,)
    reasons = [one.reason for one in found.answers[found.vignettes[0].item_id]]
    assert all(reasons[:4])
    assert reasons[4:] == [None] * 7


def test_four_reasons_for_no_norm_are_told_apart(tmp_path: Path) -> None:
    vignettes = choose("coppa", {**ONE, "attribute": []})[:3]
    texts = (
        ["neutral"] * 7 + [""] * 4,
        ["neutral"] * 7 + ["I cannot say"] * 4,
        ["neutral", "Somewhat acceptable"] * 5 + ["I cannot say"],
    )
    rows = [
        {
            "item_id": vignette.item_id,
            "variant_id": str(at),
            "answer": text,
            "reason": "" if text else "call_failed",
        }
        for vignette, of_it in zip(vignettes, texts, strict=True)
        for at, text in enumerate(of_it)
    ]
    found = read_answers(written(tmp_path / "a.csv", rows), "coppa", {})
    names = [state.name for state in found.states]
    assert names == ["UNSCORED", "NO_ANSWER", "NO_MAJORITY"]
    words = Words()
    cells = [c for grid in grids(found, words, "en") for _, row in grid.rows for c in row if c]
    assert sorted(cell.norm.shade for cell in cells) == ["hnone", "hsilent", "hunscored"]
    assert len({cell.norm.mark for cell in cells}) == 3
    key = [state.label for state in legend(found, words, "en")]
    assert key[5:] == ["no majority", "no answer", "unscored (our failure)"]
    blank = norms.blank_norms("coppa", vignettes)
    shades = {
        c.norm.shade for g in grids(blank, words, "en") for _, row in g.rows for c in row if c
    }
    assert shades == {"hblank"}


def test_a_prompt_alone_says_which_vignette_and_variant_it_is(tmp_path: Path) -> None:
    [vignette] = choose("coppa", ONE)
    rows = [{"prompt": p, "answer": "neutral"} for p in prompts_of(vignette).values()]
    found = read_answers(written(tmp_path / "a.csv", rows), "coppa", {})
    assert [one.item_id for one in found.vignettes] == [vignette.item_id]
    assert found.norms == (0.0,)
    assert found.ways == 11


def test_judgements_of_a_run_are_taken_as_they_are(tmp_path: Path) -> None:
    [vignette] = choose("coppa", ONE)
    rows = [
        {
            "item_id": vignette.item_id,
            "variant_id": str(at),
            "criterion": "acceptability",
            "labels": list(LIKERT),
            "probs": [0.6, 0.1, 0.1, 0.1, 0.1],
            "value": -2.0,
            "reason": None,
        }
        for at in range(11)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "judgements.parquet")
    found = read_answers(tmp_path / "judgements.parquet", "coppa", {})
    assert found.norms == (-2.0,)
    assert found.by_variant == {str(at): -2.0 for at in range(11)}


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ({"item_id": "iot-16681081afbd", "answer": "x"}, "vignettes_other_context"),
        ({"id": "1", "reply_to": "x"}, "vignettes_columns"),
        ({"item_id": "ONE", "colour": "x"}, "vignettes_columns"),
        ({"item_id": "ONE", "criterion": "acceptability", "value": "7"}, "vignettes_off_scale"),
        ({"item_id": "ONE", "answer": "neutral", "reason": "bored"}, "vignettes_bad_reason"),
    ],
)
def test_a_file_of_something_else_is_told_kindly(
    tmp_path: Path, row: Mapping[str, object], key: str
) -> None:
    [vignette] = choose("coppa", ONE)
    row = {name: vignette.item_id if cell == "ONE" else cell for name, cell in row.items()}
    with pytest.raises(Told) as told:
        read_answers(written(tmp_path / "a.csv", [row]), "coppa", {})
    assert told.value.key == key


def test_two_answers_to_one_variant_are_not_silently_one(tmp_path: Path) -> None:
    rows = answered({"0": "neutral"}) * 2
    with pytest.raises(Told, match="answered twice"):
        read_answers(written(tmp_path / "a.csv", rows), "coppa", {})


def test_the_context_is_found_in_the_ids(tmp_path: Path) -> None:
    assert context_of(written(tmp_path / "a.csv", answered({"0": "neutral"}))) == "coppa"
    assert context_of(written(tmp_path / "b.csv", [{"prompt": "x"}])) is None


def test_a_file_is_shown_as_far_as_there_is_room(tmp_path: Path) -> None:
    every = [{"item_id": one.item_id, "answer": "neutral"} for one in choose("coppa", {})]
    chosen = tab.widest("coppa", written(tmp_path / "all.csv", every))
    # 1,800 by five senders are 360 each, and 360 fit
    assert {facet: len(levels) for facet, levels in chosen.items() if levels} == {"sender": 1}
    one = tab.widest("coppa", written(tmp_path / "one.csv", answered({"0": "neutral"})))
    assert one == ONE


def test_the_model_under_test_is_asked_every_variant_and_nothing_else() -> None:
    engine = certain(LIKERT[4])
    steps = list(ask_model(ServedModel("fake", loading=lambda _: engine), "coppa", ONE))
    assert steps[:-1] == [Asking(0, 11), Asking(11, 11)]
    found = steps[-1]
    assert isinstance(found, norms.Norms)
    assert found.norms == (2.0,)
    [vignette] = choose("coppa", ONE)
    prompts = list(prompts_of(vignette).values())
    assert [one.conversation for one in engine.asked] == [(("user", prompt),) for prompt in prompts]


def test_without_a_model_the_space_says_so_and_a_thousand_vignettes_are_too_many() -> None:
    with pytest.raises(Told, match="No model under test is set"):
        list(ask_model(ServedModel(""), "coppa", ONE))
    with pytest.raises(Told, match="1800 vignettes are chosen; up to 24"):
        list(ask_model(ServedModel("fake", loading=lambda _: certain("neutral")), "coppa", {}))


def test_the_cells_stand_where_their_levels_say() -> None:
    levels = {**ONE, "attribute": levels_of("coppa")["attribute"][:2]}
    chosen = choose("coppa", levels)
    given = {
        one.item_id: [norms.Answer(("0", "forward", 0, 0.0), value, None, None)]
        for one, value in zip(chosen, (-2.0, 1.0), strict=True)
    }
    found = norms_of("coppa", "m", chosen, given)
    [grid] = grids(found, Words(), "en")
    assert grid.row_name == "attribute"
    cells = [row[0] for _, row in grid.rows]
    # one way of asking: 1 of 1 valid answers is enough
    assert [(cell.norm.mark, cell.norm.shade) for cell in cells if cell] == [
        ("−2", "h0"),
        ("+1", "h3"),
    ]
    # halfway between −2 and +1 is −0.5, three eighths of the way from −2 to +2
    both = replace(found, by_variant={**found.by_variant, "1": math.nan})
    variants = number_blocks(both, Words(), "en")[1]
    assert isinstance(variants, Section)
    assert "Whisker(value=0.375" in str(variants)
    assert "strongly unacceptable" in str(cells[0] and cells[0].label)


def test_a_cell_shows_every_variant_that_was_asked() -> None:
    [vignette] = choose("coppa", ONE)
    found = norms.blank_norms("coppa", [vignette])
    detail = cell_detail(found, vignette, Words(), "zh")
    assert [one.variant for one in detail["asked"]] == [str(at) for at in range(11)]
    assert all(vignette.text in one.prompt for one in detail["asked"])
