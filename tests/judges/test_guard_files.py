"""A guard's file: every mistake with its line, found by a model's name or in its folder."""

from pathlib import Path

import pytest

from normscope.errors import ConfigError, UsageError
from normscope.judges.guard_files import bundled_guard, bundled_guards
from normscope.judges.rubric_choice import brought_rubric, fitting
from normscope.judges.rubric_files import review, rubric, sample
from normscope.records.model_spec import ModelSpec

MINE = """\
name: mine
version: 1
license: CC0-1.0
source: ours
text: "Q: {question} A: {response} Verdict:"
fields:
  harm: {labels: {"no": " fine", "yes": [" harmful", " bad"]}}
  kind: {before: ";", labels: {a: " A", b: " B"}, when: {harm: "yes"}}
criteria:
  moral: {of: harm, values: {"no": 1, "yes": 0}}
  kinds: {of: kind}
"""


def written(folder: Path, text: str = MINE, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_ones_own_is_read_and_shown(tmp_path: Path) -> None:
    path = written(tmp_path)
    mine = rubric(str(path))
    assert {name: each.scale.labels for name, each in mine.criteria.items()} == {
        "moral": ("no", "yes"),
        "kinds": ("none", "a", "b"),
    }
    assert mine.guard is not None
    replies = list(mine.guard.replies("kinds"))
    assert replies == [" fine", " harmful; A", " harmful; B", " bad; A", " bad; B"]
    shown = sample(mine, criterion="kinds")
    assert shown.startswith("Q: [the question] A: [the answer] Verdict:")
    assert "' harmful; A'" in shown
    # without a criterion the longest replies
    assert sample(mine) == shown
    with pytest.raises(UsageError, match="no criterion 'moran'; did you mean 'moral'"):
        sample(mine, criterion="moran")
    assert review(path).result == mine


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("{response}", "it", 5, "the slot {response} stands nowhere"),
        ('when: {harm: "yes"}', 'when: {harms: "yes"}', 8, "'harms' is no field; did you mean"),
        ('when: {harm: "yes"}', "when: {harm: maybe}", 8, "'maybe' is no label of that field"),
        ("of: harm", "of: ham", 10, "'ham' is no field; did you mean"),
        ('"yes": 0}', '"yes": 2}', 10, "moral runs from 0"),
        ('{"no": 1, "yes": 0}', '{"no": 1}', 10, "give each of no, yes a value"),
        ("{of: kind}", "{of: kind, every: {harm: 'no'}}", 11, "`of` one field, or what holds"),
        ("{of: kind}", "{every: {kind: c}}", 11, "'c' is no label of that field"),
        ('" fine"', '" bad"', 7, "' bad' is how 2 labels are written"),
        ("kinds:", "category:", 11, "judged files have a column of that name"),
        ("source: ours", "source: ours\nargument: policy", 1, "policies go into the slot"),
        ("version: 1", "version: 0", 2, "it counts from 1"),
        ("{of: kind}", "{of: kind}\n  more: {of: last}", 12, "'last' is no field"),
        ("source: ours", "sauce: ours", 4, "unknown key 'sauce'"),
    ],
)
def test_every_mistake_is_told_with_its_line(
    old: str, new: str, line: int, told: str, tmp_path: Path
) -> None:
    path = written(tmp_path, MINE.replace(old, new, 1))
    try:
        findings = [finding.of(path.name) for finding in review(path).findings]
    except ConfigError as error:
        findings = str(error).splitlines()
    assert any(told in found for found in findings), findings
    if line > 1:
        assert any(f":{line}:" in found for found in findings if told in found), findings
    with pytest.raises(ConfigError):
        rubric(str(path))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Qwen/Qwen3Guard-Gen-8B", "qwen3guard-gen"),
        ("vllm:Qwen/Qwen3Guard-Gen-8B", "qwen3guard-gen"),
        ("./models/qwen3guard-gen-0.6b", "qwen3guard-gen"),
        ("http://localhost:8000/v1#meta-llama/Llama-Guard-3-8B", "llama-guard-3"),
        ("meta-llama/Llama-Guard-3-1B", "llama-guard-3-1b"),
        ("ibm-granite/granite-guardian-3.3-8b", "granite-guardian-3_3"),
        ("ibm-granite/granite-guardian-hap-38m", "granite-guardian-hap"),
    ],
)
def test_a_guard_is_known_by_its_models_name(model: str, name: str) -> None:
    found = brought_rubric(ModelSpec(model))
    assert found is not None
    assert found.name == name


def test_no_model_is_two_guards() -> None:
    for name in bundled_guards():
        for pattern in bundled_guard(name).models:
            found = brought_rubric(ModelSpec(pattern.replace("*", "7b")))
            assert found is not None
            assert found.name == bundled_guard(name).name


def test_a_folder_may_bring_its_guard_and_a_variant_may_be_named(tmp_path: Path) -> None:
    written(tmp_path, name="guard.yaml")
    spec = ModelSpec(str(tmp_path))
    brought = brought_rubric(spec)
    assert brought is not None
    assert brought.name == "mine"
    path = written(tmp_path, MINE + 'variants: {half: {moral: {"yes": 0.5}}}\n', "half.yaml")
    assert rubric(f"{path}:half").criteria["moral"].scale.values == (1.0, 0.5)
    with pytest.raises(UsageError, match="has no variant 'haf'; did you mean 'half'"):
        rubric(f"{path}:haf")
    strict = rubric("qwen3guard-gen:strict")
    assert fitting(spec, strict) is strict
    with pytest.raises(UsageError, match="it was made for the wording of the rubric"):
        fitting(spec, rubric("cfsafety"))
    with pytest.raises(UsageError, match="no rubric 'qwen3guard': did you mean"):
        rubric("qwen3guard")


def test_more_replies_than_can_be_asked_about_are_refused_before_they_are_made(
    tmp_path: Path,
) -> None:
    labels = ", ".join(f"l{at}: '{at}'" for at in range(9))
    part = f"{{before: '; ', labels: {{{labels}}}}}"
    fields = "".join(f"  f{at}: {part}\n" for at in range(12))
    text = MINE.replace("criteria:\n", f"{fields}criteria:\n  last: {{of: f11}}\n")
    with pytest.raises(ConfigError, match="replies are too many to be asked about"):
        rubric(str(written(tmp_path, text)))
