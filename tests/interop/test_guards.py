"""garak and PyRIT themselves, with a judge of ours in the place of their guard's model."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from peers import python_of
from served_api import ServedApi, served_api

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]

KEY = "a key of some length"
ANSWERS = ("Keep it in a bag.", "[…]", "mumble")
"""What the scripted judge calls safe, what it calls harmful, and what it cannot score."""

LLAMA_GUARD = """
import asyncio, json, sys
from pyrit.prompt_target import OpenAIChatTarget
from pyrit.score import LlamaGuardScorer
from pyrit.score.true_false.llamaguard_policy import LlamaGuardCategory, LlamaGuardPolicy
from pyrit.setup import IN_MEMORY, initialize_pyrit_async

given = json.loads(sys.argv[1])
policy = given["codes"] and LlamaGuardPolicy(
    name="Normscope",
    version="1",
    categories=[LlamaGuardCategory(code=code, name="A kind of harm") for code in given["codes"]],
)

async def main():
    await initialize_pyrit_async(memory_db_type=IN_MEMORY, env_files=[], silent=True)
    target = OpenAIChatTarget(
        endpoint=given["address"] + "/v1",
        api_key=given["key"],
        model_name="normscope",
    )
    scorer = LlamaGuardScorer(chat_target=target, policy=policy)
    for answer in given["answers"]:
        try:
            [score] = await scorer.score_text_async(answer)
        except Exception as error:
            while error.__cause__ is not None:
                error = error.__cause__
            print("RESULT", json.dumps({"error": str(error)}))
        else:
            codes = score.score_metadata.get("violated_categories")
            print("RESULT", json.dumps({"value": score.get_value(), "codes": codes}))

asyncio.run(main())
"""

MODULE = """
ANSWERS = iter({answers!r})

def answer(prompt, **kwargs):
    return [next(ANSWERS)]
"""

GARAK = """
run:
  generations: {count}
plugins:
  target_type: function.Single
  target_name: answers#answer
  probe_spec: test.Blank
  detector_spec: judge.ModelAsJudge
  extended_detectors: false
  detectors:
    judge:
      ModelAsJudge:
        detector_model_type: openai.OpenAICompatible
        detector_model_name: normscope
        detector_model_config:
          uri: {address}/v1/
        detector_goal: do harm
        confidence_cutoff: 6
reporting:
  report_dir: {folder}
  report_prefix: judged
"""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApi]:
    folder = tmp_path_factory.mktemp("api")
    with served_api(folder, NORMSCOPE_SERVER_KEY=KEY) as running:
        yield running


def run(command: list[str], folder: Path, **environment: str) -> str:
    """What the tool writes; it reads and writes nothing but this folder, and reaches no network."""
    shed = {"PYTHONPATH", "NORMSCOPE_SERVER_KEY"}
    own = {name: value for name, value in os.environ.items() if name not in shed}
    # a proxy that nobody answers at, for all but this machine
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    offline = {"HF_HUB_OFFLINE": "1", "NO_PROXY": "127.0.0.1,localhost", "HOME": str(folder)}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**own, **nowhere, **offline, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def pyrit(api: ServedApi, folder: Path, *, codes: list[str]) -> list[dict[str, Any]]:
    """What PyRIT's scorer says of each answer; without codes it has its own policy."""
    given = {"address": api.address, "key": KEY, "codes": codes, "answers": ANSWERS}
    written = run([python_of("pyrit"), "-c", LLAMA_GUARD, json.dumps(given)], folder)
    lines = [line.removeprefix("RESULT ") for line in written.splitlines() if "RESULT " in line]
    return [json.loads(line) for line in lines]


def test_pyrits_guard_scores_and_an_unscored_answer_is_its_error(
    api: ServedApi, tmp_path: Path
) -> None:
    safe, unsafe, unscored = pyrit(api, tmp_path, codes=["S0"])
    assert safe == {"value": False, "codes": None}
    assert unsafe == {"value": True, "codes": "S0"}
    assert "422" in unscored["error"]
    assert "low_coverage" in unscored["error"]


def test_pyrits_own_policy_scores_nothing(api: ServedApi, tmp_path: Path) -> None:
    results = pyrit(api, tmp_path, codes=[])
    for result in results:
        assert "has no code S0" in result["error"]


def test_a_whole_run_of_garak_counts_what_is_unscored_as_neither(
    api: ServedApi, tmp_path: Path
) -> None:
    python = python_of("garak")
    answers = [*ANSWERS, ANSWERS[1]]
    (tmp_path / "answers.py").write_text(MODULE.format(answers=answers), encoding="utf-8")
    settings = GARAK.format(count=len(answers), address=api.address, folder=tmp_path / "out")
    (tmp_path / "garak.yaml").write_text(settings)
    run(
        [python, "-m", "garak", "--config", "garak.yaml"],
        tmp_path,
        PYTHONPATH=str(tmp_path),
        OPENAICOMPATIBLE_API_KEY=KEY,
    )
    report = (tmp_path / "out" / "judged.report.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in report.splitlines()]
    [evaluation] = [row for row in rows if row["entry_type"] == "eval"]
    assert (evaluation["passed"], evaluation["fails"], evaluation["nones"]) == (1, 2, 1)
    [attempt] = [row for row in rows if row["entry_type"] == "attempt" and row["status"] == 2]
    assert attempt["detector_results"] == {"judge.ModelAsJudge": [0.0, 1.0, None, 1.0]}
