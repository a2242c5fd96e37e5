"""Records of Every Eval Ever: a run's headlines, and the judgements behind them, for its datastore.

The schemas are version 0.2.2 of github.com/evaleval/every_eval_ever (`eval.schema.json`,
`instance_level_eval.schema.json`). What they have no field for stands in `details`: what is
unscored, the range that it leaves open, and how far the judge agrees with people.
"""

import hashlib
import json
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .. import __version__
from ..builders.registry import BUILDERS, builder
from ..errors import UsageError
from ..files import hash_value, write_text
from ..judges.rubric_files import rubric, sample
from ..messages import translate
from ..metrics.definitions import DEFINITIONS, statistic_name
from ..metrics.estimate import Statistic
from ..metrics.registry import kind_of
from ..records.judgements import counting
from ..records.run_log import read_log
from ..report.blocks import plain
from ..report.caveats import of_judge
from ..report.data import ReportData, models
from ..viewer import Answers
from ..viewer.answers import KEY

SCHEMA = "0.2.2"

_MIDDLE = {"acceptability": 0.0, "rating": 3.0}

_ALWAYS = {
    "schema_version": SCHEMA,
    "source_metadata": {
        "source_name": "Normscope",
        "source_type": "evaluation_run",
        "source_organization_name": "unknown",
        "evaluator_relationship": "other",
    },
    "eval_library": {"name": "normscope", "version": __version__},
}


def write_records(data: ReportData, out: Path) -> tuple[Path, ...]:
    """Writes a record and its samples for each benchmark; returns the files.

    They lie where the datastore has them: `data/<dataset>/<developer>/<model>/<uuid>.json`. A
    `UsageError` for a run whose benchmarks brought their answers along, which is of no model.
    """
    identity = data.config.provenance.model
    if identity is None:
        raise UsageError("a record is of a model under test, and this run asked none")
    model, log = _model(identity, models(data)), read_log(data.path)
    written: list[Path] = []
    for benchmark in data.scores.by_benchmark:
        dataset = data.config.asked(benchmark).dataset or benchmark
        names = (dataset, model["developer"], model["id"].rpartition("/")[2])
        digest = hash_value([benchmark, model["id"], dict(data.files)])
        file = out.joinpath("data", *map(_safe, names), f"{uuid.UUID(digest[:32], version=4)}.json")
        record = {
            **_ALWAYS,
            "evaluation_id": f"{benchmark}/{model['id']}/{digest[:12]}",
            "retrieved_timestamp": str(int(time.time())),
            **({"evaluation_timestamp": log[-1].time} if log else {}),
            "model_info": model,
            "evaluation_results": [*_results(data, benchmark, dataset)],
        }
        samples = [*_samples(data, benchmark, record)]
        lines = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in samples)
        beside = file.with_name(f"{file.stem}_samples.jsonl")
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": beside.relative_to(out).as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(lines.encode()).hexdigest(),
            "total_rows": len(samples),
        }
        write_text(beside, lines)
        write_text(file, json.dumps(record, ensure_ascii=False, indent=2))
        written += (beside, file)
    return tuple(written)


def _results(data: ReportData, benchmark: str, dataset: str) -> Iterator[dict[str, Any]]:
    config = data.config
    drawn = {
        "temperature": config.decoding.temperatures[0],
        "max_tokens": config.decoding.max_new_tokens,
    }
    about = {
        "evaluation_name": f"normscope.{benchmark}",
        "source_data": {
            "dataset_name": dataset,
            "source_type": "other",
            "source_id": benchmark,
            "source_version": config.asked(benchmark).revision,
        },
        **({} if config.provenance.imported else {"generation_config": {"generation_args": drawn}}),
    }
    scoring = _scoring(data, benchmark)
    for row in data.scores.headlines(benchmark):
        if row.estimate.value is not None and row.name in DEFINITIONS:
            yield {
                "evaluation_result_id": f"{benchmark}/{row.name}/{row.member}".rstrip("/"),
                **about,
                "metric_config": {**_metric(row), **scoring},
                "score_details": _score(row),
            }


def _metric(row: Statistic) -> dict[str, Any]:
    (unit, (low, high)), definition = kind_of(row.name), DEFINITIONS[row.name]
    return {
        "metric_id": f"normscope.{row.name}",
        "metric_name": translate(statistic_name(row.name), "en"),
        "metric_unit": "proportion" if unit == "rate" else "points",
        "evaluation_description": translate(definition.text, "en"),
        "lower_is_better": definition.better == "lower",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
    }


def _score(row: Statistic) -> dict[str, Any]:
    e = row.estimate
    details = {"unscored": e.unscored, "lowest": e.lowest, "highest": e.highest}
    uncertainty: dict[str, Any] = {"num_samples": e.n}
    if e.low is not None and e.high is not None:
        interval = {"lower": e.low, "upper": e.high, "confidence_level": e.level}
        uncertainty["confidence_interval"] = interval | {"method": str(e.method)}
    return {"score": e.value, "uncertainty": uncertainty, "details": _texts(details)}


def _scoring(data: ReportData, benchmark: str) -> dict[str, Any]:
    """The judge, what it was asked, and how far it agrees with people; empty without a judge."""
    provenance = data.config.provenance
    version = provenance.rubrics.get(benchmark)
    if version is None or provenance.judge is None:
        return {}
    used = rubric(data.config.rubric or version.name)
    prompt = sample(used) if used.hash == version.hash else f"rubric with SHA-256 {version.hash}"
    agreement = " ".join(plain(caveat.text) for caveat in of_judge(data))
    details = {"rubric": version.name, "rubric_sha256": version.hash}
    return {
        "llm_scoring": {
            "judges": [{"model_info": _model(provenance.judge, "")}],
            "input_prompt": prompt,
            "additional_details": _texts(details | {"agreement_with_people": agreement}),
        }
    }


def _samples(
    data: ReportData, benchmark: str, record: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """A line per answer and criterion with a value; of a dataset without a licence no prompts.

    The schema asks whether an answer is correct: here, whether its value lies above the middle of
    the criterion's scale (acceptable, rated above 3, moral, not risky, the key's option).
    """
    cards = {each.name: d.card for d in map(builder, BUILDERS) for each in d.benchmarks}
    is_free = benchmark not in cards or bool(cards[benchmark].license)
    rows = data.judgements.to_pandas().query("benchmark == @benchmark and value == value")
    rows = rows[rows["source"] == counting(rows["source"].unique())]
    texts = Answers([data]).to_frame()[[*KEY, "question", "response"]]
    rows = rows.merge(texts, on=[*KEY], how="left").fillna({"question": "", "response": ""})
    for row in rows.to_dict("records"):
        middle = _MIDDLE.get(row["criterion"], 0.5)
        yield {
            "schema_version": SCHEMA,
            "evaluation_id": record["evaluation_id"],
            "model_id": record["model_info"]["id"],
            "evaluation_name": f"normscope.{benchmark}.{row['criterion']}",
            "sample_id": "/".join(str(row[name]) for name in KEY[1:] if row[name] == row[name]),
            "interaction_type": "single_turn",
            "input": {"raw": row["question"] if is_free else "", "reference": []},
            "output": {"raw": [row["response"]] if is_free else []},
            "answer_attribution": [],
            "evaluation": {"score": row["value"], "is_correct": row["value"] > middle},
        }


def _model(identity: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The model, by its Hub id; one in a folder is of an unknown developer."""
    label = str(identity.get("model") or name)
    is_id = re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", label) is not None
    last = label.rstrip("/").rpartition("/")[2]
    details = {key: identity.get(key) for key in ("revision", "content", "dtype", "quantisation")}
    return {
        "name": label,
        "id": label if is_id else f"unknown/{last}",
        "developer": label.partition("/")[0] if is_id else "unknown",
        "inference_engine": {"name": str(identity.get("engine") or "unknown")},
        "additional_details": _texts(details),
    }


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value not in (None, "")}


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "unknown"
