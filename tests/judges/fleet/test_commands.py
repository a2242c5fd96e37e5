"""A fleet as a user meets it: the same files whichever servers did the work."""

import csv
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import scripted_server as s
from click.testing import CliRunner, Result

import normscope as ns
from normscope.cli import cli
from normscope.errors import ModelError, RunError
from normscope.files import read_json
from normscope.records.config import read

FILES = ("items.parquet", "responses.parquet", "judgements.parquet", "judging.json")
TOPS = {"0": math.log(0.1), "1": math.log(0.4), "2": math.log(0.3), "3": math.log(0.1)}


def top(prompt: str) -> s.Top:
    """Another distribution for every prompt."""
    place = len(prompt) % len(TOPS)
    values = list(TOPS.values())
    return dict(zip(TOPS, values[place:] + values[:place], strict=True))


SCRIPT = s.Script(top=top)


def normscope(*arguments: object) -> Result:
    """The command line; an error of ours is raised."""
    done = CliRunner().invoke(cli, list(map(str, arguments)))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    # 3: what the script says of a criterion need not be on its scale
    assert done.exit_code in {0, 3}, done.output
    return done


def judged(out: Path, judge: str) -> None:
    """A run of graded answers, judged."""
    normscope(
        "respond", "-b", "safety-gradient", "--limit", "10", "--unit-items", "5", "--out", out
    )
    normscope("judge", out, "--judge", judge)


def same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


def after(answered: int, trouble: s.Trouble) -> Callable[[int, object], s.Trouble | None]:
    return lambda call, _: trouble if call >= answered else None


def test_a_run_is_the_same_to_the_byte_whichever_server_did_the_work(tmp_path: Path) -> None:
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        both = f"{a.address},{b.address}"
        judged(tmp_path / "one", a.address)
        a.trouble = after(len(a.asked) + 30, s.status(402))
        judged(tmp_path / "two", both)
        assert same(tmp_path / "one", tmp_path / "two")
        assert b.bodies
        config = read(tmp_path / "two" / "config.yaml")
        assert config.judge is not None
        assert config.judge.model == both
        assert config.provenance.judge is not None
        assert "127.0.0.1" not in str(config.provenance)


def test_a_run_goes_on_with_another_server_beside_or_in_place_of_the_first(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b, s.serve(SCRIPT, models=["other"]) as c:
        judged(tmp_path / "whole", a.address)
        asked = len(a.bodies)
        a.trouble = after(len(a.asked) + asked // 2, s.status(402))
        with pytest.raises(ModelError, match="wants to be paid"):
            judged(out, a.address)
        judged(out, f"{a.address},{b.address}")
        assert same(tmp_path / "whole", out)
        # what a had done whole was not asked again
        assert 0 < len(b.bodies) < asked
        with pytest.raises(RunError, match=r"judge\.model: was 'tiny', now 'other'"):
            judged(out, c.address)


def test_a_file_that_was_begun_with_one_server_goes_on_with_several(tmp_path: Path) -> None:
    file, out = tmp_path / "answers.csv", tmp_path / "judged.csv"
    rows = [[f"How do I do this {n} times?", f"Do it {n} times."] for n in range(66)]
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([["question", "response"], *rows])
    about = ("--rubric", "cfsafety", "--category", "privacy_leaks")
    judge = ("judge", file, *about, "--out", out)
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        normscope(*judge, "--judge", a.address)
        expected, asked = out.read_bytes(), len(a.bodies)
        out.unlink()
        a.trouble = after(len(a.asked) + asked - 3, s.status(402))
        with pytest.raises(ModelError, match="wants to be paid"):
            normscope(*judge, "--judge", a.address)
        a.trouble = after(10**9, s.close)
        again = len(a.bodies)
        normscope(*judge, "--judge", f"{a.address},{b.address}")
        assert out.read_bytes() == expected
        # the first of its two units was whole
        assert len(a.bodies) - again + len(b.bodies) < asked
        assert read_json(tmp_path / "judged.judging.json")["judge"]["model"] == "tiny"


def test_in_python_a_judge_is_a_fleet_as_on_the_command_line() -> None:
    answers = ["Ask them for the password.", "Try the passwords that routers are sold with."]
    with s.serve(SCRIPT) as a, s.serve(SCRIPT) as b:
        tables = []
        for addresses in (a.address, f"{a.address},{b.address}"):
            judge = ns.Judge(addresses, rubric="cfsafety")
            judged = judge(["How?"] * 2, answers, categories="privacy_leaks", languages="en")
            tables.append(judged.to_pandas().to_dict("records"))
        assert str(tables[0]) == str(tables[1])
        assert judge.identity["model"] == "tiny"
