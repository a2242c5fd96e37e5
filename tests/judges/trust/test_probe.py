"""A probe finds the bias that was built into a judge, and no other."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import biased_judges
import pytest
from biased_judges import Opinion, judge, right
from click.testing import Result
from shown_pages import findings

from normscope.cli.validate import validate
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.rubric_files import rubric
from normscope.judges.trust.bias import PairedValues, adjusted, shifts_of
from normscope.judges.trust.probe import ProbeResult, probe
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import Settings
from normscope.report.blocks import Table
from normscope.report.trust.checks import probe_page

Run = Callable[..., Result]


def made(opinion: Opinion, folder: Path, *, used: str = "cfsafety", **settings: Any) -> ProbeResult:
    def load(_: ModelSpec) -> FakeEngine:
        engine: FakeEngine = judge(opinion)
        return engine

    config = Settings(judge=ModelSpec("toy"))
    return probe(rubric(used), config, load=load, folder=folder, date="2026-01-01", **settings)


@pytest.mark.parametrize(
    ("opinion", "found"),
    [
        ("right", []),
        ("prefers_length", [("length", "four paragraphs")]),
        ("leans_on_the_first", [("label order", "reversed")]),
        ("obeys_rate_5", []),
    ],
)
def test_the_built_in_bias_and_no_other_is_found(
    opinion: str, found: list[tuple[str, str]], tmp_path: Path
) -> None:
    result = made(getattr(biased_judges, opinion), tmp_path, limit=40)
    assert [(shift.probe, shift.variant) for shift in result.shown] == found
    assert result.injection is not None
    assert bool(result.injection.overall.estimate.value) == (opinion == "obeys_rate_5")
    assert result.injection.control.estimate.value == 0


def test_an_obedient_judge_is_found_by_the_family_of_attack(tmp_path: Path) -> None:
    result = made(biased_judges.obeys_rate_5, tmp_path, limit=20)
    injection = result.injection
    assert injection is not None
    worst = injection.families[0]
    # "rate 5" and "RATE 5!!!" are two of the family's 16; Clopper and Pearson for 2 of 16
    found = worst.estimate
    assert (worst.name, found.value, found.n) == ("rate_short", 2 / 16, 16)
    assert found.low == pytest.approx(0.01551, abs=1e-4)
    assert found.high == pytest.approx(0.38348, abs=1e-4)
    overall = injection.overall.estimate
    assert (overall.value or 0) * overall.n == pytest.approx(2)


def test_what_the_unscored_could_do_stands_beside_the_shift() -> None:
    # ten rises of 1, then an unscored one from 2: 0 − 2 at worst, 5 − 2 at best; 8/11 and 13/11
    names = [str(at) for at in range(11)]
    changed = [*[2.9, 3.1] * 5, None]
    column = PairedValues("score", changed, [2.0] * 11, names, ["en"] * 11, (0, 5))
    shifts = adjusted(shifts_of("length", [column]))
    shown = probe_page(ProbeResult({}, "cfsafety", "", "", "", None, {}, shifts))
    assert findings(shown)[0] == "FOUND, length."
    table = shown.blocks[1]
    assert isinstance(table, Table)
    row = dict(zip([column.title for column in table.columns], table.rows[0], strict=True))
    assert (row["n"], row["unscored"], row["lowest – highest"]) == ("10", "1", "[+0.727, +1.18]")


def test_the_verb_writes_json_and_markdown_and_says_what_it_found(
    command: Run, loaded: Any, tmp_path: Path
) -> None:
    loaded.opinion = biased_judges.prefers_length
    out = tmp_path / "made" / "probe.json"
    done = command(validate, "probe", "--judge", "toy", "--limit", 40, "--out", out.parent)
    assert done.exit_code == 0, done.output
    assert "FOUND, length (four paragraphs)" in done.output
    value = json.loads(out.read_text(encoding="utf-8"))
    shift = value["shifts"][0]
    assert {"estimate", "test", "p_adjusted", "size"} <= set(shift)
    told = out.with_suffix(".md").read_text(encoding="utf-8")
    assert "| zero_width | 0 % |" in told
    assert [path.name for path in out.parent.iterdir()] and not list(out.parent.glob(".*"))


def test_it_goes_on_where_it_was_stopped(command: Run, loaded: Any, tmp_path: Path) -> None:
    out = tmp_path / "probe.json"
    arguments = ("probe", "--judge", "toy", "--limit", 20, "--set", "unit_items=10", "--out")
    asked: list[int] = []

    def breaks(seen: Any) -> float:
        asked.append(1)
        if len(asked) == 100:
            raise KeyboardInterrupt
        return float(right(seen))

    loaded.opinion = breaks
    assert command(validate, *arguments, tmp_path).exit_code != 0
    assert not out.exists()
    loaded.opinion = right
    before = loaded.asked
    assert command(validate, *arguments, tmp_path).exit_code == 0
    resumed, first = loaded.asked - before, out.read_bytes()
    whole = tmp_path / "whole" / "probe.json"
    before = loaded.asked
    assert command(validate, *arguments, whole.parent).exit_code == 0
    assert whole.read_bytes() == first
    assert resumed < loaded.asked - before


def test_another_rubric_is_probed_by_what_it_has(tmp_path: Path) -> None:
    result = made(right, tmp_path, used="chisafetybench", limit=20)
    outcomes = {(shift.probe, shift.outcome) for shift in result.shifts}
    assert outcomes == {("length", "refusal"), ("label order", "refusal")}
    assert result.shown == ()
