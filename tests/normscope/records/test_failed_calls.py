"""An outage is not a result: what a failed call left unanswered, and only that, is asked again."""

import math
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import scripted_server as s
from finished_runs import normscope

from normscope.cli import commands
from normscope.errors import ModelError
from normscope.files import read_json
from normscope.judges.engine import LabelRequest, LabelResult, TextRequest, TextResult
from normscope.judges.engines.endpoint import EndpointEngine, Waiting
from normscope.judges.engines.fake import FakeEngine
from normscope.messages import translate
from normscope.reasons import Reason
from normscope.records.absent import failed_calls
from normscope.records.integrity import is_whole
from normscope.records.journal import Journal
from normscope.records.model_spec import ModelSpec
from normscope.records.settings import read
from normscope.report.caveats import model_caveats

ASKED = (
    *("run", "--model", "model", "--judge", "judge", "--channels", "text"),
    *("-b", "ci-vignettes:coppa,safety-gradient", "--limit", "4", "--set", "unit_items=16"),
)
FILES = ("items.parquet", "responses.parquet", "judgements.parquet", "scores.json", "judging.json")


@dataclass
class Outage:
    """Engines whose calls fail where `fails` says so, and how often each was asked since."""

    fails: Callable[[str, str], bool] = lambda _name, _text: False
    asked: dict[str, int] = field(default_factory=dict)

    def load(self, spec: ModelSpec) -> FakeEngine:
        self.asked.setdefault(spec.model, 0)

        def failed(request: LabelRequest | TextRequest) -> bool:
            self.asked[spec.model] += 1
            return self.fails(spec.model, request.conversation[-1][1])

        def label(request: LabelRequest) -> LabelResult:
            if failed(request):
                return LabelResult(None, reason=Reason.CALL_FAILED)
            share, *others = [math.log(0.9 / len(request.scale.labels))] * len(request.scale.labels)
            return LabelResult((share + 1e-6, *others))  # without a tie

        def text(request: TextRequest) -> TextResult:
            if failed(request):
                return TextResult(None, Reason.CALL_FAILED)
            return TextResult("somewhat acceptable")

        return FakeEngine(label, text, name=spec.model)


@pytest.fixture
def outage(monkeypatch: pytest.MonkeyPatch) -> Outage:
    outage = Outage()
    monkeypatch.setattr(commands, "load", outage.load)
    return outage


def same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


@pytest.fixture
def well(outage: Outage, tmp_path: Path) -> Path:
    """A run without an outage: 44 answers to vignettes, and four graded answers × 3 criteria."""
    assert normscope(*ASKED, "--out", tmp_path / "well").exit_code == 0
    outage.asked.clear()
    return tmp_path / "well"


def in_part(name: str, text: str) -> bool:
    """Of the model every third prompt or so; of the judge one criterion of some answers."""
    return sum(text.encode()) % (3 if name == "model" else 7) == 0


def test_an_unfinished_run_asks_again_where_calls_failed_and_ends_as_one_without_an_outage(
    outage: Outage, well: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    outage.fails = in_part
    normscope("respond", *ASKED[1:3], *ASKED[5:], "--out", out)
    normscope("judge", out, "--judge", "judge")
    failed = failed_calls(out)
    assert 0 < failed["respond"] < 44
    assert failed["judge"] > 0
    outage.fails = lambda *_: False
    outage.asked.clear()
    normscope(*ASKED, "--out", out)
    assert outage.asked["model"] == failed["respond"]
    assert is_whole(out)
    assert failed_calls(out) == {"respond": 0, "judge": 0}
    assert same(out, well)


@pytest.mark.slow
def test_a_finished_run_asks_again_if_that_is_asked_for_as_a_new_revision(
    outage: Outage, well: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    outage.fails = in_part
    done = normscope(*ASKED, "--out", out, "--set", "max_unscored=1")
    failed = failed_calls(out)
    total = sum(failed.values())
    told = (
        f"calls that failed: {total}; `normscope run --retry-failed --out {out}` asks these again"
    )
    assert told in done.stderr
    outage.fails = lambda *_: False
    outage.asked.clear()
    # not without being told to
    normscope(*ASKED, "--out", out, "--set", "max_unscored=1")
    assert outage.asked == {"model": 0, "judge": 0}
    assert failed_calls(out) == failed
    done = normscope("run", "--retry-failed", "--out", out)
    assert "calls that failed" not in done.stderr
    assert outage.asked["model"] == failed["respond"]
    assert is_whole(out)
    assert same(out, well)
    # a run without such answers says so, and stays as it is
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    outage.asked.clear()
    done = normscope("run", "--retry-failed", "--out", out)
    assert "no answer is absent because a call failed" in done.stderr
    assert outage.asked == {"model": 0, "judge": 0}
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_file_is_judged_again_where_calls_failed(outage: Outage, tmp_path: Path) -> None:
    given, out = tmp_path / "answers.csv", tmp_path / "judged.csv"
    given.write_text("question,response\n" + "".join(f"Why {n}?,Because.\n" for n in range(9)))
    asked = ("judge", given, "--rubric", "cfsafety", "--judge", "judge", "--out", out)
    outage.fails = lambda _, text: "Why 3?" in text
    done = normscope(*asked)
    assert done.exit_code == 3
    assert "rows of which a call failed: 1; the same command asks these again" in done.stderr
    outage.fails = lambda *_: False
    outage.asked.clear()
    assert normscope(*asked).exit_code == 0
    # three criteria of one row: what was asked about nothing is kept as well
    assert outage.asked["judge"] == 3
    assert b"call_failed" not in out.read_bytes()
    assert not list(tmp_path.glob(".*"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[s.Server]:
    """A server, asked by engines that do not wait for real."""

    async def sleep(_: float) -> None:
        return None

    def load(spec: ModelSpec) -> Any:
        return EndpointEngine(spec, waiting=Waiting(sleep=sleep))

    monkeypatch.setattr(commands, "load", load)
    with s.serve(s.Script()) as server:
        yield server


def served_run(server: s.Server, out: Path) -> tuple[object, ...]:
    asked = ("run", "--model", server.address, "--judge", server.address, "--channels", "text")
    return (*asked, "-b", "safety-gradient", "--limit", "8", "--set", "unit_items=2", "--out", out)


def test_a_server_that_is_down_for_a_while_stops_the_run_and_the_same_command_finishes_it(
    server: s.Server, tmp_path: Path
) -> None:
    asked = served_run(server, tmp_path / "out")
    # well for the first two units, which are asked at once, then down for a while
    server.trouble = lambda call, _: s.status(502) if 16 <= call < 94 else None
    with pytest.raises(ModelError, match="the same command"):
        normscope(*asked)
    with closing(Journal(tmp_path / "out" / "journal.sqlite")) as journal:
        assert journal.counts("judge").units_done > 0
    for _ in range(20):
        try:
            assert normscope(*asked).exit_code == 0
            break
        except ModelError:
            continue
    assert is_whole(tmp_path / "out")
    assert failed_calls(tmp_path / "out") == {"respond": 0, "judge": 0}


def test_another_model_behind_the_server_in_mid_run_is_told_and_stays_on_the_result(
    server: s.Server, tmp_path: Path
) -> None:
    real = s.answer

    def answer(one: s.Server, path: str, body: dict[str, Any] | None) -> tuple[int, Any]:
        status, reply = real(one, path, body)
        if "choices" in reply and len(one.asked) > 20:
            reply["system_fingerprint"] = "fp_2"
        return status, reply

    monkeypatch = pytest.MonkeyPatch()
    with monkeypatch.context() as patched:
        patched.setattr(s, "answer", answer)
        done = normscope(*served_run(server, tmp_path / "out"))
    told = (
        "The server of the judge answered as tiny-2026 (fp_1), and later as tiny-2026 (fp_2): its "
        "answers need not be of one model."
    )
    assert f"warning: {told}" in done.stderr
    out = tmp_path / "out"
    config = read(out / "config.yaml")
    assert config.provenance.judgements is not None
    assert config.provenance.judgements.served == ("tiny-2026 (fp_1)", "tiny-2026 (fp_2)")
    (warning,) = (text for text in model_caveats(config) if text == told)
    assert translate(warning, "zh") != told
    assert told in (out / "report.html").read_text(encoding="utf-8")
    with closing(Journal(out / "journal.sqlite", reads=True)) as journal:
        assert journal.served("judge") == ("tiny-2026 (fp_1)", "tiny-2026 (fp_2)")
    assert read_json(out / "judging.json")["fixed_answers"]
