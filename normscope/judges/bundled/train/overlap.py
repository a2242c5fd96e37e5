"""How many training questions stand, word for word or nearly, in a benchmark.

`python -m normscope.judges.bundled.train.overlap --source FOLDER` prints the counts.
"""

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ....builders.near_duplicates import near_duplicates
from ....builders.registry import benchmark
from ....files import canonical_json, write_json
from .. import LANGUAGES
from .sources import read_sets
from .written import exchange_names, read_benign, read_topics

BENCHMARKS = ("cfsafety", "chisafetybench:qa", "chisafetybench:mcq", "safety-gradient")
THRESHOLD = 0.8
CLOSE = 0.5
"""Character 3-grams: 0.8 is the same question with a word changed, 0.5 the same sentence frame."""


def training_questions(source: Path) -> dict[str, list[str]]:
    """The questions of the sets' training splits, and those written for this judge."""
    samples = read_sets(source / "human-labels")
    sets = {s.question for s in samples if s.split == "train" and s.question}
    written = {
        question
        for language in LANGUAGES
        for name in ("topics", "answers", *exchange_names(language))
        for topic in read_topics(name, language)
        for question in topic.pieces["?"]
    }
    written |= {question for language in LANGUAGES for question, _ in read_benign(language)}
    return {"sets": sorted(sets), "written": sorted(written)}


def measure_overlap(source: Path) -> dict[str, Any]:
    """Per benchmark and origin: questions equal to, near to and close to one of the benchmark."""
    ours = training_questions(source)
    result: dict[str, Any] = {"questions": {origin: len(some) for origin, some in ours.items()}}
    for name in BENCHMARKS:
        theirs = benchmark_questions(name, source)
        result[name] = {"questions": len(theirs)} | {
            origin: _compare(some, theirs) for origin, some in ours.items()
        }
    return result


def benchmark_questions(name: str, source: Path) -> list[str]:
    """The distinct questions of a benchmark: what the user asks last."""
    result, bench = benchmark(name)
    items = bench.items(result.tables(source)[bench.config])
    return sorted({item.messages[-1].content for item in items})


def _compare(ours: Sequence[str], theirs: Sequence[str]) -> dict[str, int]:
    known = {_plain(text) for text in theirs}
    pairs = list(near_duplicates(ours, theirs, threshold=CLOSE))
    return {
        "equal": sum(_plain(text) in known for text in ours),
        "near": len({pair.left for pair in pairs if pair.similarity >= THRESHOLD}),
        "close": len({pair.left for pair in pairs}),
    }


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@click.command()
@click.option("--source", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--out", type=click.Path(path_type=Path), help="Where the JSON report goes.")
def main(source: Path, out: Path | None) -> None:
    """Count the training questions that a benchmark has too."""
    report = measure_overlap(source)
    if out is not None:
        write_json(out, report)
    click.echo(canonical_json(report))


if __name__ == "__main__":
    main()
