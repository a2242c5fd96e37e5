"""The table of answers is what the judgements say, and a condition reaches nothing else."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from normscope.errors import DataError, UsageError
from normscope.metrics.registry import CLASSES, RANGES
from normscope.reasons import Origin, origin_of
from normscope.records.integrity import JUDGEMENTS, RESPONSES
from normscope.records.judgement import Judgement
from normscope.records.judgements import headline, read_judgements
from normscope.records.response import Response
from normscope.records.run import Run
from normscope.records.tables import from_table
from normscope.viewer import Answers
from normscope.viewer.answers import KEY
from tests.shared.mixed_runs import items_of, mixed_run, rows_of

ITEMS = items_of()


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return [mixed_run(name, ITEMS, rows_of(ITEMS, seed)) for seed, name in enumerate("ab")]


@pytest.fixture(scope="module")
def two(runs: list[Run]) -> Answers:
    return Answers(runs)


def key_of(row: Any) -> tuple[Any, ...]:
    return tuple(getattr(row.key, name) for name in KEY)


def label_of(judged: Judgement) -> str | None:
    if judged.value is None:
        if judged.criterion != "option" or judged.reason != "no_key":
            return None
        return judged.labels[judged.probs.index(max(judged.probs))] if judged.probs else None
    return CLASSES.get(judged.criterion, {}).get(int(judged.value), judged.favourite)


def favours(judged: Judgement) -> str | None:
    return judged.favourite if judged.value is not None else None


def together(first: Judgement, second: Judgement) -> bool:
    """Whether two channels speak of the same: the model's of an item, a judge's of a response."""
    same = first.criterion, first.source.is_judge
    if same != (second.criterion, second.source.is_judge):
        return False
    width = len(KEY) if first.source.is_judge else 4
    return key_of(first)[:width] == key_of(second)[:width] and first.source != second.source


@pytest.mark.parametrize("at", [0, 1])
def test_every_column_is_what_the_judgements_say(runs: list[Run], at: int) -> None:
    run = runs[at]
    answers = Answers([run])
    assert len(answers) == run.responses.num_rows
    every = from_table(run.judgements, Judgement)
    kept = headline(read_judgements(run.judgements))
    counts = {(name, s) for name, s in zip(kept.criterion, kept.source, strict=True)}
    shown = answers.rows(answers.where())
    for row, response in zip(shown, from_table(run.responses, Response), strict=True):
        assert tuple(row[name] for name in KEY) == key_of(response)
        own = [each for each in every if key_of(each) == key_of(response)]
        counted = {e.criterion: e for e in own if (e.criterion, e.source) in counts}
        for name, judged in counted.items():
            assert row[name] == (judged.value if name in RANGES else label_of(judged))
        assert all(row[n] is None for n in {*RANGES, *CLASSES, "option"} - counted.keys())
        values = [counted[name].value if name in counted else None for name in RANGES]
        assert row["score"] == (None if None in values else math.prod(v or 0 for v in values))
        least = [each.coverage for each in counted.values() if each.coverage is not None]
        assert row["coverage"] == min(least, default=None)
        failed = [e for e in counted.values() if e.value is None]
        ours = {Origin.JUDGE, Origin.ENGINE}
        assert row["unscored"] == any(origin_of(each.reason) in ours for each in failed)
        assert row["reason"] == next((e.reason for e in failed), response.reason)
        differs = (
            together(one, other) and None not in {favours(one), favours(other)}
            and favours(one) != favours(other)
            for one in own for other in every
        )  # fmt: skip
        assert row["disagreement"] == any(differs)


def test_two_runs_stand_beside_each_other_by_what_they_have_in_common(
    runs: list[Run], two: Answers
) -> None:
    def placed(answers: Answers) -> Any:
        frame = answers.to_frame()
        frame["text"] = frame["temperature"].notna()
        return frame.set_index([*KEY[:5], "text"])

    alone, frame = [placed(Answers([run])) for run in runs], placed(two)
    assert {*frame.index} == {*alone[0].index} & {*alone[1].index} != set()
    assert frame.index.is_unique
    for key, row in frame.iterrows():
        for end, of_run in zip(("", "_2"), alone, strict=True):
            here = of_run.loc[key]
            for name in ("moral", "refusal", "response", "unscored"):
                assert row[name + end] == here[name] or row[name + end] != row[name + end]
    refusal = "refusal <> refusal_2"
    assert 0 < len(two.where(refusal)) <= len(two.where(f"changed and {refusal}"))
    assert len(two.where("changed")) < len(two)
    same = Answers([runs[0], replace(runs[0], name="again")])
    assert (len(same), same.where("changed")) == (len(runs[0].responses), [])


def test_a_condition_chooses_and_what_is_none_is_refused(two: Answers) -> None:
    assert two.where() == two.where("  ") == list(range(len(two)))
    chosen = two.rows(two.where("moral < 0.5 and category = 'lakes'"))
    assert {row["category"] for row in chosen} == {"lakes"}
    with pytest.raises(UsageError, match=r"columns: benchmark, item_id.*moral.*changed"):
        two.where("morals < 0.5")


@pytest.mark.parametrize(
    "condition",
    [
        "(select count(*) from read_csv('{file}')) > 0",
        "(select count(*) from read_text('{file}')) > 0",
        "(select count(*) from '{file}') > 0",
        "(select count(*) from ITEMS) > 0",
        "true; copy answers to '{file}.csv'",
        "true) union (select 1",
        "true; set enable_external_access = true",
        "getenv('HOME') <> ''",
    ],
)
def test_a_condition_reaches_neither_files_nor_settings(
    two: Answers, condition: str, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    with pytest.raises(UsageError):
        two.where(condition.format(file=secret))
    assert [*tmp_path.iterdir()] == [secret]
    assert two.where()


def test_what_cannot_stand_side_by_side_is_refused(runs: list[Run]) -> None:
    with pytest.raises(UsageError, match="not of 3"):
        Answers([*runs, runs[0]])
    nothing = {RESPONSES: runs[1].responses.slice(0, 0)}
    other = replace(runs[1], contents={**runs[1].contents, **nothing})
    with pytest.raises(DataError, match="look at each alone"):
        Answers([runs[0], other])


def test_a_criterion_may_be_called_like_anything(runs: list[Run]) -> None:
    table = runs[0].judgements
    names = pa.array(['say "so"; --' if n == "moral" else "response" if n == "rating" else n
                      for n in table["criterion"].to_pylist()])  # fmt: skip
    at = table.schema.get_field_index("criterion")
    table = table.set_column(at, table.schema.field(at), names)
    renamed = replace(runs[0], contents={**runs[0].contents, JUDGEMENTS: table})
    answers = Answers([renamed])
    assert {'say "so"; --', "response_"} <= {*answers.to_frame().columns}
    assert answers.where('"say ""so""; --" is not null')
