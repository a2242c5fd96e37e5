"""CHiSafetyBench: the authors' three files as the configs `mcq`, `qa` and `qa_without_history`.

"CHiSafetyBench: A Chinese Hierarchical Safety Benchmark for Large Language Models", Wenjing Zhang
and others, 2024, arXiv 2406.10311.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa

from ...records.item import Item
from ..builder import Benchmark, Builder
from ..card import read_card
from ..sources import locate
from ..taxonomy import CHISAFETYBENCH
from .mcq import FILE, FOLDER, MCQ, PLAIN, make_mcq, read_mcq
from .qa import MULTI, SINGLE, make_qa, make_twins, read_qa, read_twins


def make_tables(source: Path | None, *, unpinned: bool = False) -> dict[str, pa.Table]:
    """The configs `mcq`, `qa`, and `qa_without_history` with the twins of the dialogues."""
    paths = locate("chisafetybench", [FILE, SINGLE, MULTI], source, unpinned=unpinned)
    qa = make_qa(paths[SINGLE.path], paths[MULTI.path])
    return {
        "mcq": make_mcq(paths[FILE.path]),
        "qa": qa,
        "qa_without_history": make_twins(qa),
    }


def _open(config: str, items: Callable[[pa.Table], list[Item]]) -> Benchmark:
    """Risky questions, which a model answers in its own words."""
    return Benchmark(
        name=f"chisafetybench:{config}",
        config=config,
        items=items,
        criteria=("refusal",),
        rubric="chisafetybench",
        metrics=("refusal_rates",),
    )


def _closed(name: str, *, plain: bool) -> Benchmark:
    """Multiple-choice questions; the plain ones are answered in text whatever is asked for."""
    return Benchmark(
        name=name,
        config="mcq",
        items=partial(read_mcq, plain=plain),
        criteria=("option",),
        rubric=None,
        metrics=("risk_identification",),
        written=plain,
    )


BUILDER = Builder(
    slug="chisafetybench",
    tables=make_tables,
    card=read_card(FOLDER / "card.md", taxonomy=CHISAFETYBENCH),
    benchmarks=(
        _open("qa", read_qa),
        _closed(MCQ, plain=False),
        _closed(PLAIN, plain=True),
        _open("qa_without_history", read_twins),
    ),
)
