"""Every verb over everything that can be wrong: done, or an error in the house's form, in bounds.

What is in the corpus is in `damaged_runs` and `hostile_files`; what is found later gets its line
there. `make test` takes the verbs that read each thing first, with a share of the things, `make
test-slow` all of them.
"""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from damaged_runs import DAMAGES, damaged
from hostile_files import MODELS, ROWS, YAML, hostile_model
from verb_runner import Outcome, VerbRunner

OF_A_RUN = {
    "score": ("score", "RUN"),
    "report": ("report", "RUN"),
    "report md": ("report", "RUN", "--format", "md", "--out", "out.md"),
    "compare": ("compare", "WHOLE", "RUN", "--no-figures", "--out", "out"),
    "annotate sample": ("annotate", "sample", "RUN", "--n", "4", "--out", "out"),
    "validate graded-set": ("validate", "graded-set", "RUN"),
    "validate drift": ("validate", "drift", "WHOLE", "RUN"),
    "verify": ("verify", "RUN"),
    "judge": ("judge", "RUN", "--judge", "bundled"),
    "judge again": ("judge", "RUN", "--judge", "bundled", "--out", "again"),
}
QUICK_RUN = ("report",)

OF_ROWS = {
    "judge": ("judge", "FILE", "--judge", "bundled", "--out", "out.jsonl"),
    "validate": ("validate", "--judge", "bundled", "--labels", "FILE", "--criterion", "moral"),
}
QUICK_ROWS = ("judge",)

OF_YAML = {
    "context check": ("context", "check", "FILE"),
    "build": ("build", "--context", "FILE", "--out", "out"),
    "rubric check": ("rubric", "check", "FILE"),
    "run config": ("run", "--config", "FILE", "--out", "out"),
}
QUICK_YAML = ("context check",)

OF_A_MODEL = {
    "respond": ("respond", "--model", "MODEL", "-b", "ci-vignettes:coppa", "--limit", "2"),
    "validate": ("validate", "--judge", "MODEL", "--labels", "rows.csv", "--criterion", "moral"),
    "validate probe": ("validate", "probe", "--judge", "MODEL", "--limit", "10"),
}
QUICK_MODEL = ("respond",)


def cases(
    verbs: Mapping[str, tuple[str, ...]],
    quick: tuple[str, ...],
    names: Iterable[str],
    *,
    every: int = 1,
) -> pytest.MarkDecorator:
    """Every verb with every thing; all are slow but the quick ones with one of `every` things."""
    slow = pytest.mark.slow
    return pytest.mark.parametrize(
        ("verb", "name"),
        [
            pytest.param(
                verb,
                name,
                marks=() if verb in quick and not at % every else slow,
                id=f"{verb}: {name}",
            )
            for verb in verbs
            for at, name in enumerate(names)
        ],
    )


def filled(command: tuple[str, ...], **places: Path | str) -> tuple[str, ...]:
    return tuple(str(places.get(word, word)) for word in command)


def assert_in_the_house_s_form(done: Outcome) -> None:
    assert not done.fault, f"{done.fault}\n{done.output[-3000:]}"


@cases(OF_A_RUN, QUICK_RUN, DAMAGES, every=3)
def test_a_damaged_run(
    verbs: VerbRunner, whole_run: Path, tmp_path: Path, verb: str, name: str
) -> None:
    damaged(whole_run, tmp_path / "run", name)
    command = filled(OF_A_RUN[verb], RUN="run", WHOLE=whole_run)
    assert_in_the_house_s_form(verbs.run(*command, cwd=tmp_path))


@cases(OF_ROWS, QUICK_ROWS, ROWS, every=2)
def test_a_hostile_file_of_rows(verbs: VerbRunner, tmp_path: Path, verb: str, name: str) -> None:
    ending, make = ROWS[name]
    make(tmp_path / f"rows{ending}")
    command = filled(OF_ROWS[verb], FILE=f"rows{ending}")
    assert_in_the_house_s_form(verbs.run(*command, cwd=tmp_path))


@cases(OF_YAML, QUICK_YAML, YAML)
def test_a_hostile_yaml(verbs: VerbRunner, tmp_path: Path, verb: str, name: str) -> None:
    YAML[name](tmp_path / "file.yaml")
    command = filled(OF_YAML[verb], FILE="file.yaml")
    assert_in_the_house_s_form(verbs.run(*command, cwd=tmp_path))


@cases(OF_A_MODEL, QUICK_MODEL, MODELS, every=2)
def test_a_hostile_model(
    verbs: VerbRunner, tiny_model: Path, tmp_path: Path, verb: str, name: str
) -> None:
    hostile_model(tiny_model, tmp_path / "model", name)
    (tmp_path / "rows.csv").write_text("question,response,label\nq,a,1\nq2,b,0\n")
    command = filled(OF_A_MODEL[verb], MODEL="model")
    if verb != "validate":
        command = (*command, "--out", "out")
    done = verbs.run(*command, cwd=tmp_path)
    assert_in_the_house_s_form(done)
    assert "uid=" not in done.output, "somebody else's code was run"


def test_the_whole_run_itself_is_accepted(
    verbs: VerbRunner, whole_run: Path, tmp_path: Path
) -> None:
    shutil.copytree(whole_run, tmp_path / "run", ignore=shutil.ignore_patterns(".lock"))
    done = verbs.run("report", "run", cwd=tmp_path)
    assert done.code == 0, done.output
