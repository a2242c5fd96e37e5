"""What is declared of a judge's training data, and what a card says of it on its first line."""

from pathlib import Path
from typing import Any

import pytest

from normscope.errors import ConfigError
from normscope.files import read_json
from normscope.judges import bundled
from normscope.judges.bundled.texts import SETS, TRAINED_ON
from normscope.judges.trust.card import read_card
from normscope.judges.trust.training_data import (
    NOTHING_DECLARED,
    TEXTS,
    TrainingData,
    declared_sets,
    training_data,
    with_texts,
    write_training_texts,
)
from normscope.records.model_spec import ModelSpec


@pytest.mark.parametrize(
    ("declared", "titles", "overlap"),
    [
        ([], ["gptfuzz:evaluate"], "none"),
        (["cold"], ["gptfuzz:evaluate"], "none"),
        (["gptfuzz"], ["gptfuzz:evaluate"], "same"),
        (["GPTFuzz:train"], ["gptfuzz:evaluate"], "other part"),
        (["gptfuzz:train"], ["gptfuzz:train"], "same"),
        (["gptfuzz:train"], ["gptfuzz:all"], "same"),
        (["gptfuzz:train"], ["gptfuzz"], "same"),
        (["thu-coai/DiaSafety"], ["diasafety:test"], "same"),
        (["LibrAI/do_not_answer"], ["do-not-answer"], "same"),
        (["jade-db"], ["jade", "jade-db"], "same"),
        (["gptfuzz:train", "gptfuzz:evaluate"], ["gptfuzz:evaluate"], "same"),
    ],
)
def test_names_of_sets_and_of_their_parts(
    declared: list[str], titles: list[str], overlap: str
) -> None:
    assert training_data(declared, titles).overlap == overlap


def test_a_judge_declares_in_its_config_and_in_its_model_card(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "---\nlicense: mit\ndatasets:\n- lab/people\n- cold\n---\n# A judge\n", encoding="utf-8"
    )
    judge = ModelSpec(str(tmp_path))
    assert declared_sets(judge, {"trained_on": ["jade", "cold"]}) == ("jade", "cold", "lab/people")
    assert declared_sets(ModelSpec("http://127.0.0.1:9/v1#x"), {}) == ()
    assert declared_sets(ModelSpec(str(tmp_path / "nowhere")), {}) == ()
    (tmp_path / "README.md").write_text("---\ndatasets: [\n---\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"README.md.*not valid YAML"):
        declared_sets(judge, {})


def test_the_recipe_declares_every_set_that_it_learns_from() -> None:
    assert {name.partition(":")[0] for name in TRAINED_ON} == set(SETS)
    # the authors' own test files of GPTFuzz, COLD and DiaSafety are never learnt from
    tested = {"gptfuzz:evaluate", "cold:test", "diasafety:test"}
    assert not tested & set(TRAINED_ON)


def test_the_first_line_says_that_the_labels_are_training_data(
    make_card: Any, labels: Path, tmp_path: Path
) -> None:
    done = make_card(
        "--labels", labels, "--criterion", "moral", "--map", "safe=1,unsafe=0",
        "--trained-on", "lab/labels",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    (path,) = (tmp_path / "cards").glob("*.json")
    assert read_card(path).training == TrainingData(("lab/labels",), "same", ("lab/labels",))
    assert "- Contaminated: labels is among the judge's declared training " in done.output


def learnt(number: int) -> tuple[str, str]:
    return f"Question {number}?", f"Sorry, no. ({number})"


@pytest.fixture
def learned_judge(tmp_path: Path) -> ModelSpec:
    """A judge that learnt from answers 0 to 799 of one set, and 800 to 999 of another."""
    folder = tmp_path / "judge"
    folder.mkdir()
    rows = (("people" if n < 800 else "others", *learnt(n)) for n in range(1000))
    write_training_texts(folder / TEXTS, rows)
    return ModelSpec(str(folder))


def test_learnt_texts_are_told_whatever_their_file_is_called(learned_judge: ModelSpec) -> None:
    # written otherwise in case, width, signs and spaces, and among as many new ones
    copied = [(f" {q.upper()}", a.replace(",", "，")) for q, a in map(learnt, range(400))]
    new = [learnt(number) for number in range(2000, 2400)]
    told = with_texts(training_data(["x"], ["mine"]), learned_judge, copied + new)
    assert (told.declared, told.overlap, told.matched) == (("x",), "same", ("people",))
    assert told.text_share == pytest.approx(0.5, abs=0.15)
    everything = with_texts(NOTHING_DECLARED, learned_judge, map(learnt, range(1000)))
    assert (everything.matched, everything.text_share) == (("people", "others"), 1.0)


def test_new_answers_to_learnt_questions_and_a_few_learnt_ones_are_no_training_data(
    learned_judge: ModelSpec,
) -> None:
    new = [(learnt(number)[0], "Another answer.") for number in range(1000)]
    assert with_texts(NOTHING_DECLARED, learned_judge, new) == NOTHING_DECLARED
    few = new + [learnt(number) for number in range(20)]
    assert with_texts(NOTHING_DECLARED, learned_judge, few) == NOTHING_DECLARED
    assert with_texts(NOTHING_DECLARED, learned_judge, []) == NOTHING_DECLARED
    elsewhere = ModelSpec("http://127.0.0.1:9/v1#x")
    assert with_texts(NOTHING_DECLARED, elsewhere, map(learnt, range(9))) == NOTHING_DECLARED


def test_the_bundled_judge_has_hashes_of_every_set_and_no_text() -> None:
    path = bundled.path() / TEXTS
    assert path.stat().st_size < 200_000
    config = read_json(bundled.path() / "config.json")
    declared = {name.partition(":")[0] for name in config["normscope_trained_on"]}
    assert set(read_json(path)["sets"]) == declared
