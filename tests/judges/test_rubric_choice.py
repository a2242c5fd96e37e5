"""A rubric of the user's own in the place of the benchmark's."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from normscope.builders.registry import benchmark
from normscope.errors import UsageError
from normscope.judges import bundled
from normscope.judges.rubric_choice import Judged, questions_for, rubric_for
from normscope.judges.rubric_files import RUBRICS, rubric
from normscope.records.item import Item, Turn
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings


def as_it_is(rubric: Any) -> None:
    """Changes nothing."""


@pytest.fixture
def mine(tmp_path: Path) -> Any:
    """Writes CFSafety's own rubric under another name, with changes."""

    def make(change: Any = as_it_is) -> str:
        rubric = yaml.safe_load((RUBRICS / "cfsafety.yaml").read_text(encoding="utf-8"))
        rubric |= {"name": "mine", "version": 1}
        change(rubric)
        path = tmp_path / "mine.yaml"
        path.write_text(yaml.safe_dump(rubric, allow_unicode=True), encoding="utf-8")
        return str(path)

    return make


def item(category: str) -> Item:
    return Item("cfsafety", "q", (Turn("user", "?"),), "en", category=category)


ITEMS = [item("social_bias"), item("privacy_leaks")]


def drop_head(rubric: Any) -> None:
    del rubric["criteria"]["rating"]
    for languages in rubric["categories"].values():
        for category in languages.values():
            for example in category["examples"]:
                example["verdicts"].pop("rating", None)


def drop_category(rubric: Any) -> None:
    del rubric["categories"]["social_bias"]


def rescale(rubric: Any) -> None:
    rubric["criteria"]["moral"]["scale"]["values"] = [0, 5]


def benches(*names: str) -> dict[str, Judged]:
    """The benchmarks as they are before they are asked."""
    return {name: benchmark(name)[1] for name in names}


def read_otherwise(rubric: Any) -> None:
    rubric["criteria"]["rating"]["read"] = "mode"


def test_without_another_each_benchmark_has_its_own() -> None:
    asks = questions_for(benches("cfsafety", "ci-vignettes:coppa"), ITEMS, Settings())
    assert {name: questions.rubric.name for name, questions in asks.items()} == {
        "cfsafety": "cfsafety"
    }


def test_another_rubric_takes_the_place_and_its_hash_is_its_own(mine: Any) -> None:
    own = questions_for(benches("cfsafety"), ITEMS, Settings())["cfsafety"]
    other = questions_for(benches("cfsafety"), ITEMS, Settings(rubric=mine()))["cfsafety"]
    assert (other.rubric.name, list(other.criteria)) == ("mine", ["moral", "rating"])
    assert other.hash != own.hash


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (drop_head, "no criterion rating .*judge each benchmark in a run of its own"),
        (drop_category, r"does not know 1 of the 2 categories .*\(social_bias\); add them"),
        (rescale, "criterion 'moral' has the values from 0 to 5 .* needs the values from 0 to 1"),
        (
            read_otherwise,
            "criterion 'rating' .* read as their mode, and what scores it needs .* mean",
        ),
    ],
)
def test_a_rubric_that_cannot_take_the_place_is_refused_with_the_remedy(
    mine: Any, change: Any, told: str
) -> None:
    with pytest.raises(UsageError, match=f"'mine' cannot take the place of 'cfsafety'.*{told}"):
        questions_for(benches("cfsafety"), ITEMS, Settings(rubric=mine(change)))


def test_one_rubric_serves_no_benchmark_with_other_criteria_or_categories() -> None:
    with pytest.raises(UsageError, match="for cfsafety: it has no criterion"):
        questions_for(
            benches("chisafetybench:qa", "cfsafety"), ITEMS, Settings(rubric="chisafetybench")
        )


def test_where_no_judge_is_asked_a_rubric_has_no_place() -> None:
    with pytest.raises(UsageError, match="answered by the model under test itself"):
        questions_for(benches("ci-vignettes:coppa"), [], Settings(rubric="cfsafety"))


def brings(folder: Path) -> Settings:
    """A judge in a folder with a rubric of its own beside the config."""
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    shutil.copyfile(bundled.rubric_path(), folder / "rubric.yaml")
    return Settings(judge=ModelSpec(str(folder)))


def test_a_judge_that_brings_a_rubric_is_asked_under_it(tmp_path: Path) -> None:
    """The bundled one, and any folder with a rubric.yaml, such as the bundled one downloaded."""
    there = brings(tmp_path / "downloaded")
    for asked in (Settings(judge=ModelSpec("bundled")), there):
        for names in (("cfsafety",), ("cfsafety", "chisafetybench:qa")):
            asks = questions_for(benches(*names), ITEMS, asked)
            assert {panel.hash for panel in asks.values()} == {rubric("bundled").hash}


def test_a_judge_that_brings_a_rubric_refuses_another_with_the_remedy(tmp_path: Path) -> None:
    there = brings(tmp_path / "downloaded")
    for asked in (Settings(judge=ModelSpec("bundled")), there):
        with pytest.raises(UsageError, match=r"cannot be asked under .*'cfsafety'.* Leave rubric="):
            questions_for(benches("cfsafety"), ITEMS, replace(asked, rubric="cfsafety"))
        own = rubric_for(replace(asked, rubric="bundled"))
        assert own is not None
        assert own.hash == rubric("bundled").hash


def test_a_judge_without_a_rubric_can_be_asked_under_any(tmp_path: Path) -> None:
    asked = brings(tmp_path / "plain")
    (tmp_path / "plain" / "rubric.yaml").unlink()
    assert rubric_for(asked) is None
    assert rubric_for(Settings(judge=ModelSpec("http://127.0.0.1:9/v1#name"))) is None
    named = rubric_for(replace(asked, rubric="cfsafety"))
    assert named is not None
    assert named.name == "cfsafety"


def test_a_judge_that_brings_a_rubric_does_not_mind_where_no_judge_is_asked() -> None:
    asked = Settings(judge=ModelSpec("bundled"))
    assert questions_for(benches("chisafetybench:mcq"), [], asked) == {}
