"""Prints how fast the answers of two large runs are read, filtered, listed, opened and summed up.

    python benchmarks/viewer.py [--items 25000] [--samples 1] [--words 150] [--runs 2]

The runs are made of random values under CFSafety's criteria, their texts of random words. Before
anything is timed, what each filter takes is held against a plain loop over the rows of the tables.
The viewer is a process of its own, whose peak memory is that of a server that was just started.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, TypeVar

from large_run import write_run

from normscope.files import read_parquet
from normscope.pipeline.score import score
from normscope.records.folder import opened
from normscope.records.integrity import ITEMS, JOURNAL, JUDGEMENTS, REPORT, RESPONSES
from normscope.viewer import Collection, Query, read_answered

T = TypeVar("T")
Judged = dict[str, dict[str, Any]]

ROWS = 25
LOW, MIDDLE = 0.25, 3
WORD = re.compile("word4321 word1")
FILTERS: dict[str, Callable[[dict[str, Any], str, str, Judged], bool]] = {
    "": lambda *_: True,
    '"WORD4321 word1"': lambda _, question, text, __: bool(WORD.search(f"{question}\n{text}")),
    "category:social_bias language:zh": lambda item, *_: (
        (item["category"], item["language"]) == ("social_bias", "zh")
    ),
    f"moral<{LOW} -rating>={MIDDLE}": lambda _, __, ___, judged: (
        _value(judged, "moral", 1.0) < LOW and not _value(judged, "rating", 0.0) >= MIDDLE
    ),
    "is:unscored": lambda _, __, ___, judged: any(r["value"] is None for r in judged.values()),
    "rating=5": lambda _, __, ___, judged: (
        judged["rating"]["value"] is not None
        and max(judged["rating"]["probs"]) == judged["rating"]["probs"][4]
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=25_000)
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--words", type=int, default=150)
    parser.add_argument("--runs", type=int, choices=(1, 2), default=2)
    parser.add_argument("--look", nargs="+", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.look:
        look(given.look)
        return
    with TemporaryDirectory() as folder:
        runs = [Path(folder) / name for name in ("first", "second")[: given.runs]]
        for seed, run in enumerate(runs):
            size = {"items": given.items, "samples": given.samples, "words": given.words}
            write_run(run, **size, seed=seed)
            with opened(run) as begun:
                score(begun)
                # what a run has beside its tables, and nobody looks at here
                for name in (JOURNAL, REPORT):
                    (run / name).touch()
                begun.finish()
        check(runs[0])
        print(f"{given.items:,} items × {given.samples} samples × {given.runs} runs")
        subprocess.run([sys.executable, __file__, "--look", *map(str, runs)], check=True)


def check(run: Path) -> None:
    """Every filter takes what a plain loop takes, or this ends with an error."""
    collection = Collection.of([read_answered(run)])
    items = {row["item_id"]: row for row in read_parquet(run / ITEMS).to_pylist()}
    judged: dict[tuple[str, int], Judged] = {}
    columns = ["item_id", "sample", "criterion", "value", "probs"]
    for row in read_parquet(run / JUDGEMENTS, columns=columns).to_pylist():
        judged.setdefault((row["item_id"], row["sample"]), {})[row["criterion"]] = row
    responses = read_parquet(run / RESPONSES, columns=["item_id", "sample", "text"]).to_pylist()
    for line, meets in FILTERS.items():
        expected = [
            place
            for place, row in enumerate(responses)
            if meets(
                item := items[row["item_id"]],
                item["messages"][-1]["content"],
                row["text"],
                judged[row["item_id"], row["sample"]],
            )
        ]
        if collection.select(Query.parse(line)).places.tolist() != expected:
            sys.exit(f"{line!r} takes other answers than a loop over the rows")


def look(runs: list[Path]) -> None:
    """Times the steps of a visit, each the first of its kind."""
    began, memory = perf_counter(), peak()
    collection = step("read and pair", lambda: Collection.of([*map(read_answered, runs)]))
    places = collection.select(Query()).places[:ROWS]
    step("first rows", lambda: collection.rows(places))
    print(f"{'opened after':34} {perf_counter() - began:7.2f} s, over {memory:,.0f} MiB of imports")
    for line in (*FILTERS, "sort:-moral", *(["is:changed sort:-change"] if runs[1:] else [])):
        query = Query.parse(line)
        places = step(f"filter {line!r}", lambda query=query: collection.select(query)).places
        step(f"  {ROWS} rows of {len(places):,}", lambda at=places: collection.rows(at[:ROWS]))
    step("one in full", lambda: collection.detail(len(collection) // 2))
    step("what can be chosen", collection.choices)
    for line in ("", "category:social_bias", "is:unscored"):
        selection = collection.select(Query.parse(line))
        step(f"summary of {line!r}", lambda of=selection: collection.summary(of))


def step(name: str, do: Callable[[], T]) -> T:
    wall, cpu = perf_counter(), process_time()
    result = do()
    took, used = perf_counter() - wall, process_time() - cpu
    print(f"{name:34} {took:7.3f} s {used:7.3f} s of processor {peak():7,.0f} MiB at most")
    return result


def peak() -> float:
    # not `getrusage`: a process that was just started begins with the peak of the one it is from
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def _value(judged: Judged, criterion: str, absent: float) -> float:
    value = judged[criterion]["value"]
    return absent if value is None else float(value)


if __name__ == "__main__":
    main()
