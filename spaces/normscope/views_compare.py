"""A comparison as it is shown: what limits it, its differences and figures; and for the API."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ...comparison.result import Compared
from ...messages import joined, message
from ...pipeline.respond import REFERENCE
from ...report.blocks import Beside, Block, Caveat, Paragraph, titled
from ...report.comparison.figures import Drawn
from ...report.comparison.page import EFFECTS, caveats, sections
from ...report.published import published_section


def comparison_blocks(compared: Compared, unchecked: Sequence[str]) -> Iterator[Block]:
    """Which runs, what limits their comparison, and a section per benchmark.

    `unchecked` says what could not be checked.
    """
    for at, (name, model) in enumerate(compared.runs.items()):
        # where items brought their answers along, no model has a name
        more = [] if model in {name, REFERENCE} else [model]
        yield Paragraph(
            joined(
                [name, *more, *([message("(baseline)")] if not at and compared.rows else [])], " · "
            )
        )
    yield from (Caveat(text, warns=True) for text in unchecked)
    yield from map(Caveat, caveats(compared))
    yield from sections(compared)
    if compared.published is not None:
        yield published_section(compared.published)
    if not compared.rows:
        return
    how = message(
        "A difference is the later run less the earlier; it, its interval and p are over the items "
        "that both have scored. Unscored are those without a score in either, in brackets in both "
        "for the same reason; lowest – highest is what they could make of the difference, and the "
        "limits are those of the intervals of these two. Bold is the first statistic of a metric "
        "(corrected by Holm over pairs); the others are corrected over pairs and statistics. Rates "
        "differ in percentage points (pp)."
    )
    yield Paragraph(how, note=True)
    yield Paragraph(message(EFFECTS), note=True)


def figure_blocks(drawn: Drawn) -> Iterator[Block]:
    """Every figure that the comparison allows; and which it does not."""
    yield from map(Caveat, drawn.notes)
    yield Beside(tuple(map(titled, drawn.plots.values())))


def plain(compared: Compared, unchecked: Sequence[str]) -> dict[str, Any]:
    """The comparison as JSON values, for the API."""
    return {
        "runs": dict(compared.runs),
        "caveats": [*unchecked, *caveats(compared)],
        "rows": {name: pairing.rows for name, pairing in compared.pairings.items()},
        "differences": [
            {
                "benchmark": row.benchmark,
                "statistic": row.statistic,
                "unit": row.unit,
                "role": row.role,
                "group": row.group,
                "member": row.member,
                "first": row.first,
                "second": row.second,
                "first_value": row.first_value,
                "second_value": row.second_value,
                "difference": row.estimate.value,
                "low": row.estimate.low,
                "high": row.estimate.high,
                "n": row.estimate.n,
                "unscored": row.unscored.pairs,
                "unscored_in_both": row.unscored.in_both,
                "lowest": row.estimate.lowest,
                "highest": row.estimate.highest,
                "lowest_limit": row.unscored.low,
                "highest_limit": row.unscored.high,
                "test": row.test.name if row.test else None,
                "p": row.test.p if row.test else None,
                "p_adjusted": row.p_adjusted,
                "effect": row.test.effect if row.test else None,
                "effect_name": row.test.effect_name if row.test else None,
            }
            for row in compared.rows
        ],
        "published": [
            asdict(published)
            for published in (compared.published.benchmarks if compared.published else ())
        ],
    }
