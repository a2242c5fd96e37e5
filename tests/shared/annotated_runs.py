"""A judged run made of plain rows, and raters of known error rates who fill in its sheets."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from click.testing import CliRunner, Result

from normscope.builders.registry import benchmark
from normscope.cli.annotate import annotate
from normscope.files import write_parquet
from normscope.judges.rubric_files import rubric
from normscope.records.folder import opened
from normscope.records.integrity import JUDGEMENTS, RESPONSES
from normscope.records.item import Item, Turn
from normscope.records.judgement import SCHEMA as JUDGED
from normscope.records.provenance import (
    BenchmarkItems,
    JudgementsProvenance,
    Provenance,
    ResponsesProvenance,
)
from normscope.records.response import SCHEMA as ANSWERED
from normscope.records.settings import Settings
from normscope.untrusted import guarded

QA = "chisafetybench:qa"
IDENTITY = {"model": "toy judge", "engine": "fake", "content": "c" * 64, "chat_template": None}


@dataclass(frozen=True)
class Answer:
    """One answer of a made-up run: people's true label and the judge's, by criterion; null:
    unscored.
    """

    text: str | None
    truth: Mapping[str, str]
    judge: Mapping[str, str | None]
    language: str = "en"
    category: str = "ethnic_discrimination"
    cluster: str = ""
    question: str = "May I ask something?"
    reason: str | None = None


def write_run(
    path: Path, answers: Sequence[Answer], *, name: str = QA, identity: Any = None
) -> Path:
    """A run folder with these answers and the judge's verdicts on them."""
    used = rubric(str(benchmark(name)[1].rubric))
    items, responses, judgements = [], [], []
    for at, one in enumerate(answers):
        item = Item(
            benchmark=name,
            item_id=f"i{at}",
            messages=(Turn("user", one.question),),
            language=one.language,
            category=one.category,
            cluster=one.cluster,
        )
        keys = {
            "benchmark": name,
            "item_id": item.item_id,
            "variant_id": "",
            "scale_order": "",
            "sample": 0,
            "temperature": 0.0,
            "model": "toy",
        }
        items.append(item)
        responses.append(keys | {"text": one.text, "reason": one.reason})
        for criterion, label in one.judge.items():
            scale = used.criteria[criterion].scale
            silent = one.reason or (None if one.text else "no_answer")
            probs = [float(known == label) for known in scale.labels]
            scored = label is not None and not silent
            judgements.append(
                keys
                | {
                    "judge": "toy judge",
                    "rubric_hash": used.hash,
                    "criterion": criterion,
                    "source": "judge_logits",
                    "labels": list(scale.labels),
                    "probs": probs if scored else None,
                    "value": scale.expected(probs) if scored else None,
                    "coverage": 1.0 if scored else None,
                    "windows": 1,
                    "reason": None if scored else silent or "low_coverage",
                }
            )
    with opened(path, create=True) as run:
        run.write_items(items)
        write_parquet(path / RESPONSES, pa.Table.from_pylist(responses, schema=ANSWERED))
        write_parquet(path / JUDGEMENTS, pa.Table.from_pylist(judgements, schema=JUDGED))
        criteria = list(dict.fromkeys(criterion for one in answers for criterion in one.judge))
        noted = BenchmarkItems(
            rubric=used.name, criteria=tuple(criteria), metrics=benchmark(name)[1].metrics
        )
        items_of = {name: noted}
        provenance = Provenance(
            ResponsesProvenance(benchmarks=items_of),
            JudgementsProvenance(judge=identity or IDENTITY),
        )
        run.config = Settings(benchmark=(name,), provenance=provenance)
        run.seal("respond")
        run.seal("judge")
    return path


def reseal(path: Path, stage: str) -> None:
    """Makes what stands in a table of the run the stage's own."""
    with opened(path) as run:
        run.seal(stage)


def made_up(
    count: int, *, seed: int = 0, harm: float = 0.3, unscored: float = 0.05
) -> list[Answer]:
    """Refusal degrees in two languages; the judge sees three in ten harmful answers as harmless."""
    random = np.random.default_rng(seed)
    found = []
    for at in range(count):
        truth = str(random.choice(4, p=[harm, 0.3, 0.2, 0.5 - harm]))
        said: str | None = truth
        if truth == "0" and random.random() < 0.3:
            said = "1"
        elif random.random() < 0.1:
            said = str(random.integers(4))
        if random.random() < unscored:
            said = None
        chinese = at % 3 == 0
        found.append(
            Answer(
                text=f"{'回答' if chinese else 'Answer'} {at} […]",
                truth={"refusal": truth},
                judge={"refusal": said},
                language="zh" if chinese else "en",
                category=("ethnic_discrimination", "sexism")[at % 2],
                cluster=f"q{at // 2}",
                question=f"{'问题' if chinese else 'Question'} {at // 2}?",
            )
        )
    return found


def call(*arguments: object) -> Result:
    """A verb of `normscope annotate`; an error of ours is raised."""
    return CliRunner().invoke(annotate, list(map(str, arguments)), catch_exceptions=False)


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a sheet as the page saves it; of one that nobody has filled in with its texts."""
    if not path.exists():
        page = path.with_suffix(".html").read_text(encoding="utf-8")
        sheet = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
        return [
            {
                "item": item["id"],
                "question": "\n".join(turn["text"] for turn in item["turns"][:-1]),
                "answer": guarded(item["turns"][-1]["text"]),
                **dict.fromkeys(sheet["columns"]["criteria"].values(), ""),
                "comment": "",
                "sheet": sheet["sheet"],
            }
            for item in sheet["items"]
        ]
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    """Writes the rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def fill(sheet: Path, label: Callable[[dict[str, str], str], str], out: Path | None = None) -> Path:
    """Fills every label cell: `label` is given the row and the criterion."""
    rows = read(sheet)
    for row in rows:
        for column in row:
            if column.startswith("label_"):
                row[column] = label(row, column.removeprefix("label_"))
    return write(out or sheet, rows)


def rater(
    answers: Sequence[Answer], labels: Sequence[str], *, error: float, seed: int
) -> Callable[[dict[str, str], str], str]:
    """A rater who gives another label than the true one with this chance."""
    random = np.random.default_rng(seed)
    known = {one.text: one.truth for one in answers}

    def label(row: dict[str, str], criterion: str) -> str:
        truth = known[row["answer"]][criterion]
        others = [one for one in labels if one != truth]
        return str(random.choice(others)) if random.random() < error else truth

    return label


def truthful(answers: Sequence[Answer]) -> Callable[[dict[str, str], str], str]:
    """A rater who is always right."""
    known = {one.text: one.truth for one in answers}
    return lambda row, criterion: known[row["answer"]][criterion]
