"""The norms of a report, from judgements to blocks."""

from typing import Any

import numpy as np
from judged_rows import columns_of, item, judged
from shown_pages import plots, within

from normscope.builders.taxonomy import LIKERT
from normscope.metrics.vignette_norms import NormState
from normscope.records.item import Item
from normscope.records.settings import Settings
from normscope.report.blocks import (
    Details,
    Paragraph,
    plain,
)
from normscope.report.charts import Bars, NormsMap, Ridges
from normscope.report.norms import norm_blocks

SOURCE = "model_logits"


def answers(item_id: str, *values: float | None) -> list[dict[str, Any]]:
    return [
        judged(
            "acceptability",
            value,
            None if value is not None else "off_scale",
            item=item_id,
            variant=f"v{n}",
            source=SOURCE,
        )
        for n, value in enumerate(values)
    ]


def vignette(item_id: str, **facets: str) -> Item:
    prompt: Item = item(item_id, facets=facets)
    return prompt


def flow(item_id: str, sender: str, recipient: str, attribute: str, principle: str) -> Item:
    return vignette(
        item_id,
        sender=sender,
        recipient=recipient,
        attribute=attribute,
        transmission_principle=principle,
    )


def states(chart: NormsMap) -> list[int]:
    cells: list[int] = np.asarray(chart.states).tolist()
    return cells


def test_norms_are_laid_out_by_attribute_within_sender_and_principle_within_recipient() -> None:
    items = [
        flow("1", "doll", "maker", "voice", "if kept secret"),
        flow("2", "doll", "maker", "place", "if kept secret"),
        flow("3", "doll", "maker", "place", "if paid"),
        flow("4", "robot", "police", "voice", "if paid"),
    ]
    rows = [
        *answers("1", 2, 2, 1),
        *answers("2", -1, -1, -1),
        *answers("3", -2, 0, 2),
        *answers("4", -2, -2, -2),
    ]
    blocks = list(norm_blocks(columns_of(rows, items), Settings()))
    (chart,) = plots(blocks, NormsMap)
    assert any(details.summary == "All vignettes" for details in within(blocks, Details))
    assert chart.rows == ("sender", "attribute")
    assert chart.columns == ("recipient", "transmission_principle")
    assert chart.flows["attribute"] == ["voice", "place", "place", "voice"]
    # 2 of 3 say +2; all say -1; three answers, three labels; all say -2
    assert states(chart) == [4, 1, NormState.NO_MAJORITY, 0]
    _, about = within(blocks, Paragraph)
    assert "4 vignettes, read from model logits: 1 without a majority" in plain(about.text)


def test_our_own_failures_are_unscored_and_no_lack_of_a_majority() -> None:
    names = ("norm", "split", "silent", "lost")
    items = [vignette(name, sender=name) for name in names]
    lost = [
        judged("acceptability", None, "low_coverage", item="lost", variant=f"v{n}", source=SOURCE)
        for n in (9, 10)
    ]
    rows = [
        *answers("norm", *[1.0] * 11),
        *answers("split", *[1.0] * 5, *[0.0] * 5, None),
        *answers("silent", *[1.0] * 9, None, None),
        *answers("lost", *[1.0] * 9),
        *lost,
    ]
    blocks = list(norm_blocks(columns_of(rows, items), Settings()))
    (chart,) = plots(blocks, NormsMap)
    assert states(chart) == [NormState.SOMEWHAT_ACCEPTABLE, *list(NormState)[5:8]]
    # and the page says how many of each there are
    _, about = within(blocks, Paragraph)
    assert "1 without a majority, 1 without an answer, 1 unscored" in plain(about.text)
    assert "at least 10 of 11" in plain(about.text)


def test_a_context_with_other_parameters_is_laid_out_by_what_varies() -> None:
    items = [
        vignette("1", recipient="FBI", place="home", duration="a month"),
        vignette("2", recipient="FBI", place="work", duration="a month"),
        vignette("3", recipient="FBI", place="work"),
    ]
    rows = [row for name in "123" for row in answers(name, 1, 1)]
    blocks = list(norm_blocks(columns_of(rows, items), Settings()))
    _, about = within(blocks, Paragraph)
    assert plain(about.text).endswith("recipient in all of them: FBI.")
    (chart,) = plots(blocks, NormsMap)
    # a missing duration is a level
    assert chart.flows == {
        "place": ["home", "work", "work"],
        "duration": ["a month", "a month", ""],
    }
    assert states(chart) == [3, 3, 3]


def test_the_logits_are_shown_where_the_text_was_read_too() -> None:
    both = answers("1", -2, -2) + [
        judged("acceptability", 2.0, item="1", variant=f"v{n}", source="text_rule")
        for n in range(2)
    ]
    blocks = list(norm_blocks(columns_of(both, [vignette("1", sender="doll")]), Settings()))
    _, about = within(blocks, Paragraph)
    assert "read from model logits" in plain(about.text)
    (chart,) = plots(blocks, NormsMap)
    assert states(chart) == [0]


def test_labels_and_variances_are_drawn_of_all_vignettes() -> None:
    items = [vignette(name, sender=name) for name in ("one", "split")]
    rows = [*answers("one", 1, 1, 2), *answers("split", 2, -2, 0)]
    blocks = list(norm_blocks(columns_of(rows, items), Settings()))
    (bars,) = plots(blocks, Bars)
    # one is somewhat acceptable, the other has no majority
    assert np.asarray(bars.counts).tolist() == [[0, 0, 0, 1, 0, 1, 0, 0]]
    # what never happened is not drawn
    legend = bars.draw().axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == [*LIKERT, "no majority"]
    (ridges,) = plots(blocks, Ridges)
    # 1/3 and 4, with divisor n − 1
    np.testing.assert_allclose(np.array(ridges.samples, float), [[[1 / 3, 4]]])


def test_several_temperatures_have_their_answers_side_by_side() -> None:
    items = [vignette("1", sender="doll")]
    rows = []
    for at, (temperature, value) in enumerate([(0.0, 2.0), (0.7, 1.0), (0.7, -1.0)]):
        for variant in range(3):
            answer = judged(
                "acceptability", value, item="1", variant=f"v{variant}", source="text_rule"
            )
            rows.append({**answer, "temperature": temperature, "sample": at})
    blocks = list(norm_blocks(columns_of(rows, items), Settings()))
    by_temperature = next(d for d in within(blocks, Details) if d.summary == "By temperature")
    (bars,) = plots([by_temperature], Bars)
    assert bars.rows == ["temperature 0", "temperature 0.7"]
    assert np.asarray(bars.counts)[:, :5].tolist() == [[0, 0, 0, 0, 3], [0, 3, 0, 3, 0]]
    (ridges,) = plots([by_temperature], Ridges)
    np.testing.assert_allclose(np.array(ridges.samples, float), np.array([[[0], [6 / 5]]]))
