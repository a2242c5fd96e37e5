"""What a report is made of: runs, who was asked what, how, and what repeats them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa

from ..categorical import Categorical
from ..comparison.result import Compared
from ..format import count
from ..judges.trust.cards import KnownCards
from ..judges.trust.corrections import Correction
from ..messages import joined, known, message
from ..metrics.estimate import Statistic
from ..metrics.scores import ScoreTable
from ..pipeline.score import read_scores
from ..records.integrity import JUDGEMENTS
from ..records.judgement import Source
from ..records.judgements import COLUMNS
from ..records.run import Run
from ..records.settings import Settings
from .blocks import Block, Code, Details, Listing, Paragraph, Table
from .charts import Plot
from .names import name_of

NO_CARDS = KnownCards(())


@dataclass(frozen=True, eq=False)
class ReportData(Run):
    """A run, and what its report says beside it.

    `command` repeats the run. `files` maps the name of each of its files to its SHA-256.
    `known_cards` are the cards of judges that may say how far this run's can be believed;
    `corrections` are people's of these judgements, and `stale` counts those of earlier ones.
    """

    command: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    known_cards: KnownCards = NO_CARDS
    corrections: tuple[Correction, ...] = ()
    stale: int = 0

    @cached_property
    def scores(self) -> ScoreTable:
        """The statistics of each benchmark."""
        return read_scores(self)

    def corrected(self, benchmark: str) -> list[Statistic]:
        """The overall statistics of the benchmark, corrected where people's labels do that."""
        new = {
            (row.name, row.member): row.new
            for correction in self.corrections
            if correction.benchmark == benchmark
            for row in correction.rows
            if not row.group
        }
        return [
            replace(row, estimate=new.get((row.name, row.member), row.estimate))
            for row in self.scores.overall(benchmark)
        ]

    @cached_property
    def judgements(self) -> pa.Table:
        """The columns of its judgements that a report reads."""
        return self.table(JUDGEMENTS, columns=[*COLUMNS, "judge", "rubric_hash"])


@dataclass(frozen=True, slots=True)
class Report:
    """A run, or several in one order with what they come to against one another.

    Of several the first is the baseline, their names tell them apart, and `command` repeats the
    report.
    """

    runs: tuple[ReportData, ...]
    compared: Compared | None = None
    command: str = ""
    figures: tuple[Plot, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the runs are called."""
        return tuple(run.name for run in self.runs)

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Each benchmark that any run has numbers of."""
        named = (pair for run in self.runs for pair in run.scores.by_benchmark.items())
        return tuple(dict.fromkeys(name for name, statistics in named if statistics))

    def headlines(self) -> Iterator[tuple[str, list[list[Statistic]]]]:
        """Each benchmark that any run has numbers of, with the headlines of every run."""
        for benchmark in self.benchmarks:
            yield benchmark, [run.scores.headlines(benchmark) for run in self.runs]


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
