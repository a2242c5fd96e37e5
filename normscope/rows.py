"""Users' files of rows: CSV, JSONL or Parquet in, the same out, with errors that name the line."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv

from .errors import DataError
from .files import canonical_json, read_parquet, replacing, write_parquet

Rows = list[dict[str, Any]]

FORMATS = (".csv", ".jsonl", ".parquet")


def read_rows(path: Path, *, needed: Sequence[str] = ()) -> Rows:
    """The file's rows as dicts; a needed column that is missing is an error that names the rest.

    Every cell of a CSV is text, so that an id such as 007 comes back as it was.
    """
    if not path.is_file():
        raise DataError(f"{path} does not exist")
    rows = {".csv": _read_csv, ".jsonl": _read_jsonl, ".parquet": _read_parquet}[_format(path)](
        path
    )
    have = list(dict.fromkeys(name for row in rows for name in row))
    for name in needed:
        if name not in have:
            told = ", ".join(have) or "no column"
            raise DataError(f"{path} has no column {name!r}: rename or add it (it has {told})")
    return [{name: row.get(name) for name in have} for row in rows]


def write_rows(path: Path, rows: Rows) -> None:
    """Writes the rows in the format of the path's ending, whole or not at all."""
    kind = _format(path)
    if kind == ".parquet":
        write_parquet(path, pa.Table.from_pylist(rows))
        return
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        if kind == ".jsonl":
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
            writer.writeheader()
            writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)


def check_writable(path: Path) -> None:
    """An error now, not after hours of work, if the rows could not be written there."""
    _format(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder: name a file")


def _format(path: Path) -> str:
    if path.suffix not in FORMATS:
        raise DataError(
            f"{path}: the ending is {path.suffix or 'missing'}, not {', '.join(FORMATS)}"
        )
    return path.suffix


def _read_csv(path: Path) -> Rows:
    size = path.stat().st_size
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            names = next(csv.reader(file), [])
        table = arrow_csv.read_csv(
            path,
            # one block: a row may be longer than the reader's usual megabyte
            read_options=arrow_csv.ReadOptions(block_size=max(size, 1 << 20)),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8"
        ) from error
    except (pa.ArrowInvalid, csv.Error) as error:
        told = str(error).splitlines()[0][:200]
        raise DataError(f"{path} is not readable as CSV: {told}") from error
    rows: Rows = table.to_pylist()
    return rows


def _read_jsonl(path: Path) -> Rows:
    rows: Rows = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise DataError(f"{path}:{number}: not a JSON object ({error})") from error
            if not isinstance(row, dict):
                raise DataError(f"{path}:{number}: not a JSON object but {type(row).__name__}")
            rows.append({name: _valid(value) for name, value in row.items()})
    return rows


def _read_parquet(path: Path) -> Rows:
    rows: Rows = read_parquet(path).to_pylist()
    return rows


def _valid(value: Any) -> Any:
    """The value without lone surrogates, which JSON can spell and UTF-8 cannot hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _cell(value: Any) -> Any:
    return canonical_json(value) if isinstance(value, dict | list) else value
