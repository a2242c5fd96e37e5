"""A context that the package has never heard of goes through the whole row, from its file alone."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from normscope.cli import cli
from normscope.errors import NormscopeError, RunError, UsageError
from normscope.files import hash_file, read_parquet
from normscope.records.folder import opened
from normscope.records.integrity import is_whole
from normscope.records.settings import read

NAME = "ci-vignettes:library"
TABLES = ("items.parquet", "responses.parquet", "judgements.parquet", "scores.json")

CONTEXT = """\
name: library
title: What a lending library passes on
language: en
population: readers of a lending library
instrument: written for this test
year: 2026
license: CC-BY-4.0
source: written for this test
contributors: [Normscope]
constants: {subject: a reader}
factors:
  sender: {levels: [a lending library, a bookshop]}
  attribute: {levels: [the titles that a reader borrowed, the days on which a reader came]}
  recipient: {levels: ["the reader's school", a publisher]}
  transmission_principle: {levels: [if the reader has agreed, if the reader is not named]}
practices:
  library:
    template: "{sender} sends {attribute} to {recipient} {transmission_principle}"
    null_control: "{sender} sends {attribute} to {recipient}"
"""
MINE = """\
source: written for this test
variants:
  kindly: "Kindly say what you think of this: {scenario}. Say one of {likert_scale}"
  frankly: "{scenario}. Frankly, how acceptable is that? One of {likert_scale}"
"""


def normscope(*arguments: object) -> Any:
    """The command line; an error of ours is raised."""
    done = CliRunner().invoke(cli, list(map(str, arguments)))
    if isinstance(done.exception, NormscopeError):
        raise done.exception
    assert done.exit_code in {0, 3}, (done.output, done.exception)
    return done


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a context and prompts of one's own."""
    (tmp_path / "library.yaml").write_text(CONTEXT, encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(MINE, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Path:
    """A finished run of a context of one's own, in three of the eleven variants, and its file."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "library.yaml").write_text(CONTEXT, encoding="utf-8")
    flags = (
        "--set",
        "variants=0,3,7",
        "--limit",
        "8",
        "--set",
        "min_coverage=0",
        "--out",
        folder / "run",
    )
    normscope("run", "--model", tiny_model, "--context", folder / "library.yaml", *flags)
    return folder


def test_a_context_of_ones_own_is_asked_scored_and_reported(asked: Path) -> None:
    run = asked / "run"
    assert is_whole(run)
    items = read_parquet(run / "items.parquet")
    assert items.num_rows == 8 * 3
    assert set(items["benchmark"].to_pylist()) == {NAME}
    assert set(items["variant_id"].to_pylist()) == {"0", "3", "7"}
    noted = read(run / "config.yaml").asked(NAME)
    assert (noted.title, noted.items, noted.items_in_dataset) == (
        "What a lending library passes on", 8, 16,
    )  # fmt: skip
    assert (noted.criteria, noted.metrics) == (("acceptability",), ("norm_consensus",))
    assert (noted.variants, noted.variants_in_dataset) == (("0", "3", "7"), 11)
    scores = json.loads((run / "scores.json").read_text())[NAME]
    mean = next(row for row in scores if row["name"] == "mean_acceptability")
    # in a run, a norm is of the three variants that were asked
    assert mean["estimate"]["n"] == 3
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "at least 3 of 3 are valid" in page
    assert "What a lending library passes on · 8 of 16 items" in page


def test_no_later_stage_needs_the_file(asked: Path, tmp_path: Path, tiny_model: Path) -> None:
    shutil.copytree(asked / "run", tmp_path / "run")
    run = tmp_path / "run"
    assert (run / "contexts" / "library.yaml").read_text(encoding="utf-8") == CONTEXT
    (run / "manifest.json").unlink()
    (run / "judgements.parquet").unlink()
    for verb in ("judge", "score", "report"):
        normscope(verb, run)
    assert is_whole(run)
    for name in TABLES:
        assert (run / name).read_bytes() == (asked / "run" / name).read_bytes(), name
    # it goes on, and is repeated, from its copy
    assert "nothing was asked again" in normscope("run", "--out", run).stderr
    again = tmp_path / "again"
    normscope("run", "--reproduce", run, "--model", tiny_model, "--out", again)
    for name in TABLES:
        assert (again / name).read_bytes() == (run / name).read_bytes(), name


def test_a_file_that_says_something_else_is_refused_with_both_hashes(
    asked: Path, tmp_path: Path
) -> None:
    shutil.copytree(asked / "run", tmp_path / "run")
    before = hash_file(asked / "library.yaml")
    changed = tmp_path / "library.yaml"
    changed.write_text(CONTEXT.replace("a bookshop", "a book club"), encoding="utf-8")
    with pytest.raises(RunError) as refused:
        normscope("run", "--context", changed, "--out", tmp_path / "run")
    assert f"sources.library.yaml: was {before!r}, now {hash_file(changed)!r}" in str(refused.value)
    assert is_whole(tmp_path / "run")
    shutil.copy(changed, tmp_path / "run" / "contexts" / "library.yaml")
    with pytest.raises(RunError, match=r"contexts/library.yaml: it was changed .*"):
        normscope("score", tmp_path / "run")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--set", "variants=0,12"), r"no prompt variant '12'; it has 0, 1, 2, .*10"),
        (("-b", "cfsafety"), "no benchmark that is asked for is made of .*library.yaml"),
        (
            ("-b", f"{NAME}_nul"),
            "'ci-vignettes:library_nul'; did you mean 'ci-vignettes:library_null'",
        ),
        (("--prompts", "library.yaml"), "library.yaml is a context, not prompts"),
    ],
)
def test_what_cannot_be_asked_is_refused_and_nothing_written(
    files: Path, flags: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    with pytest.raises(UsageError, match=message):
        normscope("run", "--model", "m", "--context", "library.yaml", *flags, "--out", "run")
    assert not (files / "run").exists()


GERMAN = """\
source: written for this test
language: de
answers: [nicht akzeptabel, eher nicht akzeptabel, neutral, eher akzeptabel, akzeptabel]
variants:
  freundlich: "Wie finden Sie das: {scenario}? Antworten Sie mit: {likert_scale}"
  knapp: "{scenario}. Nur eine Antwort: {likert_scale}"
"""


@pytest.fixture
def german(files: Path) -> Path:
    """A folder with a context that names its prompts, which bring the words of the answers."""
    (files / "deutsch.yaml").write_text(GERMAN, encoding="utf-8")
    path = files / "library.yaml"
    path.write_text(f"{CONTEXT}prompts: deutsch.yaml\n", encoding="utf-8")
    return files


def test_a_context_is_asked_in_the_prompts_that_it_names(german: Path, tiny_model: Path) -> None:
    context = german / "library.yaml"
    flags = ("--channels", "labels,text", "--limit", "2", "--set", "min_coverage=0")
    tokens = ("--set", "max_new_tokens=2", "--set", "max_unscored=1")
    told = ("--model", tiny_model, "--context", context, *flags, *tokens)
    normscope("run", *told, "--out", german / "run")
    items = read_parquet(german / "run" / "items.parquet").to_pylist()
    assert {(item["variant_id"], item["language"]) for item in items} == {
        ("freundlich", "de"),
        ("knapp", "de"),
    }
    asked = items[0]["messages"][0]["content"]
    assert asked.endswith("neutral, eher akzeptabel, akzeptabel")
    assert items[0]["options"][4] == {"letter": "strongly acceptable", "text": "akzeptabel"}
    noted = read(german / "run" / "config.yaml").asked(NAME)
    assert sorted(noted.sources) == ["deutsch.yaml", "library.yaml"]
    # it is repeated from the copies, which name one another as the files did
    context.unlink()
    (german / "deutsch.yaml").unlink()
    normscope("run", "--reproduce", german / "run", "--out", german / "again")
    for name in TABLES:
        assert (german / "again" / name).read_bytes() == (german / "run" / name).read_bytes(), name


def test_a_built_folder_is_asked_as_it_was_built(files: Path, tiny_model: Path) -> None:
    built = files / "data" / "library"
    mine = ("--prompts", files / "mine.yaml", "--out", built.parent)
    normscope("build", "--context", files / "library.yaml", *mine)
    told = ("respond", "--model", tiny_model, "--context", built, "--limit", "2")
    normscope(*told, "--out", files / "run")
    items = read_parquet(files / "run" / "items.parquet").to_pylist()
    prompts = read_parquet(built / "library_prompts" / "test.parquet")["prompt"].to_pylist()
    assert {item["variant_id"] for item in items} == {"kindly", "frankly"}
    assert {item["messages"][0]["content"] for item in items} <= set(prompts)
    with pytest.raises(UsageError, match="holds no context of one's own"):
        normscope("respond", "--context", files / "data", "--out", files / "again")


def test_answers_about_a_context_and_prompts_of_ones_own_are_imported(files: Path) -> None:
    context, prompts = files / "library.yaml", files / "mine.yaml"
    words = "a bookshop,the titles that a reader borrowed,a publisher,if the reader is not named"
    lines = [
        "sender,attribute,recipient,transmission_principle,variant_id,answer",
        f"{words},kindly,-2",
        f"{words},frankly,1",
    ]
    (files / "answers.csv").write_text("\n".join(lines), encoding="utf-8")
    run = files / "run"
    command = ("import", files / "answers.csv", "--context", context, "--prompts", prompts)
    done = normscope(*command, "-b", NAME, "--model", "m", "--out", run)
    assert "2 answers to 1 of 16 items" in done.output
    context.unlink()
    prompts.unlink()
    normscope("judge", run)
    normscope("score", run)
    with opened(run) as opened_run:
        noted = opened_run.config.asked(NAME)
        first, *_ = opened_run.read().items
    assert set(noted.sources) == {"library.yaml", "mine.yaml"}
    assert first.question.startswith("Kindly say what you think of this: a bookshop sends")
    rows = read_parquet(run / "judgements.parquet")
    assert rows["value"].to_pylist() == [-2.0, 1.0]
