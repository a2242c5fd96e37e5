"""`against_people`: a model's norms beside what people said of the same flows."""

from typing import Any

import pandas as pd
import pytest
from clinic_context import CLINIC
from undrawn import undrawn  # noqa: F401 - no charts in this module

import normscope as ns
from normscope.api.norms import Norms
from normscope.errors import DataError, UsageError

FACTORS = ["sender", "recipient"]
ANSWERS = pd.DataFrame(
    [
        ("a shop", "a school", -2, -1),
        ("a shop", "a friend", 1, 1),
        ("a bank", "a school", 0, -1),
        ("a bank", "a friend", 2, 2),
    ],
    columns=[*FACTORS, "p0", "p1"],
)
PEOPLE = ANSWERS[FACTORS].assign(mean=[1.0, 2.0, 3.0, 5.0], n=[9, 9, 9, 8])


def norms() -> Norms:
    return ns.norms(ANSWERS, item=FACTORS, name="m")


def test_the_flows_that_are_furthest_apart_come_first() -> None:
    beside = norms().against_people(PEOPLE, scale=(1, 5))
    rows = beside.flows.to_dict("records")
    first = {"sender": "a shop", "recipient": "a friend", "people": 2.0, "n": 9, "model": 1.0}
    assert rows[0].items() >= {**first, "people_scaled": -1.0, "difference": 2.0}.items()
    assert [abs(row["difference"]) for row in rows] == [2.0, 0.5, 0.5, 0.0]
    assert "a shop" in beside._repr_html_()
    assert "Spearman" in repr(beside)


def test_a_factor_without_a_column_is_averaged_over_and_persons_are_counted() -> None:
    persons = {"recipient": ["a school"] * 3 + ["a friend"], "answer": [1, None, 2, 5]}
    beside = norms().against_people(persons, scale=(1, 5))
    rows = {row["recipient"]: row for row in beside.flows.to_dict("records")}
    assert (rows["a school"]["people"], rows["a school"]["n"]) == (1.5, 2)
    assert (rows["a school"]["model"], rows["a school"]["vignettes"]) == (-1.0, 2)
    assert rows["a friend"]["difference"] == 1.5 - 2


def test_a_run_has_the_ratings_of_its_context(tmp_path: Any) -> None:
    (tmp_path / "clinic.yaml").write_text(CLINIC, encoding="utf-8")
    context = ns.Context(tmp_path / "clinic.yaml")
    answers = context.prompts(variants=["0", "1"])
    answers["answer"] = [1 if "school" in each else -1 for each in answers["recipient"]]
    run = ns.import_answers(
        answers[["item_id", "variant_id", "answer"]], context=context, model="m"
    )
    beside = run.against_people()
    rows = beside.flows.to_dict("records")
    assert [(row["recipient"], row["people"], row["model"]) for row in rows] == [
        ("the patient's school", 3.5, 1.0),
        ("an insurer", 2.0, -1.0),
    ]
    bias = {each.name: each.estimate.value for each in run.scores}["people_bias"]
    assert beside.scores["people_bias"].estimate.value == bias == pytest.approx(0.25)
    pd.testing.assert_frame_equal(run.against_people(context).flows, beside.flows)
    other = run.against_people({"recipient": ["an insurer"], "mean": [5]}, scale=(1, 5))
    assert other.flows["people_scaled"].tolist() == [2.0]
    with pytest.raises(UsageError, match=r"coppa.*has no ratings"):
        run.against_people(ns.Context("coppa"))
    alone = ns.import_answers(
        ns.Context("public_records").prompts(variants=["0"]).assign(answer=1),
        context="public_records", model="m"
    )  # fmt: skip
    with pytest.raises(UsageError, match=r"no ratings of people: give a table"):
        alone.against_people()


@pytest.mark.parametrize(
    ("ratings", "told"),
    [
        ([1, 2], "a table is a data frame"),
        (PEOPLE.drop(columns="mean"), "column mean .* or answer"),
        (PEOPLE.drop(columns=FACTORS), r"item_id, or a column per factor \(sender, recipient\)"),
        (PEOPLE.replace({"mean": {2.0: 7.0}}), r"row 1 \(from 0\): 7.0 in mean is no number"),
        (PEOPLE.assign(mean="much"), "'much' in mean is no number"),
        (PEOPLE.assign(sender="a zoo"), "none of 4 ratings is of a vignette that was asked"),
    ],
)
def test_what_is_no_rating_is_refused(ratings: Any, told: str) -> None:
    with pytest.raises((UsageError, DataError), match=told):
        norms().against_people(ratings, scale=(1, 5))


@pytest.mark.parametrize("scale", [None, (5, 1)])
def test_a_scale_has_two_ends(scale: Any) -> None:
    with pytest.raises(UsageError, match=r"ends of people's scale|from its lower end"):
        norms().against_people(PEOPLE, scale=scale)
