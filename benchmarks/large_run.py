"""Prints what score, report and compare take on runs of a million judgements: time and memory.

The runs are made of random values under CFSafety's criteria: 25,000 items of ten categories in
zh and en, asked as many times as the number of judgements needs. Two runs of the same items are
compared. Each verb is a process of its own, as a user starts it.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from normscope.datasets_builders.registry import benchmark
from normscope.datasets_builders.taxonomy import CFSAFETY
from normscope.files import write_parquet
from normscope.judges.rubric import rubric
from normscope.records.config import Decoding, RunConfig
from normscope.records.folder import opened
from normscope.records.integrity import JUDGEMENTS, RESPONSES
from normscope.records.item import Item, Turn
from normscope.records.judgement import SCHEMA as JUDGED
from normscope.records.model_spec import ModelSpec
from normscope.records.provenance import (
    BenchmarkItems,
    JudgementsProvenance,
    Provenance,
    ResponsesProvenance,
    RubricVersion,
)
from normscope.records.response import SCHEMA as ANSWERED

ITEMS, CRITERIA, LOW = 25_000, ("moral", "rating"), 0.02
NAME = "cfsafety"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgements", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=ITEMS)
    asked = parser.parse_args()
    samples = max(1, asked.judgements // (asked.items * len(CRITERIA)))
    with TemporaryDirectory() as folder:
        runs = [Path(folder) / name for name in ("first", "second")]
        for seed, run in enumerate(runs):
            write_run(run, items=asked.items, samples=samples, seed=seed)
        print(f"{asked.items:,} items × {samples} samples × {len(CRITERIA)} criteria")
        for run in runs:
            show("score", "score", run)
        for run in runs:
            show("report", "report", run)
        out = Path(folder) / "compared"
        show("compare", "compare", *runs, "--no-figures", "--out", out)


def show(label: str, *arguments: str | Path) -> None:
    """Prints the wall time and the peak memory of one verb."""
    began = perf_counter()
    command = [sys.executable, "-c", _MEASURED, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 3}:
        sys.exit(done.stderr)
    peak = int(done.stderr.rsplit("\n", 2)[-2]) / 1024
    print(f"{label:8} {perf_counter() - began:7.1f} s {peak:8,.0f} MiB")


_MEASURED = """
import resource, sys
from normscope.cli import main
sys.argv[0] = "normscope"
try:
    main()
finally:
    print(f"\\n{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}", file=sys.stderr)
"""


def write_run(path: Path, *, items: int, samples: int, seed: int, words: int = 0) -> None:
    """A sealed run of random judgements, one in fifty of which is below the threshold.

    Responses have so many random words behind their first sentence, questions a fifth as many.
    """
    random, used = np.random.default_rng(seed), rubric(NAME)
    # the same questions whatever the seed of the answers is
    questions = _texts(items, words // 5, np.random.default_rng(0))
    asked = [_item(at, more) for at, more in enumerate(questions)]
    n = items * samples
    keys = {
        "benchmark": pa.repeat(NAME, n),
        "item_id": pa.array([item.item_id for item in asked]).take(
            np.repeat(np.arange(items), samples)
        ),
        "variant_id": pa.repeat("", n),
        "scale_order": pa.repeat("", n),
        "sample": pa.array(np.tile(np.arange(samples, dtype=np.int32), items)),
        "temperature": pa.repeat(1.0, n),
        "model": pa.repeat("toy", n),
    }
    texts = _texts(n, words, random)
    text = pa.array(
        [f"An answer of some length, number {at}.{more}" for at, more in enumerate(texts)]
    )
    parts = [_judged(name, keys, used, random) for name in CRITERIA]
    place = np.arange(2 * n).reshape(2, n).T.ravel()
    decoding = Decoding(temperature=1.0, samples=samples)
    taken = BenchmarkItems(
        rubric=NAME,
        criteria=tuple(CRITERIA),
        metrics=benchmark(NAME)[1].metrics,
        items=items,
        items_in_dataset=items,
    )
    with opened(path, create=True) as run:
        run.write_items(asked)
        write_parquet(path / RESPONSES, _table({**keys, "text": text}, ANSWERED))
        write_parquet(path / JUDGEMENTS, pa.concat_tables(parts).take(place))
        model = {"model": "toy", "content": "0" * 64}
        run.config = RunConfig(
            benchmark=(NAME,),
            model=ModelSpec("toy"),
            judge=ModelSpec("toy judge"),
            decoding=decoding,
            provenance=Provenance(
                ResponsesProvenance(benchmarks={NAME: taken}, model=model),
                JudgementsProvenance(
                    judge={"model": "toy judge", "content": "1" * 64},
                    rubrics={NAME: RubricVersion(used.hash, NAME, 1)},
                ),
            ),
        )
        run.seal("respond")
        run.seal("judge")


def _texts(n: int, words: int, random: np.random.Generator) -> list[str]:
    """As many texts of so many words out of five thousand, none where it is no word."""
    if not words:
        return [""] * n
    known = np.array([f"word{at}" for at in range(5000)])
    return [" " + " ".join(known[row]) for row in random.integers(0, len(known), (n, words))]


def _item(at: int, more: str) -> Item:
    category = CFSAFETY[at % len(CFSAFETY)]
    return Item(
        benchmark=NAME,
        item_id=f"i{at}",
        messages=(Turn("user", f"Question {at} of some length?{more}"),),
        language=("en", "zh")[at // 10 % 2],
        category=category.slug,
        area=category.area,
        cluster=f"c{at // 2}",
        facets={"item_format": "closed" if at % 4 == 0 else "open"},
    )


def _judged(
    name: str, keys: dict[str, pa.Array], used: object, random: np.random.Generator
) -> pa.Table:
    scale = used.criteria[name].scale
    n, size = len(keys["benchmark"]), len(scale.labels)
    weights = random.dirichlet(np.ones(size), n)
    values = weights @ np.array(scale.values)
    low = random.random(n) < LOW
    offsets = np.arange(0, n * size + 1, size, dtype=np.int32)
    columns = {
        **keys,
        "judge": pa.repeat("toy judge", n),
        "rubric_hash": pa.repeat(used.hash, n),
        "criterion": pa.repeat(name, n),
        "source": pa.repeat("judge_logits", n),
        "labels": pa.ListArray.from_arrays(offsets, pa.array(np.tile(scale.labels, n))),
        "probs": pa.ListArray.from_arrays(offsets, pa.array(weights.ravel())),
        "value": pa.array(np.where(low, np.nan, values), from_pandas=True),
        "coverage": pa.array(np.where(low, 0.1, 0.9)),
        "windows": pa.repeat(pa.scalar(1, pa.int32()), n),
        "reason": pc.if_else(pa.array(low), "low_coverage", None),
    }
    return _table(columns, JUDGED)


def _table(columns: dict[str, pa.Array], schema: pa.Schema) -> pa.Table:
    n = len(columns["benchmark"])
    return pa.table(
        [
            columns[field.name].cast(field.type)
            if field.name in columns
            else pa.nulls(n, field.type)
            for field in schema
        ],
        schema=schema,
    )


if __name__ == "__main__":
    main()
