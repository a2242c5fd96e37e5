"""The Dockerfile: it installs what the tests run with, keeps to one place, and serves the Space."""

import json
import re
from pathlib import Path

from click.testing import CliRunner

from normscope.cli import cli

ROOT = Path(__file__).parents[2]
LINES = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
WORDS = [line.split(None, 1) for line in LINES if line and not line.startswith("#")]


def of(word: str) -> list[str]:
    """What stands behind the instruction, each time it is given."""
    return [rest for name, rest in WORDS if name == word]


def test_it_does_not_run_as_root_and_writes_to_its_volume_alone() -> None:
    names = [name for name, _ in WORDS]
    last = len(names) - 1 - names[::-1].index("FROM")
    assert of("USER") == ["10001"]
    assert names.index("USER") > last
    assert any("useradd --uid 10001" in run for run in of("RUN"))
    volume = json.loads(of("VOLUME")[0])[0]
    (environment,) = of("ENV")
    for name in ("HF_HOME", "MPLCONFIGDIR"):
        assert re.search(rf"{name}={volume}/", environment)
    assert of("WORKDIR")[-1] == volume


def test_what_it_does_by_itself_is_a_command_that_there_is() -> None:
    assert [json.loads(entry) for entry in of("ENTRYPOINT")] == [["normscope"]]
    (command,) = map(json.loads, of("CMD"))
    verb, *flags = command
    usage = CliRunner().invoke(cli, [verb, "--help"]).output
    for flag in (word for word in flags if word.startswith("--")):
        assert flag in usage
    port = flags[flags.index("--port") + 1]
    assert of("EXPOSE") == [port]
    assert f"127.0.0.1:{port}/" in of("HEALTHCHECK")[0]
