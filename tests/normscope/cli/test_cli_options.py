"""What the flags ask for, alone and over what a file or a run says already."""

import re
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from normscope.cli import FORMER, cli
from normscope.cli.options import STAGES, stage_options
from normscope.errors import UsageError
from normscope.pipeline.requested import requested
from normscope.records.model_spec import Decoding, EndpointSettings, ModelSpec
from normscope.records.settings import Settings


def ask(*arguments: str, base: Settings | None = None) -> Settings:
    found: list[Settings] = []

    @click.command()
    @stage_options("respond", "judge")
    def command(**options: Any) -> None:
        found.append(requested(options, base or Settings()))

    CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    return found[0]


def test_every_flag_and_every_key_finds_its_place() -> None:
    flags = "--model m --judge j --device cpu --rubric x -b ci-vignettes:coppa,cfsafety "
    flags += "--channels text,labels --temperature 0,0.5 --temperature 1 --samples 2"
    keys = "revision=r chat_template=t.jinja judge_revision=s judge_chat_template=u.jinja "
    keys += "dtype=float32 pack_tokens=7 max_requests=9 option_orders=cyclic seed=3 "
    keys += "max_new_tokens=4 label_orders=both unpinned=true limit=5"
    given = [word for key in keys.split() for word in ("--set", key)]
    shared: dict[str, Any] = {
        "dtype": "float32",
        "device": "cpu",
        "pack_tokens": 7,
        "endpoint": EndpointSettings(max_requests=9),
    }
    assert ask(*flags.split(), *given) == Settings(
        benchmark=("ci-vignettes:coppa", "cfsafety"),
        model=ModelSpec("m", revision="r", chat_template="t.jinja", **shared),
        judge=ModelSpec("j", revision="s", chat_template="u.jinja", **shared),
        channels=("labels", "text"),
        option_orders="cyclic",
        decoding=Decoding(4, (0.0, 0.5, 1.0), 2, 3),
        rubric="x",
        label_orders="both",
        unpinned=True,
        limit={"all": 5},
    )


def test_a_flag_goes_before_the_file_and_leaves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "benchmark: [cfsafety]\nmodel: {model: m, endpoint: {concurrency: 2}}\n"
        "channels: [text]\ndecoding: {temperature: [0, 1], seed: 5}\n"
    )
    config = ask("--config", str(path), "--set", "seed=6", "--set", "max_requests=3")
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


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("run --set sed=3", "run has no setting 'sed'; did you mean 'seed'?"),
        ("judge x --set samples=3", "judge has no setting 'samples'"),
        ("run --set seed", "'seed' is not NAME=VALUE"),
        ("run --seed 3", "--seed is a setting without a flag: --set seed=VALUE"),
        ("judge x --judge-channel text", "flag: --set judge_channels=VALUE"),
        ("report x --seed 3", "No such option"),
        ("build", "`normscope build --list` shows what there is"),
        ("build ci-vignettes --limit 3", "limit: of --as lm-eval alone"),
    ],
)
def test_what_is_no_setting_of_a_verb_is_refused_with_the_remedy(command: str, told: str) -> None:
    done = CliRunner().invoke(cli, command.split())
    assert done.exit_code == 2 or isinstance(done.exception, UsageError)
    assert told in f"{done.output}{getattr(done.exception, 'message', '')}"


@pytest.mark.parametrize("verb", FORMER)
def test_a_verb_of_old_is_answered_with_the_new_one(verb: str) -> None:
    done = CliRunner().invoke(cli, [*verb.split(), "anything"])
    assert done.exit_code == 2
    assert f"No such command '{verb}'; it is now {FORMER[verb]}" in done.output
    for command in re.findall("`(.*?)`", FORMER[verb]):
        words = command.split()
        verb_alone = [word for word in words if not word.startswith("--")]
        shown = CliRunner().invoke(cli, [*verb_alone, "--help"])
        assert shown.exit_code == 0
        assert all(word in shown.output for word in words if word.startswith("--"))


def test_help_fits_a_screen_and_all_of_it_has_every_setting() -> None:
    shown = CliRunner().invoke(cli, ["run", "--help"], terminal_width=80).output
    assert len(shown.splitlines()) <= 50
    everything = CliRunner().invoke(cli, ["run", "--help-all"]).output
    for key, stages in STAGES.items():
        assert key.startswith("judge_") or f"{key} " in everything
        assert f"({', '.join(stages)})" in everything


def test_a_judge_is_asked_as_a_file_says(tmp_path: Path) -> None:
    """The file of a run: what it says of other stages is left aside."""
    path = tmp_path / "config.yaml"
    path.write_text("benchmark: [cfsafety]\njudge: {model: bundled}\njudge_channels: [text]\n")
    labels = tmp_path / "labels.csv"
    labels.write_text("question,response,label\nq,a,1\n")
    for command in (["judge", labels], ["validate", "--labels", labels, "--criterion", "moral"]):
        arguments = [*command, "--config", path, "--out", tmp_path / "out.csv"]
        done = CliRunner().invoke(cli, [*map(str, arguments), "--rubric", "cfsafety"])
        assert "the judge 'bundled' cannot be asked under" in str(done.exception)


def test_what_there_is_to_build_is_listed() -> None:
    shown = CliRunner().invoke(cli, ["build", "--list"]).output
    assert "CHiSafetyBench; languages: zh; licence: unknown" in shown
    assert "    563  chisafetybench:qa\n" in shown
    assert "  6,912  ci-vignettes:iot\n" in shown
