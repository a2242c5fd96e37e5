"""A file of models: what may stand in it, and the runs that are made of it."""

import errno
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from normscope.cli import cli, row
from normscope.errors import ConfigError
from normscope.pipeline.models import read_models
from normscope.records.integrity import is_whole
from normscope.records.model_spec import Decoding, EndpointSettings, ModelSpec
from normscope.records.settings import Settings, read

BASE = Settings(benchmark=("ci-vignettes:coppa",))


def listed(folder: Path, text: str) -> Path:
    path = folder / "models.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_the_file_says_goes_before_the_flags_and_the_rest_is_theirs(tmp_path: Path) -> None:
    path = listed(
        tmp_path,
        """
- model: Qwen/Qwen3-4B-AWQ
  name: small
  lineage: qwen3
  revision: main
  dtype: float16
  sampling: {temperature: [0, 0.7], samples: 2}
- model: http://localhost:8000/v1#other
  endpoint: {max_requests: 10}
""",
    )
    base = replace(BASE, decoding=Decoding(seed=3, max_new_tokens=9))
    flags = {"dtype": "bfloat16", "device": "cpu", "max_requests": 3}
    one, two = read_models(path, base, flags).values()
    assert [*read_models(path, base, flags)] == ["small", "other"]
    assert one.model == ModelSpec(
        "Qwen/Qwen3-4B-AWQ",
        revision="main",
        lineage="qwen3",
        dtype="float16",
        device="cpu",
        endpoint=EndpointSettings(max_requests=3),
    )
    assert one.decoding == Decoding(9, (0.0, 0.7), 2, 3)
    assert two.model is not None
    assert (two.model.dtype, two.model.endpoint.max_requests) == ("bfloat16", 10)
    assert two.decoding == base.decoding


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- modl: x", "models.yaml:1: missing key '0.model'"),
        ("- model: x\n  lineages: qwen3", "unknown key .*; did you mean 'lineage'"),
        ("- model: x\n  sampling: {temp: 1}", "known: max_new_tokens, temperature, samples"),
        ("- model: x\n  name: a/b", "'a/b' is to be a folder's"),
        ("- model: x\n  name: ..", "is to be a folder's"),
        ("- model: x/a\n- model: y/A", "'x/a' and 'y/A' are both called 'A'; give each a name"),
        (f"- model: {'x' * 6_000}", "the model 'x{40}'… has a name of 6,000 characters: name a"),
        (f"- model: ./x\n  name: {'x' * 6_000}", "the name 'x{110}' is to be a folder's"),
        ("- model: 模型", "model 1 .* needs a name"),
        ("- model: x\n  lineage: 7", "lineage: a text is expected, not 7"),
        ("[]", "there is no model in it"),
        ("models: {a: b}", "list|tuple"),
        ("", "list|tuple"),
    ],
)
def test_a_file_that_is_wrong_says_where_and_what_to_do(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        read_models(listed(tmp_path, text), BASE, {})


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


@pytest.fixture
def two_models(tmp_path: Path, tiny_model: Path) -> Path:
    """A file of two tiny models, and between them one that is not there."""
    shutil.copytree(tiny_model, tmp_path / "copy")
    return listed(
        tmp_path,
        f"""
- {{model: {tiny_model}, name: base}}
- {{model: {tmp_path / "gone"}}}
- {{model: {tmp_path / "copy"}, sampling: {{max_new_tokens: 4}}}}
""",
    )


def test_a_run_per_model_goes_on_past_one_that_cannot_be_loaded(
    tmp_path: Path, two_models: Path
) -> None:
    asked: tuple[str | Path, ...]
    asked = ("run", "--models", two_models, "-b", "ci-vignettes:coppa", "--limit", "2")
    asked += ("--channels", "labels,text", "--max-new-tokens", "8", "--out", tmp_path / "runs")
    done = run(*asked)
    assert done.exit_code == 1, done.output
    assert "2 of 3 runs are whole" in done.output
    assert done.output.rstrip().splitlines()[-1].startswith("error: gone: there is no model folder")
    assert is_whole(tmp_path / "runs" / "base")
    assert is_whole(tmp_path / "runs" / "copy")
    config = read(tmp_path / "runs" / "copy" / "config.yaml")
    assert (config.decoding.max_new_tokens, config.channels) == (4, ("labels", "text"))
    # again: what is whole is not asked again, what was missing is made up for
    shutil.copytree(tmp_path / "copy", tmp_path / "gone")
    before = {name: manifest(tmp_path / "runs" / name) for name in ("base", "copy")}
    done = run(*asked)
    assert done.exit_code == 0, done.output
    assert done.output.count("the run was whole already: nothing was asked again") == 2
    assert before == {name: manifest(tmp_path / "runs" / name) for name in before}


def manifest(folder: Path) -> bytes:
    return (folder / "manifest.json").read_bytes()


@pytest.mark.parametrize(
    ("number", "asked", "told"),
    [(errno.EACCES, 2, "error: b: there: not so: see to the rights"), (errno.ENOSPC, 1, "")],
)
def test_what_the_system_refuses_one_model_is_one_line_and_a_full_disk_ends_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, asked: int, told: str
) -> None:
    begun: list[object] = []

    def refused(*given: object, **_: object) -> None:
        begun.append(given)
        raise OSError(number, "not so", "there")

    monkeypatch.setattr(row, "make", refused)
    path = listed(tmp_path, "- model: ./a\n- model: ./b")
    done = run("run", "--models", path, "-b", "ci-vignettes:coppa", "--out", tmp_path / "o")
    assert len(begun) == asked
    assert told in done.output
    assert "Traceback" not in done.output
    # which the command's boundary tells with the remedy
    assert isinstance(done.exception, OSError) == (number == errno.ENOSPC)
