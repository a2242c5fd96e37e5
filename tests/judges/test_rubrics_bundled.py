"""The rubrics that come with the package: whole, in both languages, and rendered as agreed.

The golden files show what a judge reads, one prompt of each criterion and language in full and a
hash of every other; `python tests/judges/test_rubrics_bundled.py` renews them.
"""

import hashlib
import json
import re
from pathlib import Path

import pytest
import yaml

from normscope.builders.taxonomy import CFSAFETY, CHISAFETYBENCH
from normscope.judges.rubric import Rubric
from normscope.judges.rubric_files import RUBRICS, rubric
from normscope.judges.rules import read_verdict

GOLDEN = Path(__file__).parent / "golden"
GRADIENT = RUBRICS.parents[1] / "datasets_builders" / "safety_gradient" / "data"

ZERO_SHOT = "chisafetybench-zero-shot"
SHOWN = {
    "cfsafety": "misleading",
    "chisafetybench": "regional_discrimination",
    ZERO_SHOT: "",
}
TURNS = {
    "en": (("user", "May I eat mushrooms that I picked?"), ("assistant", "Which ones?"),
           ("user", "Brown ones.")),
    "zh": (("user", "自己采的蘑菇能吃吗？"), ("assistant", "是哪一种？"), ("user", "棕色的。")),
}  # fmt: skip
ANSWER = {"en": "Have an expert look at them first.", "zh": "先请懂行的人看一看。"}

BUNDLED = sorted(path.stem for path in RUBRICS.glob("*.yaml"))
CRITERIA = [(name, criterion) for name in BUNDLED for criterion in rubric(name).criteria]
SPOKEN = [
    (name, criterion, language)
    for name, criterion in CRITERIA
    for language in rubric(name).languages
]
KINDS = [
    (name, category, language)
    for name in BUNDLED
    for category, wordings in rubric(name).categories.items()
    for language in wordings
]


def render(
    name: str, criterion: str, category: str, language: str, *, backwards: bool = False
) -> str:
    return rubric(name).render(
        criterion,
        category=category,
        language=language,
        conversation=TURNS[language],
        answer=ANSWER[language],
        backwards=backwards,
    )


BACKWARDS = " backwards"


def hashes() -> dict[str, str]:
    """Every rubric, category, language, criterion and order of the labels by name."""
    return {
        f"{name} {category} {language} {criterion}{BACKWARDS * backwards}": hashlib.sha256(
            render(name, criterion, category, language, backwards=backwards).encode()
        ).hexdigest()
        for name, category, language in KINDS
        for criterion in rubric(name).criteria
        for backwards in (False, True)
    }


def golden(name: str, criterion: str, language: str) -> tuple[Path, str]:
    text = render(name, criterion, SHOWN[name], language)
    return GOLDEN / f"{name}.{language}.{criterion}.txt", f"{text}\n"


def test_every_bundled_rubric_is_shown_by_a_golden_file() -> None:
    shown = {golden(*row)[0] for row in SPOKEN}
    assert set(SHOWN) == set(BUNDLED)
    assert shown == set(GOLDEN.glob("*.txt"))


@pytest.mark.parametrize(("name", "criterion", "language"), SPOKEN)
def test_what_a_judge_reads_is_the_golden_file(name: str, criterion: str, language: str) -> None:
    path, text = golden(name, criterion, language)
    assert text == path.read_text(encoding="utf-8")


def test_every_prompt_is_the_one_that_was_agreed_on() -> None:
    kept = json.loads((GOLDEN / "hashes.json").read_text(encoding="utf-8"))
    made = hashes()
    # 11 categories × 3 criteria and 18 × 1, in two languages and two orders, no two the same
    assert len(set(made.values())) == len(made) == (11 * 3 + 18) * 2 * 2
    assert made == kept


def test_the_categories_are_those_of_the_benchmarks_in_their_order_and_one_for_the_rest() -> None:
    questions = [c.slug for c in CHISAFETYBENCH if c.area in {"discrimination", "values"}]
    assert len(questions) == 17
    assert list(rubric("cfsafety").categories) == [*(c.slug for c in CFSAFETY), "general"]
    assert list(rubric("chisafetybench").categories) == [*questions, "general"]
    general = {name: rubric(name).fallback_category for name in BUNDLED if name != ZERO_SHOT}
    assert set(general.values()) == {"general"}
    # the paper's evaluator knew no categories
    assert not rubric(ZERO_SHOT).categories


def test_the_criteria_have_the_scales_and_readings_of_the_design() -> None:
    criteria = {
        (name, criterion): (asked.scale.labels, asked.scale.values, asked.read)
        for name in BUNDLED
        for criterion, asked in rubric(name).criteria.items()
    }
    refusal = (("0", "1", "2", "3"), (0.0, 1.0, 2.0, 3.0), "mode")
    assert criteria == {
        ("cfsafety", "moral"): (("0", "1"), (0.0, 1.0), "mean"),
        ("cfsafety", "rating"): (("1", "2", "3", "4", "5"), (1.0, 2.0, 3.0, 4.0, 5.0), "mean"),
        ("cfsafety", "refusal"): refusal,
        ("chisafetybench", "refusal"): refusal,
        (ZERO_SHOT, "refusal"): refusal,
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_rule_reads_each_label_of_the_zero_shot_rubric_by_its_name(language: str) -> None:
    asked = rubric(ZERO_SHOT).criteria["refusal"]
    for label, meaning in asked.instruction[language].meanings.items():
        name = re.split("[:：]", meaning)[0]
        assert read_verdict("refusal", asked.scale, name).label == label
        # read in labels its name counts as the label as well
        assert name in asked.scale.forms_of(label)


def test_every_example_question_is_used_once_in_a_rubric_and_language() -> None:
    for name in BUNDLED:
        for language in rubric(name).languages:
            asked = questions(rubric(name), language)
            assert len(asked) == len(set(asked)) == 2 * len(rubric(name).categories)


def test_examples_ask_nothing_that_the_safety_gradient_asks() -> None:
    reference = [
        asked[language]["question"]
        for path in sorted(GRADIENT.glob("*.yaml"))
        for asked in yaml.safe_load(path.read_text(encoding="utf-8"))["questions"]
        for language in ("en", "zh")
    ]
    assert reference, f"no questions in {GRADIENT}"
    near = [
        (question, other)
        for name in BUNDLED
        for language in rubric(name).languages
        for question in questions(rubric(name), language)
        for other in reference
        if shared(question, other) > 0.4
    ]
    assert near == []


def shared(question: str, other: str) -> float:
    """The share of the question's runs of four letters or characters that the other one has."""
    runs, others = (
        {text[i : i + 4] for i in range(len(text) - 3)}
        for text in ("".join(filter(str.isalnum, text.lower())) for text in (question, other))
    )
    return len(runs & others) / len(runs)


def questions(asked: Rubric, language: str) -> list[str]:
    kinds = asked.categories.values()
    return [example.question for kind in kinds for example in kind[language].examples]


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for row in SPOKEN:
        path, text = golden(*row)
        path.write_text(text, encoding="utf-8")
    table = json.dumps(hashes(), indent=1, ensure_ascii=False, sort_keys=True)
    (GOLDEN / "hashes.json").write_text(table + "\n", encoding="utf-8")
