"""What was asked of whom, how answers were drawn and read, and what repeats the run."""

from collections.abc import Iterator

import pyarrow as pa

from ..categorical import Categorical
from ..format import count
from ..messages import joined, known, message
from ..records.judgement import Source
from ..records.settings import Settings, dump
from .blocks import Block, Code, Details, Listing, Paragraph, Table
from .data import ReportData
from .names import name_of


def models(data: ReportData) -> str:
    """The models under test, by the names in the responses."""
    return _distinct("model", data.responses, data.judgements) or message("none recorded")


def judges(data: ReportData, benchmark: str = "") -> str:
    """The judges, by the names in the judgements: in all, or in those of one benchmark."""
    table = data.judgements
    if benchmark:
        table = table.filter(pa.array(Categorical.of(table["benchmark"]).equals(benchmark)))
    if names := _distinct("judge", table):
        return names
    sources = Categorical.of(table["source"]).seen().names
    by_rule, by_labels = (source in sources for source in (Source.TEXT_RULE, Source.MODEL_LOGITS))
    if by_rule and by_labels:
        return message("none: read from the model under test, its labels as they are, text by rule")
    if by_rule:
        return message("none: a text rule read the answers of the model under test")
    return message("none: read from the labels of the model under test")


def _distinct(column: str, *tables: pa.Table) -> str:
    for table in tables:
        if column in table.column_names and (names := Categorical.of(table[column]).seen().names):
            return ", ".join(filter(None, names))
    return ""


def settings(config: Settings) -> str:
    """How the answers were drawn and read, by the names in `config.yaml`: what is not as usual."""
    usual, drawn = Settings(), config.decoding
    if (imported := config.provenance.imported) is not None:
        texts: list[str] = [message("{n} imported answers", n=count(imported.answers))]
    else:
        temperatures = ", ".join(f"{temperature:g}" for temperature in drawn.temperatures)
        texts = [message("temperature {t}", t=temperatures)]
        if drawn.samples > 1:
            texts.append(message("{n} samples", n=drawn.samples))
    texts.append(message("answers in {channels}", channels=joined(map(name_of, config.channels))))
    for name in _READ:
        if (value := getattr(config, name)) != getattr(usual, name):
            texts.append(f"{name} {', '.join(value) if isinstance(value, tuple) else value}")
    return joined(texts, "; ")


_READ = ("judge_channels", "option_orders", "label_orders", "rule", "threshold", "min_coverage")
"""The settings by which what was answered becomes a number."""


def sizes(data: ReportData) -> dict[str, str]:
    """Of each benchmark its title, if it has one, and how many items were asked, of how many."""
    of_benchmark, ids = data.items.column("benchmark"), data.items.column("item_id")
    return {
        name: _size(data.config, name, ids[of_benchmark.equals(name)])
        for name in of_benchmark.seen().names
    }


def _size(config: Settings, benchmark: str, ids: Categorical) -> str:
    n, scope = count(len(ids.seen().names)), config.provenance.benchmarks.get(benchmark)
    text: str = message("{n} items", n=n)
    if scope is None:
        return text
    if scope.items_in_dataset:
        text = message("{n} of {m} items", n=n, m=count(scope.items_in_dataset))
    return joined(filter(None, (known(scope.title), text)), " · ")


def config_listing(data: ReportData) -> Details:
    """All that the run was made with, folded away."""
    return Details(
        "config.yaml",
        (Listing(dump(data.config)),),
        note=message("models, judge, rubrics, datasets, packages: by revision and hash"),
        printed=True,
        screen=True,
    )


def repeated(data: ReportData) -> Iterator[Block]:
    """The command, and the files that it must find to be the same."""
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
    files = Table.of(
        ({message("file"): name, "SHA-256": Code(of)} for name, of in data.files.items()),
        texts=2,
        look="pins",
    )
    yield Details(message("Files of the run"), (files,), printed=True)
