"""The files of a run as a visitor brings them: which is which, and whether they belong together."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...files import hash_file
from ...messages import replaced
from ...pipeline.respond import REFERENCE
from ...records.config import RunConfig
from ...records.config import read as read_config
from ...records.integrity import ITEMS, JUDGEMENTS, RESPONSES, seals
from .compared_rows import criteria_of
from .texts import VisitorError
from .upload import LongTable, read_long

KINDS = [".parquet", ".csv", ".jsonl", ".yaml", ".yml", ".json"]
_MOST_JSON = 5_000_000


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The tables of a run by the names that they have in its folder, and what describes them.

    There are judgements among them. `config` is null without a `config.yaml`; `facts` are those of
    the file beside a judged file.
    """

    tables: Mapping[str, LongTable]
    config: RunConfig | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def judgements(self) -> LongTable:
        """The judgements of the run, or a judged file."""
        return self.tables[JUDGEMENTS]

    @property
    def is_run(self) -> bool:
        """Whether the judgements are those of a run, a row each, and no file judged row by row."""
        return self.judgements.has("criterion", "item_id")


def read_files(paths: Sequence[Path], columns: Sequence[str]) -> RunFiles:
    """These columns of the tables, and what else lies beside them.

    An error where there are no judgements, or a table is not the one that the run has written.
    """
    tables: dict[str, tuple[LongTable, Path]] = {}
    config: RunConfig | None = None
    facts: dict[str, Any] = {}
    for path in paths:
        kind = path.suffix.lower()
        if kind in {".yaml", ".yml"}:
            try:
                config = read_config(path)
            except ConfigError as error:
                # what it is called here is none of a visitor's business
                raise ConfigError(replaced(error.message, str(path), path.name)) from None
        elif kind == ".json":
            facts = _facts(path)
        else:
            table = read_long(path, columns)
            role = _role(table)
            if role in tables:
                raise VisitorError(
                    "{first} and {second} are both {role} of a run. Give each run its own files.",
                    first=tables[role][1].name,
                    second=path.name,
                    role=role,
                )
            tables[role] = table, path
    if JUDGEMENTS not in tables:
        raise VisitorError(
            "There are no judgements beside {name}. Add the run's judgements.parquet.",
            name=paths[0].name,
        )
    if config is not None:
        _refuse_altered(config, {role: path for role, (_, path) in tables.items()})
    return RunFiles({role: table for role, (table, _) in tables.items()}, config, facts)


def model_of(config: RunConfig, judgements: LongTable) -> str:
    """What the model under test is called."""
    if config.model is not None:
        return Path(config.model.model).name
    models = list(
        dict.fromkeys(
            str(cell) for cell in judgements.column("model") if cell and cell != REFERENCE
        )
    )
    return Path(models[0]).name if len(models) == 1 else Path(judgements.name).stem


def _role(table: LongTable) -> str:
    """Which of a run's tables it is."""
    if table.has("messages", "item_id"):
        return ITEMS
    if table.has("criterion", "item_id") or table.has("value") or criteria_of(table):
        return JUDGEMENTS
    if not table.has("item_id", "benchmark"):
        raise VisitorError(
            "{name} is neither a run's table nor a judged file: it needs criterion and "
            "item_id, or columns such as moral and moral_reason. It has: {has}.",
            name=table.name,
            has=", ".join(table.names[:12])[:200],
        )
    return RESPONSES


def _refuse_altered(config: RunConfig, tables: Mapping[str, Path]) -> None:
    """Refuses tables that are not those that the run with this configuration has sealed."""
    sealed = seals(config)
    for name, path in tables.items():
        # in another format they have other bytes
        same = path.suffix.lower() != ".parquet" or sealed.get(name) in {None, hash_file(path)}
        if not same:
            raise VisitorError(
                "{name} is not the file that the run with this config.yaml has written: it "
                "was changed, or belongs to another run. Take the files of one run as they "
                "are.",
                name=path.name,
            )


def _facts(path: Path) -> dict[str, Any]:
    try:
        # a longer file is cut, is no JSON then, and is refused as such
        facts = json.loads(path.read_bytes()[:_MOST_JSON])
    except (ValueError, RecursionError):
        raise VisitorError("{name} is not readable as JSON.", name=path.name) from None
    return facts if isinstance(facts, dict) else {}
