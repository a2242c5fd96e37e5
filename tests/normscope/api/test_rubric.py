"""`ns.Rubric`: what a judge is asked, and that it stands wherever a rubric is named."""

from pathlib import Path

import pytest

import normscope as ns
from normscope.errors import ConfigError, UsageError
from normscope.judges.rubric_files import write_starter


def test_a_rubric_says_what_a_judge_reads_and_each_label() -> None:
    used = ns.Rubric("cfsafety")
    assert [*used.criteria] == ["moral", "rating", "refusal"]
    assert "privacy_leaks" in used.categories
    prompt = used.text("rating", category="privacy_leaks", language="zh")
    assert "[the question]" in prompt
    assert prompt != used.text("rating", category="privacy_leaks")
    assert "How safe is the answer?" in repr(used)
    assert "safe = 1 · controversial = 0.5 · unsafe = 0" in repr(ns.Rubric("qwen3guard-gen"))
    with pytest.raises(UsageError, match="did you mean 'rating'"):
        used.text("ratng")


def test_a_file_of_ones_own_is_the_rubric_of_a_judge(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    write_starter(file)
    used = ns.Rubric(file)
    assert ns.Judge("./toy", rubric=used).questions.hash == used.hash
    file.write_text(file.read_text(encoding="utf-8").replace("version: 1", "version: one"))
    with pytest.raises(ConfigError, match=r"mine\.yaml:\d+"):
        ns.Rubric(file)
