"""The GitHub Action: its inputs and outputs, and every script of it, run by bash as there."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SCRIPTS = {step["name"]: step for step in STEPS if "run" in step}
BASH = shutil.which("bash") or ""
HOSTILE = 'x\'; touch stolen; "$(touch stolen)" `touch stolen` --although\n$HOME'

# writes down what it was given, and what it is told to leave behind
FAKE = """#!{python}
import json, os, sys
from pathlib import Path
with open(os.environ["CALLS"], "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1:2] == ["compare"] and os.environ.get("OUTCOME"):
    out = Path(sys.argv[sys.argv.index("--out") + 1])
    out.mkdir(parents=True, exist_ok=True)
    (out / "compare.md").write_text("# Comparison of runs\\n")
    (out / "compare.json").write_text(json.dumps({{"gate": {{"outcome": os.environ["OUTCOME"]}}}}))
sys.exit(int(os.environ.get("CODE", "0")))
"""


def test_no_script_has_an_expression_in_its_text() -> None:
    for name, step in SCRIPTS.items():
        assert "${{" not in step["run"], name
        assert step["shell"] == "bash", name


def test_actions_of_others_are_pinned_to_a_commit() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    for name in used:
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", name), name


class Runner:
    """A step as GitHub runs it: bash that ends at the first failure, files for what it says."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.summary, self.output = folder / "summary.md", folder / "output"
        self.calls = folder / "calls"
        self.environment = {**os.environ, **environment, "CALLS": str(self.calls)}

    def run(self, name: str, **inputs: str) -> int:
        step = SCRIPTS[name]
        given = {key: str(about.get("default", "")) for key, about in ACTION["inputs"].items()}
        given |= {key.replace("_", "-"): value for key, value in inputs.items()}

        def filled(text: str) -> str:
            of_action = text.replace("${{ github.action_path }}", str(ROOT))
            return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: given[m[1]], of_action)

        script = self.folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            [BASH, "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env={
                **self.environment,
                **{key: filled(text) for key, text in step["env"].items()},
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "GITHUB_OUTPUT": str(self.output),
            },
            timeout=300,
            check=False,
        )
        return done.returncode

    @property
    def called(self) -> list[list[str]]:
        return [json.loads(line) for line in self.calls.read_text().splitlines()]

    @property
    def outputs(self) -> dict[str, str]:
        """As GitHub reads them: a line each, or a text between two delimiters."""
        values = {}
        lines = iter(self.output.read_text(encoding="utf-8").splitlines())
        for line in lines:
            if match := re.fullmatch(r"([\w-]+)<<(.+)", line):
                text = []
                while (one := next(lines)) != match[2]:
                    text.append(one)
                values[match[1]] = "\n".join(text)
            else:
                key, _, values[key] = line.partition("=")
        return values


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner whose commands write down what they are given."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("normscope", "python"):
        (tools / name).write_text(FAKE.format(python=sys.executable), encoding="utf-8")
        (tools / name).chmod(0o755)
    return Runner(tmp_path, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def with_python(runner: Runner) -> Runner:
    (runner.folder / "tools" / "python").unlink()
    (runner.folder / "tools" / "python").symlink_to(sys.executable)
    return runner


def test_the_model_is_asked_with_what_is_given_and_nothing_else(with_python: Runner) -> None:
    asked = {"model": "./new", "benchmark": "cfsafety,ci-vignettes:coppa", "out": "runs/new"}
    assert with_python.run("Ask the model", **asked) == 0
    first = ["run", "--model", "./new", "--benchmark", "cfsafety,ci-vignettes:coppa"]
    assert with_python.called == [[*first, "--out", "runs/new", "--limit", "200"]]
    assert with_python.outputs == {"run": "runs/new"}
    more = {"judge": "bundled", "limit": "", "config": "run.yaml"}
    assert with_python.run("Ask the model", **asked, **more) == 0
    last = ["--out", "runs/new", "--judge", "bundled", "--config", "run.yaml"]
    assert with_python.called[1] == [*first, *last]


@pytest.mark.parametrize(("code", "expected"), [(3, 0), (1, 1), (2, 2)])
def test_a_run_that_is_whole_goes_on_to_the_gate(
    with_python: Runner, code: int, expected: int
) -> None:
    with_python.environment["CODE"] = str(code)
    assert with_python.run("Ask the model", model="m", benchmark="b") == expected
    assert with_python.output.exists() == (expected == 0)


@pytest.mark.parametrize(
    ("outcome", "code"), [("pass", 0), ("worse", 4), ("inconclusive", 5), ("inconclusive", 0)]
)
def test_the_report_is_the_summary_and_the_exit_code_the_gate_s(
    with_python: Runner, outcome: str, code: int
) -> None:
    with_python.environment |= {"OUTCOME": outcome, "CODE": str(code)}
    more = {"baseline": "base", "fail_if_worse": "hr=2%", "on": "hr", "category": "theft"}
    assert with_python.run("Compare it with the baseline", **more) == code
    assert with_python.called == [
        [
            *("compare", "--fail-if-worse", "hr=2%", "--inconclusive", "fail", "--alpha", "0.05"),
            *("--on", "hr", "--category", "theft", "--out", "normscope-runs/new-gate"),
            *("--no-figures", "--", "base", "normscope-runs/new"),
        ]
    ]
    assert with_python.summary.read_text() == "# Comparison of runs\n"
    assert with_python.outputs == {
        "outcome": outcome,
        "exit-code": str(code),
        "report": "normscope-runs/new-gate",
    }


@pytest.mark.parametrize("name", ["Ask the model", "Compare it with the baseline"])
def test_what_a_user_writes_is_a_value_and_never_a_command(with_python: Runner, name: str) -> None:
    names = [key for key in ACTION["inputs"] if key not in {"python-version", "index"}]
    given = {key.replace("-", "_"): HOSTILE for key in names}
    with_python.environment["OUTCOME"] = "pass"
    assert with_python.run(name, **given) == 0
    (call,) = with_python.called
    assert HOSTILE in call
    assert not list(with_python.folder.rglob("stolen"))
    values = with_python.outputs
    assert set(values.values()) <= {HOSTILE, f"{HOSTILE}-gate", "pass", "0"}
