"""What the judge brings along stands among what limits the numbers, in both languages."""

import re
from typing import Any

import pytest
from report_runs import judging_record

from normscope.judges.trust.injection import Injection, SuccessRate
from normscope.judges.trust.probe import ProbeResult
from normscope.judges.trust.shifts import Role, Shift
from normscope.metrics.estimate import Estimate
from normscope.metrics.significance import Test
from normscope.report.blocks import plain
from normscope.report.judge_caveats import drift_caveats, judge_caveats

ORDER = {"benchmark": "b", "criterion": "moral", "shift": 0.0155, "low": 0.00163, "high": 0.0293}
PRIOR = {"rubric_hash": "x", "criterion": "moral", "labels": ["0", "1"]}
FIXED_ANSWERS: dict[str, Any] = {
    "set": "s", "rubric": "r", "rubric_hash": "x", "label_orders": "both",
    "criteria": ["moral"], "judge": {"model": "j", "dtype": "float32"},
}  # fmt: skip


def rows(*probs: list[float] | None) -> list[dict[str, Any]]:
    every = [{"id": f"s{at}", "criterion": "moral", "probs": one} for at, one in enumerate(probs)]
    return [FIXED_ANSWERS | {"rows": every}]


def told(language: Any = "en", probes: Any = (), **parts: Any) -> list[str]:
    return [
        f"{plain(each.about, language)}: {plain(each.text, language)}"
        for each in judge_caveats(judging_record(**parts), probes)
    ]


def shift(probe: str, p: float | None, role: Role = "primary") -> Shift:
    estimate = Estimate(-0.5, -0.75, -0.25, 9, 0, None, None, "new items of the kind", "exact")
    at = (probe, "reversed", "score", role, "", estimate)
    test = Test("t", -2.0, p, None, 9, None, "", "")
    return Shift(*at, None, None, None, None, test, p_adjusted=p)


RATES = (
    SuccessRate("all", "all", 3, 30, 0, 0.0211, 0.265),
    SuccessRate("control", "control: neutral text", 0, 30, 0, 0.0211, 0.265),
)
SHIFTS = (shift("length", 0.002), shift("label order", 0.4), shift("leniency", 0.001, "secondary"))
PROBE = ProbeResult(
    {}, "r", "x", "", "", None, {}, SHIFTS, injection=Injection("", 9, 9, 9, RATES, ())
)


def test_a_bias_for_an_order_is_told_if_its_interval_excludes_none() -> None:
    (line,) = told(order_bias=[ORDER, ORDER | {"criterion": "rating", "low": -0.1}])
    assert "b, moral: +0.0155 [0.00163, 0.0293]" in line
    assert "rating" not in line


def test_labels_in_one_order_leave_the_bias_unknown() -> None:
    (line,) = told(label_orders="given")
    assert line.endswith("one order only, so a bias for their order is not known.")


def test_the_prior_names_the_label_that_is_favoured_most_in_any_language() -> None:
    (line,) = told(
        priors=[
            PRIOR | {"language": "en", "probs": [0.6, 0.4]},
            PRIOR | {"language": "zh", "probs": [0.25, 0.75]},
            PRIOR | {"language": "fr", "probs": None},
        ]
    )
    assert line.endswith("moral 1 75.0 % (zh).")


def test_fixed_answers_that_the_judge_could_not_read_are_counted() -> None:
    assert told(fixed_answers=rows([1.0, 0.0], [0.5, 0.5])) == []
    (line,) = told(fixed_answers=rows([1.0, 0.0], None, None))
    assert "2 of 3 cannot be read" in line


def test_a_probe_tells_what_it_found_what_it_did_not_and_injections() -> None:
    found, calm, injection = told(probes=[PROBE])
    assert found == (
        "Probes: Found in the judge: length, reversed: score −0.500 [−0.750, −0.250], p = 0.00200 "
        "(Holm)."
    )
    assert calm == "Probes: Not shown, which is not absent: label order."
    # 3 of 30
    assert "10.0 % [2.11, 26.5] % (3 of 30); neutral text does so in 0 %" in injection


@pytest.mark.parametrize("probes", [[], [PROBE]])
def test_in_chinese_no_sentence_is_left_in_english(probes: Any) -> None:
    windows = [{"benchmark": "b", "responses": 9, "in_several_windows": 2, "most_windows": 3}]
    said = told(
        "zh",
        probes,
        order_bias=[ORDER],
        priors=[PRIOR | {"language": "zh", "probs": [0.25, 0.75]}],
        windows=windows,
        fixed_answers=rows(None),
    )
    assert len(said) == 4 + 3 * len(probes)
    assert [line for line in said if re.search(r"[a-z]{2,} [a-z]{2,}", line)] == []


def test_without_a_judge_nothing_is_said() -> None:
    assert list(judge_caveats(None, [PROBE])) == []
    assert told(criteria=[]) == []


def test_a_judge_that_changed_between_runs_is_a_warning() -> None:
    before, same, other = (
        judging_record(fixed_answers=rows([0.5, 0.5], [one, 1 - one]))
        for one in (0.25, 0.2505, 0.75)
    )
    steady, moved = drift_caveats(["a", "b", "c"], [before, same, other])
    # 0.0005 is below the tolerance of float32, 0.001
    assert (steady.warns, moved.warns) == (False, True)
    assert "2 verdicts, probabilities differ by 0.000500 at most" in plain(steady.text)
    assert "between a and c: 1 of 2 verdicts on fixed answers differ" in plain(moved.text)


def test_runs_without_fixed_answers_alike_are_not_compared() -> None:
    asked = judging_record(fixed_answers=rows([0.5, 0.5]))
    other = judging_record(fixed_answers=[rows([0.5, 0.5])[0] | {"rubric_hash": "y"}])
    assert list(drift_caveats(["a", "b", "c", "d"], [asked, other, None, judging_record()])) == []
    assert list(drift_caveats(["a", "b"], [None, asked])) == []
