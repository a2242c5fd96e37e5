"""The norms of a run per vignette, as tables and by either rule, and its anchors."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from finished_runs import VIGNETTES, answer, whole_row
from judged_rows import judgements_of
from plain_runs import vignette_run, with_items
from undrawn import undrawn

import normscope as ns
from normscope.comparison import compare
from normscope.comparison.norms import SHARES
from normscope.errors import UsageError
from normscope.files import read_parquet
from normscope.judges.engine import TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.metrics.scores import ScoreTable
from normscope.metrics.vignette_norms import NormState
from normscope.pipeline.norms import Anchor, VignetteAnswers, anchor_statistics, anchors, norm_table
from normscope.pipeline.score import read_scores
from normscope.records.integrity import NORMS, NORMS_CSV
from normscope.records.item import Item
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.run import Run
from normscope.records.settings import Majority, Settings
from normscope.report.comparison.page import comparison_page
from normscope.report.norms import norm_blocks
from normscope.report.scores import overall_scores
from normscope.tables import read_table
from normscope.untrusted import guarded_rows

__all__ = ["undrawn"]

ALIKE = ("flip_rate", "variant_variance", "raw_agreement", "alpha")

NAME = "ci-vignettes:x"


def answered(
    item: str, *values: float | None, reason: str = "no_answer", **facets: str
) -> list[tuple[Item, dict[str, Any]]]:
    return [
        (
            Item(NAME, item, (), "en", variant_id=f"v{at}", facets=facets),
            {
                "criterion": "acceptability",
                "source": "model_logits",
                "value": value,
                "reason": reason if value is None else None,
            },
        )
        for at, value in enumerate(values)
    ]


def table(*rows: list[tuple[Item, dict[str, Any]]], **settings: object) -> list[dict[str, object]]:
    pairs = [pair for of_item in rows for pair in of_item]
    config = Settings(benchmark=(NAME,), **settings)  # type: ignore[arg-type]
    made = norm_table(judgements_of(pairs), config)
    assert made is not None
    return guarded_rows(made.to_pylist())


def test_a_row_says_the_norm_of_a_vignette_and_the_votes_behind_it() -> None:
    (row,) = table(answered("a", 1, 1, 2, -1, sender="a doll"))
    assert row == {
        "temperature": None,
        "benchmark": NAME,
        "item_id": "a",
        "sender": "a doll",
        # two of four are half of the valid answers, and not two thirds
        "norm": 1,
        "state": "somewhat_acceptable",
        "norm_simple": 1,
        "norm_super": None,
        "asked": 4,
        "valid": 4,
        "strongly_unacceptable": 0,
        "somewhat_unacceptable": 1,
        "neutral": 0,
        "somewhat_acceptable": 2,
        "strongly_acceptable": 1,
        "no_answer": 0,
        "unscored": 0,
        "mean": 0.75,
        # (1.75² + 2 · 0.25² + 1.25²) / 3
        "variance": pytest.approx(4.75 / 3),
    }


def test_a_factor_that_is_named_like_a_column_stays_a_factor_and_no_cell_is_run() -> None:
    (row,) = table(answered("a", 1, 1, state="=1+1", practice="-x"))
    assert (row["factor_state"], row["practice"]) == ("'=1+1", "'-x")
    assert row["state"] == "somewhat_acceptable"


def test_a_run_has_the_table_twice_and_its_shares_are_those_of_the_scores(run: Path) -> None:
    norms = read_parquet(run / NORMS)
    assert set(norms["benchmark"].to_pylist()) == {VIGNETTES}
    assert norms.num_rows == 6
    assert "transmission_principle" in norms.column_names
    sheet = read_table(run / NORMS_CSV).to_rows()
    assert [row["item_id"] for row in sheet] == norms["item_id"].to_pylist()
    scores = read_scores(Run.open(run)).by_benchmark[VIGNETTES]
    shares = {s.name: s.estimate.value for s in scores if not s.group}
    states = Counter(norms["state"].to_pylist())
    accepted = states["somewhat_acceptable"] + states["strongly_acceptable"]
    assert shares["accept_share"] == accepted / 6
    assert shares["variant_variance"] == pytest.approx(np.mean(norms["variance"].to_numpy()))


def wavering(request: TextRequest) -> TextResult:
    """Cold the model says one thing of every vignette; hot its answer hangs on the wording."""
    hot = request.temperature and sum(request.conversation[-1][1].encode()) % 2
    return TextResult("strongly unacceptable" if hot else "somewhat acceptable")


@pytest.mark.slow
def test_norms_are_made_at_one_temperature(tmp_path: Path) -> None:
    config = Settings(
        benchmark=(VIGNETTES,),
        model=ModelSpec("model"),
        limit={"all": 6},
        channels=("text",),
        rule="published",
    )
    of = {}
    for name, drawn in (("both", (0.0, 1.0)), ("cold", (0.0,)), ("hot", (1.0,))):
        asked = replace(config, decoding=Decoding(temperature=drawn))
        of[name] = whole_row(
            tmp_path / name, asked, lambda spec: FakeEngine(answer, wavering, name=spec.model)
        ).by_benchmark[VIGNETTES]
    both, cold, hot = (
        {
            (s.name, s.group, s.member): s.estimate
            for s in of[name]
            if s.name in {*SHARES, *ALIKE, "unanswered"} and s.group in {"", "temperature"}
        }
        for name in ("both", "cold", "hot")
    )
    # what is counted is that of temperature 0, and each temperature has its own beside it
    assert {place: e for place, e in both.items() if not place[1]} == cold
    for t, alone in (("0", cold), ("1", hot)):
        beside = {(name, "", ""): e for (name, _, at), e in both.items() if at == t}
        assert beside == alone
    assert cold["variant_variance", "", ""].value == 0
    assert hot["variant_variance", "", ""].value != 0
    tables = {name: read_parquet(tmp_path / name / NORMS) for name in of}
    assert tables["both"]["temperature"].to_pylist() == [0.0] * 6 + [1.0] * 6
    assert tables["both"] == pa.concat_tables([tables["cold"], tables["hot"]])
    # Python and a comparison go by the same norms
    norms_of = {name: ns.Run(tmp_path / name).norms_of for name in of}
    for drawn_at, name in ((None, "cold"), (1.0, "hot")):
        made = norms_of["both"](VIGNETTES, temperature=drawn_at)
        assert made.table.equals(norms_of[name](VIGNETTES).table)
    with pytest.raises(UsageError, match=r"has no answers at temperature 0\.5"):
        norms_of["both"](VIGNETTES, temperature=0.5)
    compared = compare([Run.open(tmp_path / name) for name in ("both", "hot")], although=True)
    norms = compared.norms[VIGNETTES].table
    assert norms["both: norm"].to_pylist() == [1.0] * 6
    page = (tmp_path / "both" / "report.html").read_text("utf-8")
    assert "The norms above are of the answers at temperature 0;" in page


TEXTS = ("A library tells a reader the due date", "A library sells its records", "It burns them")
EXPECTED = ("acceptable", "unacceptable", "unacceptable")


def anchored(name: str, *answers: float) -> Run:
    """Three anchors in eleven prompts each, answered alike in all of them."""
    run = vignette_run(name, [[value] * 11 for value in answers])
    items = [
        replace(item, facets={"expected": EXPECTED[at // 11], "vignette": TEXTS[at // 11]})
        for at, item in enumerate(run.items)
    ]
    anchors_run: Run = with_items(run, items)
    return anchors_run


def vignettes(run: Run) -> VignetteAnswers:
    (rows,) = run.counted.values()
    return VignetteAnswers.of(rows)


def test_an_anchor_is_as_expected_where_its_norm_is_on_that_side() -> None:
    of = vignettes(anchored("always", 1, -2, 0))
    found = list(anchors(of, of.norms(Majority())))
    assert [each.as_expected for each in found] == [True, True, False]
    assert found[2] == Anchor(TEXTS[2], "unacceptable", NormState.NEUTRAL, 11, 11)


def test_scores_have_the_share_without_an_interval_and_what_is_unscored_is_open() -> None:
    of = vignettes(anchored("a", 1, 1, np.nan))
    (row,) = anchor_statistics(of, of.norms(Majority()))
    e = row.estimate
    # one of two; the third was not scored by our failure
    assert (row.name, e.value, e.n, e.unscored) == ("anchors_as_expected", 0.5, 2, 1)
    assert (e.lowest, e.highest, e.method) == (1 / 3, 2 / 3, "exact but for the unscored")
    caveat, _ = overall_scores(ScoreTable.of([row], benchmark="ci-vignettes:library_anchors"))
    assert "answers 1 of 2 anchors otherwise than nobody doubts" in str(caveat)
    plain = vignettes(vignette_run("b", np.zeros((2, 11))))
    assert anchor_statistics(plain, plain.norms(Majority())) == []


def tables(blocks: Any) -> list[Any]:
    title = "Anchors that are not answered as expected"
    result = []
    for block in blocks:
        if getattr(block, "title", "") == title:
            result.append(block)
        result += tables(getattr(block, "blocks", ()))
    return result


def test_report_and_comparison_name_the_anchors_that_failed() -> None:
    always, sound = anchored("always", 1, 1, 2), anchored("sound", 2, -1, -2)
    (rows,) = always.counted.values()
    (table,) = tables(norm_blocks(rows, always.config))
    assert [tuple(map(str, row)) for row in table.rows] == [
        (TEXTS[1], "unacceptable", "somewhat acceptable (11 answers)"),
        (TEXTS[2], "unacceptable", "strongly acceptable (11 answers)"),
    ]
    (rows,) = sound.counted.values()
    assert tables(norm_blocks(rows, sound.config)) == []
    (beside,) = tables(comparison_page(compare([always, sound])).blocks)
    assert [tuple(map(str, row)) for row in beside.rows] == [
        (
            TEXTS[1],
            "unacceptable",
            "somewhat acceptable (11 answers)",
            "somewhat unacceptable (11 answers)",
        ),
        (
            TEXTS[2],
            "unacceptable",
            "strongly acceptable (11 answers)",
            "strongly unacceptable (11 answers)",
        ),
    ]
