"""What made each table of a run: data and model versions, hashes, rubrics, packages, files."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import ConfigError
from ..messages import Text

Identity = Mapping[str, Any]
"""What tells an engine's model from any other: every setting that can change its answers."""

_FIELDS = {"respond": "responses", "judge": "judgements", "score": "scores"}


@dataclass(frozen=True, slots=True)
class Reply:
    """One requested reply: its number, its temperature, and where its sampling starts."""

    sample: int
    temperature: float
    seed: int


@dataclass(frozen=True, slots=True)
class BenchmarkItems:
    """Which items of a benchmark were taken, and from which version of its dataset.

    `rubric` is null where the model under test answers the criteria itself; `metrics` name the
    scoring rules. `items` of `items_in_dataset` were taken and make `prompts` prompts (0: nobody
    drew them from it). `variants` are the prompt variants that were asked, of
    `variants_in_dataset`, empty where there are none; `other_variants` were asked elsewhere and are
    none of the dataset's.
    `key` is the hash of a user's own answers; `written` answers are text, whatever channels are
    requested.

    A benchmark made of files of one's own (a context, prompts) has its `title`, and under `sources`
    the SHA-256 of each by its name in the run's folder `contexts`. With these no later stage needs
    the files, or a package that knows the benchmark.
    """

    dataset: str = ""
    config: str = ""
    revision: str = ""
    rubric: str | None = None
    criteria: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    items: int = 0
    items_in_dataset: int = 0
    prompts: int = 0
    variants: tuple[str, ...] = ()
    variants_in_dataset: int = 0
    other_variants: tuple[str, ...] = ()
    title: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    key: str | None = None
    written: bool = False

    def __post_init__(self) -> None:
        """Refuses names of files that would lead out of the run's folder."""
        for name in self.sources:
            if name in {"", ".", ".."} or "/" in name or "\\" in name:
                raise ConfigError(
                    f"sources: {name!r} is no name of a file: the copies of a run's files lie in "
                    "its own folder"
                )

    @property
    def labelled(self) -> bool:
        """Whether the model under test may answer by its labels: options and vignettes."""
        return self.rubric is None and not self.written


@dataclass(frozen=True, slots=True)
class CriterionScale:
    """What a criterion asks, and the scale of its verdicts.

    `question` is its first line in the rubric's fallback language, and `read` what was read off a
    verdict: the mean of the values or the mode's.
    """

    labels: tuple[str, ...]
    values: tuple[float, ...]
    read: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class RubricVersion:
    """A rubric and which of its criteria were judged.

    `own` has the scale of each of these that the benchmark does not have: no other file is needed
    to score them.
    """

    hash: str
    name: str = ""
    version: int = 0
    criteria: tuple[str, ...] = ()
    own: Mapping[str, CriterionScale] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Imported:
    """Where answers are from that were recorded elsewhere: file, hash of its rows, how many.

    `format` is the file's and `note` what its reader says of it; so many answers are `reworded`: to
    prompts in other words than the benchmark's. `items_in_benchmark` could have been answered.
    """

    file: str
    hash: str
    answers: int
    format: str = ""
    note: Text = ""
    reworded: int = 0
    items_in_benchmark: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StageProvenance:
    """What made the files of one stage.

    `files` are their hashes, empty until all are written; `served` are the models that a server
    answered with.
    """

    packages: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    served: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesProvenance(StageProvenance):
    """What made the responses. `scales` are the hashes of the scales read from the model's labels.

    `replies` are there only where something was drawn. With `imported` nobody was asked: nothing is
    known of the `model` but what is noted, nor how its answers were drawn.
    """

    benchmarks: Mapping[str, BenchmarkItems] = field(default_factory=dict)
    model: Identity | None = None
    scales: Mapping[str, str] = field(default_factory=dict)
    replies: tuple[Reply, ...] = ()
    imported: Imported | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementsProvenance(StageProvenance):
    """What made the judgements: a judge with a rubric per benchmark, text rules by their hashes."""

    judge: Identity | None = None
    rubrics: Mapping[str, RubricVersion] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()


AFTERWARDS = frozenset({"files", "served", "caveats"})
"""The fields that are not known before a stage begins, or follow from the others."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A field whose value was another one before; null is none."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Repetition:
    """Which run this one repeats, and by stage where it differs, if only by rounding.

    `config` is the hash of that run's settings.
    """

    run: str
    config: str
    differs: Mapping[str, tuple[Difference, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What made a run; a stage that was not begun is null."""

    responses: ResponsesProvenance | None = None
    judgements: JudgementsProvenance | None = None
    scores: StageProvenance | None = None
    repeats: Repetition | None = None

    @property
    def benchmarks(self) -> Mapping[str, BenchmarkItems]:
        """The items of each benchmark, by its name."""
        return self.responses.benchmarks if self.responses else {}

    @property
    def model(self) -> Identity | None:
        """The model under test; null where the benchmarks brought the answers along."""
        return self.responses.model if self.responses else None

    @property
    def imported(self) -> Imported | None:
        """Where the answers are from; null where a model was asked."""
        return self.responses.imported if self.responses else None

    @property
    def judge(self) -> Identity | None:
        """The judge; null where none was needed."""
        return self.judgements.judge if self.judgements else None

    @property
    def rubrics(self) -> Mapping[str, RubricVersion]:
        """The rubric of each judged benchmark, by the benchmark's name."""
        return self.judgements.rubrics if self.judgements else {}

    def of(self, stage: str) -> StageProvenance | None:
        """What made the files of the stage (`respond`, `judge`, `score`)."""
        result: StageProvenance | None = getattr(self, _FIELDS[stage])
        return result

    def files(self, stage: str) -> Mapping[str, str]:
        """The hashes of the files that the stage wrote; none if it has not come to its end."""
        result = self.of(stage)
        return result.files if result else {}

    def put(self, stage: str, provenance: StageProvenance) -> "Provenance":
        """The same with this about the stage."""
        fields: dict[str, Any] = {_FIELDS[stage]: provenance}
        return replace(self, **fields)

    def noted(self, stage: str, **values: Any) -> "Provenance":
        """The same with other values in fields of the stage.

        >>> Provenance().noted("score", served=("m",)).scores.served
        ('m',)
        """
        return self.put(stage, replace(self.of(stage) or _EMPTY[stage], **values))


_EMPTY: Mapping[str, StageProvenance] = {
    "respond": ResponsesProvenance(),
    "judge": JudgementsProvenance(),
    "score": StageProvenance(),
}
