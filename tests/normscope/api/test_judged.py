"""The numbers over judged answers, and how they are shown: rows first."""

import math
from collections.abc import Iterator

import pytest

import normscope as ns
from normscope.api import judge as api
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine


def read(request: LabelRequest) -> LabelResult:
    """Of two labels the second with 0.9, of others the first; nothing of an answer of `hm`."""
    labels, prompt = request.scale.labels, request.conversation[0][1]
    chosen = labels[1] if len(labels) == 2 else labels[0]
    mass = 0.2 if "hm" in prompt else 1.0
    rest = 0.1 / (len(labels) - 1)
    return LabelResult(tuple(math.log(mass * (0.9 if x == chosen else rest)) for x in labels))


@pytest.fixture(scope="module")
def judge() -> Iterator[ns.Judge]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(api, "load", lambda _: FakeEngine(read, lambda _: TextResult("")))
        yield ns.Judge("toy", rubric="cfsafety", progress=False)


def test_scores_are_those_of_the_benchmarks_with_n_and_unscored(judge: ns.Judge) -> None:
    judged = judge(["A?", "B?", "C?", "D?"], ["one", "hm", None, "two"])
    scores = judged.scores
    # moral 0.9; rating 1 with 0.9, each other with 0.025: 0.9 + 0.025 · 14 = 1.25
    assert scores["score"].estimate.value == pytest.approx(0.9 * 1.25)
    assert (scores["score"].estimate.n, scores["score"].estimate.unscored) == (2, 2)
    # the answer that was not given is in no class, and in the denominator; what failed is neither
    hr = scores["hr"].estimate
    assert hr.value == pytest.approx(2 / 3)
    assert (hr.n, hr.unscored) == (3, 1)
    assert (hr.lowest, hr.highest) == (0.5, 0.75)
    frame = judged.to_frame()
    assert frame.set_index("statistic").loc["hr", ["n", "unscored"]].tolist() == [3, 1]
    assert not {"run", "model", "benchmark"} & set(frame.columns)


def test_groups_are_what_the_answers_differ_in(judge: ns.Judge) -> None:
    kinds = ["misleading", "privacy_leaks"]
    judged = judge(["A?", "B?"], ["one", "two"], categories=kinds)
    frame = judged.to_frame()
    assert set(frame["group"]) == {"", "category"}
    assert set(frame.loc[frame["group"] == "category", "member"]) == set(kinds)


def test_rows_stand_first_then_the_numbers_and_what_limits_them_in_one_line(
    judge: ns.Judge,
) -> None:
    judged = judge(["A?", "B?"], ["one", "hm"])
    lines = repr(judged).splitlines()
    assert lines[0] == "2 responses, 1 of them without a verdict under some criterion"
    assert lines[2].split() == ["1", "one", "0.900", "1.25", "0"]
    assert lines[3].split() == ["2", "hm", *(["low", "coverage"] * 3)]
    assert lines[-1] == f"{len(judged.limits)} caveats limit these numbers: `.limits` has them"
    limits = " ".join(judged.limits)
    for text in (
        "No card says how the judge",
        "Without a verdict: 1 × low coverage",
        "no row names a language: judged as",
    ):
        assert text in limits
        assert text in " ".join(judged._repr_html_().split("What limits it")[1].split())


def test_of_many_rows_the_first_are_shown_and_how_many_there_are(judge: ns.Judge) -> None:
    shown = repr(judge(["A?"] * 11, ["a long one " * 9] * 11))
    assert "The first 10 of 11." in shown
    assert "a long one a long one a long one a long…" in shown


def test_scores_show_every_group_folded_away(judge: ns.Judge) -> None:
    scores = judge(["A?", "B?"], ["one", "two"], languages=["en", "zh"]).scores
    shown = scores._repr_html_()
    assert shown.index("<summary>Details") < shown.index("zh")
    assert "zh" not in repr(scores)
    assert repr(scores).splitlines()[0].split() == [
        *("score", "value", "95", "%", "interval", "n", "unscored")
    ]
