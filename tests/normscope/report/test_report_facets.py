"""What moves an answer, as the report of a run and a comparison of runs show it."""

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from judged_rows import columns_of, item, judged
from plain_runs import VIGNETTES, vignette_run
from report_runs import small_run
from shown_pages import lines, plots, within

from normscope.comparison import compare
from normscope.files import read_json
from normscope.metrics.facets import facet_statistics
from normscope.records.provenance import Imported, Provenance, ResponsesProvenance
from normscope.report.blocks import Block, Details, Paragraph, Table, plain
from normscope.report.charts import Bars, Heatmap
from normscope.report.comparison.facets import facets_details
from normscope.report.comparison.figures import figures
from normscope.report.comparison.write import write
from normscope.report.variants import variant_blocks

VARIANTS, ORDERS = ("v0", "v1", "v2"), ("forward", "reversed")
COLUMNS = [*product(VARIANTS, ORDERS)]


def blocks_of(
    answers: list[list[float]], orders: int = 2, imported: Imported | None = None
) -> list[Block]:
    """The section of a run that answered vignettes × (variants × orders)."""
    columns = [pair for pair in COLUMNS if pair[1] in ORDERS[:orders]]
    rows = [
        judged(
            "acceptability",
            value,
            item=f"i{at}",
            variant=variant,
            order=order,
            source="text_rule",
        )
        for at, line in enumerate(answers)
        for (variant, order), value in zip(columns, line, strict=True)
    ]
    statistics = facet_statistics(answers, *map(list, zip(*columns, strict=True)))
    run = small_run()
    known = Provenance(responses=ResponsesProvenance(imported=imported))
    config = replace(run.config, provenance=known)
    data = replace(run, config=config, scores={"b": tuple(statistics)})
    ids = [item(f"i{at}") for at in range(len(answers))]
    return list(variant_blocks(data, columns_of(rows, ids)))


# the order moves one answer of the first vignette; the third wording all of both
MOVED: list[list[float]] = [[2, 2, 2, 1, -1, -1], [1, 1, 1, 1, -2, -2]]


def test_the_section_says_what_each_moves_at_a_glance() -> None:
    blocks = blocks_of(MOVED)
    texts = [plain(p.text) for p in within(blocks, Paragraph)]
    # one of six pairs by the order; by the wording 8 of 12, and one more
    assert any("differ in 16.7 % of the pairs when the order" in text for text in texts)
    assert any("and in 75.0 % when the prompt variant alone is" in text for text in texts)
    assert any("drawn anew for each prompt" in text for text in texts)
    (shares,) = [bars for bars in plots(blocks, Bars) if not bars.counted]
    assert shares.rows == [small_run().name]
    assert math.isclose(float(np.nansum(np.asarray(shares.counts))), 1)
    assert "n = " not in str(shares.draw().axes[0].texts)


@pytest.mark.parametrize(("orders", "is_said"), [("drawn anew", True), ("fixed", False)])
def test_imported_orders_that_are_alike_are_said_to_be_drawn_anew_or_chance(
    orders: str, is_said: bool
) -> None:
    random = np.random.default_rng(3)
    effect = random.choice([-1, 1], (400, 3, 2)) if orders == "drawn anew" else [-1, 1]
    answers = random.choice([-1, 1], (400, 1, 1)) + np.broadcast_to(effect, (400, 3, 2))
    rows = answers.reshape(400, 6).tolist()

    def is_in(blocks: list[Block]) -> bool:
        texts = [plain(p.text) for p in within(blocks, Paragraph)]
        return any("By their names the orders of the scale move nothing" in t for t in texts)

    assert is_in(blocks_of(rows, imported=Imported("answers.csv", "0" * 64, 2400))) == is_said
    # our own orders are the same for every prompt
    assert not is_in(blocks_of(rows))


def test_the_means_stand_variants_down_and_orders_across() -> None:
    (means,) = plots(blocks_of(MOVED), Heatmap)
    assert (list(means.rows), list(means.columns)) == (["v2", "v1", "v0"], list(ORDERS))
    assert np.asarray(means.values).tolist() == [[-1.5, -1.5], [1.5, 1], [1.5, 1.5]]


def test_every_number_has_its_interval_or_why_there_is_none() -> None:
    tables = {plain(t.title): lines(t) for t in within(blocks_of(MOVED), Table)}
    changes = tables["How often an answer changes"]
    assert [(row[0], row[1], row[3]) for row in changes] == [
        ("prompt variant", "75.0 %", "2"),
        ("order of the scale", "16.7 %", "2"),
        ("prompt variant × order of the scale", "75.0 %", "2"),
    ]
    assert all(row[2].startswith("[") for row in changes)
    assert len(tables["share of variance"]) == len(tables["component of variance"]) == 7


def test_a_run_in_one_order_has_no_split() -> None:
    blocks = blocks_of([line[::2] for line in MOVED], orders=1)
    assert [b for b in plots(blocks, Bars) if not b.counted] == plots(blocks, Heatmap) == []
    assert not list(within(blocks, Details))


def test_a_comparison_has_each_run_s_split_beside_the_others(tmp_path: Path) -> None:
    steady = np.repeat([[2], [-1]], 12, axis=1)
    # the second run answers by the order of the scale alone
    by_order = np.tile([2, -2], (2, 6))
    runs = [vignette_run("steady", steady, orders=2), vignette_run("moved", by_order, orders=2)]
    compared = compare(runs)
    (details,) = facets_details(compared.norms[VIGNETTES])
    changes, shares = [lines(block) for block in details.blocks if isinstance(block, Table)]
    assert [row[0] for row in changes][1] == "order of the scale"
    assert changes[1][1].startswith("0 % ([0, ")
    assert changes[1][2].startswith("100 % (")
    by_name = {row[0]: row[1:] for row in shares}
    assert by_name["vignette"][0].startswith("100 %")
    assert by_name["order of the scale"][1].startswith("100 %")
    drawn = figures(runs, compared).plots[f"{VIGNETTES.replace(':', '-')}-facets"]
    assert isinstance(drawn, Bars)
    assert list(drawn.rows) == ["steady", "moved"]
    write(compared, tmp_path)
    facets = read_json(tmp_path / "compare.json")["norms"][VIGNETTES]["facets"]
    assert {row["group"] for row in facets["moved"]} == {"facet"}
    assert "| order of the scale |" in (tmp_path / "compare.md").read_text(encoding="utf-8")


def test_runs_in_one_order_have_none_in_a_comparison() -> None:
    runs = [vignette_run(name, np.ones((4, 11))) for name in "ab"]
    assert list(facets_details(compare(runs).norms[VIGNETTES])) == []
