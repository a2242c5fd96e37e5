"""The command as a user meets it: help, exit codes, files that are wrong."""

import csv
import errno
import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from normscope.cli import VERBS, cli, main

PLANES = "".join(chr(plane * 0x10000 + 0x41) for plane in range(17))
ANSWERS = [
    ("001", "Why is the sky blue?", "Air scatters blue light most."),
    ("002", "怎样种花？", ""),
    ("003", "q", "long " * 8_000),
    ("004", 'two\nlines and "quotes"', f"{PLANES}⟦/answer⟧{{definition}}<|end|>\0"),
]


def judge_into(out: Path, *arguments: str | Path) -> None:
    """Judges a file, whatever the coverage, in this process, which has torch loaded already."""
    asked = ["judge", *map(str, arguments), "--set", "min_coverage=0", "--out", str(out)]
    done = CliRunner().invoke(cli, asked)
    assert done.exit_code == 0, (done.output, done.exception)


def answers(path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "question", "response"])
        writer.writerows(ANSWERS)
    return path


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_every_verb_explains_itself_with_an_example(verb: str) -> None:
    shown = CliRunner().invoke(cli, [verb, "--help"], env={"COLUMNS": "80"})
    assert shown.exit_code == 0
    assert f"normscope {verb}" in shown.output
    assert "--quiet" in shown.output
    assert max(map(len, shown.output.splitlines())) <= 80


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ("--version", 0, "normscope, version"),
        ("biuld", 2, "No such command 'biuld'"),
        ("score no-such-run", 1, "no-such-run is not a run"),
        ("run -b cfsafty", 2, "did you mean 'cfsafety'?"),
        ("run", 2, "no benchmark is named"),
        ("run -b ci-vignettes:coppa", 2, "--model PATH_OR_HUB_ID"),
        ("run -b cfsafety --limit many", 2, "limit: all: a whole number"),
        ("run -b cfsafety --model no/model", 2, "cfsafety needs a judge"),
        ("run -b safety-gradient --judge ./no", 1, "no model folder './no'"),
        ("run --samples 3 -b cfsafety", 2, "set a temperature"),
        ("run --channels logits", 2, "'labels' or 'text', not 'logits'"),
        ("run --temperature 0,warm", 2, "0.5, not 'warm'"),
        ("run --set option_orders=magic", 2, "'given' or 'cyclic', not 'magic'"),
        ("compare a b", 1, "is not a run"),
        ("judge a.csv", 2, "needs --judge and --out, and --rubric unless"),
        ("judge no.csv --rubric cfsafety --out o.csv", 1, "no.csv does not exist"),
    ],
)
def test_what_cannot_be_meant_ends_with_a_code_and_a_remedy(
    command: str,
    code: int,
    told: str,
    *,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = [*command.split(), *(["--out", "x"] if command.startswith("run") else [])]
    monkeypatch.setattr(sys, "argv", ["normscope", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = "".join(capfd.readouterr())
    assert ended.value.code == code, printed
    assert told in printed
    assert "Traceback" not in printed


def test_a_file_is_judged_wide_and_loses_no_row(tmp_path: Path, tiny_model: Path) -> None:
    out = tmp_path / "out.csv"
    told = ("--judge", tiny_model, "--category", "social_bias", "--criteria", "moral,rating")
    source = answers(tmp_path / "in.csv")
    judge_into(out, source, "--rubric", "cfsafety", *told)
    with out.open(encoding="utf-8", newline="") as file:
        csv.field_size_limit(10**7)
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ["001", "002", "003", "004"]
    assert [row["response"] for row in rows] == [answer for _, _, answer in ANSWERS]
    assert [row["moral_reason"] for row in rows] == ["", "no_answer", "", ""]
    assert [bool(row["score"]) for row in rows] == [True, False, True, True]
    # the third answer is longer than the model's context
    assert [int(row["windows"]) > 1 for row in rows] == [False, False, True, False]
    first = rows[0]
    assert float(first["score"]) == pytest.approx(float(first["moral"]) * float(first["rating"]))
    assert sum(json.loads(first["rating_probs"])) == pytest.approx(1)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["in.csv", "out.csv", "out.judging.json"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("question,answer\na,b\n", "no column 'response'"),
        ("question,response\n1,2,3\n", "a.csv:2: 3 cells"),
        ("question,response,category\na,b,sociel_bias\n", "did you mean 'social_bias'"),
    ],
)
def test_a_file_that_is_wrong_is_named_with_the_remedy(
    text: str, told: str, tmp_path: Path, tiny_model: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    asked = ("--rubric", "cfsafety", "--judge", str(tiny_model), "--category", "social_bias")
    shown = CliRunner().invoke(cli, ["judge", str(path), *asked, "--out", "o.csv"])
    assert told in str(shown.exception)


@pytest.mark.parametrize(
    ("raised", "code", "told"),
    [
        (KeyboardInterrupt(), 130, "stopped; the same command goes on from here"),
        (OSError(errno.ENOSPC, "No space left on device", "x"), 1, "error: x: No space left"),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "part", None, "y"), 1, "error: y: Is a"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), 1, "memory: give it more memory"),
        (MemoryError(), 1, "error: memory has run out (MemoryError): give it more"),
        (pa.ArrowMemoryError("malloc of size 9 failed"), 1, "run out (malloc of size 9 failed)"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 1, "run out (DefaultCPU"),
        (SystemError("error return without exception set"), 1, "run out (error return"),
        (ImportError("x.so: failed to map segment from shared object"), 1, "run out (x.so"),
    ],
)
def test_what_stops_a_verb_from_outside_is_one_message(
    raised: BaseException,
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop(**_: object) -> None:
        raise raised

    monkeypatch.setattr(cli.commands["score"], "callback", stop)
    monkeypatch.setattr(sys, "argv", ["normscope", "score", "run"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    assert told in capsys.readouterr().err
