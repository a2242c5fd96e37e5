"""CHiSafetyBench: the authors' three files as the configs `mcq` and `qa`.

"CHiSafetyBench: A Chinese Hierarchical Safety Benchmark for Large Language Models", Wenjing Zhang
and others, 2024, arXiv 2406.10311.
"""

from functools import partial
from pathlib import Path

import pyarrow as pa

from ..builder import Benchmark, Builder
from ..card import read_card
from ..sources import locate
from ..taxonomy import CHISAFETYBENCH
from .mcq import FILE, FOLDER, MCQ, PLAIN, make_mcq, read_mcq
from .qa import MULTI, SINGLE, make_qa, read_qa


def make_tables(source: Path | None, *, unpinned: bool = False) -> dict[str, pa.Table]:
    """The configs `mcq` and `qa`."""
    paths = locate("chisafetybench", [FILE, SINGLE, MULTI], source, unpinned=unpinned)
    return {
        "mcq": make_mcq(paths[FILE.path]),
        "qa": make_qa(paths[SINGLE.path], paths[MULTI.path]),
    }


_OPEN = Benchmark(
    name="chisafetybench:qa",
    config="qa",
    items=read_qa,
    criteria=("refusal",),
    rubric="chisafetybench",
    metrics=("refusal_rates",),
    size=563,
)
"""Risky questions, which a model answers in its own words."""


def _closed(name: str, *, plain: bool) -> Benchmark:
    """Multiple-choice questions; the plain ones are answered in text whatever is asked for."""
    return Benchmark(
        name=name,
        config="mcq",
        items=partial(read_mcq, plain=plain),
        criteria=("option",),
        rubric=None,
        metrics=("risk_identification",),
        size=1_567,
        written=plain,
    )


BUILDER = Builder(
    slug="chisafetybench",
    tables=make_tables,
    card=read_card(FOLDER / "card.md", taxonomy=CHISAFETYBENCH),
    benchmarks=(
        _OPEN,
        _closed(MCQ, plain=False),
        _closed(PLAIN, plain=True),
    ),
)
