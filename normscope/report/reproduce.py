"""What is needed to make the run again: what was requested, by name, version and hash."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from ..categorical import Categorical, combined, first_rows
from ..messages import message
from ..records.config import RunConfig, dump
from .blocks import Block, Code, Details, Listing, Paragraph, Section, Table, columns
from .data import ReportData

# by name, so that a field that a stage begins to record is shown without a word here
_PINS = ("revision", "hash", "sha256", "version", "commit", "content", "dtype")

Pin = tuple[str, str]
"""Where a value stands in the configuration, and the value."""


def reproduce_section(data: ReportData) -> Section:
    """The command that repeats the run, and what it must find to be the same."""
    packages = pinned_packages(data.config)
    uses = distinct_rows(data.judgements, "benchmark", "judge", "rubric_hash")
    rubrics = Table(
        columns(
            message("benchmark"),
            message("read by"),
            message("hash of rubric, scale or rule"),
            texts=3,
        ),
        tuple(
            (benchmark or "", judge or message("the model's own answers"), Code(rubric_hash))
            for benchmark, judge, rubric_hash in uses
            if rubric_hash
        ),
        title=message("Rubrics"),
    )
    return Section(
        message("Reproduce"),
        (
            *_repeat(data),
            rubrics,
            _settings(data),
            Details(
                message("Packages"),
                (_pins_table(packages, "", message("package"), message("version")),),
                note=str(len(packages)),
                printed=True,
            ),
            Details(
                "config.yaml",
                (Listing(dump(data.config)),),
                note=message("as resolved"),
                printed=True,
                screen=True,
            ),
        ),
        id="reproduce",
    )


def reproduce_details(name: str, data: ReportData) -> Details:
    """The same of one of several runs, as briefly as can be."""
    return Details(
        name,
        (*_repeat(data), _settings(data)),
        note=message("its own report, written by normscope report, has all its details"),
        printed=True,
    )


def _repeat(data: ReportData) -> Iterator[Block]:
    if data.config.provenance.imported is not None:
        yield Paragraph(
            message(
                "Its answers were imported, so that no model can be asked again; the same table "
                "gives the same run."
            )
        )
    else:
        yield Paragraph(message("This command repeats the run:"))
        yield Listing(data.command, command=True)
    title = message("Files of the run")
    yield _pins_table(data.files.items(), title, message("file"), "SHA-256")


def _settings(data: ReportData) -> Table:
    title = message("Revisions, hashes and versions in the configuration")
    return _pins_table(pins(data.config), title, message("setting"), message("value"))


def _pins_table(rows: Iterable[Pin], title: str, first: str, second: str) -> Table:
    """Names with what each is held at, exactly."""
    return Table(
        columns(first, second, texts=2),
        tuple((name, Code(value)) for name, value in rows),
        title=title,
        look="pins",
    )


def pinned_packages(config: RunConfig) -> list[Pin]:
    """The packages with their versions: one stands twice if its version changed between stages."""
    leaves = _leaves(asdict(config), ())
    versions = [(path[-1], str(value)) for path, value in leaves if "packages" in path[:-1]]
    # every stage notes its packages, and mostly they are the same
    return list(dict.fromkeys(versions))


def pins(config: RunConfig) -> list[Pin]:
    """Everything else that is held at a revision, a hash or a version, wherever it stands."""
    return [
        (".".join(path), str(value))
        for path, value in _leaves(asdict(config), ())
        if value not in (None, "") and "packages" not in path[:-1] and any(map(_is_pin, path))
    ]


def distinct_rows(table: pa.Table, *names: str) -> Iterator[tuple[str | None, ...]]:
    """The rows of text columns without repeats, in their first order."""
    named = [Categorical.of(table.column(name)) for name in names]
    first = first_rows(combined(*named))
    return zip(*(column[first] for column in named), strict=True)


def _is_pin(key: str) -> bool:
    return any(key == pin or key.endswith(f"_{pin}") for pin in _PINS)


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every plain value of a nested one, with the keys that lead to it."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _leaves(member, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for index, member in enumerate(value):
            yield from _leaves(member, (*path, str(index)))
    elif path:
        yield path, value
