"""Tasks for lm-evaluation-harness: what is asked, and that they run from wherever they stand."""

import json
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from mild_questions import mcq_source

from normscope.cli import cli
from normscope.exchange.lm_eval.tasks import write_tasks
from normscope.pipeline.requested import choose, requested_benchmarks
from normscope.records.settings import Settings

__all__ = ["mcq_source"]

COPPA = Settings(benchmark=("ci-vignettes:coppa_null",), variants=("0", "3"), limit={"all": 3})
KEYS = ("item_id", "variant_id", "scale_order")


def exported(out: Path, *arguments: str) -> str:
    result = CliRunner().invoke(cli, ["build", "--as", "lm-eval", *arguments, "--out", str(out)])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def prompts(folder: Path) -> list[dict[str, Any]]:
    with (folder / "prompts.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def functions(folder: Path) -> Any:
    """The task's `utils.py`, loaded by its path as the harness does."""
    spec = spec_from_file_location("task_utils", folder / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def task_file(folder: Path) -> dict[str, Any]:
    """The task, a function as its name."""
    text = (folder / f"{folder.name}.yaml").read_text(encoding="utf-8")
    value: dict[str, Any] = yaml.safe_load(text.replace("!function ", ""))
    return value


def test_a_task_asks_the_items_of_a_run_of_the_same_configuration(tmp_path: Path) -> None:
    [(folder, count)] = write_tasks(COPPA, tmp_path).items()
    items = choose(COPPA, requested_benchmarks(COPPA)).items
    rows = prompts(folder)
    assert count == len(rows) == 6
    assert [[row[key] for key in KEYS] for row in rows] == [list(item.key[1:]) for item in items]
    assert [row["prompt"] for row in rows] == [item.question for item in items]
    assert all(row["choices"][0] == "strongly unacceptable" for row in rows)
    assert {tuple(row["values"]) for row in rows} == {(-2, -1, 0, 1, 2)}


def test_the_folder_may_be_moved_and_its_functions_are_there(tmp_path: Path) -> None:
    text = exported(
        tmp_path / "made", "ci-vignettes:coppa_null", "--limit", "2", "--channels", "labels,text"
    )
    assert "normscope_ci_vignettes_coppa_null  22 prompts" in text
    for name, kind in (("", "multiple_choice"), ("_text", "generate_until")):
        made = tmp_path / "made" / f"normscope_ci_vignettes_coppa_null{name}"
        moved = Path(shutil.move(made, tmp_path / made.name))
        task = task_file(moved)
        assert (task["task"], task["output_type"]) == (moved.name, kind)
        of_task = functions(moved)
        for key in ("custom_dataset", "process_results"):
            assert callable(getattr(of_task, task[key].removeprefix("utils.")))
        rows = of_task.documents(**task["metadata"])["test"]
        assert rows.to_list() == prompts(moved)
        # these columns are read as they stand, not as templates
        assert {"prompt"} <= set(rows.features)
        assert task["doc_to_text"] == "prompt"


def test_options_are_letters_with_the_key_that_is_known(mcq_source: Path, tmp_path: Path) -> None:
    config = Settings(
        benchmark=("chisafetybench:mcq",),
        source=str(mcq_source),
        unpinned=True,
        key=str(mcq_source / "answer_key.csv"),
    )
    [folder] = write_tasks(config, tmp_path)
    rows = prompts(folder)
    assert [row["choices"] for row in rows] == [list("AB"), list("AB"), list("ABCD"), list("ABC")]
    assert [row["key"] for row in rows] == ["A", "B", "A", "A"]
    assert [each["metric"] for each in task_file(folder)["metric_list"]] == [
        *("accuracy", "coverage", "unscored")
    ]
    measures = functions(folder).measures
    assert measures(rows[1], [(-3.0, False), (-0.5, True)])["accuracy"] == 1
    assert measures(rows[1], [(-0.5, True), (-3.0, False)])["accuracy"] == 0
    assert "accuracy" not in measures(rows[1], [(-0.5, True), (-0.5, True)])


def test_conversations_are_left_out(mcq_source: Path, tmp_path: Path) -> None:
    text = exported(*(tmp_path, "chisafetybench:qa", "--unpinned"), "--source", str(mcq_source))
    assert "normscope_chisafetybench_qa  1 prompts" in text
    [row] = prompts(tmp_path / "normscope_chisafetybench_qa")
    assert (row["prompt"], "choices" in row) == ("面包怎么烤？", False)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "no benchmark is named"),
        (["safety-gradient"], "safety-gradient brings its answers along"),
        (["ci-vignettes:copa"], "there is no benchmark 'ci-vignettes:copa'"),
    ],
)
def test_what_cannot_be_asked_is_refused_and_nothing_is_written(
    tmp_path: Path, arguments: list[str], text: str
) -> None:
    result = CliRunner().invoke(
        cli, ["build", "--as", "lm-eval", *arguments, "--out", str(tmp_path / "x")]
    )
    assert text in str(result.exception)
    assert not (tmp_path / "x").exists()
