"""Records of Every Eval Ever: what their schemas (0.2.2) ask for, with our uncertainty in them."""

import hashlib
import json
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from finished_runs import GRADED_SET, VIGNETTES

from normscope.errors import UsageError
from normscope.exchange.every_eval_ever import write_records
from normscope.records.run import Run
from normscope.report.write import data_of

TOP = {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata"}
TOP |= {"model_info", "eval_library", "evaluation_results"}
SAMPLE = {"schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id"}
SAMPLE |= {"interaction_type", "input", "output", "answer_attribution", "evaluation"}
"""The schema closes both objects: of a sample these are all required, and no others are ours."""


@pytest.fixture(scope="module")
def written(whole_run: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    out = tmp_path_factory.mktemp("records")
    return write_records(data_of(Run.open(whole_run, whole=True)), out)


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def texts_only(value: Any, inside: bool = False) -> bool:
    """Whether every object of details has texts alone, as the schema asks."""
    if isinstance(value, dict):
        of = value.items()
        return all(texts_only(v, k in {"details", "additional_details"}) for k, v in of) and not (
            inside and any(not isinstance(v, str) for v in value.values())
        )
    return all(map(texts_only, value)) if isinstance(value, list) else True


def test_a_record_has_what_the_schema_asks_for_and_its_interval(written: tuple[Path, ...]) -> None:
    records = {p: read(p) for p in written if p.suffix == ".json"}
    assert len(records) == 2
    for path, record in records.items():
        assert {*record} >= TOP
        assert {*record} - TOP == {"evaluation_timestamp", "detailed_evaluation_results"}
        assert texts_only(record)
        assert uuid.UUID(path.stem).version == 4
        assert path.parts[-4:-1] == (path.parts[-4], "unknown", "model")
        for result in record["evaluation_results"]:
            config, score = result["metric_config"], result["score_details"]
            assert config["min_score"] <= score["score"] <= config["max_score"]
            interval = score["uncertainty"].get("confidence_interval", {"lower": 0, "upper": 0})
            assert interval["lower"] <= interval["upper"]
            assert {"unscored", "lowest", "highest"} <= {*score["details"]}


def test_a_judges_agreement_with_people_and_its_prompt_go_along(written: tuple[Path, ...]) -> None:
    [record] = (r for r in map(read, written[1::2]) if GRADED_SET in r["evaluation_id"])
    for result in record["evaluation_results"]:
        scoring = result["metric_config"]["llm_scoring"]
        assert scoring["judges"][0]["model_info"]["name"] == "judge"
        assert "[the question]" in scoring["input_prompt"]
        assert "agreement_with_people" in scoring["additional_details"]


def test_samples_are_closed_linked_and_counted(written: tuple[Path, ...]) -> None:
    for samples, path in zip(written[::2], written[1::2], strict=True):
        record, lines = read(path), samples.read_text(encoding="utf-8").splitlines()
        about = record["detailed_evaluation_results"]
        assert about["total_rows"] == len(lines) > 0
        assert about["checksum"] == hashlib.sha256(samples.read_bytes()).hexdigest()
        assert about["file_path"] == "/".join(samples.parts[-5:])
        for line in map(json.loads, lines):
            assert {*line} == SAMPLE
            assert line["evaluation_id"] == record["evaluation_id"]
            assert line["model_id"] == record["model_info"]["id"]
            assert isinstance(line["evaluation"]["is_correct"], bool)
        assert (VIGNETTES in record["evaluation_id"]) == ("acceptability" in lines[0])


def test_a_run_without_a_model_under_test_has_no_record(whole_run: Path, tmp_path: Path) -> None:
    data = data_of(Run.open(whole_run))
    responses = data.config.provenance.responses
    assert responses is not None
    nobody = replace(data.config.provenance, responses=replace(responses, model=None))
    with pytest.raises(UsageError, match="of a model under test"):
        write_records(replace(data, config=replace(data.config, provenance=nobody)), tmp_path)
