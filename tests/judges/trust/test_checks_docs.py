"""The page on checks says of flags, defaults and numbers what is so."""

import re
from pathlib import Path

import click
import pytest
from biased_judges import judge, right

from normscope.cli.check import check
from normscope.cli.probe import probe
from normscope.judges.rubric import rubric
from normscope.judges.trust.attacks import attacks, families
from normscope.judges.trust.bias import twins
from normscope.judges.trust.drift import TOLERANCE
from normscope.judges.trust.fixed_answers import fixed_answers
from normscope.judges.trust.languages import MARGIN
from normscope.judges.trust.probe import BIASES, INJECTION, LIMIT, Part
from normscope.judges.trust.probe import probe as made
from normscope.records.config import RunConfig
from normscope.records.model_spec import ModelSpec

PAGE = (Path(__file__).parents[3] / "docs" / "checks.md").read_text(encoding="utf-8")
ELSEWHERE = {"run", "judge"}


def test_the_numbers_are_those_of_the_data() -> None:
    assert f"{len(attacks(rubric('cfsafety')))} texts of {len(families())} families" in PAGE
    assert f"{sum(t.language == 'zh' for t in twins())} pairs in each language" in PAGE
    assert len(fixed_answers()) == 20
    assert f"{MARGIN} on the score's scale" in PAGE
    assert f"{LIMIT} if it is not given" in PAGE
    for dtype, tolerance in TOLERANCE.items():
        assert re.search(rf"{tolerance}0* in {dtype}", PAGE)


@pytest.mark.parametrize("line", re.findall(r"^    (normscope (?:check|probe) .*)$", PAGE, re.M))
def test_a_command_has_the_flags_that_it_is_shown_with(line: str) -> None:
    _, verb, *words = line.split()
    command: click.Command = check.commands[words[0]] if verb == "check" else probe
    known = {flag for option in command.params for flag in option.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_number_of_questions_is_what_is_asked(tmp_path: Path) -> None:
    def counted_for(*parts: Part) -> int:
        engine = judge(right)
        config, day = RunConfig(judge=ModelSpec("toy")), "2026-01-01"
        used = rubric("cfsafety")
        made(used, config, load=lambda _: engine, folder=tmp_path, date=day, parts=parts)
        return len(engine.requests)

    counted = [counted_for(BIASES, INJECTION), counted_for(INJECTION)]
    assert f"{counted[0]:,} questions, of which {counted[1]:,} are the injections" in PAGE


def test_every_check_is_on_the_page() -> None:
    assert all(f"normscope check {name}" in PAGE for name in check.commands)
