"""What the papers printed of their models, as data: facts beside which one's own numbers stand.

The folder of a dataset holds its numbers as `published.csv`, a row per number, and how they were
got as `published.yaml`. Nothing here is an estimate: a published number has no interval.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from ..categorical import group_by
from ..files import typed
from ..hub_folders import hub_folder
from ..tables import read_table
from ..yaml import load_yaml
from .registry import BUILDERS

NUMBERS, SOURCES = "published.csv", "published.yaml"

_FOLDER = hub_folder("datasets_builders")


@dataclass(frozen=True, slots=True)
class PublishedSource:
    """A paper, and how its numbers were got; null is what is not known or does not apply.

    `items` are the numbers of items by the benchmark, and `subset` is the facet that is true of
    these; `also` are benchmarks that ask the same items otherwise, with the one whose numbers are
    theirs too. `date` is the month of the first version. `channel` is what was read: the judge's
    verdicts, or without a judge the models' own answers. So many `characters` of an answer were
    judged. `rule` is `published` where the authors' arithmetic is another than our default, and
    `key` says that the answers were held against a key, which was not published.
    """

    paper: str
    arxiv: str
    date: str
    items: Mapping[str, int]
    languages: tuple[str, ...]
    channel: Literal["labels", "text"]
    also: Mapping[str, str] = field(default_factory=dict)
    subset: str = ""
    variants: int | None = None
    judge: str | None = None
    characters: int | None = None
    rule: Literal["published"] | None = None
    key: bool = False
    caveats: tuple[str, ...] = ()

    def as_published(self, benchmark: str) -> str:
        """The benchmark under whose name the numbers stand; empty if there are none."""
        name = self.also.get(benchmark, benchmark)
        return name if name in self.items else ""


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """A published number: the `statistic` of a model as `scores.json` names it.

    A rate is a share in [0, 1]. `group` and `member` are those of a breakdown, empty overall; `n`
    is how many items it is of and `table` the paper's table, where that is known. `note` is what
    must be said of the number, a misprint for one.
    """

    benchmark: str
    model: str
    statistic: str
    unit: Literal["rate", "score"]
    group: str
    member: str
    value: float
    n: int | None
    table: int | None
    note: str


def published_results(benchmark: str) -> tuple[PublishedResult, ...]:
    """The published numbers of the benchmark in the order of the papers; empty if there are none.

    >>> gpt4 = [r for r in published_results("cfsafety") if r.model == "GPT4"]
    >>> gpt4[0].statistic, gpt4[0].value, gpt4[1].member, round(gpt4[1].value, 2)
    ('macro_score', 4.02, 'social_bias', 4.2)
    >>> published_results("safety-gradient")
    ()
    """
    source = published_source(benchmark)
    return () if source is None else _numbers().get(source.as_published(benchmark), ())


def published_source(benchmark: str) -> PublishedSource | None:
    """How the published numbers of the benchmark were got; null if there are none.

    >>> published_source("chisafetybench:qa").judge
    'Qwen-72B'
    """
    return next((s for s in published_sources() if s.as_published(benchmark)), None)


@cache
def published_sources() -> tuple[PublishedSource, ...]:
    """The sources of all datasets that have published numbers."""
    kind = dict[str, tuple[PublishedSource, ...]]
    files = (load_yaml(folder / SOURCES, kind) for folder in _folders())
    return tuple(source for file in files for source in file["sources"])


def _folders() -> list[Path]:
    """The folders of the datasets with published numbers."""
    folders = (_FOLDER / module.partition(".")[0] for module in BUILDERS.values())
    return [folder for folder in folders if (folder / NUMBERS).is_file()]


@cache
def _numbers() -> dict[str, tuple[PublishedResult, ...]]:
    """The numbers of all datasets, by the benchmark."""
    rows = [
        typed(PublishedResult, {**row, "n": row["n"] or None, "table": row["table"] or None})
        for folder in _folders()
        for row in read_table(folder / NUMBERS).to_rows()
    ]
    return {name: tuple(of) for name, of in group_by(rows, lambda row: row.benchmark).items()}
