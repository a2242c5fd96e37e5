"""A comparison as files: `compare.json` and `compare.csv` in full, `compare.md` to be read."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ... import format as fmt
from ...compare.result import Compared, Difference
from ...files import write_json, write_text
from ...markdown import escaped, page, table
from ...messages import joined, message
from ...rows import write_rows
from .words import CORRECTIONS, CRITERIONER, cells, name_of

JSON, CSV, MARKDOWN = "compare.json", "compare.csv", "compare.md"


def write(compared: Compared, out: Path) -> tuple[Path, ...]:
    """Writes the three files into the folder."""
    write_json(out / JSON, asdict(compared))
    write_rows(out / CSV, _flat(compared))
    write_text(out / MARKDOWN, markdown(compared))
    return out / JSON, out / CSV, out / MARKDOWN


def markdown(compared: Compared) -> str:
    """The comparison as a page: what was compared, what limits it, a table per benchmark."""
    return page(_page(compared))


def warnings(compared: Compared) -> list[str]:
    """What a reader must know before any number."""
    told = [
        message("not measured alike: {problem}", problem=mismatch.message)
        for mismatch in compared.mismatches
    ]
    for benchmark, pairing in compared.pairings.items():
        left = joined(
            message("{n} of {run}", n=fmt.count(n), run=run) for run, n in pairing.left_out.items()
        )
        if left:
            told.append(
                message(
                    "{benchmark}: rows that some other run lacks are left out, {each}",
                    benchmark=benchmark,
                    each=left,
                )
            )
    return [*told, *compared.notes]


def _page(compared: Compared) -> Iterator[str]:
    yield "# Comparison of runs\n"
    names = ([escaped(run), escaped(model)] for run, model in compared.runs.items())
    yield from table(["run", "model"], names, texts=2)
    if compared.mismatches:
        yield "**These runs were not measured alike; a difference may not be the models'.**\n"
    yield from (f"- {escaped(warning)}" for warning in warnings(compared))
    for benchmark, pairing in compared.pairings.items():
        mine = [row for row in compared.rows if row.benchmark == benchmark]
        yield f"\n## {escaped(benchmark)}\n"
        yield f"{fmt.count(pairing.rows)} paired judgements per criterion and run.\n"
        yield from _table("statistic", [row for row in mine if not row.group])
        yield from _details(mine)
    yield _LEGEND


def _details(rows: list[Difference]) -> Iterator[str]:
    groups = dict.fromkeys((row.group, row.statistic) for row in rows if row.group)
    if groups:
        yield "\n### Exploratory: against the first run, by group\n"
        yield "Looked at without a question asked beforehand; a lead to follow, not a finding.\n"
    for group, statistic in groups:
        shown = group.replace("_", " ")
        yield f"\n#### {escaped(f'{statistic} by {shown}')}\n"
        yield from _table(
            shown, [row for row in rows if (row.group, row.statistic) == (group, statistic)]
        )


def _table(name: str, rows: list[Difference]) -> Iterator[str]:
    yield from table([escaped(name), "compared", *CRITERIONER], map(_cells, rows), texts=2)


def _cells(found: Difference) -> list[str]:
    label = found.member if found.group else f"{name_of(found)} ({found.role})"
    return [escaped(label), escaped(f"{found.second} − {found.first}"), *cells(found)]


def _flat(compared: Compared) -> list[dict[str, Any]]:
    although = dict.fromkeys(compared.pairings, "")
    for mismatch in compared.mismatches:
        told = although[mismatch.benchmark]
        although[mismatch.benchmark] = f"{told}; {mismatch.field}" if told else mismatch.field
    return [_line(row, although[row.benchmark]) for row in compared.rows]


def _line(row: Difference, differs: str) -> dict[str, Any]:
    test, found = row.test, row.estimate
    return {
        "benchmark": row.benchmark,
        "statistic": row.statistic,
        "role": row.role,
        "group": row.group,
        "member": row.member,
        "first": row.first,
        "second": row.second,
        "unit": row.unit,
        "first_value": row.first_value,
        "second_value": row.second_value,
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "level": found.level,
        "worst": found.worst,
        "best": found.best,
        "n": found.n,
        "unscored": row.unscored.pairs,
        "unscored_in_both": row.unscored.in_both,
        "worst_low": row.unscored.low,
        "best_high": row.unscored.high,
        "target": found.target,
        "interval": found.method,
        "test": test.name if test else None,
        "p": test.p if test else None,
        "log10_p": test.log10_p if test else None,
        "p_adjusted": row.p_adjusted,
        "correction": CORRECTIONS[row.role] if test else None,
        "effect": test.effect if test else None,
        "effect_name": test.effect_name if test else None,
        "note": test.note if test else None,
        "not_alike": differs,
    }


_LEGEND = """
## How to read this

- A difference is the second run less the first, over the items that both have scored; rates differ
  in percentage points (pp). The interval and p are of these items, and p is below 0.05 where the
  95 % interval leaves out 0.
- Unscored are the items that lack a score in either run, in brackets those that lack it in both for
  the same reason. "Worst – best" are the differences with every one of them at its worst, and at
  its best, for the second run; "their 95 % limits" are the lower limit of the interval of the one
  and the upper limit of that of the other. Of `mean_acceptability` n counts wordings, and unscored
  answers.
- Primary: the first statistic of a metric, corrected by Holm over the pairs of runs. Secondary:
  the others, corrected by Holm over pairs and statistics. Exploratory: every breakdown, each run
  against the first, corrected by Benjamini and Hochberg over all of them.
- Effects: Cohen's h for rates, the rank-biserial correlation for scores (items without a
  difference counted), and for vignettes the share of wordings above zero less that below.
- Vignettes are an enumerated factorial: the interval and the test of `mean_acceptability` are over
  wordings. Differences of shares are described and not tested: exact where all vignettes are
  scored, else with the interval of a sample without replacement.
- `compare.json` has the tests beside: McNemar's exact one for rates, Wilcoxon's for scores, the
  sign flip over wordings, and, marked as published, Wilcoxon's of the vignettes' majority norms."""
