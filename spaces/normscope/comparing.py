"""Visitors' files as runs that can be compared: a run's tables, or files judged row by row."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...compare.runs import ItemKey, Key, Reading, Run, Subject
from ...datasets_builders.ci_vignettes.context import bundled_contexts
from ...errors import ConfigError
from ...files import hash_file, hash_value
from ...languages import language_code
from ...pipeline.respond import REFERENCE
from ...reasons import Reason
from ...records.config import Decoding, RunConfig
from ...records.config import read as read_config
from ...records.integrity import ITEMS, JUDGEMENTS, seals
from ...records.judgement import Source
from ...records.judgements import counting
from ...records.provenance import Identity, JudgementsProvenance, Provenance, RubricVersion
from ...untrusted import inert
from .asked import vignettes
from .bulk import Bulk, read_bulk
from .judge import BENCHMARK
from .words import Told

MOST_RUNS = 4
MAX_NAME = 40

_KEY = ("benchmark", "item_id", "variant_id", "scale_order")
_JUDGED = (*_KEY, "sample", "temperature", "model", "judge", "rubric_hash", "criterion", "source")
_READ = ("labels", "probs", "value", "reason")
_ITEM = ("area", "category", "language", "cluster", "response", "facets", "messages")
_CRITERIONS = ("moral", "rating", "refusal", "acceptability", "option")
_WIDE = ("id", "question", *_CRITERIONS, *(f"{criterion}_reason" for criterion in _CRITERIONS))
Sources = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: the run, and whether it brought its configuration."""

    run: Run
    configured: bool
    described: bool


def read_sides(
    uploads: Sequence[Sequence[Path]], names: Sequence[str] = ()
) -> tuple[tuple[Run, ...], list[str]]:
    """The runs in their order, and the keys of what could not be checked.

    A `Told` where there are not two to four, or a side has no judgements.
    """
    given = [(list(paths), at) for at, paths in enumerate(uploads) if paths]
    if len(given) < 2:  # noqa: PLR2004 - a comparison has two sides
        raise Told("compare_two")
    if len(given) > MOST_RUNS:
        raise Told("compare_most", most=MOST_RUNS)
    wished = [names[at].strip() if at < len(names) else "" for _, at in given]
    sides = [_side(paths) for paths, _ in given]
    notes = []
    if not all(side.configured for side in sides):
        # what one run says of itself and another does not cannot be held against it
        sides = [replace(side, run=_stripped(side.run)) for side in sides]
        notes.append("compare_unchecked")
    if not all(side.described for side in sides):
        notes.append("compare_no_items")
    named = _named(wished, [side.run for side in sides])
    runs = [replace(side.run, name=name) for side, name in zip(sides, named, strict=True)]
    return tuple(runs), notes


def _side(paths: list[Path]) -> Side:
    judgements: Bulk | None = None
    items: Bulk | None = None
    config: RunConfig | None = None
    facts: dict[str, Any] = {}
    tables: dict[str, Path] = {}
    for path in paths:
        kind = path.suffix.lower()
        if kind in {".yaml", ".yml"}:
            config = _config(path)
        elif kind == ".json":
            facts = _facts(path)
        else:
            found = read_bulk(path, (*_JUDGED, *_READ, *_ITEM, *_WIDE))
            if found.has("messages", "item_id"):
                items, tables[ITEMS] = found, path
            elif found.has("criterion", "item_id") or found.has("value") or _criteria(found):
                judgements, tables[JUDGEMENTS] = found, path
            elif not found.has("item_id", "benchmark"):
                has = ", ".join(found.names[:12])[:200]
                raise Told("compare_columns", name=found.name, has=has)
    if judgements is None:
        raise Told("compare_no_judgements", name=paths[0].name)
    if config is not None:
        _refuse_altered(config, tables)
    if not judgements.has("criterion", "item_id"):
        return _wide(judgements, facts)
    readings, sources = _readings(judgements)
    subjects = _subjects(judgements, items)
    made = config or _told(judgements)
    run = Run(_model(made, judgements), made, subjects, readings, sources)
    return Side(run, config is not None, items is not None or _is_vignettes(readings))


def _refuse_altered(config: RunConfig, tables: Mapping[str, Path]) -> None:
    """Refuses tables that are not those that the run with this configuration has sealed."""
    sealed = seals(config)
    for name, path in tables.items():
        # in another format they have other bytes
        same = path.suffix.lower() != ".parquet" or sealed.get(name) in {None, hash_file(path)}
        if not same:
            raise Told("compare_altered", name=path.name)


def _readings(table: Bulk) -> tuple[dict[str, dict[str, dict[Key, Reading]]], Sources]:
    """By benchmark, criterion and key; of several sources the one that counts."""
    found: dict[tuple[str, str], dict[str, dict[Key, Reading]]] = {}
    samples, criteria, spoke = (table.column(name) for name in ("sample", "criterion", "source"))
    columns = [table.column(name) for name in _READ]
    for row, key in enumerate(_keys(table)):
        whole: Key = (*key, int(samples[row] or 0))
        told = found.setdefault((key[0], str(criteria[row])), {})
        column = told.setdefault(str(spoke[row] or ""), {})
        if whole in column:
            raise Told(
                "compare_twice", name=table.name, item=key[1], criterion=str(criteria[row])[:40]
            )
        labels, probs, value, reason = (one[row] for one in columns)
        favourite = None
        if isinstance(labels, list) and isinstance(probs, list) and len(labels) == len(probs) > 0:
            favourite = str(labels[probs.index(max(probs))])
        column[whole] = _reading(value, reason, favourite)
    readings: dict[str, dict[str, dict[Key, Reading]]] = {}
    sources: Sources = {}
    for (benchmark, criterion), channels in found.items():
        first = counting(channels)
        readings.setdefault(benchmark, {})[criterion] = channels[first]
        sources.setdefault(benchmark, {})[criterion] = first
    return readings, sources


def _subjects(judgements: Bulk, items: Bulk | None) -> dict[ItemKey, Subject]:
    if items is not None:
        parts = [items.column(name) for name in _ITEM[:-1]]
        described = {
            key: Subject(
                item_id=key[1],
                area=inert(str(parts[0][row] or "")),
                category=inert(str(parts[1][row] or "")),
                language=inert(str(parts[2][row] or "")),
                cluster=str(parts[3][row] or key[1]),
                facets=_facets(parts[5][row]),
                asked=parts[4][row] is None,
            )
            for row, key in enumerate(_keys(items))
        }
        missing = next((key for key in _keys(judgements) if key not in described), None)
        if missing is not None:
            raise Told("compare_other_items", name=items.name, item=missing[1])
        return described
    flows = _flows({key[0] for key in _keys(judgements)})
    return {
        key: Subject(key[1], "", "", "", key[1], flows.get(key[1], {}), asked=True)
        for key in _keys(judgements)
    }


def _flows(benchmarks: set[str]) -> dict[str, Mapping[str, str]]:
    """The levels of the vignettes of our own contexts, which need no file of items."""
    contexts = [name.partition(":")[2] for name in benchmarks if name.startswith("ci-vignettes:")]
    return {
        one.item_id: one.flow
        for name in contexts
        if name in bundled_contexts()
        for one in vignettes(name)
    }


def _is_vignettes(readings: Mapping[str, Any]) -> bool:
    return all(name.partition(":")[2] in bundled_contexts() for name in readings)


def _keys(table: Bulk) -> Iterator[ItemKey]:
    columns = [table.column(name) for name in _KEY]
    for parts in zip(*columns, strict=True):
        benchmark, item_id, variant_id, scale_order = (str(part or "") for part in parts)
        yield (inert(benchmark) or BENCHMARK, item_id, variant_id, scale_order)


def _wide(table: Bulk, facts: Mapping[str, Any]) -> Side:
    """A file judged row by row: a row is paired by its id, or by its question."""
    criteria = _criteria(table)
    kinds, languages = table.column("category"), table.column("language")
    subjects: dict[ItemKey, Subject] = {}
    readings: dict[str, dict[Key, Reading]] = {criterion: {} for criterion in criteria}
    for row, (name, cluster) in enumerate(_row_names(table)):
        key = (BENCHMARK, name, "", "")
        category, language = (inert(str(one[row] or "")) for one in (kinds, languages))
        language = language_code(language)
        subjects[key] = Subject(name, "", category, language, cluster, {}, asked=False)
        for criterion in criteria:
            value, reason = table.column(criterion)[row], table.column(f"{criterion}_reason")[row]
            readings[criterion][(*key, 0)] = _reading(value, reason or None, None)
    config = RunConfig()
    if facts:
        least = facts.get("min_coverage")
        known = isinstance(least, int | float) and 0 <= least <= 1
        judge = facts.get("judge")
        config = RunConfig(
            min_coverage=float(least) if known and least is not None else 0.5,
            provenance=_judged_by(
                judge if isinstance(judge, dict) else {}, {BENCHMARK: str(facts.get("rubric"))}
            ),
        )
    sources = {BENCHMARK: dict.fromkeys(criteria, str(Source.JUDGE_LOGITS))}
    run = Run(Path(table.name).stem, config, subjects, {BENCHMARK: readings}, sources)
    return Side(run, bool(facts), described=True)


def _row_names(table: Bulk) -> Iterator[tuple[str, str]]:
    """What each row is called, the same in every file with the same questions; and its cluster."""
    named = next((table.column(name) for name in ("item_id", "id") if table.has(name)), None)
    questions = table.column("question")
    times: dict[str, int] = {}
    for row in range(table.size):
        asked = str(questions[row] or "")
        own = hash_value(asked)[:16] if table.has("question") else str(row + 1)
        name = str(named[row]) if named is not None else own
        times[name] = times.get(name, 0) + 1
        yield (name if times[name] == 1 else f"{name}#{times[name]}", own)


def _criteria(table: Bulk) -> list[str]:
    """The criteria whose readings a judged file has beside its rows."""
    return [
        criterion
        for criterion in _CRITERIONS
        if table.has(criterion) and f"{criterion}_reason" in table.names
    ]


def _told(table: Bulk) -> RunConfig:
    """What the judgements themselves say of how they were made."""
    rubrics: dict[str, str] = {}
    judges: dict[str, None] = {}
    parts = [table.column(name) for name in ("benchmark", "judge", "rubric_hash", "source")]
    for benchmark, judge, rubric, source in zip(*parts, strict=True):
        if source == Source.JUDGE_LOGITS and rubric is not None:
            rubrics[str(benchmark)] = str(rubric)
            judges[str(judge)] = None
    heats = {one for one in table.column("temperature") if isinstance(one, int | float)}
    heat = heats.pop() if len(heats) == 1 else 0.0
    return RunConfig(
        decoding=Decoding(temperature=heat if 0 <= heat < float("inf") else 0.0),
        provenance=_judged_by({"model": ", ".join(judges)}, rubrics),
    )


def _stripped(run: Run) -> Run:
    """The run with no more about its making than what every kind of upload says."""
    made = run.config.provenance
    rubrics = {name: rubric.hash for name, rubric in made.rubrics.items()}
    judged = _judged_by({"model": (made.judge or {}).get("model")}, rubrics)
    config = RunConfig(
        model=run.config.model,
        decoding=run.config.decoding,
        provenance=judged if rubrics else Provenance(),
    )
    return replace(run, config=config)


def _judged_by(judge: Identity, rubrics: Mapping[str, str]) -> Provenance:
    """The provenance of judgements of which only the judge and its rubrics' hashes are known."""
    versions = {name: RubricVersion(known) for name, known in rubrics.items()}
    return Provenance(judgements=JudgementsProvenance(judge=judge, rubrics=versions))


def _model(config: RunConfig, table: Bulk) -> str:
    """What the model under test is called."""
    if config.model is not None:
        return Path(config.model.model).name
    models = list(
        dict.fromkeys(str(one) for one in table.column("model") if one and one != REFERENCE)
    )
    return Path(models[0]).name if len(models) == 1 else Path(table.name).stem


def _named(wished: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """The names in their order, each once and short; what a formula would be is made inert."""
    names: list[str] = []
    for own, run in zip(wished, runs, strict=True):
        name = inert(" ".join((own or run.name).split()))[:MAX_NAME] or "run"
        times = sum(one == name or one.startswith(f"{name} (") for one in names)
        names.append(f"{name} ({times + 1})" if times else name)
    return names


def _reading(value: Any, reason: Any, favourite: str | None) -> Reading:
    number = None
    try:
        number = None if value is None or value == "" else float(value)
    except (TypeError, ValueError):
        raise Told("compare_bad_value", value=str(value)[:30]) from None
    if number is not None and not math.isfinite(number):
        number = None
    if number is None and not reason:
        reason = str(Reason.CALL_FAILED)
    return Reading(number, None if number is not None else str(reason), favourite)


def _facets(facets: Any) -> dict[str, str]:
    pairs = facets.items() if isinstance(facets, dict) else facets or ()
    return {inert(str(name)): inert(str(level)) for name, level in pairs}


def _config(path: Path) -> RunConfig:
    try:
        return read_config(path)
    except ConfigError as error:
        raise ConfigError(str(error).replace(str(path), path.name)) from None


def _facts(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes()[:5_000_000])
    except (ValueError, RecursionError):
        raise Told("compare_bad_json", name=path.name) from None
    return found if isinstance(found, dict) else {}
