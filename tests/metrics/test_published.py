"""The papers' numbers, recomputed from counts, and what their released answers say."""

import csv
import gzip
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from normscope.metrics.answers import item_means
from normscope.metrics.concordance import norm_agreement
from normscope.metrics.estimate import Estimate
from normscope.metrics.facets import (
    CHANGE,
    ORDER,
    RESIDUAL,
    SHARE,
    VARIANT,
    VIGNETTE,
    facet_statistics,
)
from normscope.metrics.intervals import mean_interval
from normscope.metrics.norms import norm_consensus
from normscope.metrics.options import risk_identification
from normscope.metrics.rates import mean, rate
from normscope.metrics.refusal import refusal_rates

FACTS = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))
CHI, CFS = FACTS["chisafetybench"], FACTS["cfsafety"]
TABLES = ("table_2", "table_4", "table_5")
MODELS = list(CHI["table_2"])


def counts(table: str, model: str, part: str) -> list[int]:
    """How many of the part's questions were answered in classes 0, 1, 2 and 3."""
    n = CHI["n"][table][part]
    rr1, rr2, hr = (round(share * n / 100) for share in CHI[table][model][part])
    return [hr, n - rr1 - hr, rr1 - rr2, rr2]


CELLS = list(product(TABLES, MODELS, CHI["parts"]))


@pytest.mark.parametrize(("table", "model", "part"), CELLS)
def test_a_printed_rate_comes_out_of_its_count(table: str, model: str, part: str) -> None:
    classes = np.repeat([0, 1, 2, 3], counts(table, model, part))
    found = [row.estimate.value or 0 for row in refusal_rates(classes)]
    assert [f"{100 * one:.2f}" for one in found] == [f"{x:.2f}" for x in CHI[table][model][part]]


@pytest.mark.parametrize("model", MODELS)
def test_the_parts_make_the_whole(model: str) -> None:
    for table in TABLES:
        areas = [counts(table, model, part) for part in ("discrimination", "values")]
        assert np.sum(areas, axis=0).tolist() == counts(table, model, "overall")
    for part in CHI["parts"]:
        kinds = [counts(table, model, part) for table in ("table_4", "table_5")]
        assert np.sum(kinds, axis=0).tolist() == counts("table_2", model, part)


@pytest.mark.parametrize("model", MODELS)
def test_grouped_rates_are_those_of_the_areas(model: str) -> None:
    classes: list[int] = []
    areas: list[str] = []
    for part in ("discrimination", "values"):
        own = np.repeat([0, 1, 2, 3], counts("table_2", model, part)).tolist()
        classes, areas = classes + own, areas + [part] * len(own)
    table = refusal_rates(classes, groups={"area": areas})
    for part in CHI["parts"]:
        member = "" if part == "overall" else part
        found = [row.estimate.value or 0 for row in table if row.member == member]
        assert [round(100 * one, 2) for one in found] == CHI["table_2"][model][part]


def test_table_3_repeats_tables_4_and_5_but_for_one_misprint() -> None:
    differ = [
        (model, kind, rate_name, printed, meant)
        for model in MODELS
        for kind, table in (("single_turn", "table_4"), ("multi_turn", "table_5"))
        for rate_name, printed, meant in zip(
            CHI["rates"], CHI["table_3"][model][kind], CHI[table][model]["overall"], strict=True
        )
        if printed != meant
    ]
    # Tables 2 and 4 leave 17 harmful answers of 101 for multi-turn: 16.83 %
    assert differ == [("Baichuan2-13B-Chat", "multi_turn", "hr", 26.73, 16.83)]
    overall, single = (
        counts(table, "Baichuan2-13B-Chat", "overall")[0] for table in ("table_2", "table_4")
    )
    assert overall - single == 17


@pytest.mark.parametrize(("model", "printed"), list(CHI["mcq"]["accuracy"].items()))
def test_a_printed_accuracy_is_a_count_of_1567(model: str, printed: float) -> None:
    n = CHI["mcq"]["n"]
    right = round(printed * n / 100)
    found = risk_identification([1] * right + [0] * (n - right))[0].estimate
    assert f"{100 * (found.value or 0):.2f}" == f"{printed:.2f}", model


# measured on the released files; they come from another judge run than score.csv
PER_ITEM = {
    "GPT4": 4.067632,
    "GPT3.5": 3.976378,
    "Baichuan2": 3.893743,
    "Qwen-turbo": 3.847406,
    "ChatGLM3": 3.763837,
}


@pytest.mark.parametrize("model", PER_ITEM)
def test_the_released_per_item_files_have_their_means(sources: Path, model: str) -> None:
    folder = sources / "cfsafety" / "published" / model
    files = sorted(folder.glob("*_distribution.csv"))
    rows = {path.stem.removesuffix("_distribution"): read(path) for path in files}
    assert [len(own) for own in rows.values()] == [500] * 10
    scores = [float(row["score"]) for own in rows.values() for row in own]
    passed = [float(row["yn"]) for own in rows.values() for row in own]
    found = mean(scores, bounds=None)
    assert found.value == pytest.approx(PER_ITEM[model], abs=5e-7)
    assert (found.n, rate(passed).n) == (5000, 5000)
    with (folder / "score.csv").open(encoding="utf-8", newline="") as file:
        printed = next(csv.DictReader(file))
    assert set(rows) == set(CFS["category_means"][model])
    for category, own in rows.items():
        assert float(printed[category]) == pytest.approx(CFS["category_means"][model][category])
        # another judge run: not one category's mean is that of its file
        category_mean = mean([float(row["score"]) for row in own], bounds=None).value or 0
        assert abs(category_mean - float(printed[category])) > 5e-4, category


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def reference(sources: Path) -> dict[str, Any]:
    """The authors' answers per model, 6,912 flows × 33, and the variant of each column."""
    path = sources / "privacy-bias" / "reference_iot_answers_5models.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    prompts = [name for name in rows[0] if name.startswith("p#")]
    answers = {
        model: np.array(
            [[float(row[p] or "nan") for p in prompts] for row in rows if row["model"] == model]
        )
        for model in dict.fromkeys(row["model"] for row in rows)
    }
    variants = [name.split("_")[0] for name in prompts]
    return {"answers": answers, "variants": variants, "prompts": prompts}


@pytest.mark.parametrize(("prompts", "same"), [("shared", 2273), ("own", 2190)])
def test_their_agreement_is_over_the_prompts_that_each_model_was_asked(
    reference: dict[str, Any], prompts: Any, same: int
) -> None:
    """Of gpt-4o-mini there are answers to 9 of 33 prompts; `majority` is over all that it has."""
    answers = {
        name: reference["answers"][name]
        for name in ("Meta-Llama-3.1-8B-Instruct", "gpt-4o-mini-8B")
    }
    found = norm_agreement(answers, rule="published", prompts=prompts)
    (share,) = (row.estimate for row in found if row.name.startswith("agree: "))
    assert share.value == same / 6912


def acceptability(answers: np.ndarray, variants: list[str]) -> Estimate:
    table = norm_consensus(answers, reasons="no_answer", variants=variants)
    return next(row.estimate for row in table if row.name == "mean_acceptability")


def test_variants_vary_several_times_more_than_an_interval_over_flows_says(
    reference: dict[str, Any],
) -> None:
    times = {}
    for model, answers in reference["answers"].items():
        over_flows = mean_interval(item_means(answers)[~np.isnan(item_means(answers))])
        found = acceptability(answers, reference["variants"])
        assert over_flows is not None
        wide = (found.high or 0) - (found.low or 0)
        times[model] = wide / (over_flows.high - over_flows.low)
    # measured: 6.0, 9.1, 10.6 and 6.9 times; one model answers three variants of eleven alone
    few = times.pop("gpt-4o-mini-8B")
    assert 1.5 < few < 4
    assert all(5 < one < 12 for one in times.values()), times


# in docs/statistics.md: percent of pairs of answers that differ, and of the variance
MOVED = {
    "Meta-Llama-3.1-8B-Instruct": (23.2, 18.5, 53.1, 10.8, 36.1),
    "gpt-4o-mini-8B": (19.4, 17.4, 89.6, 2.0, 8.4),
    "tulu-2-13b": (60.6, 49.4, 42.3, 9.5, 48.1),
    "tulu-2-7b": (63.4, 55.7, 22.9, 7.8, 69.2),
    "tulu-2-dpo-7b": (65.4, 58.1, 35.9, 5.4, 58.7),
}


@pytest.mark.parametrize("model", MOVED)
def test_what_moves_their_answers_is_the_wording_and_an_order_without_a_name(
    reference: dict[str, Any], model: str
) -> None:
    orders = [name.split("_")[1] for name in reference["prompts"]]
    rows = facet_statistics(
        reference["answers"][model], reference["variants"], orders, reasons="no_answer"
    )
    value = {(row.name, row.member): 100 * (row.estimate.value or 0) for row in rows}
    shares = {member: share for (name, member), share in value.items() if name == SHARE}
    wording = shares[VARIANT] + shares[f"{VIGNETTE} × {VARIANT}"]
    found = (value[CHANGE, VARIANT], value[CHANGE, ORDER], shares[VIGNETTE], wording)
    assert (*found, shares[RESIDUAL]) == pytest.approx(MOVED[model], abs=0.06)
    # the three orders are alike: drawn anew for each prompt, or three samples
    assert sum(share for member, share in shares.items() if ORDER in member) < 0.2
