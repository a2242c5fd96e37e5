"""The `evaluate` modules, loaded from their folders as users load them."""

import doctest
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from metric_rows import FEW, Rows

import normscope.metrics
from normscope.errors import DataError, UsageError
from normscope.metrics.cfsafety import cfsafety_score
from normscope.metrics.facets import facet_statistics
from normscope.metrics.module import flat
from normscope.metrics.norms import norm_consensus
from normscope.metrics.options import risk_identification
from normscope.metrics.refusal import refusal_rates

Load = Callable[..., Any]

NAMES = normscope.metrics.names()
NAN = float("nan")


def test_each_metric_has_a_path_and_a_wrong_one_the_nearest() -> None:
    assert len(NAMES) >= 4
    for name in NAMES:
        assert (Path(normscope.metrics.path(name)) / f"{name}.py").is_file()
    with pytest.raises(UsageError, match="did you mean 'refusal_rates'"):
        normscope.metrics.path("refusal_rate")


RANDOM = np.random.default_rng(1)
MORAL, RATING = np.append(RANDOM.random(99), NAN), 1 + 4 * RANDOM.random(100)
CLASSES = [0, 1, 2, 3, None, NAN, 3, 3]
SILENT = [None] * 4 + ["no_answer", "low_coverage", None, None]
JUDGED: dict[str, tuple[Rows, Rows, Any]] = {
    "cfsafety_score": (
        {"moral": MORAL, "rating": RATING},
        {"groups": {"category": list("abcde") * 20}, "clusters": [i // 2 for i in range(100)]},
        lambda columns, options: flat(cfsafety_score(*columns, **options)),
    ),
    "refusal_rates": (
        {"predictions": CLASSES},
        {"groups": {"area": ["values"] * 4 + ["rights"] * 4}, "reasons": SILENT},
        lambda columns, options: flat(refusal_rates(*columns, **options)),
    ),
    "risk_identification": (
        {"predictions": [None, "A", "b", "", "C"], "references": ["B", "A", "C", "D", None]},
        {},
        lambda columns, _: flat(
            risk_identification(
                [None, 1, 0, None, None],
                reasons=[None, None, None, "no_answer", "no_key"],
                answers=columns[1],
            )
        ),
    ),
}


@pytest.mark.parametrize("name", JUDGED)
def test_a_module_of_judged_answers_gives_the_numbers_of_numpy(load: Load, name: str) -> None:
    columns, options, expected = JUDGED[name]
    found = load(name).compute(**columns, **options)
    assert found == expected(list(columns.values()), options)


def answers(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, (20, 3)).astype(float)


LEVELS = {"sender": ["x"] * 10 + ["y"] * 10, "recipient": list("pq") * 10}


def test_norm_consensus_gives_the_numbers_of_numpy(load: Load) -> None:
    matrix = answers(1)
    found = load("norm_consensus").compute(
        predictions=matrix.ravel(),
        item_id=[f"i{at // 3}" for at in range(60)],
        variant_id=[f"v{at % 3}" for at in range(60)],
        groups={name: np.repeat(own, 3).tolist() for name, own in LEVELS.items()},
    )
    assert found == flat(norm_consensus(matrix, groups=LEVELS))


def test_cfsafety_score_reads_top_tokens_with_nulls_first(load: Load) -> None:
    moral = [None, [{"token": "1", "prob": 0.75}, {"token": "Yes", "prob": 0.2}]]
    rating = [
        [{"token": "5", "prob": 1.0}],
        [{"token": "5", "prob": 0.5}, {"token": "4", "prob": 0.5}],
    ]
    found = load("cfsafety_score").compute(moral=moral, rating=rating, rule="published")
    # (0.75 + 2.5 · 0.2) · (2.5 + 2)
    assert (found["score"], found["unscored"]) == (5.625, 1)


def test_norm_consensus_splits_wording_from_order(load: Load) -> None:
    wide = np.random.default_rng(6).choice([-2, -1, 0, 1, 2], (10, 6))
    variants = {f"v{at}": f"w{at // 2}" for at in range(6)}
    orders = {f"v{at}": "ab"[at % 2] for at in range(6)}
    found = load("norm_consensus").compute(
        predictions=wide.ravel(),
        item_id=[f"i{at // 6}" for at in range(60)],
        variant_id=[f"v{at % 6}" for at in range(60)],
        variants=variants,
        orders=orders,
    )
    expected = facet_statistics(wide, [*variants.values()], [*orders.values()])
    assert {"by_facet": found["by_facet"]} == flat(expected)


def test_refusal_rates_compares_turns(load: Load) -> None:
    found = load("refusal_rates").compute(
        predictions=[3, 3, 0, 1, None],
        turns=["single", "single", "multi", "multi", "multi"],
        groups={"area": ["values", "rights", "values", "rights", "values"]},
        reasons=[None] * 4 + ["no_answer"],
    )
    turns = found["by_turns"]["multi − single"]
    assert (turns["rr1"], turns["hr"]) == pytest.approx((-1, 1 / 3))
    assert "multi − single, area-standardised" in found["by_turns"]


@pytest.mark.filterwarnings("ignore::normscope.metrics.module.UndefinedWarning")
@pytest.mark.parametrize("name", NAMES)
def test_results_are_what_json_can_hold(load: Load, name: str) -> None:
    found = load(name).compute(**FEW[name])
    written = json.dumps(found)
    assert json.dumps(json.loads(written)) == written


def test_a_failed_call_leaves_the_metric_usable(load: Load) -> None:
    metric = load("refusal_rates")
    with pytest.raises(DataError, match=r"row 1 .*7 is not one of 0, 1, 2, 3"):
        metric.compute(predictions=[0, 7])
    assert metric.compute(predictions=[0, 3])["n"] == 2
    other = load("risk_identification")
    with pytest.raises(DataError, match="columns differ in length"):
        other.compute(predictions=["A"], references=["A", "B"])
    with pytest.raises(DataError, match=r"prediction in row 0 .*'1' is not one of A to Z"):
        other.compute(predictions=[1], references=["A"])
    assert other.compute(predictions=["A"], references=["A"])["n"] == 1


def test_rows_may_be_added_one_by_one_and_in_batches(load: Load) -> None:
    metric = load("risk_identification")
    metric.add(prediction=None, reference="A")
    metric.add_batch(predictions=["A", "B"], references=["A", "C"])
    found = metric.compute()
    assert (found["agreement"], found["n"], found["unscored"]) == (0.5, 2, 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_card_is_a_space_s_and_its_example_is_true(load: Load, name: str) -> None:
    folder = Path(normscope.metrics.path(name))
    text = (folder / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---")[1])
    assert front["sdk"] == "static"
    assert set(front["tags"]) == {"evaluate", "metric"}
    for heading in ("Formula", "Inputs", "Output", "Limits", "Citation"):
        assert f"\n## {heading}\n" in text, heading
    metric = load(name)
    # every column and option stands in the table of inputs, or with others in one row
    inputs = text.split("## Inputs")[1].split("## Output")[0]
    for option in (*metric._feature_names(), *metric.per_row, *metric.options):
        assert f"`{option}`" in inputs, option
        assert option in metric.inputs_description
    assert metric.citation.startswith("@misc")
    assert metric.description in text
    # the example's code alone: fences are no part of it
    example = text.split("```python\n")[1].split("```")[0]
    test = doctest.DocTestParser().get_doctest(example, {}, name, name, 0)
    assert test.examples
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert results.failed == 0, "".join(told)
