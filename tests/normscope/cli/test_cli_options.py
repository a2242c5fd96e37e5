"""What the flags ask for, alone and over what a file or a run says already."""

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from normscope.cli.options import CONFIG, stage_flags
from normscope.pipeline.requested import requested
from normscope.records.model_spec import Decoding, EndpointSettings, ModelSpec
from normscope.records.settings import Settings


def ask(*arguments: str, base: Settings | None = None) -> Settings:
    found: list[Settings] = []

    @click.command()
    @stage_flags("respond", "judge")
    @CONFIG
    def command(**flags: Any) -> None:
        found.append(requested(flags, base or Settings()))

    CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    return found[0]


def test_every_flag_finds_its_place() -> None:
    told = "--model m --revision r --chat-template t.jinja --judge j --judge-revision s "
    told += "--judge-chat-template u.jinja --dtype float32 --device cpu "
    told += "--pack-tokens 7 --max-requests 9 "
    told += "-b ci-vignettes:coppa,cfsafety "
    told += "--channels text,labels --option-orders cyclic --temperature 0,0.5 --temperature 1 "
    told += "--samples 2 --seed 3 --max-new-tokens 4 --rubric x --label-orders both"
    shared: dict[str, Any] = {
        "dtype": "float32",
        "device": "cpu",
        "pack_tokens": 7,
        "endpoint": EndpointSettings(max_requests=9),
    }
    assert ask(*told.split()) == Settings(
        benchmark=("ci-vignettes:coppa", "cfsafety"),
        model=ModelSpec("m", revision="r", chat_template="t.jinja", **shared),
        judge=ModelSpec("j", revision="s", chat_template="u.jinja", **shared),
        channels=("labels", "text"),
        option_orders="cyclic",
        decoding=Decoding(4, (0.0, 0.5, 1.0), 2, 3),
        rubric="x",
        label_orders="both",
    )


def test_a_flag_goes_before_the_file_and_leaves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "benchmark: [cfsafety]\nmodel: {model: m, endpoint: {concurrency: 2}}\n"
        "channels: [text]\ndecoding: {temperature: [0, 1], seed: 5}\n"
    )
    config = ask("--config", str(path), "--seed", "6", "--max-requests", "3")
    assert config.decoding == Decoding(temperature=(0.0, 1.0), seed=6)
    assert config.model == ModelSpec("m", endpoint=EndpointSettings(concurrency=2, max_requests=3))
    assert config.channels == ("text",)


@pytest.mark.parametrize("role", ["model", "judge"])
def test_another_model_takes_over_nothing_that_was_said_of_the_one_before(role: str) -> None:
    said = ModelSpec("a", revision="r", lineage="f", chat_template="t", device="cpu")
    base = Settings(**{role: said})  # type: ignore[arg-type]
    assert getattr(ask(f"--{role}", "b", base=base), role) == ModelSpec("b", device="cpu")
    assert getattr(ask(f"--{role}", "a", base=base), role) == said
    assert getattr(ask("--device", "cuda", base=base), role).revision == "r"
