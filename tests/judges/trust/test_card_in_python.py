"""`ns.validate` makes the verb's card, of a data frame as of a file; and for what it holds."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import normscope as ns
from normscope.api import judge as api
from normscope.api.card import Card
from normscope.errors import DataError, UnscoredWarning, UsageError
from normscope.judges.trust.card import read_card

MAP = {"safe": 1, "unsafe": 0}


@pytest.fixture
def judge(script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ns.Judge:
    monkeypatch.setattr(api, "load", script.load)
    return ns.Judge(script.name, rubric="cfsafety", progress=False, cards=tmp_path / "shelf")


@pytest.fixture
def card(judge: ns.Judge, labels: Path) -> Card:
    made: Card = ns.validate(judge, labels, criterion="moral", map=MAP, resamples=100)
    return made


def test_it_is_the_card_that_the_verb_makes(
    card: Card, make_card: Any, labels: Path, tmp_path: Path
) -> None:
    asked = ("--criterion", "moral", "--map", "safe=1,unsafe=0", "--resamples", 100)
    done = make_card("--labels", labels, *asked)
    assert done.exit_code == 0, done.output
    [path] = (tmp_path / "cards").glob("*.json")
    assert read_card(path) == card.data
    assert card.write(tmp_path / "mine")
    for kind in (".json", ".html"):
        [theirs], [mine] = ((tmp_path / x).glob(f"*{kind}") for x in ("cards", "mine"))
        assert mine.name == theirs.name
        assert mine.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("kind", ["pandas", "arrow", "columns"])
def test_a_table_gives_the_numbers_of_the_file(
    kind: str, judge: ns.Judge, card: Card, rows: list[dict[str, str]]
) -> None:
    frame = pd.DataFrame(rows)
    frame.loc[len(frame)] = ["A question without a label", "?", None, "en", None]
    table = {
        "pandas": frame,
        "arrow": pa.Table.from_pandas(frame),
        "columns": frame.to_dict("list"),
    }[kind]
    made = ns.validate(judge, table, criterion="moral", map=MAP, resamples=100, name="mine")
    assert made.data.slices == card.data.slices
    assert (made.data.source.benchmark, made.data.source.file) == ("mine", "mine")
    assert (made.data.source.rows, made.data.source.taken) == (25, 24)


def test_it_is_tidy_with_what_it_is_compared_to(card: Card) -> None:
    frame = card.to_frame()
    told = [
        *("model", "benchmark", "criterion", "predictor", "over"),
        *("statistic", "name", "group", "member"),
    ]
    assert list(frame.columns)[: len(told)] == told
    assert {"value", "low", "high", "n", "unscored", "method"} <= set(frame.columns)
    whole = frame[(frame["group"] == "") & (frame["over"] == "")]
    [kappa] = whole[(whole["statistic"] == "kappa") & (whole["predictor"] == "judge")]["value"]
    # of 23 answers 20 agree; by chance (12·11 + 11·12)/23² would
    chance = 2 * 12 * 11 / 23**2
    assert kappa == pytest.approx((20 / 23 - chance) / (1 - chance))
    assert card["kappa"].estimate.value == pytest.approx(kappa)
    assert set(whole["predictor"]) > {"judge"}
    # what the judge has over a predictor is the difference of the two
    over = frame[(frame["group"] == "") & (frame["over"] != "")].iloc[0]
    theirs = whole[
        (whole["predictor"] == over["over"]) & (whole["statistic"] == over["statistic"])
    ]["value"].item()
    [ours] = whole[(whole["predictor"] == "judge") & (whole["statistic"] == over["statistic"])][
        "value"
    ]
    assert over["value"] == pytest.approx(ours - theirs)


def test_it_holds_for_the_judge_as_it_was_measured_and_for_no_other(
    card: Card, judge: ns.Judge, script: Any, tmp_path: Path
) -> None:
    assert card.holds_for(judge)
    assert card.holds_for(judge, "zh")
    assert not card.holds_for(judge, "fr")
    reordered = ns.Judge(script.name, rubric="cfsafety", label_orders="both")
    (difference,) = card.differences(reordered)
    assert difference.field == "label orders"
    assert not card.holds_for(ns.Judge(script.name, rubric="chisafetybench"))
    card.write(tmp_path / "shelf")
    limits = judge("Question", "(3)\n").limits
    assert any("moral in en: on labels, 11 answers to 6 questions" in x for x in limits)


def test_too_many_unscored_are_a_warning(judge: ns.Judge, labels: Path, script: Any) -> None:
    script.silent = (1, 2, 3, 4)
    with pytest.warns(UnscoredWarning, match=r"16\.7 % of the answers are unscored"):
        ns.validate(judge, labels, criterion="moral", map=MAP, resamples=100)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["safe"], "a table is .*not a list"),
        (pd.DataFrame({"question": [], "response": [], "label": []}), "the data frame is empty"),
    ],
)
def test_what_holds_no_labels_is_refused(judge: ns.Judge, labels: Any, told: str) -> None:
    with pytest.raises((UsageError, DataError), match=told):
        ns.validate(judge, labels, criterion="moral", map=MAP)
