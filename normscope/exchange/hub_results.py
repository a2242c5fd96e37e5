"""The headline scores of a run as evaluation results of a model on the Hugging Face Hub.

A model's repository holds them as `.eval_results/*.yaml`, in the form of huggingface_hub's
`EvalResultEntry`: of which dataset and task, the value, notes and a source. The Hub shows those of
datasets that it has registered as benchmarks.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from ..errors import DataError, UsageError, nearest
from ..format import estimate, shortened
from ..hub import Pushed
from ..hub import push as push_to_hub
from ..messages import joined, message
from ..metrics.estimate import Statistic
from ..publication import Content, Publication, known_addresses
from ..records.config import RunConfig
from ..records.folder import read_only
from ..report import ReportData, render
from ..report.caveats import model_caveats, slice_caveats
from ..report.estimates import headlines, label_of, level_of
from ..report.names import name_of
from ..report.requested import judges, models
from ..report.write import data_of

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

FOLDER = ".eval_results"
REPORT = "normscope/report.md"
"""Where the report stands in the model's repository, in a form that the Hub renders."""

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_SOURCE = "Normscope report"


@dataclass(frozen=True, slots=True)
class Results:
    """What is proposed for the model's repository `model`: the scores of the run at `path`.

    `datasets` says where on the Hub each dataset of the run is, by its name here; one that was
    pushed from the folder `data` is known. `source_url` is a page that backs the numbers;
    `with_report` puts the run's report into the repository and names that. A run of another model
    of the Hub is refused, unless `although`.
    """

    path: Path
    model: str
    datasets: Mapping[str, str] = field(default_factory=dict)
    source_url: str = ""
    with_report: bool = False
    although: bool = False

    def files(self) -> dict[str, str]:
        """The text of each file by its path in the repository: one per benchmark that was scored.

        A `DataError` where nothing was, a `UsageError` where it is not known which dataset of the
        Hub a benchmark belongs to.
        """
        data = data_of(read_only(self.path))
        self._refuse_other(data.config)
        self._refuse_unknown(data)
        source = self._source()
        texts: dict[str, str] = {}
        for benchmark in data.scores:
            dataset = self._dataset(data.config, benchmark)
            if entries := list(entries_of(data, benchmark, dataset=dataset, source=source)):
                texts[f"{FOLDER}/normscope_{_word(benchmark)}.yaml"] = yaml_of(entries)
        if not texts:
            raise DataError(
                message(
                    "{run}: nothing in it was scored, so that there is no result", run=self.path
                )
            )
        if self.with_report:
            texts[REPORT] = render(data, "en", form="md")
        return texts

    def push(self, *, commit: bool = False, title: str = "") -> Pushed:
        """Proposes the files in one pull request, or with `commit` writes them at once."""
        contents: dict[str, Content] = {p: text.encode() for p, text in self.files().items()}
        publication = Publication("model", self.path.name, self.path, contents, may_create=False)
        title = title or f"Evaluation results of {self.path.resolve().name}, by normscope"
        return push_to_hub(publication, self.model, message=title, pull_request=not commit)

    def _source(self) -> str:
        from huggingface_hub import HfApi

        if self.with_report and self.source_url:
            raise UsageError(message("a result has one source: --source-url or --with-report"))
        if not self.with_report:
            return self.source_url
        return f"{HfApi().endpoint}/{self.model}/blob/main/{REPORT}"

    def _dataset(self, config: RunConfig, benchmark: str) -> str:
        """The dataset of the Hub that the benchmark belongs to."""
        from huggingface_hub import HfApi

        name = _dataset_of(config, benchmark)
        prefix = f"{HfApi().endpoint}/datasets/"
        known = [a for a in known_addresses(Path("data") / name) if a.startswith(prefix)]
        if dataset := self.datasets.get(name) or (len(known) == 1 and known[0][len(prefix) :]):
            if not _HUB_ID.fullmatch(dataset):
                raise UsageError(
                    message(
                        "{value} names no dataset of the Hub; give org/name", value=repr(dataset)
                    )
                )
            return dataset
        raise UsageError(
            message(
                "which dataset of the Hub are the results of {benchmark} of? Name it with "
                "--dataset {name}=ORG/NAME",
                benchmark=benchmark,
                name=name,
            )
        )

    def _refuse_unknown(self, data: ReportData) -> None:
        """Refuses a place for a dataset of which the run has no scores."""
        known = sorted({_dataset_of(data.config, benchmark) for benchmark in data.scores})
        for name in self.datasets:
            if name not in known:
                raise UsageError(
                    message(
                        "the run has no scores of a dataset {name}; {known}",
                        name=repr(name),
                        known=nearest(name, known),
                    )
                )

    def _refuse_other(self, config: RunConfig) -> None:
        """Refuses a model that does not look like the one that answered."""
        if not _HUB_ID.fullmatch(self.model):
            raise UsageError(
                message(
                    "{value} names no owner; give org/name or user/name", value=repr(self.model)
                )
            )
        answered = config.model.model if config.model else ""
        is_other = _HUB_ID.fullmatch(answered) and answered != self.model
        if is_other and not self.although and not Path(answered).exists():
            raise UsageError(
                message(
                    "the run is of {answered}, not of {model}; if it is the same model under "
                    "another name, say --although",
                    answered=answered,
                    model=self.model,
                )
            )


def entries_of(
    data: ReportData, benchmark: str, *, dataset: str, source: str = ""
) -> Iterator["EvalResultEntry"]:
    """An entry per headline of the benchmark that has a value; shares are in [0, 1].

    The task is the part of the dataset, where it has several, and the statistic's name in
    `scores.json`: `coppa.accept_share`, `qa.rr1`, `score`.
    """
    from huggingface_hub import EvalResultEntry

    for statistic in headlines(data.scores[benchmark])[0]:
        if statistic.estimate.value is not None:
            yield EvalResultEntry(
                dataset_id=dataset,
                task_id=task_id(benchmark, statistic),
                value=statistic.estimate.value,
                source_url=source or None,
                source_name=_SOURCE if source else None,
                notes=str(_notes(data, benchmark, statistic)),
            )


def task_id(benchmark: str, statistic: Statistic) -> str:
    """What the Hub knows the statistic by.

    >>> from normscope.metrics.refusal import refusal_rates
    >>> task_id("chisafetybench:qa", refusal_rates([0, 3])[0])
    'qa.rr1'
    """
    parts = (benchmark.partition(":")[2], statistic.name, statistic.member)
    return ".".join(filter(None, map(_word, parts)))


def yaml_of(entries: list["EvalResultEntry"]) -> str:
    """The entries as `.eval_results/*.yaml` has them."""
    from huggingface_hub import eval_result_entries_to_yaml

    value = eval_result_entries_to_yaml(entries)
    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=100)
    return text


def _notes(data: ReportData, benchmark: str, statistic: Statistic) -> str:
    """The number with its interval, n and unscored; who answered, who judged, what limits it."""
    about, rubric = (
        data.config.provenance.benchmarks[benchmark],
        data.config.provenance.rubrics.get(benchmark),
    )
    limits = [
        *model_caveats(data.config),
        *(each for each in slice_caveats(data.config) if each.startswith(f"{benchmark}:")),
    ]
    text: str = joined(
        (
            *_numbers(statistic),
            message("model: {model}", model=models(data)),
            message("judge: {judge}", judge=judges(data, benchmark)),
            *(
                [message("rubric: {rubric}", rubric=f"{rubric.name} {shortened(rubric.hash)}")]
                if rubric
                else []
            ),
            *(
                [message("content of the dataset: {hash}", hash=shortened(about.revision))]
                if about.revision
                else []
            ),
            *(str(each).rstrip(".") for each in limits),
        ),
        "; ",
    )
    # the name of a folder says what it is, and its place is nobody's business
    for name in filter(Path.is_absolute, map(Path, {models(data), judges(data, benchmark)})):
        text = text.replace(str(name), name.name)
    return text


def _numbers(statistic: Statistic) -> Iterator[str]:
    """The number with its interval and n, and how many are unscored."""
    text = estimate(statistic.estimate, statistic.unit)
    target = name_of(statistic.estimate.target)
    interval = message("exact for {target}", target=target)
    if level_of(statistic) and statistic.estimate.low is not None:
        interval = message("{level} for {target}", level=level_of(statistic), target=target)
    yield message(
        "{label}: {number} ({interval})",
        label=label_of(statistic),
        number=text.sentence,
        interval=interval,
    )
    yield message("{n} unscored", n=text.unscored)
    if statistic.estimate.unscored:
        yield message("lowest – highest {extremes}", extremes=text.extremes)


def _dataset_of(config: RunConfig, benchmark: str) -> str:
    """The name of the benchmark's dataset; a context of one's own is a dataset of its own."""
    about = config.provenance.benchmarks[benchmark]
    return benchmark.rpartition(":")[2] if about.sources else about.dataset


def _word(text: str) -> str:
    """The text with nothing in it but lower-case letters, digits and underscores."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
