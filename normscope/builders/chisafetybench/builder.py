"""CHiSafetyBench: the authors' three files as the configs `mcq`, `qa` and `qa_without_history`.

"CHiSafetyBench: A Chinese Hierarchical Safety Benchmark for Large Language Models", Wenjing Zhang
and others, 2024, arXiv 2406.10311.
"""

from pathlib import Path

import pyarrow as pa

from ..builder import Benchmark, Builder, Card
from ..card import read_body
from ..sources import locate
from ..taxonomy import CHISAFETYBENCH
from .keys import FOLDER
from .mcq import FILE, MCQ, PLAIN, make_mcq, read_mcq, read_plain_mcq
from .qa import MULTI, SINGLE, make_qa, make_twins, read_qa, read_twins


def make_tables(source: Path | None, *, unpinned: bool = False) -> dict[str, pa.Table]:
    """The configs `mcq`, `qa`, and `qa_without_history` with the twins of the dialogues.

    A key of the user's own, `answer_key.csv` beside `mcq.json`, fills the column `answer`.
    """
    paths = locate("chisafetybench", [FILE, SINGLE, MULTI], source, unpinned=unpinned)
    qa = make_qa(paths[SINGLE.path], paths[MULTI.path])
    return {
        "mcq": make_mcq(paths[FILE.path]),
        "qa": qa,
        "qa_without_history": make_twins(qa),
    }


BUILDER = Builder(
    slug="chisafetybench",
    tables=make_tables,
    card=Card(
        title="CHiSafetyBench",
        summary=(
            "Chinese safety questions in five areas and 31 categories: multiple-choice questions "
            "about recognising risk, and risky questions that ought to be refused."
        ),
        languages=("zh",),
        license="unknown",
        license_name=None,
        tags=("safety", "refusal", "llm-evaluation", "not-for-all-audiences"),
        tasks=("multiple-choice", "text-generation"),
        body=read_body(FOLDER / "card.md", taxonomy=CHISAFETYBENCH),
        default_config="mcq",
    ),
    benchmarks=(
        Benchmark(
            name="chisafetybench:qa",
            config="qa",
            items=read_qa,
            criteria=("refusal",),
            rubric="chisafetybench",
            metrics=("refusal_rates",),
        ),
        Benchmark(
            name=MCQ,
            config="mcq",
            items=read_mcq,
            criteria=("option",),
            rubric=None,
            metrics=("risk_identification",),
        ),
        Benchmark(
            name=PLAIN,
            config="mcq",
            items=read_plain_mcq,
            criteria=("option",),
            rubric=None,
            metrics=("risk_identification",),
            written=True,
        ),
        Benchmark(
            name="chisafetybench:qa_without_history",
            config="qa_without_history",
            items=read_twins,
            criteria=("refusal",),
            rubric="chisafetybench",
            metrics=("refusal_rates",),
        ),
    ),
)
