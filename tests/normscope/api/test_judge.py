"""A judge in Python: what it takes, what comes back, and that a file is judged as a table is."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import normscope as ns
from normscope.api import judge as api
from normscope.errors import DataError, UsageError
from normscope.hub_folders import hub_folder
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.rubric_files import rubric
from normscope.pipeline.judge_file import judge_file
from normscope.pipeline.workers.here import Here
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings

QUESTIONS = ["Where?", "When?", "Who?"]
ANSWERS = ["Here.", "Now, and for as long as it takes.", "Me."]
CHAT = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Yes?"},
    {"role": "user", "content": "Where?"},
]


def by_length(request: LabelRequest) -> LabelResult:
    """The longer the prompt, the more probable the later labels."""
    length = len(request.conversation[0][1])
    weights = [1 + k * length % 97 for k in range(len(request.scale.labels))]
    return LabelResult(tuple(math.log(0.9 * w / sum(weights)) for w in weights))


def first_label(request: TextRequest) -> TextResult:
    return TextResult("0")


def scripted(spec: ModelSpec) -> FakeEngine:
    return FakeEngine(by_length, first_label, name=spec.model)


@pytest.fixture(scope="module", autouse=True)
def engines() -> Iterator[list[FakeEngine]]:
    """Every engine that is loaded while the tests of the module run."""
    loaded: list[FakeEngine] = []

    def load(spec: ModelSpec) -> FakeEngine:
        loaded.append(scripted(spec))
        return loaded[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(api, "load", load)
        yield loaded


def quiet(**settings: Any) -> ns.Judge:
    return ns.Judge("toy", **{"rubric": "cfsafety", "progress": False, **settings})


def test_nothing_is_loaded_before_it_is_used(engines: list[FakeEngine]) -> None:
    before = len(engines)
    judge = quiet(criteria=["moral"])
    assert (judge.name, judge.rubric.name, list(judge.questions.criteria)) == (
        *("toy", "cfsafety"),
        ["moral"],
    )
    assert len(engines) == before
    assert judge.identity["model"] == "toy"
    judge("Where?", "Here.")
    assert len(engines) == before + 1


@pytest.mark.parametrize(
    ("channels", "criteria"),
    [
        (("labels",), ("moral", "rating")),
        (("text",), ("moral",)),
        (("labels", "text"), ("moral",)),
    ],
)
def test_a_table_is_judged_as_the_file_with_its_rows(
    tmp_path: Path, channels: tuple[Any, ...], criteria: tuple[str, ...]
) -> None:
    answers = [ANSWERS[0], "", ANSWERS[2]]
    rows = {"question": QUESTIONS, "response": answers, "category": ["misleading", "", ""]}
    source, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table(rows), source)
    judge_file(
        source,
        out,
        rubric=rubric("cfsafety"),
        criteria=criteria,
        config=Settings(judge=ModelSpec("toy"), judge_channels=channels),
        workers=Here(scripted),
    )
    written = pq.read_table(out)
    judge = quiet(channels=channels, criteria=criteria)
    judged = judge(QUESTIONS, answers, categories=rows["category"])
    table = judged.to_arrow()
    added = [name for name in written.column_names if name not in rows]
    assert table.column_names == ["id", *rows, "language", *added]
    for name in added:
        assert table.column(name).to_pylist() == written.column(name).to_pylist(), name
    facts = json.loads((tmp_path / "out.judging.json").read_text(encoding="utf-8"))
    assert list(judged.caveats) == facts["caveats"]


COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "numpy": lambda values: np.array(values, dtype=object),
    "pandas": lambda values: pd.Series(values, index=[7] * len(values)),
    "text of pandas": lambda values: pd.Series(values, dtype="string"),
    "arrow": pa.array,
    "chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_are_taken_from_any_library(kind: str) -> None:
    of, answers = COLUMNS[kind], [ANSWERS[0], None, ANSWERS[2]]
    usual = quiet()(QUESTIONS, answers, categories=["misleading", None, "privacy_leaks"])
    judged = quiet()(
        of(QUESTIONS), of(answers), categories=of(["misleading", None, "privacy_leaks"])
    )
    assert judged.to_arrow().equals(usual.to_arrow())
    assert [item.category for item in judged.items] == ["misleading", "general", "privacy_leaks"]


def test_a_conversation_is_one_question_and_a_column_of_them_several() -> None:
    one = quiet()(CHAT, "Here.")
    assert [turn._asdict() for turn in one.items[0].messages] == CHAT
    several = quiet()([CHAT, "Where?"], ["Here.", "Here."])
    values = [[each.value for each in of] for of in (one.judgements[0], several.judgements[0])]
    assert values[0] == values[1]
    assert several.items[1].messages[0].content == "Where?"
    # as a frame has them that was read from Parquet
    stored = pa.table({"chat": [CHAT, CHAT[-1:]]}).to_pandas()["chat"]
    assert quiet()(stored, ["Here.", "Here."]).to_arrow().column("messages").to_pylist() == [
        CHAT,
        CHAT[-1:],
    ]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"rubric": "cfsafty"}, "did you mean 'cfsafety'"),
        ({"rubric": "nowhere.yaml"}, r"nowhere\.yaml"),
        ({"criteria": ["morl"]}, "did you mean 'moral'"),
        ({"dtyp": "float32"}, "did you mean 'dtype'"),
        ({"dtype": "float8"}, "'bfloat16' or 'float16', not 'float8'"),
        ({"min_coverage": 2}, "a share from 0 to 1, not 2"),
        ({"unit_items": 0}, "at least 1, not 0"),
        ({"channels": ["logits"]}, "'labels' or 'text', not 'logits'"),
        ({"channels": ["text"], "label_orders": "both"}, "a judge asked in text has none"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused_at_once(
    settings: dict[str, Any], text: str
) -> None:
    with pytest.raises((UsageError, DataError), match=text):
        quiet(**settings)


def test_a_judge_knows_no_wording_but_that_which_it_brings() -> None:
    assert ns.Judge("bundled").rubric.name == "bundled"
    with pytest.raises(UsageError, match="made for the wording"):
        ns.Judge("bundled", rubric="cfsafety")
    with pytest.raises(UsageError, match="brings no rubric: name one, rubric='cfsafety'"):
        ns.Judge("./toy")("Where?", "Here.")


@pytest.mark.parametrize(
    ("arguments", "named", "text"),
    [
        ((QUESTIONS, ANSWERS[:2]), {}, "3 rows of question for 2 answers"),
        ((QUESTIONS, ANSWERS), {"categories": ["misleading"]}, "1 rows of category for 3 answers"),
        ((QUESTIONS, ANSWERS), {"categories": ["", "", "misleding"]}, "row 3: .*'misleading'"),
        (
            (QUESTIONS, ["Here.", {"text": "Now."}, "Me."]),
            {},
            "row 2: the response is of type dict",
        ),
        (([1, {"x": 2}, 3], ANSWERS), {}, "row 2: the question is of type dict"),
        ((["Q", [{"role": "user"}], "Q"], ANSWERS), {}, "row 2: messages is a list of turns"),
        (([CHAT[:3], "Q", "Q"], ANSWERS), {}, "row 1: messages ends with an answer"),
        ((QUESTIONS, ANSWERS), {"ids": ["a", "b", "a"]}, "row 3: the id 'a' .* row 1, too"),
        ((QUESTIONS, ANSWERS), {"ids": ["a", "b"]}, "2 rows of id for 3 answers"),
    ],
)
def test_rows_that_cannot_be_judged_are_refused_by_their_number(
    arguments: tuple[Any, Any], named: dict[str, Any], text: str
) -> None:
    with pytest.raises(DataError, match=text):
        quiet()(*arguments, **named)


def test_a_rubric_without_a_fallback_needs_a_category(tmp_path: Path) -> None:
    text = (hub_folder("judges") / "rubrics" / "cfsafety.yaml").read_text(encoding="utf-8")
    strict = tmp_path / "strict.yaml"
    strict.write_text(text.replace("fallback_category: general\n", ""), encoding="utf-8")
    with pytest.raises(DataError, match=r"row 1: no category; .*categories=NAME"):
        quiet(rubric=strict)("Where?", "Here.")
