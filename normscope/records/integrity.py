"""Whether the files of a run are what its stages wrote: the same bytes, and every row once.

A stage that has written its files notes their hashes in `config.yaml` (its seal); the manifest of a
finished run has those of every file. Whoever reads a table of a run asks here before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..categorical import Bools, Codes, combined, first_rows
from ..errors import DataError, RunError
from ..files import hash_file, read_json, read_parquet
from ..messages import joined, marked, message
from .config import RunConfig, read
from .provenance import BenchmarkItems

ITEMS, RESPONSES, JUDGEMENTS = "items.parquet", "responses.parquet", "judgements.parquet"
RATINGS, UNMATCHED = "ratings.parquet", "unmatched.csv"
JUDGING = "judging.json"
SCORES, REPORT, CONFIG = "scores.json", "report.html", "config.yaml"
NORMS, NORMS_CSV = "norms.parquet", "norms.csv"
MANIFEST, JOURNAL = "manifest.json", "journal.jsonl"
UNITS = ".units"
"""The folder with units that several processes do, until they are merged into the journal."""
SOURCES = "contexts"
"""The folder, of a run and of a built dataset, with copies of the files it was made of."""

STAGES = ("respond", "judge", "score")
WRITES: Mapping[str, tuple[str, ...]] = {
    "respond": (ITEMS, RESPONSES, RATINGS, UNMATCHED),
    "judge": (JUDGEMENTS, JUDGING),
    "score": (SCORES, NORMS, NORMS_CSV),
}
"""The files of each stage."""

SOMETIMES = frozenset({RATINGS, UNMATCHED, JUDGING, NORMS, NORMS_CSV})
"""Of these the ones that are there only if there was a judge, or vignettes, or rows were imported
that answer nothing."""

MOST_KEYS = 3
"""How many of the rows that are amiss are named."""

Problem = Literal[
    "not yet",
    "missing",
    "unfinished",
    "changed",
    "unreadable",
    "lost",
    "repeated",
    "unknown",
    "damaged",
    "undone",
    "exchanged",
    "unmerged",
    "otherwise",
]

_ITEM = pa.schema(
    [(name, pa.string()) for name in ("benchmark", "item_id", "variant_id", "scale_order")]
)
_RESPONSE = pa.schema([*_ITEM, ("sample", pa.int32()), ("temperature", pa.float64())])
_JUDGEMENT = _RESPONSE.append(pa.field("criterion", pa.string()))

_TEXTS: Mapping[Problem, str] = {
    "not yet": marked("it is not there yet"),
    "missing": marked("it is no longer there"),
    "unfinished": marked("it is unfinished, what writes it did not come to its end"),
    "changed": marked("it was changed after it was written"),
    "unreadable": marked("it cannot be read as a table of a run"),
    "lost": marked("rows are missing: {count}"),
    "repeated": marked("rows stand there more than once: {count}"),
    "unknown": marked("rows belong to nothing that this run asked: {count}"),
    "damaged": marked("lines are damaged: {count}"),
    "undone": marked("units are not done, or not wholly: {count}"),
    "exchanged": marked("rows were done of other contents than stand in the tables: {count}"),
    "unmerged": marked("units are finished and not merged: {count}"),
    "otherwise": marked("it is not what the units give"),
}

_REMEDIES: Mapping[str, str] = {
    UNITS: marked("`normscope run --out {run}` merges them and goes on"),
    JOURNAL: marked(
        "put the journal back, or `normscope run --out {run}` asks again for what it lacks"
    ),
    CONFIG: marked(
        "undo the change, or, where it is meant, `normscope run --out {run}`; nobody is asked "
        "again for what the journal holds"
    ),
    SOURCES: marked("put the file back that was asked, or ask what it says now with another --out"),
    "respond": marked(
        "`normscope respond --out {run}` writes it; nobody is asked again for what the journal "
        "holds"
    ),
    "judge": marked(
        "`normscope judge {run}` writes it; nobody is asked again for what the journal holds"
    ),
    "score": marked("`normscope score {run}` writes it"),
    MANIFEST: marked("`normscope report {run}` finishes it"),
}
"""What mends a file, or the files of a stage; what has to be mended first stands first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a file of a run; of rows also how many, and the keys of the first few."""

    file: str
    problem: Problem
    count: int = 0
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The finding in one line."""
        problem = message(_TEXTS[self.problem], count=f"{self.count:,}")
        text = message("{file}: {problem}", file=self.file, problem=problem)
        if not self.keys:
            return text
        more = ("…",) if self.count > len(self.keys) else ()
        return message("{text} ({keys})", text=text, keys=joined((*self.keys, *more), "; "))


def written(stage: str, config: RunConfig) -> tuple[str, ...]:
    """The files of a stage, the copies of files of one's own among those of the first."""
    if stage != "respond":
        return WRITES[stage]
    kept = dict.fromkeys(
        f"{SOURCES}/{name}"
        for about in config.provenance.benchmarks.values()
        for name in about.sources
    )
    return (*WRITES[stage], *kept)


def is_whole(run: Path) -> bool:
    """Whether the run was finished and none of its files has changed since."""
    return (run / MANIFEST).is_file() and next(_unlike(run, _manifest(run)), None) is None


def check(
    run: Path,
    config: RunConfig,
    *,
    stages: Sequence[str] = STAGES,
    whole: bool = False,
    hashed: bool = False,
) -> tuple[Finding, ...]:
    """Everything wrong with what these stages wrote; with `whole`, with any file of a finished run.

    Each file is hashed once, unless it is known (`hashed`) that none has changed since the run was
    finished; the rows of each table are counted once.
    """
    result = list(() if hashed else _altered(run, config, stages, whole=whole))
    absent = {finding.file for finding in result if finding.problem in {"not yet", "missing"}}
    for stage in stages:
        if not absent & {ITEMS, *written(stage, config)}:
            result += miscounted(run, config, stage)
    return tuple(dict.fromkeys(result))


def refuse(run: Path, findings: Sequence[Finding]) -> None:
    """A `RunError` that names every finding, and the command that mends the first."""
    if not findings:
        return
    lines = joined(map(str, findings), "\n  ")
    raise RunError(
        message(
            "{run} is not as its stages should have left it ({remedy}):\n  {lines}",
            run=run,
            remedy=remedies(run, findings)[0],
            lines=lines,
        )
    )


def remedies(run: Path, findings: Iterable[Finding]) -> tuple[str, ...]:
    """What mends the findings; what has to be mended first stands first."""
    amiss = {_remedy(finding.file) for finding in findings}
    return tuple(message(text, run=run) for file, text in _REMEDIES.items() if file in amiss)


def read_checked(run: Path, *, stages: Sequence[str] = STAGES, whole: bool = False) -> RunConfig:
    """The run's configuration, if what these stages wrote is as they left it; else a `RunError`."""
    if not (run / CONFIG).is_file():
        raise RunError(
            message(
                "{path} is not a run: it has no {config} (`normscope run` makes one)",
                path=run,
                config=CONFIG,
            )
        )
    config = read(run / CONFIG)
    refuse(run, check(run, config, stages=stages, whole=whole))
    return config


def seals(config: RunConfig) -> dict[str, str]:
    """The hashes that the stages of the run have noted of their files."""
    files = (config.provenance.files(stage) for stage in STAGES)
    return {name: known for noted in files for name, known in noted.items()}


def miscounted(run: Path, config: RunConfig, stage: str) -> Iterator[Finding]:
    """Rows that the tables of a stage lack, have twice, or have beyond what was requested."""
    if stage not in {"respond", "judge"}:
        return
    name, keys = (RESPONSES, _RESPONSE) if stage == "respond" else (JUDGEMENTS, _JUDGEMENT)
    items = _read(run, ITEMS, _ITEM.append(pa.field("response", pa.string())))
    rows = _read(run, name, keys)
    for table, file in ((items, ITEMS), (rows, name)):
        if table is None:
            yield Finding(file, "unreadable")
    if items is None or rows is None:
        return
    if stage == "respond":
        # which items were chosen is noted nowhere else; that none stands twice can be told
        item_keys = items.select(_ITEM.names)
        yield from _compared(ITEMS, _each_once(item_keys), item_keys)
    noted = config.provenance.benchmarks
    planned = _responses(items, config, noted)
    if config.provenance.imported is not None:
        # how many replies each prompt has is noted nowhere but in the responses
        replies = rows if stage == "respond" else _read(run, RESPONSES, _RESPONSE)
        if replies is not None:
            planned = _imported(items, replies)
    if stage == "judge":
        planned = _judgements(planned, config)
    yield from _compared(name, planned, rows)


def _manifest(run: Path) -> dict[str, str]:
    """The hashes in the manifest, none if there is none."""
    if not (run / MANIFEST).is_file():
        return {}
    value = read_json(run / MANIFEST)
    files = value.get("files") if isinstance(value, dict) else None
    # without files, any run would be as it says
    if not isinstance(files, dict) or not files or set(map(type, files.values())) != {str}:
        remedy = message("delete it, and `normscope report {run}` writes it again", run=run)
        raise DataError(
            message(
                "{path} is damaged, it names no files: {remedy}",
                path=run / MANIFEST,
                remedy=remedy,
            )
        )
    return files


def _unlike(run: Path, known: Mapping[str, str]) -> Iterator[Finding]:
    """The files that are not there, or whose hash is not the known one."""
    for name, expected in known.items():
        if not (run / name).is_file():
            yield Finding(name, "missing")
        elif hash_file(run / name) != expected:
            yield Finding(name, "changed")


def _altered(
    run: Path, config: RunConfig, stages: Sequence[str], *, whole: bool
) -> Iterator[Finding]:
    finished = _manifest(run)
    known = {**finished, **seals(config)}
    if whole and not finished:
        yield Finding(MANIFEST, "unfinished")
    names = [name for stage in stages for name in written(stage, config)]
    # with other settings, or another journal, a finished run would not have had these tables
    names = list(dict.fromkeys([*(finished if whole else ()), *names, CONFIG, JOURNAL]))
    yield from _unlike(run, {name: known[name] for name in names if name in known})
    for name in names:
        if name not in known and name not in {CONFIG, JOURNAL, *SOMETIMES}:
            yield Finding(name, "unfinished" if (run / name).is_file() else "not yet")


def _remedy(file: str) -> str:
    """The key in `_REMEDIES` of what mends the file."""
    if file in _REMEDIES:
        return file
    if file.startswith(f"{SOURCES}/"):
        return SOURCES
    return next((stage for stage in STAGES if file in WRITES[stage]), MANIFEST)


def _read(run: Path, name: str, columns: pa.Schema) -> pa.Table | None:
    """These columns of a table; null where they are not there or are of other types."""
    try:
        return read_parquet(run / name, columns=columns.names).select(columns.names).cast(columns)
    except pa.ArrowMemoryError:
        raise
    except (DataError, pa.ArrowException, KeyError):
        return None


def _responses(items: pa.Table, config: RunConfig, noted: Mapping[str, BenchmarkItems]) -> pa.Table:
    """The key of every response that the run asks for."""
    keys, brought = items.select(_ITEM.names), pc.is_valid(items["response"])
    tables = [_RESPONSE.empty_table()]
    for benchmark, about in noted.items():
        of_benchmark = pc.equal(items["benchmark"], benchmark)
        tables.append(_placed(keys.filter(pc.and_(of_benchmark, brought)), 0, None))
        unanswered = keys.filter(pc.and_(of_benchmark, pc.invert(brought)))
        for reply in config.replies(labelled=about.labelled):
            place = (0, None) if reply is None else (reply.sample, reply.temperature)
            tables.append(_placed(unanswered, *place))
    return pa.concat_tables(tables)


def _imported(items: pa.Table, replies: pa.Table) -> pa.Table:
    """The key of every reply to one of the items, once; an item without any lacks its first."""
    keys, known = items.select(_ITEM.names), _each_once(replies.select(_RESPONSE.names))
    codes = _codes(pa.concat_tables([keys, known.select(_ITEM.names)]))
    of_items, of_replies = np.split(codes, [len(keys)])
    answered = known.filter(pa.array(np.isin(of_replies, of_items)))
    silent = keys.filter(pa.array(~np.isin(of_items, of_replies)))
    return pa.concat_tables([answered, _placed(silent, 0, None)])


def _each_once(rows: pa.Table) -> pa.Table:
    """The distinct rows, in their order as first seen."""
    return rows.take(pa.array(first_rows(_codes(rows))))


def _codes(rows: pa.Table) -> Codes:
    """A number for each distinct row; null is a value like any other."""
    return combined(*(column.combine_chunks() for column in rows.columns))


def _placed(keys: pa.Table, sample: int, temperature: float | None) -> pa.Table:
    """The items' keys with a sample and a temperature."""
    rows = keys.num_rows
    columns = [*keys.columns, pa.repeat(pa.scalar(sample, pa.int32()), rows)]
    columns.append(pa.repeat(pa.scalar(temperature, pa.float64()), rows))
    return pa.table(columns, schema=_RESPONSE)


def _judgements(responses: pa.Table, config: RunConfig) -> pa.Table:
    """The key of every judgement of these responses: one per criterion of their benchmark.

    Under a rubric one per criterion that was judged, in each channel of the judge.
    """
    tables = [_JUDGEMENT.empty_table()]
    for benchmark, about in config.provenance.benchmarks.items():
        of_benchmark = responses.filter(pc.equal(responses["benchmark"], benchmark))
        rubric = config.provenance.rubrics.get(benchmark)
        for criterion in rubric.criteria if rubric and rubric.criteria else about.criteria:
            criteria = pa.repeat(pa.scalar(criterion, pa.string()), of_benchmark.num_rows)
            keys = pa.table([*of_benchmark.columns, criteria], schema=_JUDGEMENT)
            tables += [keys] * (1 if about.rubric is None else len(config.judge_channels))
    return pa.concat_tables(tables)


def _compared(file: str, planned: pa.Table, rows: pa.Table) -> Iterator[Finding]:
    """Where the rows are not the planned ones, each once."""
    names = planned.column_names
    there = rows.select(names)
    # as it nearly always is
    if planned.equals(there):
        return
    both = pa.concat_tables([planned, there])
    codes = _codes(both)
    wanted, held = (
        np.bincount(part, minlength=codes.max(initial=-1) + 1)
        for part in np.split(codes, [len(planned)])
    )
    each = both.take(pa.array(first_rows(codes)))
    where: dict[Problem, Bools] = {
        "lost": held < wanted,
        "repeated": (wanted > 0) & (held > wanted),
        "unknown": (wanted == 0) & (held > 0),
    }
    for problem, mask in where.items():
        some = each.filter(pa.array(mask))
        if some.num_rows:
            count = int(np.abs(held - wanted)[mask].sum())
            first = some.sort_by([(name, "ascending") for name in names])
            keys = tuple(_named(row) for row in first.slice(0, MOST_KEYS).to_pylist())
            yield Finding(file, problem, count, keys)


def _named(row: Mapping[str, Any]) -> str:
    """The key as a person reads it.

    >>> _named({"benchmark": "b", "item_id": "q1", "variant_id": "", "sample": 1})
    'b q1 sample 1'
    """
    numbers = {"sample", "temperature"}
    return " ".join(
        f"{name} {value}" if name in numbers else value for name, value in row.items() if value
    )
