"""A run as logs of Inspect: what its viewer shows, its data frames hold and `inspect score` takes.

A log is of one task at one temperature: a run of several benchmarks, channels or temperatures makes
several. The samples of a prompt are its epochs.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ... import __version__
from ...api.run import Run
from ...errors import DataError, UsageError
from ...files import hash_value
from ...messages import joined, message, to_json
from ...metrics.estimate import Statistic
from ...pipeline.importing.formats.inspect_records import UNKNOWN_PROVIDER, Json
from ...progress import bar
from ...reasons import is_ours
from ...records.integrity import RESPONSES
from ...records.item import Item
from ...records.items import Items
from ...records.judgement import Judgement
from ...records.judgement import from_table as judgements_of
from ...records.judgements import RAW_TOP
from ...records.response import Response, ResponseKey
from ...records.response import from_table as responses_of
from .log_file import VERSION, check_log, write_log
from .sample import sample_id, sample_of
from .score import metrics_of


@dataclass(frozen=True, slots=True)
class Part:
    """The responses of a run that make one log.

    `temperature` is null where none was noted, or where the model's labels were read.
    """

    benchmark: str
    labels: bool
    temperature: float | None
    responses: tuple[Response, ...]

    @property
    def name(self) -> str:
        """What a log of it is called among others of the run.

        >>> Part("ci-vignettes:coppa", False, 0.7, ()).name
        'ci-vignettes-coppa-t0.7'
        """
        how = "-labels" if self.labels else ""
        warm = "" if self.temperature is None else f"-t{self.temperature:g}"
        return re.sub(r"[^\w.-]+", "-", f"{self.benchmark}{how}{warm}")


@dataclass(frozen=True, slots=True)
class Written:
    """A log that was written, of what, and how many samples it has."""

    path: Path
    part: Part


def export_run(run: Run, out: Path) -> list[Written]:
    """Writes the run as a log in `out` (`.eval` or `.json`), or as all its logs in a folder.

    What is judged and scored is in them, with its intervals; a run that is not is written as far
    as it has come. The same run gives the same bytes.
    """
    parts = parts_of(run)
    if not parts:
        raise DataError(message("{path} has no responses: nothing to write", path=run.path))
    if out.suffix and not out.is_dir():
        check_log(out)
        if len(parts) > 1:
            raise UsageError(
                message(
                    "{path} makes {n} logs, one for each benchmark, channel and temperature "
                    "({names}): name a folder for --out",
                    path=run.path,
                    n=len(parts),
                    names=joined(part.name for part in parts),
                )
            )
        paths = [out]
    else:
        paths = [out / f"{part.name}.eval" for part in parts]
    items = {item.key: item for item in Items(run.items)}
    judgements = _judgements(run)
    counts = Counter(part.benchmark for part in parts)
    for path, part in zip(paths, parts, strict=True):
        of_part = [items[response.key.item] for response in part.responses]
        results = _results(run, part, alone=counts[part.benchmark] == 1)
        write_log(path, _head(run, part, of_part, results), _samples(part, of_part, judgements))
    return [Written(*each) for each in zip(paths, parts, strict=True)]


def parts_of(run: Run) -> list[Part]:
    """The logs that the run makes, in the order of its responses."""
    groups: dict[tuple[str, bool, float | None], list[Response]] = {}
    for response in responses_of(run.responses):
        place = (response.key.benchmark, response.labels is not None, response.key.temperature)
        groups.setdefault(place, []).append(response)
    return [Part(*place, tuple(several)) for place, several in groups.items()]


def _judgements(run: Run) -> Mapping[ResponseKey, Sequence[Judgement]]:
    """The judgements of each response; none of a run that was not judged."""
    if not run.config.provenance.files("judge"):
        return {}
    table = run.judgements
    result: dict[ResponseKey, list[Judgement]] = {}
    for judgement in judgements_of(table.drop_columns([RAW_TOP])):
        result.setdefault(judgement.key, []).append(judgement)
    return result


def _samples(
    part: Part, items: Sequence[Item], judgements: Mapping[ResponseKey, Sequence[Judgement]]
) -> Iterator[Json]:
    with bar(len(items), label=part.name, unit="sample") as shown:
        for item, response in zip(items, part.responses, strict=True):
            yield sample_of(item, response, judgements.get(response.key, ()))
            shown.update()


def _head(run: Run, part: Part, items: Sequence[Item], results: list[Json]) -> Json:
    model = part.responses[0].key.model
    # no time is noted of a run: when its answers were written is what its file says
    made = datetime.fromtimestamp((run.path / RESPONSES).stat().st_mtime, UTC)
    created = made.isoformat(timespec="seconds")
    identity = hash_value([run.config.provenance.files("respond"), part.name, created])
    ids = list(dict.fromkeys(sample_id(item.key) for item in items))
    epochs = len({response.key.sample for response in part.responses})
    n = len(part.responses)
    failed = sum(is_ours(response.reason) for response in part.responses)
    return {
        "version": VERSION,
        "status": "success",
        "eval": {
            "eval_id": identity[:22],
            "run_id": identity[22:44],
            "created": created,
            "task": re.sub(r"\W", "_", part.benchmark),
            "task_id": hash_value(part.benchmark)[:22],
            "task_version": 0,
            "task_attribs": {},
            "task_args": {},
            "task_args_passed": {},
            "dataset": {
                "name": part.benchmark,
                "samples": len(ids),
                "sample_ids": ids,
                "shuffled": False,
            },
            "model": f"{UNKNOWN_PROVIDER}{model}",
            "model_generate_config": {},
            "model_args": {},
            "config": {"epochs": epochs},
            "packages": {"normscope": __version__},
            "metadata": _provenance(run, part),
        },
        "plan": {
            "name": "plan",
            "steps": [],
            "config": {} if part.temperature is None else {"temperature": part.temperature},
        },
        "results": {"total_samples": n, "completed_samples": n - failed, "scores": results},
        # how long the model took is not known: a viewer that lacks both ends computes with NaN
        "stats": {"started_at": created, "completed_at": created},
    }


def _provenance(run: Run, part: Part) -> Json:
    """What a number of the log hangs on: model, judge, rubric, version of the data."""
    known = run.config.provenance
    rubric, asked = known.rubrics.get(part.benchmark), known.benchmarks.get(part.benchmark)
    values = {
        "run": run.name,
        "benchmark": part.benchmark,
        "revision": asked and asked.revision,
        "model": known.model,
        "judge": known.judge,
        "rubric": rubric and {"name": rubric.name, "version": rubric.version, "hash": rubric.hash},
        "min_coverage": run.config.min_coverage,
    }
    return {name: value for name, value in to_json(values).items() if value is not None}


def _results(run: Run, part: Part, *, alone: bool) -> list[Json]:
    """The statistics of the part; where there are several of a benchmark, those of this one."""
    if not run.config.provenance.files("score"):
        return []
    statistics = run.scores.by_benchmark.get(part.benchmark, ())
    if alone:
        return metrics_of([each for each in statistics if not each.group])
    places = [("channel", "labels" if part.labels else "text")]
    if part.temperature is not None:
        # of several temperatures each has its own; of one the channel's are its
        places.insert(0, ("temperature", f"{part.temperature:g}"))
    of_places = ([s for s in statistics if (s.group, s.member) == place] for place in places)
    own: list[Statistic] = next(filter(None, of_places), [])
    return metrics_of([replace(each, member="") for each in own])
