"""Vignettes beyond doubt: which of them a model gets wrong, in scores, report and comparison."""

from dataclasses import replace
from typing import Any

import numpy as np
from plain_runs import vignette_run, with_items

from normscope.comparison import compare
from normscope.metrics.scores import Scores
from normscope.metrics.vignette_norms import NormState
from normscope.pipeline.anchors import Anchor, anchor_statistics, anchors
from normscope.pipeline.norms import VignetteAnswers
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.report.comparison.page import comparison_page
from normscope.report.norms import norm_blocks
from normscope.report.scores import overall_scores

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


def answered(run: Run) -> VignetteAnswers:
    (rows,) = run.counted.values()
    return VignetteAnswers.of(rows)


def test_an_anchor_is_as_expected_where_its_norm_is_on_that_side() -> None:
    of = answered(anchored("always", 1, -2, 0))
    found = list(anchors(of, of.norms(Settings())))
    assert [each.as_expected for each in found] == [True, True, False]
    assert found[2] == Anchor(TEXTS[2], "unacceptable", NormState.NEUTRAL, 11, 11)


def test_scores_have_the_share_without_an_interval_and_what_is_unscored_is_open() -> None:
    of = answered(anchored("a", 1, 1, np.nan))
    (row,) = anchor_statistics(of, of.norms(Settings()))
    e = row.estimate
    # one of two; the third was not scored by our failure
    assert (row.name, e.value, e.n, e.unscored) == ("anchors_as_expected", 0.5, 2, 1)
    assert (e.lowest, e.highest, e.method) == (1 / 3, 2 / 3, "exact but for the unscored")
    caveat, _ = overall_scores(Scores.of([row], benchmark="ci-vignettes:library_anchors"))
    assert "answers 1 of 2 anchors otherwise than nobody doubts" in str(caveat)
    plain = answered(vignette_run("b", np.zeros((2, 11))))
    assert anchor_statistics(plain, plain.norms(Settings())) == []


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
