import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.metrics.vignette_norms import NormState
from normscope.records.item import Item
from normscope.records.response import Response
from normscope.report.blocks import Section
from normscope.rows import read_rows, write_rows
from normscope.spaces.normscope import norms, vignettes
from normscope.spaces.normscope.norm_file import first_levels, norms_in, read_answers
from normscope.spaces.normscope.norms import Norms, PromptKey, norms_of
from normscope.spaces.normscope.pages import written as page_of
from normscope.spaces.normscope.texts import VisitorError
from normscope.spaces.normscope.views_norms import (
    cell_blocks,
    cell_label,
    heatmap,
    number_blocks,
    panels,
)
from normscope.spaces.normscope.vignettes import (
    MAX_FACETS,
    begin_with,
    choose,
    levels_of,
    prompts_of,
    write_prompts,
)


def read(path: Path, levels: vignettes.Levels) -> Norms:
    return norms_in(read_answers(path), levels)


def only(found: Norms) -> NormState:
    """The norm of the one vignette."""
    [state] = found.states.values()
    return state


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


@pytest.mark.parametrize("name", list(bundled_contexts()))
def test_every_context_begins_with_a_small_map_that_fits_the_menus(name: str) -> None:
    assert len(levels_of(name)) <= MAX_FACETS
    least = min(4, len(choose(name, {})))
    assert least <= len(choose(name, begin_with(name, most=16))) <= 16


def test_no_level_chosen_means_all() -> None:
    assert len(choose("coppa", {})) == 1800
    assert len(choose("coppa", {"sender": []})) == 1800
    assert len(choose("coppa", ONE)) == 1


def test_a_level_that_is_not_in_the_context_is_told() -> None:
    with pytest.raises(VisitorError, match="has no level"):
        choose("coppa", {"sender": ["a <b>toaster</b>"]})


def test_a_text_is_read_by_the_rule_and_a_majority_of_eleven_is_the_norm(tmp_path: Path) -> None:
    # 6 of 11 valid answers are at least half, and no other label is as frequent
    texts = {str(at): "Somewhat acceptable" if at < 6 else "neutral" for at in range(11)}
    found = read(written(tmp_path / "a.csv", answered(texts)), ONE)
    assert only(found) == NormState.SOMEWHAT_ACCEPTABLE
    assert found.model == "a"
    assert found.answers[found.vignettes[0].item_id][0].value == 1.0


def test_an_answer_off_the_scale_is_a_reason_and_not_a_number(tmp_path: Path) -> None:
    texts = {str(at): "I cannot say" if at < 4 else "neutral" for at in range(11)}
    found = read(written(tmp_path / "a.csv", answered(texts)), ONE)
    # 7 valid answers are fewer than the 10 that are needed, and the model gave no others
    assert only(found) == NormState.NO_ANSWER
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
    found = read(written(tmp_path / "a.csv", rows), {})
    names = [state.name for state in found.states.values()]
    assert names == ["UNSCORED", "NO_ANSWER", "NO_MAJORITY"]
    page = heatmap(found, "", "en")
    buttons = dict(re.findall(r'<button type="button" class="([\w-]+)"[^>]*><b>(.)</b>', page))
    assert buttons == {"of-unscored": "!", "of-no-answer": "–", "of-no-majority": "×"}
    legend = page[page.index("<ul") : page.index("</ul>")]
    assert re.findall(r"</span> ([^<]*)</li>", legend)[5:] == [
        "no majority", "no answer", "unscored (our failure)",
    ]  # fmt: skip
    blank = heatmap(norms.blank_norms("coppa", ONE), "", "en")
    assert re.findall(r'<button type="button" class="([\w-]+)"', blank) == ["of-not-asked"]


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (
            ["neutral"] * 8 + ["I cannot say"] * 3,
            "too few valid answers: 8 of 11, 10 are needed for a norm",
        ),
        (
            ["neutral", "Somewhat acceptable"] * 5 + ["I cannot say"],
            "tie: neutral, somewhat acceptable, 5 of 10 valid answers each; 11 prompt variants",
        ),
        (
            ["neutral"] * 5 + ["Somewhat acceptable"] * 3 + ["Strongly acceptable"] * 3,
            "no majority: the most frequent answer, neutral, is 5 of 11 valid ones",
        ),
        (["neutral"] * 8 + ["Somewhat acceptable"] * 3, "neutral: 8 of 11 valid answers"),
    ],
)
def test_a_cell_says_which_rule_its_answers_fail(
    tmp_path: Path, texts: Sequence[str], why: str
) -> None:
    rows = answered({str(at): text for at, text in enumerate(texts)})
    result = read(written(tmp_path / "a.csv", rows), ONE)
    [vignette] = result.vignettes
    assert cell_label(result, vignette).endswith(f": {why}")
    assert f"{why}<" in page_of(tuple(cell_blocks(result, vignette)), "en")


def test_judgements_of_a_run_are_taken_as_they_are(tmp_path: Path) -> None:
    [vignette] = choose("coppa", ONE)
    rows = [
        {
            "item_id": vignette.item_id,
            "variant_id": str(at),
            "criterion": "acceptability",
            "value": -2.0,
            "reason": None,
        }
        for at in range(11)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "judgements.parquet")
    found = read(tmp_path / "judgements.parquet", {})
    assert only(found) == NormState.STRONGLY_UNACCEPTABLE
    assert found.by_variant == {str(at): -2.0 for at in range(11)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"item_id": "mine-16681081afbd", "answer": "x"}, "no answer about the vignettes"),
        ({"id": "1", "reply_to": "x"}, "needs the columns item_id"),
        ({"item_id": "ONE", "colour": "x"}, "needs the columns item_id"),
        ({"item_id": "ONE", "criterion": "acceptability", "value": "7"}, "in whole steps"),
        ({"item_id": "ONE", "criterion": "acceptability", "value": "x"}, "in whole steps"),
        ({"item_id": "ONE", "answer": "neutral", "reason": "bored"}, "not one of Normscope's"),
    ],
)
def test_a_file_of_something_else_is_told_kindly(
    tmp_path: Path, row: Mapping[str, object], message: str
) -> None:
    [vignette] = choose("coppa", ONE)
    row = {name: vignette.item_id if cell == "ONE" else cell for name, cell in row.items()}
    row |= {"variant_id": "0"}
    with pytest.raises(VisitorError, match=message):
        read(written(tmp_path / "a.csv", [row]), {})


def test_two_answers_to_one_variant_are_not_silently_one(tmp_path: Path) -> None:
    rows = answered({"0": "neutral"}) * 2
    with pytest.raises(VisitorError, match="answered twice"):
        read(written(tmp_path / "a.csv", rows), {})


def test_answers_of_two_models_or_at_two_temperatures_make_no_norm(tmp_path: Path) -> None:
    rows = answered({"0": "neutral", "1": "neutral"})
    for name, told in (("model", "several models"), ("temperature", "several temperatures")):
        apart = [{**row, name: str(at)} for at, row in enumerate(rows)]
        with pytest.raises(VisitorError, match=told):
            read(written(tmp_path / f"{name}.csv", apart), {})


def test_the_context_is_found_in_the_ids(tmp_path: Path) -> None:
    file = read_answers(written(tmp_path / "a.csv", answered({"0": "neutral"})))
    assert (file.context, first_levels(file)) == ("coppa", ONE)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_complete_context_is_read_once_and_each_choice_looks_at_its_rows_only(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variants = [str(at) for at in range(11)]
    rows = [
        {"item_id": vignette.item_id, "variant_id": variant, "answer": "neutral"}
        for vignette in choose("iot", {})
        for variant in variants
    ]
    assert len(rows) == 76_032
    path = tmp_path / f"all.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        write_rows(path, rows)
    file = read_answers(path)
    assert file.context == "iot"
    # the file is read once
    path.unlink()
    assert read_answers(path) is file
    read: list[str] = []
    reading = Response.to

    def counted(item: Item, *arguments: Any, **more: Any) -> Response:
        read.append(item.item_id)
        return reading(item, *arguments, **more)

    monkeypatch.setattr(Response, "to", counted)
    result = norms_in(file, first_levels(file))
    assert 0 < len(result.vignettes) <= vignettes.MAX_SHOWN
    assert set(result.states.values()) == {NormState.NEUTRAL}
    assert len(read) == 11 * len(result.vignettes)
    # the others are not even looked at before they are refused
    with pytest.raises(VisitorError, match="6,912 vignettes are chosen; up to 600"):
        norms_in(file, {})
    assert len(read) == 11 * len(result.vignettes)


def test_a_file_is_shown_as_far_as_there_is_room(tmp_path: Path) -> None:
    every = [
        {"item_id": one.item_id, "variant_id": "0", "answer": "neutral"}
        for one in choose("coppa", {})
    ]
    chosen = first_levels(read_answers(written(tmp_path / "all.csv", every)))
    # 1,800 by five senders are 360 each, and 360 fit
    assert {facet: len(levels) for facet, levels in chosen.items() if levels} == {"sender": 1}


def test_the_prompts_that_are_taken_come_back_as_norms(tmp_path: Path) -> None:
    path = write_prompts("coppa", ONE, tmp_path)
    rows = read_rows(path)
    assert len(rows) == 11
    assert {row["answer"] for row in rows} == {""}
    write_rows(path, [{**row, "answer": "Strongly unacceptable."} for row in rows])
    assert only(read(path, {})) == NormState.STRONGLY_UNACCEPTABLE
    with pytest.raises(VisitorError, match="1,800 vignettes are chosen; up to 600"):
        write_prompts("coppa", {}, tmp_path)


def test_the_cells_stand_where_their_levels_say() -> None:
    levels = {**ONE, "attribute": levels_of("coppa")["attribute"][:2]}
    chosen = choose("coppa", levels)
    given = {
        one.item_id: [norms.Answer(PromptKey("0", "forward", "0", "0.0"), value, None)]
        for one, value in zip(chosen, (-2.0, 1.0), strict=True)
    }
    found = norms_of("coppa", "m", chosen, given)
    [panel] = panels(found.vignettes)
    assert [row for row, _ in panel.rows] == levels["attribute"]
    page = heatmap(found, "", "en")
    # one prompt: 1 of 1 valid answers is enough
    cells = re.findall(
        r'class="of-([\w-]+)" data-cell="([^"]+)" aria-label="[^"]*: (\w+ \w+): 1 of 1', page
    )
    assert cells == [
        ("strongly-unacceptable", chosen[0].item_id, "strongly unacceptable"),
        ("somewhat-acceptable", chosen[1].item_id, "somewhat acceptable"),
    ]
    # halfway between −2 and +1 is −0.5, three eighths of the way from −2 to +2
    both = replace(found, by_variant={**found.by_variant, "1": math.nan})
    variants = list(number_blocks(both))[1]
    assert isinstance(variants, Section)
    assert "Whisker(value=0.375" in str(variants)


def test_a_cell_shows_every_prompt_variant_that_was_asked() -> None:
    [vignette] = choose("coppa", ONE)
    found = norms.blank_norms("coppa", ONE)
    page = page_of(tuple(cell_blocks(found, vignette)), "zh")
    assert page.count("<details") == len(prompts_of(vignette)) == 11
    assert page.count(vignette.text) >= 12
