"""Small files that take much once they are read; `python bombs.py FOLDER` reads each, bounded.

Printed is a line of JSON for each file: what was told, and by how many megabytes the
process has grown since before the first.
"""

import json
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MAX_MORE = 2_000_000_000
"""Bytes of addresses that the process may take beside what it has: a failed test ends there."""


def _repeated(path: Path) -> None:
    """1,000 times the same 300 kB: once in the file and in what its footer says."""
    text = pa.array(["x" * 300_000])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), text)
    table = pa.table({"question": column, "answer": ["a"] * 1_000})
    pq.write_table(table, path, compression="zstd", dictionary_pagesize_limit=10_000_000)


def _repeated_in_lists(path: Path) -> None:
    text = pa.array(["x" * 300_000])
    inner = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), text)
    lists = pa.ListArray.from_arrays(pa.array([0, 1_000]), inner)
    table = pa.table({"question": lists})
    pq.write_table(table, path, compression="zstd", dictionary_pagesize_limit=10_000_000)


def _packed(path: Path) -> None:
    """One text of 35 MB, which packs to a thirty-thousandth."""
    table = pa.table({"question": ["x" * 35_000_000]})
    pq.write_table(table, path, compression="zstd", use_dictionary=False, write_statistics=False)


def _prefixed(path: Path) -> None:
    """1,000 times the same 20 kB, each written as "like the one before"."""
    table = pa.table({"question": pa.array(["x" * 20_000] * 1_000)})
    how = {"use_dictionary": False, "column_encoding": {"question": "DELTA_BYTE_ARRAY"}}
    pq.write_table(table, path, compression="zstd", write_statistics=False, **how)


def _padded(path: Path) -> None:
    """60 nulls of a type whose every value has a hundred thousand places."""
    column = pa.array([None] * 60, pa.list_(pa.int8(), 100_000))
    pq.write_table(pa.table({"question": column}), path, compression="zstd")


def _long_lists(path: Path) -> None:
    """Six million numbers in one row, of which the file says only how often they come."""
    numbers = pa.Array.from_buffers(pa.int8(), 6_000_000, [None, pa.py_buffer(bytes(6_000_000))])
    column = pa.ListArray.from_arrays(pa.array([0, len(numbers)], pa.int32()), numbers)
    pq.write_table(pa.table({"question": column}), path, compression="zstd")


def _many_rows(path: Path) -> None:
    pq.write_table(pa.table({"question": pa.nulls(900_000, pa.int8())}), path)


def _keys(path: Path) -> None:
    """A key of its own in every line."""
    lines = (json.dumps({f"k{number}": 1}) for number in range(1_000))
    path.write_text("\n".join(lines), encoding="utf-8")


def _brackets(path: Path) -> None:
    """A line of lists, each thirty times as large as its two brackets."""
    path.write_text('{"question": [' + "[]," * 400_000 + "0]}", encoding="utf-8")


def _gaps(path: Path) -> None:
    """200 columns in one row, and as many empty rows as fit."""
    first = json.dumps({f"k{number}": 1 for number in range(200)})
    path.write_text(first + "\n{}" * 300_000, encoding="utf-8")


def _commas(path: Path) -> None:
    path.write_text("," * 900_000 + "\n", encoding="utf-8")


def _cells(path: Path) -> None:
    path.write_text((",".join(f"c{n}" for n in range(200)) + "\n") + ("," * 199 + "\n") * 4_500)


BOMBS: dict[str, Callable[[Path], None]] = {
    "repeated.parquet": _repeated,
    "repeated_in_lists.parquet": _repeated_in_lists,
    "packed.parquet": _packed,
    "prefixed.parquet": _prefixed,
    "padded.parquet": _padded,
    "long_lists.parquet": _long_lists,
    "many_rows.parquet": _many_rows,
    "keys.jsonl": _keys,
    "brackets.jsonl": _brackets,
    "gaps.jsonl": _gaps,
    "commas.csv": _commas,
    "cells.csv": _cells,
}


def write_bombs(folder: Path) -> None:
    for name, write in BOMBS.items():
        write(folder / name)


def peak() -> float:
    """The most megabytes that the process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def read_all(folder: Path) -> Iterator[dict[str, Any]]:
    from normscope.tables import read_table
    from normscope.text_tables import Limits

    limits = Limits(rows=2_000, columns=200, bytes=10_000_000)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MAX_MORE, taken + MAX_MORE))
    before = peak()
    for name in BOMBS:
        try:
            read_table(folder / name, limits=limits)
            told = "read"
        except Exception as error:  # noqa: BLE001 - whatever comes is looked at
            told = f"{type(error).__name__}: {error}"
        yield {"file": name, "told": told, "grown": peak() - before}


if __name__ == "__main__":
    for line in read_all(Path(sys.argv[1])):
        print(json.dumps(line))  # noqa: T201 - read by the test
