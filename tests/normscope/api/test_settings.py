"""The names that `import normscope as ns` offers, and the settings of a call: one list of each."""

from pathlib import Path

import pytest
from mypy import api as mypy

import normscope as ns
from normscope.api.settings import Loading, RunSettings
from normscope.errors import UsageError
from normscope.records.settings import FIELDS

NAMED = {"benchmark", "model", "judge", "context", "prompts", "limit", "source"}
"""Settings that are arguments of their own."""

SNIPPET = """
import normscope as ns
ns.run("m", "cfsafety", out="run", temprature=0.7)
ns.run("m", "cfsafety", out="run", samples="many")
ns.Judge("m", dtyp="float32")
ns.plan("m", "cfsafety", temperature=[0, 0.7], dtype="float32", limit={"cfsafety": 3})
"""


def test_typed_settings_are_the_fields_that_a_run_has() -> None:
    parts = {"decoding", "provenance"}
    assert set(RunSettings.__annotations__) == FIELDS.keys() - parts - NAMED
    assert "dtype" in Loading.__annotations__


def test_what_is_offered_is_what_dir_shows() -> None:
    assert set(dir(ns)) == set(ns.__all__)
    assert {"Rubric", "benchmarks", "compare"} <= set(dir(ns))
    assert all(getattr(ns, name) is not None for name in dir(ns))


def test_an_error_names_the_argument_where_the_command_line_has_a_flag(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cfsafety needs a judge: judge=PATH_OR_HUB_ID") as error:
        ns.run(benchmarks="cfsafety", out=tmp_path / "run")
    assert error.value.message.endswith("--judge PATH_OR_HUB_ID")


@pytest.mark.slow
def test_a_misspelt_setting_is_an_error_for_a_type_checker(tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(SNIPPET, encoding="utf-8")
    found, _, _ = mypy.run([str(file), "--strict"])
    errors = [line for line in found.splitlines() if f"{file.name}:" in line and "error:" in line]
    wrong = {line.split(":")[1]: line for line in errors}
    assert set(wrong) == {"3", "4", "5"}
    assert 'Unexpected keyword argument "temprature"' in wrong["3"]
    assert 'Argument "samples"' in wrong["4"]
    assert 'Unexpected keyword argument "dtyp"' in wrong["5"]
