"""Whether the files of a run are what its stages wrote: the same bytes, and every row once.

A stage that has written its files notes their hashes in `config.yaml` (its seal); the manifest of a
finished run has those of every file. Whoever reads a table of a run asks here before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from glob import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from ..errors import DataError, RunError
from ..files import hash_file, read_json
from .settings import Settings

ITEMS, RESPONSES, JUDGEMENTS = "items.parquet", "responses.parquet", "judgements.parquet"
RATINGS = "ratings.parquet"
JUDGING = "judging.json"
SCORES, REPORT, CONFIG = "scores.json", "report.html", "config.yaml"
NORMS, NORMS_CSV = "norms.parquet", "norms.csv"
MANIFEST, JOURNAL = "manifest.json", "journal.sqlite"
SOURCES = "contexts"
"""The folder, of a run and of a built dataset, with copies of the files it was made of."""

STAGES = ("respond", "judge", "score")
WRITES: Mapping[str, tuple[str, ...]] = {
    "respond": (ITEMS, RESPONSES, RATINGS),
    "judge": (JUDGEMENTS, JUDGING),
    "score": (SCORES, NORMS, NORMS_CSV),
}
"""The files of each stage."""

SOMETIMES = frozenset({RATINGS, JUDGING, NORMS, NORMS_CSV})
"""Of these the ones that are there only if there was a judge, or vignettes, or rows were imported
that answer nothing."""

MOST_KEYS = 3
"""How many of the rows that are amiss are named."""

_ITEM = "benchmark, item_id, variant_id, scale_order"
_KEYS = {
    ITEMS: _ITEM,
    RESPONSES: f"{_ITEM}, sample, temperature",
    JUDGEMENTS: f"{_ITEM}, sample, temperature, criterion",
}
_DRAWN = "sample::int as sample, temperature::double as temperature"
_COLUMNS = {
    ITEMS: f"{_ITEM}, response is not null as answered",
    RESPONSES: f"{_ITEM}, {_DRAWN}",
    JUDGEMENTS: f"{_ITEM}, {_DRAWN}, criterion",
}

_EACH_ONCE = f"select distinct {_ITEM} from items"  # noqa: S608

_REQUESTED = """
    select * exclude (answered), 0 as sample, null as temperature from items where answered
    union all by name
    select * exclude (answered) from items join requested using (benchmark) where not answered
"""
"""The key of every response that a run asks for; an item that brought its answer has that one."""

_IMPORTED = """
    select distinct responses.* from responses semi join items
        using (benchmark, item_id, variant_id, scale_order)
    union all by name
    select * exclude (answered), 0 as sample, null as temperature from items anti join responses
        using (benchmark, item_id, variant_id, scale_order)
"""
"""The key of every response to one of the items, once; an item without any lacks its first.

How many responses an imported prompt has is noted nowhere but in the responses.
"""

_COUNTED = """
    with counted as (
        select {names}, sum(planned) as planned, sum(present) as present
        from (
            select {names}, 1 as planned, 0 as present from ({planned})
            union all
            select {names}, 0, 1 from {table}
        )
        group by {names} -- where null is a value like any other
        having sum(planned) <> sum(present)
    )
    select
        case when present < planned then 'lost' when planned > 0 then 'repeated' else 'unknown' end
            as problem,
        sum(abs(present - planned)),
        list(({names}) order by {names})[:{most}]
    from counted group by problem order by problem
"""
"""What is amiss with the rows that are present, beside those that are planned."""

_PROBLEMS: Mapping[str, str] = {
    "not yet": "it is not there yet",
    "missing": "it is no longer there",
    "unfinished": "it is unfinished, what writes it did not come to its end",
    "changed": "it was changed after it was written",
    "unreadable": "it cannot be read as a table of a run",
    "lost": "rows are missing: {count}",
    "repeated": "rows stand there more than once: {count}",
    "unknown": "rows belong to nothing that this run asked: {count}",
    "undone": "units are not done, or not wholly: {count}",
}

_REMEDIES: Mapping[str, str] = {
    JOURNAL: "delete {run}/manifest.json if there is one, and `normscope run --out {run}` asks for "
    "what it lacks",
    CONFIG: "undo the change, or, where it is meant, `normscope run --out {run}` goes on with it",
    SOURCES: "put the file back that was asked, or ask what it says now with another --out",
    "respond": "`normscope respond --out {run}` writes it, of what the journal holds",
    "judge": "`normscope judge {run}` writes it, of what the journal holds",
    "score": "`normscope score {run}` writes it",
    MANIFEST: "`normscope report {run}` finishes it",
}
"""What mends a file, or the files of a stage; what has to be mended first stands first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a file (`_PROBLEMS`); of rows also how many, and some of their keys."""

    file: str
    problem: str
    count: int = 0
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The finding in one line."""
        text = f"{self.file}: {_PROBLEMS[self.problem].format(count=f'{self.count:,}')}"
        if not self.keys:
            return text
        more = ("…",) if self.count > len(self.keys) else ()
        return f"{text} ({'; '.join((*self.keys, *more))})"


def written(stage: str, config: Settings) -> tuple[str, ...]:
    """The files of a stage, the copies of files of one's own among those of the first."""
    if stage != "respond":
        return WRITES[stage]
    copies = dict.fromkeys(
        f"{SOURCES}/{name}"
        for about in config.provenance.benchmarks.values()
        for name in about.sources
    )
    return (*WRITES[stage], *copies)


def is_whole(run: Path) -> bool:
    """Whether the run was finished and none of its files has changed since."""
    return (run / MANIFEST).is_file() and next(_unlike(run, _manifest(run)), None) is None


def check(
    run: Path,
    config: Settings,
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
    lines = "".join(f"\n  {each}" for each in findings)
    if {"unfinished", "not yet"} <= {finding.problem for finding in findings}:
        again = f"`normscope run --out {run}` goes on with it"
        raise RunError(f"{run} is not finished ({again}):{lines}")
    raise RunError(
        f"{run} is not as its stages should have left it ({remedies(run, findings)[0]}):{lines}"
    )


def refuse_no_run(path: Path) -> None:
    """A `RunError` where no run has begun in the folder."""
    if not (path / CONFIG).is_file():
        raise RunError(f"{path} is not a run: it has no {CONFIG} (`normscope run` makes one)")


def remedies(run: Path, findings: Iterable[Finding]) -> tuple[str, ...]:
    """What mends the findings; what has to be mended first stands first."""
    amiss = {_remedy(finding.file) for finding in findings}
    return tuple(text.format(run=run) for file, text in _REMEDIES.items() if file in amiss)


def seals(config: Settings) -> dict[str, str]:
    """The hashes that the stages of the run have noted of their files."""
    files = (config.provenance.files(stage) for stage in STAGES)
    return {name: known for noted in files for name, known in noted.items()}


def miscounted(run: Path, config: Settings, stage: str) -> Iterator[Finding]:
    """Rows that the tables of a stage lack, have twice, or have beyond what was requested."""
    is_imported = config.provenance.imported is not None
    responses = _IMPORTED if is_imported else _REQUESTED
    judged = f"select * from ({responses}) join criteria using (benchmark)"  # noqa: S608
    # which items were chosen is noted nowhere else; that none stands twice can be told
    plans = {
        "respond": {ITEMS: _EACH_ONCE, RESPONSES: responses},
        "judge": {JUDGEMENTS: judged},
    }
    if stage not in plans:
        return
    import duckdb  # 0.3 s

    # a million keys take half a gigabyte where none are put on the disk meanwhile
    bound = {"threads": 1, "memory_limit": "96MB"}
    with (
        TemporaryDirectory(prefix="normscope-") as spill,
        duckdb.connect(config={**bound, "temp_directory": spill}) as database,
    ):
        database.register("requested", _requested(config))
        database.register("criteria", _criteria(config))
        for file, planned in plans[stage].items():
            try:
                others = {ITEMS, RESPONSES} if is_imported and file != ITEMS else {ITEMS}
                for name in others | {file}:
                    table = database.read_parquet(escape(str(run / name)), hive_partitioning=False)
                    table.project(_COLUMNS[name]).create_view(Path(name).stem, replace=True)
                rows = database.execute(
                    _COUNTED.format(
                        planned=planned,
                        table=Path(file).stem,
                        names=_KEYS[file],
                        most=MOST_KEYS,
                    )
                ).fetchall()
            except duckdb.OutOfMemoryException:
                raise
            except duckdb.Error:
                rows = [("unreadable", 0, ())]
            for problem, count, keys in rows:
                yield Finding(file, problem, int(count), tuple(map(_named, keys)))


def _manifest(run: Path) -> dict[str, str]:
    """The hashes in the manifest, none if there is none."""
    if not (run / MANIFEST).is_file():
        return {}
    value = read_json(run / MANIFEST)
    files = value.get("files") if isinstance(value, dict) else None
    # without files, any run would be as it says
    if not isinstance(files, dict) or not files or set(map(type, files.values())) != {str}:
        remedy = f"delete it, and `normscope report {run}` writes it again"
        raise DataError(f"{run / MANIFEST} is damaged, it names no files: {remedy}")
    return files


def _unlike(run: Path, hashes: Mapping[str, str]) -> Iterator[Finding]:
    """The files that are not there, or whose hash is another."""
    for name, expected in hashes.items():
        if not (run / name).is_file():
            yield Finding(name, "missing")
        elif hash_file(run / name) != expected:
            yield Finding(name, "changed")


def _altered(
    run: Path, config: Settings, stages: Sequence[str], *, whole: bool
) -> Iterator[Finding]:
    finished = _manifest(run)
    hashes = {**finished, **seals(config)}
    if whole and not finished:
        yield Finding(MANIFEST, "unfinished")
    names = [name for stage in stages for name in written(stage, config)]
    # with other settings a finished run would not have had these tables
    names = list(dict.fromkeys([*(finished if whole else ()), *names, CONFIG]))
    yield from _unlike(run, {name: hashes[name] for name in names if name in hashes})
    for name in names:
        if name not in hashes and name not in {CONFIG, *SOMETIMES}:
            yield Finding(name, "unfinished" if (run / name).is_file() else "not yet")


def _remedy(file: str) -> str:
    """The key in `_REMEDIES` of what mends the file."""
    if file in _REMEDIES:
        return file
    if file.startswith(f"{SOURCES}/"):
        return SOURCES
    return next((stage for stage in STAGES if file in WRITES[stage]), MANIFEST)


def _requested(config: Settings) -> pa.Table:
    """The sample and the temperature of each reply that is requested, by benchmark."""
    rows = [
        {"benchmark": name, **({"sample": 0} if reply is None else asdict(reply))}
        for name, about in config.provenance.benchmarks.items()
        for reply in config.replies(labelled=about.labelled)
    ]
    columns = {"benchmark": pa.string(), "sample": pa.int32(), "temperature": pa.float64()}
    return pa.Table.from_pylist(rows, pa.schema(columns))


def _criteria(config: Settings) -> pa.Table:
    """Each criterion that is judged, by benchmark: under a rubric once per channel of the judge."""
    rows: list[dict[str, str]] = []
    for name, about in config.provenance.benchmarks.items():
        rubric = config.provenance.rubrics.get(name)
        criteria = rubric.criteria if rubric and rubric.criteria else about.criteria
        channels = 1 if about.rubric is None else len(config.judge_channels)
        rows += [{"benchmark": name, "criterion": each} for each in criteria] * channels
    return pa.Table.from_pylist(
        rows, pa.schema({"benchmark": pa.string(), "criterion": pa.string()})
    )


def _named(key: Sequence[Any]) -> str:
    """The key as a person reads it, of its values in the order of a judgement's key.

    >>> _named(("b", "q1", "", "", 1, None, "moral"))
    'b q1 sample 1 moral'
    """
    names = ("", "", "", "", "sample ", "temperature ", "")
    return " ".join(f"{name}{value}" for name, value in zip(names, key, strict=False) if value)
