"""Multiple choice: rotations of the options, the scores over them, and a key of one's own."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from finished_runs import whole_row
from judged_rows import judgements_of

from normscope.builders.chisafetybench.mcq import prompt_of
from normscope.cli import cli
from normscope.errors import SourceError, UsageError
from normscope.files import read_parquet
from normscope.judges.engine import TextRequest, TextResult
from normscope.metrics.estimate import Estimate, Statistic
from normscope.pipeline import options as scoring
from normscope.pipeline.options import can_turn, put_key, rotations
from normscope.pipeline.respond import respond
from normscope.pipeline.score import read_scores, score
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened
from normscope.records.integrity import ITEMS, JUDGEMENTS
from normscope.records.item import Item, Turn
from normscope.records.model_spec import ModelSpec
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.report.caveats import caveats
from normscope.report.write import data_of

MakeItem = Callable[..., Item]


def asked(made: Item) -> Item:
    return replace(made, messages=(Turn("user", prompt_of("what is eaten?", made.options)),))


@pytest.fixture
def question(item: MakeItem) -> Item:
    return asked(item(options=("bread", "stones", "sand"), answer="A"))


def test_every_text_stands_once_behind_every_letter_and_the_letters_stay(question: Item) -> None:
    turned = rotations(question)
    assert [one.scale_order for one in turned] == ["", "rotation-1", "rotation-2"]
    assert all([o.letter for o in one.options] == ["A", "B", "C"] for one in turned)
    columns = zip(*([o.text for o in one.options] for one in turned), strict=True)
    assert all(sorted(column) == ["bread", "sand", "stones"] for column in columns)


def test_the_answer_goes_where_its_text_goes(question: Item) -> None:
    for one in rotations(question):
        assert {o.letter: o.text for o in one.options}[one.answer or ""] == "bread"
    # bread was first, so after one turn it is last
    assert [one.answer for one in rotations(question)] == ["A", "C", "B"]


def test_the_prompt_shows_the_turned_options_and_nothing_else_changes(question: Item) -> None:
    original, turned, _ = rotations(question)
    assert original is question
    assert turned.question == prompt_of("what is eaten?", turned.options)
    assert turned.question.splitlines()[1] == "A. stones"
    same = {name: getattr(question, name) for name in ("item_id", "category", "language")}
    assert {name: getattr(turned, name) for name in same} == same


@pytest.mark.parametrize(
    ("options", "turns"),
    [
        (("bread", "stones"), True),
        (("甲", "乙"), True),
        (("vitamin C", "iron"), True),
        (("head and body", "a or the"), True),
        (("bread", "stones", "以上都是"), False),
        (("面包", "上述两项"), False),
        (("bread", "none of the above"), False),
        (("bread", "stones", "A and B"), False),
        (("面包", "石头", "A和B都对"), False),
        (("面包", "石头", "A、B"), False),
        (("bread",), False),
    ],
)
def test_options_that_speak_of_a_place_are_not_turned(
    item: MakeItem, options: Any, turns: bool
) -> None:
    made = asked(item(options=options))
    assert can_turn(made) is turns
    assert len(rotations(made)) == (len(options) if turns else 1)


Pair = tuple[Item, dict[str, Any]]


def option_scores(pairs: list[Pair], groups: scoring.Groups | None = None) -> list[Statistic]:
    return scoring.option_scores(judgements_of(pairs), groups)


def row(said: float | str, **other: Any) -> dict[str, Any]:
    known = not isinstance(said, str)
    return {
        "criterion": "option",
        "source": "model_logits",
        "value": said if known else None,
        "reason": None if known else said,
        "sample": 0,
        **other,
    }


def overall(statistics: list[Statistic]) -> dict[str, Estimate]:
    return {s.name: s.estimate for s in statistics if not s.group}


@pytest.fixture
def turned(item: MakeItem) -> list[Pair]:
    """Two options: right in one order of two. Four: right in all. Two: right in none."""
    said = {1: ("ab", (1.0, 0.0)), 2: ("abcd", (1.0, 1.0, 1.0, 1.0)), 3: ("ab", (0.0, 0.0))}
    return [
        (
            item(number, options, scale_order=f"rotation-{step}" if step else ""),
            row(value),
        )
        for number, (options, values) in said.items()
        for step, value in enumerate(values)
    ]


def test_an_item_counts_once_however_many_orders_it_has(turned: list[Pair]) -> None:
    found = overall(option_scores(turned))
    # (1/2 + 1 + 0)/3; over rows it would be 5/8
    assert found["agreement"].value == pytest.approx(0.5)
    assert (found["agreement"].n, found["agreement"].target) == (3, "new items of the kind")
    assert found["answered"].value == 1
    # blind: (1/2 + 1/4 + 1/2)/3
    assert found["chance"].value == pytest.approx(5 / 12)
    # one of three agrees in all orders, one in some only
    assert found["agreement_all_orders"].value == pytest.approx(1 / 3)
    assert found["order_flips"].value == pytest.approx(1 / 3)


def test_turning_the_options_leaves_a_constant_answer_no_more_than_chance(
    item: MakeItem,
) -> None:
    # the right text stands under A, then under B: each letter is right in one of two orders
    pairs = [
        (
            item(n, answer=letter, scale_order=order, answer_source="silver"),
            row(float(letter == "A")),
        )
        for n in range(4)
        for letter, order in (("A", ""), ("B", "rotation-1"))
    ]
    by_name = {s.name: s for s in option_scores(pairs) if not s.group}
    assert by_name["silver_best_constant"].estimate.value == by_name["chance"].estimate.value == 0.5
    assert "silver_agreement_all_orders" in by_name
    assert not {"agreement", "agreement_all_orders", "best_constant"} & set(by_name)


CONFIG = Settings(
    benchmark=("chisafetybench:mcq",),
    model=ModelSpec("model"),
    channels=("labels", "text"),
    option_orders="cyclic",
    unpinned=True,
)


def write_key(folder: Path, *rows: str) -> Path:
    path = folder / "mine.csv"
    path.write_text("\n".join(["id,answer", *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def source(mcq_source: Path) -> str:
    return str(mcq_source)


def text(request: TextRequest) -> TextResult:
    """An answer to most questions, the last option by its letter; now and then a refusal."""
    lines = request.conversation[-1][1].splitlines()
    return TextResult("我不选。" if "雨" in lines[0] else f"答案是{lines[-2][0]}。")


def made(folder: Path, engines: type[Any], source: str, **other: Any) -> Path:
    whole_row(folder, replace(CONFIG, source=source, **other), engines(model=(None, text)))
    return folder


def test_a_run_scored_with_a_key_is_the_run_that_was_requested_with_it(
    tmp_path: Path, engines: type[Any], source: str
) -> None:
    # one question by its item id, one in small letters, one without an answer
    key = write_key(tmp_path, "1,B", "chisafetybench-mcq-0003,a", "4, a ")
    with pytest.warns(UserWarning, match="no answer to 1 of 4 questions"):
        before = made(tmp_path / "before", engines, source, key=str(key))
    after = made(tmp_path / "after", engines, source)
    with opened(after) as run, pytest.warns(UserWarning, match="no answer to 1"):
        put_key(run, key)
        score(run)
        kept, after_scores = run.config, read_scores(run.read())
    for name in (ITEMS, JUDGEMENTS):
        assert read_parquet(before / name).equals(read_parquet(after / name)), name
    with opened(before) as run:
        scores = read_scores(run.read())
        assert scores == after_scores
        assert run.config.provenance.benchmarks == kept.provenance.benchmarks
        table = {s.name: s.estimate for s in scores.overall("chisafetybench:mcq")}
    # the first letter each time, over the orders of its question: 1/2, 1/4 and, unturned, 1
    assert table["agreement"].value == pytest.approx((1 / 2 + 1 / 4 + 1) / 3)
    assert "silver_agreement" not in table


def test_the_command_scores_by_area_and_category_and_names_the_key(
    tmp_path: Path, engines: type[Any], source: str
) -> None:
    run = made(tmp_path / "run", engines, source)
    key = write_key(tmp_path, "1,A", "2,B", "3,A", "4,A")
    result = CliRunner().invoke(cli, ["score", str(run), "--key", str(key)])
    assert result.exit_code == 0, result.output
    assert "\nagreement " in result.output
    assert "silver" not in result.output
    data = data_of(Run.open(run))
    shown = [str(c.text) for c in caveats(data) if str(c.about) == "Key"]
    assert len(shown) == 1
    assert "agreement is with mine.csv " in shown[0]


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (("1,A", "99,A"), "belong to no question: 99"),
        (("1,D",), r"none of their options: 1 \(D\)"),
        (None, "there is no key .*missing.csv"),
    ],
)
def test_a_key_that_cannot_be_meant_is_refused_before_anybody_is_asked(
    tmp_path: Path, engines: type[Any], source: str, rows: Any, match: str
) -> None:
    key = tmp_path / "missing.csv" if rows is None else write_key(tmp_path, *rows)
    with pytest.raises((SourceError, UsageError), match=match):
        made(tmp_path / "run", engines, source, key=str(key))
    assert not (tmp_path / "run" / ITEMS).exists()


def test_a_key_without_questions_to_it_is_refused(tmp_path: Path, engines: type[Any]) -> None:
    key = write_key(tmp_path, "1,A")
    with (
        opened(tmp_path / "run", create=True) as run,
        pytest.raises(UsageError, match="safety-gradient has none"),
    ):
        respond(run, replace(CONFIG, benchmark=("safety-gradient",), key=str(key)), Here(engines()))
