"""`ns.Context`: a context's vignettes, prompts, ratings and mistakes from Python."""

from pathlib import Path

import datasets
import pytest
from clinic_context import CLINIC, PROMPTS

import normscope as ns
from normscope.builders.ci_vignettes.prompts import CONTEXTS


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.yaml"
    path.write_text(CLINIC, encoding="utf-8")
    return path


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(PROMPTS, encoding="utf-8")
    return path


def test_a_file_becomes_vignettes_and_prompts(clinic: Path, prompts: Path) -> None:
    context = ns.Context.from_yaml(str(clinic), prompts=prompts)
    vignettes = context.vignettes()
    assert context.name == "clinic"
    assert context.factors["recipient"] == ("the patient's school", "an insurer")
    assert len(vignettes) == 8
    first = "A clinic sends the date of a visit to the patient's school if the patient agrees"
    assert vignettes["vignette"][0] == first
    asked = context.prompts(variants=["kindly"])
    assert [*asked["variant_id"]] == ["kindly"] * 8
    assert first in asked["prompt"][0]
    assert len(context.prompts()) == 16


def test_a_prompt_variant_alone_is_no_list_of_its_digits() -> None:
    variants = ns.Context("coppa").prompts(variants="10")["variant_id"]
    assert set(variants) == {"10"}


def test_a_notebook_shows_its_factors_or_its_errors(clinic: Path) -> None:
    shown = ns.Context(clinic)._repr_html_()
    for text in ("What a clinic passes on", "patients of a clinic", "if names are left out"):
        assert text in shown
    clinic.write_text(CLINIC.replace("language: en", "langage: en"), encoding="utf-8")
    assert "did you mean &#39;language&#39;" in ns.Context(clinic)._repr_html_()


def test_its_parts_are_its_benchmarks(clinic: Path) -> None:
    context = ns.Context(clinic)
    assert context.parts == ("null", "orders")
    assert len(context.vignettes("null")) == 4
    assert "agrees" not in context.vignettes("null")["vignette"][0]
    assert context.vignettes("orders").equals(context.vignettes())
    assert len(context.prompts("orders")) == 8 * 11 * 4


def test_what_people_said_is_a_table(clinic: Path) -> None:
    ratings = ns.Context(clinic).ratings
    assert ratings is not None
    assert ratings["mean"].tolist() == [2, 3.5]
    assert [len(ids) for ids in ratings["item_ids"]] == [4, 4]
    assert ns.Context("iot").ratings is None


def test_a_bundled_context_goes_by_its_name(prompts: Path) -> None:
    context = ns.Context("coppa", prompts=str(prompts))
    assert repr(context) == f"Context('coppa', prompts={str(prompts)!r})"
    assert set(context.prompts()["variant_id"]) == {"kindly", "frankly"}
    assert context.config().context == ()
    assert ns.Context.from_yaml(CONTEXTS / "coppa.yaml").name == "coppa"


def test_what_was_built_is_a_context_again(clinic: Path, prompts: Path, tmp_path: Path) -> None:
    built = tmp_path / "data"
    rows = ns.Context(clinic, prompts=prompts).build(built)
    assert rows["clinic_prompts"] == 16
    loaded = datasets.load_dataset(str(built), "clinic_prompts", split="test")
    again = ns.Context(built)
    assert again.name == "clinic"
    assert [*again.prompts()["prompt"]] == list(loaded["prompt"])
    assert "error" not in {*again.check()["kind"]}
