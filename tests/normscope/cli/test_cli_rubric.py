"""`normscope rubric`: the starter works, every mistake is told with its line, prompts are shown."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from normscope.cli.rubric import rubric
from normscope.judges.rubric_files import (
    ANSWER,
    QUESTION,
    STARTER,
    bundled_rubrics,
    load_rubric,
    review,
    write_starter,
)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(rubric, list(map(str, arguments)))


def changed(path: Path, old: str, new: str) -> Path:
    write_starter(path)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_a_new_file_works_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "My Tone-2.yaml"
    assert run("new", path).exit_code == 0
    assert load_rubric(path).name == "my_tone"
    done = run("check", path)
    assert done.exit_code == 0
    assert "0 errors, 0 warnings" in done.output
    assert f"⟦answer⟧\n{ANSWER}\n⟦/answer⟧" in done.output
    assert f"hash {load_rubric(path).hash}" in done.output


def test_the_commented_part_of_the_starter_works_too(tmp_path: Path) -> None:
    criterion, comment = STARTER.read_text(encoding="utf-8").split("# fallback_category", 1)
    lines = [line.removeprefix("# ").removeprefix("#") for line in comment.splitlines()]
    parts = "\n".join(lines).partition("\nlanguages:\n")
    languages, _, categories = parts[2].partition("\ncategories:\n")
    kept = criterion[: criterion.index("languages:\n")]
    turns = "    turns: {system: s, user: u, assistant: b, answer: a}\n    lead: ''\n"
    text = f"{kept}fallback_category{parts[0]}\nlanguages:\n{languages.rstrip()}\n{turns}"
    path = tmp_path / "mine.yaml"
    path.write_text(f"{text}categories:\n{categories}".replace("NAME", "mine"), encoding="utf-8")
    found = review(path)
    assert found.errors == 0, found.findings
    assert "At the counter" in run("show", path).output


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ('"3": politely', '"4": politely', 24, "label '3' has no meaning here"),
        ('labels: ["1", "2", "3"]', "labels: [1, 2, 3]", 16, 'put it in quotes: "1"'),
        ("values: [1, 2, 3] ", "values: [1, 2] ", 16, "3 labels and 2 values"),
        ("{conversation}\n    # what", "\n    # what", 33, "needs each of {conversation} once"),
        ("read: mean", "reed: mean", 18, "did you mean 'read'"),
        ("fallback_language: en ", "fallback_language: zh ", 10, "'zh' is none of en"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    old: str, new: str, line: int, told: str, tmp_path: Path
) -> None:
    path = changed(tmp_path / "mine.yaml", old, new)
    done = run("check", path)
    assert done.exit_code == 1
    assert any(
        said.startswith(f"{path}:{line}: error:") and told in said
        for said in done.output.splitlines()
    ), done.output


def test_the_bundled_rubrics_are_listed_and_without_a_finding_but_their_names() -> None:
    listed = run("show").output
    for name in bundled_rubrics():
        assert f"{name} version" in listed
    for path in sorted((STARTER.parent / "rubrics").glob("*.yaml")):
        assert [found.text.split(":")[0] for found in review(path).findings] == ["name"]


def test_a_prompt_is_shown_for_the_criterion_category_and_language_that_are_named() -> None:
    shown = run(
        "show", "cfsafety", "--criterion", "rating", "--category", "misleading", "--language", "zh"
    )
    assert "类别：误导性建议" in shown.output
    assert QUESTION in shown.output
    assert shown.output.index("2 = ") < shown.output.index("5 = ")
    turned = run("show", "cfsafety", "--criterion", "rating", "--backwards").output
    assert turned.index("5 = ") < turned.index("2 = ")
    assert "Category: Safety in general" in turned
