"""The headline scores of a run as results of a model on the Hub, by a double of it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import hub_double as double
import pytest
import yaml
from click.testing import CliRunner
from finished_runs import GRADED_SET, VIGNETTES, finished_run
from huggingface_hub import parse_eval_result_entries
from python_runner import PythonRunner
from undrawn import undrawn

from normscope.cli import cli
from normscope.errors import UsageError
from normscope.exchange.hub_results import REPORT, Results, entries_of
from normscope.files import read_json
from normscope.publication import Last, remember
from normscope.records.folder import read_only
from normscope.records.model_spec import ModelSpec
from normscope.report.write import data_of

__all__ = ["undrawn"]

MODEL = "lab/tiny"
DATASETS = {"ci-vignettes": "lab/vignettes", "safety-gradient": "lab/gradient"}
FILES = {
    VIGNETTES: ".eval_results/normscope_ci_vignettes_coppa.yaml",
    GRADED_SET: ".eval_results/normscope_safety_gradient.yaml",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = finished_run(tmp_path_factory.mktemp("runs") / "run")
    return path


def parsed(text: str) -> list[Any]:
    entries: list[Any] = parse_eval_result_entries(yaml.safe_load(text))
    return entries


def test_every_headline_is_an_entry_with_its_interval_and_unscored_in_the_notes(run: Path) -> None:
    files = Results(run, MODEL, DATASETS, source_url="https://example.org/audit").files()
    assert set(files) == set(FILES.values())
    scores = read_json(run / "scores.json")
    [entry] = [e for e in parsed(files[FILES[VIGNETTES]]) if e.task_id == "coppa.accept_share"]
    [row] = [
        row for row in scores[VIGNETTES] if (row["name"], row["group"]) == ("accept_share", "")
    ]
    assert (entry.dataset_id, entry.value) == ("lab/vignettes", row["estimate"]["value"])
    assert (entry.source_url, entry.source_name) == (
        "https://example.org/audit",
        "Normscope report",
    )
    assert entry.notes.startswith("accept share: 100 % [")
    for part in (
        "] %, n = 6 (95 % for all vignettes); 0 unscored",
        "model: model",
        "a balanced slice of 6 of 1,800 items",
    ):
        assert part in entry.notes
    scored = parsed(files[FILES[GRADED_SET]])
    assert {"score", "moral_share"} <= {entry.task_id for entry in scored}
    assert all("judge: judge; rubric: cfsafety " in entry.notes for entry in scored)


def test_what_is_unscored_has_its_worst_and_best_case(run: Path) -> None:
    data = data_of(read_only(run))
    lost = [
        replace(row, estimate=replace(row.estimate, unscored=2, lowest=0.0, highest=1.0))
        for row in data.scores[VIGNETTES]
        if row.name == "accept_share"
    ]
    [first, *_] = entries_of(
        replace(data, scores={VIGNETTES: tuple(lost)}), VIGNETTES, dataset="a/b"
    )
    assert "; 2 unscored; lowest – highest [0, 100] %; " in str(first.notes)
    none = [replace(row, estimate=replace(row.estimate, value=None)) for row in lost]
    assert not list(
        entries_of(replace(data, scores={VIGNETTES: tuple(none)}), VIGNETTES, dataset="a/b")
    )


def test_the_place_of_a_folder_is_not_told(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normscope.exchange.hub_results.models", lambda _: "/home/eve/checkpoint")
    monkeypatch.setattr(
        "normscope.exchange.hub_results.model_caveats",
        lambda _: ["The model (/home/eve/checkpoint) is small."],
    )
    [text, _] = Results(run, MODEL, DATASETS).files().values()
    assert "model: checkpoint" in text
    assert "/home/eve" not in text


def test_where_a_dataset_was_pushed_from_its_folder_is_known(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    others = {"safety-gradient": "lab/gradient"}
    with pytest.raises(UsageError, match="--dataset ci-vignettes=ORG/NAME"):
        Results(run, MODEL, others).files()
    folder = tmp_path / "data" / "ci-vignettes"
    folder.mkdir(parents=True)
    remember(folder, "https://huggingface.co/datasets/eve/flows", Last())
    text = Results(run, MODEL, others).files()[FILES[VIGNETTES]]
    assert {entry.dataset_id for entry in parsed(text)} == {"eve/flows"}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"model": "tiny"}, "'tiny' names no owner"),
        ({"datasets": {**DATASETS, "ci-vignettes": "flows"}}, "'flows' names no dataset"),
        ({"datasets": {**DATASETS, "civignettes": "a/b"}}, "did you mean 'ci-vignettes'"),
        ({"with_report": True, "source_url": "https://x.org"}, "a result has one source"),
    ],
)
def test_what_does_not_fit_is_refused(run: Path, change: dict[str, Any], text: str) -> None:
    given = {"path": run, "model": MODEL, "datasets": DATASETS}
    with pytest.raises(UsageError, match=text):
        Results(**{**given, **change}).files()


def test_results_of_another_model_of_the_hub_are_refused(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = data_of(read_only(run))
    other = replace(data, config=replace(data.config, model=ModelSpec("lab/large")))
    monkeypatch.setattr("normscope.exchange.hub_results.data_of", lambda _: other)
    with pytest.raises(UsageError, match="the run is of lab/large, not of lab/tiny"):
        Results(run, MODEL, DATASETS).files()
    assert Results(run, MODEL, DATASETS, although=True).files()


def test_a_dry_run_shows_the_files_and_sends_nothing(run: Path) -> None:
    flags = [f"--dataset={name}={repo}" for name, repo in DATASETS.items()]
    result = CliRunner().invoke(
        cli, ["push", "results", str(run), "--model", MODEL, *flags, "--dry-run"]
    )
    assert result.exit_code == 0, result.output
    assert f"# {FILES[VIGNETTES]}\n- dataset:\n    id: lab/vignettes\n" in result.output
    assert result.output.endswith("lab/tiny: nothing was sent (--dry-run)\n")
    assert "--with-report" in CliRunner().invoke(cli, ["push", "results", "--help"]).output
    assert "--i-have-the-right" in CliRunner().invoke(cli, ["push", "--help"]).output


@pytest.fixture
def hub() -> Iterator[Any]:
    with double.Hub() as running:
        yield running


def test_they_are_proposed_as_a_pull_request_and_the_card_stays(
    run: Path, hub: Any, tmp_path: Path, python_runner: PythonRunner
) -> None:
    hub.commit("models", MODEL, {"README.md": b"# Tiny"})
    words = ["results", str(run), "--model", MODEL]
    words += [f"--dataset={name}={repo}" for name, repo in DATASETS.items()]
    environment = hub.environment(tmp_path / "home")

    def pushed(*flags: str, to: str = MODEL) -> Any:
        script = "from normscope import cli; cli.main()"
        arguments = [to if word == MODEL else word for word in words]
        return python_runner.run("-c", script, "push", *arguments, *flags, environment=environment)

    done = pushed("--with-report")
    assert done.code == 0, done.err
    assert f"{hub.url}/{MODEL}/discussions/1" in done.out
    assert set(hub.files("models", MODEL)) == {"README.md"}
    proposed = hub.files("models", MODEL, "refs/pr/1")
    assert set(proposed) == {"README.md", REPORT, *FILES.values()}
    assert proposed["README.md"] == b"# Tiny"
    entries = parsed(proposed[FILES[VIGNETTES]].decode())
    assert {entry.source_url for entry in entries} == {f"{hub.url}/{MODEL}/blob/main/{REPORT}"}
    assert b"Normscope report" in proposed[REPORT]

    assert pushed("--commit").code == 0
    assert set(hub.files("models", MODEL)) == {"README.md", *FILES.values()}
    # what was noted of the push harms no later reading of the run
    assert Results(run, MODEL, DATASETS).files()

    missing = pushed("--commit", to="lab/none")
    assert missing.code == 1
    assert "there is no such repository" in missing.err
    assert ("models", "lab/none") not in hub.repos
