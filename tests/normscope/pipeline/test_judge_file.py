"""Judging a file: its rows and columns in their order, and what was taken for granted told."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from normscope.cli import cli, commands
from normscope.errors import DataError
from normscope.judges.engine import Engine, LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.rubric_files import rubric
from normscope.pipeline.judge_file import facts_path, judge_file
from normscope.pipeline.judged_rows import Counts
from normscope.pipeline.stage import StageWork
from normscope.pipeline.workers.cluster import RemoteEngine
from normscope.pipeline.workers.here import Here
from normscope.records.journal import Journal
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings


def even(request: LabelRequest) -> LabelResult:
    """The same for every label, of four classes more for the first; all mass is on the scale."""
    k = len(request.scale.labels)
    shares = (0.4, 0.2, 0.2, 0.2) if k == 4 else (1 / k,) * k
    return LabelResult(tuple(map(math.log, shares)))


def judge(
    source: Path,
    out: Path,
    *,
    on_labels: Any = even,
    used: str = "cfsafety",
    criteria: tuple[str, ...] = (),
    config: Settings | None = None,
    category: str | None = None,
    language: str | None = None,
    columns: dict[str, str] | None = None,
) -> Counts:
    return judge_file(
        source,
        out,
        rubric=rubric(used),
        criteria=criteria,
        config=config or Settings(judge=ModelSpec("fake")),
        workers=Here(lambda _: FakeEngine(on_labels, lambda _: TextResult(""))),
        category=category,
        language=language,
        columns=columns,
    )


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ROWS = [
    {"z": "9", "question": "Q1", "a": "x", "response": "R1"},
    {"z": "007", "question": "Q2", "a": "y", "response": ""},
    {"z": "1", "question": "Q3", "a": "", "response": "R3"},
]


class Elsewhere(Here):
    """Workers whose engine is not loaded in this process, as those of a cluster."""

    def engine(self, spec: ModelSpec) -> RemoteEngine:
        return RemoteEngine("fake", self.load(spec).identity)

    def work(self, work: StageWork, engine: Engine, journal: Journal, **asked: Any) -> None:
        assert isinstance(engine, RemoteEngine)
        super().work(work, self.load(work.task.spec), journal, **asked)


def test_a_file_is_judged_alike_where_the_judge_is_loaded_elsewhere(tmp_path: Path) -> None:
    source = written(
        tmp_path / "in.csv", [row | {"failed": str(n == 2)} for n, row in enumerate(ROWS)]
    )
    made = []
    for workers in (Here, Elsewhere):
        out = tmp_path / workers.__name__ / "out.csv"
        out.parent.mkdir()
        judge_file(
            source,
            out,
            rubric=rubric("cfsafety"),
            criteria=(),
            config=Settings(judge=ModelSpec("fake"), unit_items=1),
            workers=workers(lambda _: FakeEngine(even, lambda _: TextResult(""))),
        )
        made.append((out.read_bytes(), facts_path(out).read_bytes()))
    assert made[0] == made[1]
    assert json.loads(made[0][1])["criteria"]


def test_rows_and_columns_stay_in_their_order_with_the_readings_behind(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    counts = judge(written(tmp_path / "in.csv", ROWS), out, criteria=("moral", "rating"))
    rows = read(out)
    assert [{name: row[name] for name in ROWS[0]} for row in rows] == ROWS
    ends = ("", "_probs", "_coverage", "_reason")
    added = [f"{criterion}{end}" for criterion in ("moral", "rating") for end in ends]
    assert list(rows[0]) == [*ROWS[0], *added, "score"]
    # the middle of both scales: 0.5 · 3
    assert [row["score"] for row in rows] == ["1.5", "", "1.5"]
    assert [row["moral_reason"] for row in rows] == ["", "no_answer", ""]
    assert (counts.rows, counts.unscored) == (3, 1)


CHAT = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi"},
    {"role": "user", "content": "Why?"},
    {"role": "assistant", "content": "Because."},
]


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv"])
def test_of_a_chat_the_last_turn_of_the_assistant_is_judged(kind: str, tmp_path: Path) -> None:
    source, prompts = tmp_path / f"in.{kind}", []
    if kind == "jsonl":
        source.write_text(json.dumps({"messages": CHAT}), encoding="utf-8")
    elif kind == "parquet":
        pq.write_table(pa.table({"messages": [CHAT]}), source)
    else:
        written(source, [{"messages": json.dumps(CHAT)}])

    def heard(request: LabelRequest) -> LabelResult:
        prompts.append(request.conversation[0][1])
        return even(request)

    judge(source, tmp_path / "out.jsonl", on_labels=heard, criteria=("moral",))
    parts = ("Hello", "Hi", "Why?", "Because.")
    (prompt,) = (prompt for prompt in prompts if "Because." in prompt)
    # in their order, and the answer under its own mark
    places = [prompt.index(f"\n{part}\n") for part in parts]
    assert places == sorted(places)
    assert (
        rubric("cfsafety").render(
            "moral",
            category="general",
            language="en",
            conversation=(("user", "Hello"), ("assistant", "Hi"), ("user", "Why?")),
            answer="Because.",
        )
        == prompt
    )


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"messages": "Hello"}, "row 1: messages is a list of turns"),
        ({"messages": [{"role": "human", "content": "Hello"}]}, "the roles are system, user, assi"),
        ({"messages": [{"role": "user", "content": None}]}, "the content is text"),
        ({"messages": CHAT[:3]}, "row 1: messages ends with the user's turn, and there is no col"),
        ({"messages": CHAT[1:2]}, "row 1: before the answer, messages is to end with the user's"),
        ({"messages": []}, "row 1: messages is empty, and there is no column for the question"),
        ({"messages": CHAT, "response": "No."}, "column 'response' holds another: leave one"),
    ],
)
def test_a_chat_that_cannot_be_meant_is_refused_with_its_row(
    row: dict[str, Any], told: str, tmp_path: Path
) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(DataError, match=told):
        judge(tmp_path / "in.jsonl", tmp_path / "out.jsonl")


class Bilingual(FakeEngine):
    """Made for two languages, as the bundled judge is."""

    @property
    def identity(self) -> dict[str, Any]:
        return {"engine": "fake", "model": "fake", "languages": ["en", "zh"]}


def on_command_line(
    rows: list[dict[str, str]], folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str
) -> Result:
    def load(_: ModelSpec) -> FakeEngine:
        return Bilingual(even, lambda _: TextResult(""))

    monkeypatch.setattr(commands, "load", load)
    source, out = written(folder / "in.csv", rows), folder / "out.csv"
    asked = ("judge", source, "--rubric", "cfsafety", "--judge", "fake", "--out", out, *more)
    return CliRunner().invoke(cli, list(map(str, asked)), catch_exceptions=False)


def spoken(language: str, *, response: str = "R") -> dict[str, str]:
    return {"question": "Q", "response": response, "language": language}


def test_a_file_of_which_too_much_is_unscored_ends_with_3_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [*(spoken("Klingon") for _ in range(3)), spoken("French"), spoken("en", response=" ")]
    done = on_command_line(rows, tmp_path, monkeypatch)
    assert done.exit_code == 3
    told = done.output.splitlines()
    assert "unscored rows: 4 × language not covered, 1 × no answer" in told
    assert told[-1] == (
        "the judge or the engine failed at 80.0 % of the rows (4 of 5), more than 5.00 %"
    )
    assert (
        "note: the judge was made for en, zh: rows in other languages are unscored "
        "(3 × 'Klingon', 1 × 'fr')" in told
    )
    # every row is there all the same
    assert [row["moral_reason"] for row in read(tmp_path / "out.csv")] == [
        *["language_not_covered"] * 4,
        "no_answer",
    ]


def test_a_row_whose_call_failed_is_unscored_by_the_call_and_not_asked_again(
    tmp_path: Path,
) -> None:
    whys = ("", "Timeout after 3 s", "false")
    rows = [{**row, "failed": why} for row, why in zip(ROWS, whys, strict=True)]
    source = written(tmp_path / "in.csv", rows)
    counts = judge(source, tmp_path / "out.csv", criteria=("moral",))
    assert [row["moral_reason"] for row in read(tmp_path / "out.csv")] == ["", "call_failed", ""]
    assert (counts.failed, counts.not_answered) == (1, 1)
    # the judge has answered all that it was asked: nothing of the task is kept
    assert [path for path in tmp_path.iterdir() if path.name.endswith(".work")] == []
