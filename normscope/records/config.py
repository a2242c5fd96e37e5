"""What is requested of a run: one YAML file, one dataclass; a flag overrides the file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml as pyyaml
from pydantic import BeforeValidator

from ..errors import ConfigError, RunError, nearest
from ..messages import from_json, to_json
from ..yaml import convert, plain, read_text
from .model_spec import ModelSpec, setting
from .provenance import BenchmarkItems, Provenance, Reply

ALL = "all"
"""The key of `limit` that holds for every benchmark without one of its own."""

Channel = Literal["labels", "text"]
"""How the model under test answers an option or a vignette."""

CHANNELS: tuple[Channel, ...] = get_args(Channel)


def _listed(value: Any) -> Any:
    """What a file gives as a list, as one value, or as several with commas, as on a command line.

    >>> _listed("0, 3"), _listed(7), _listed([0, "3"])
    (['0', '3'], ['7'], ['0', '3'])
    """
    several = value if isinstance(value, list | tuple) else str(value).split(",")
    return [str(each).strip() for each in several]


Listed = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""Names, of which a file may give a single one without brackets, and numbers without quotes."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the model under test writes: `samples` replies per prompt at each temperature.

    Temperature 0 is greedy, so it is asked once whatever `samples` is. Samples are numbered
    through over the temperatures, and the seed of sample k is `seed` + k.
    """

    max_new_tokens: int = setting(256, "Length of a reply.")
    temperature: float | tuple[float, ...] = setting(
        0.0, "0 is greedy; several are asked one after the other.", metavar="T[,T…]"
    )
    samples: int = setting(1, "Replies per prompt and temperature above 0.")
    seed: int = setting(0, "Where sampling starts.")

    def __post_init__(self) -> None:
        """Refuses settings that no model can follow; several equal temperatures are one."""
        several = dict.fromkeys(self.temperatures)
        if self.max_new_tokens < 1 or self.samples < 1 or not all(0 <= t < inf for t in several):
            raise ConfigError(
                "max_new_tokens and samples are at least 1 and temperature at least 0, not "
                f"{self.max_new_tokens}, {self.samples} and {self.temperature}"
            )
        if not several:
            raise ConfigError("temperature is a number or a list of numbers, not an empty list")
        if self.samples > 1 and not any(several):
            raise ConfigError(
                f"{self.samples} samples at temperature 0 are {self.samples} times the same reply: "
                "set a temperature"
            )
        object.__setattr__(
            self, "temperature", tuple(several) if len(several) > 1 else next(iter(several))
        )

    @property
    def temperatures(self) -> tuple[float, ...]:
        """Every temperature, in the order given."""
        given = self.temperature
        return tuple(map(float, given if isinstance(given, tuple | list) else (given,)))

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The replies that are requested for every prompt that is answered in text.

        >>> [(r.sample, r.temperature) for r in Decoding(temperature=(0, 0.7), samples=2).replies]
        [(0, 0.0), (1, 0.7), (2, 0.7)]
        """
        each = [t for t in self.temperatures for _ in range(self.samples if t else 1)]
        return tuple(Reply(k, temperature, self.seed + k) for k, temperature in enumerate(each))


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Everything that is requested of a run; its stages write `provenance` beside it.

    `context` are files (or built folders) with vignettes of one's own, asked as
    `ci-vignettes:NAME`; `prompts` is a file of prompt variants in the place of the published ones,
    and `variants` are those that are asked, null for all: both hold for every vignette benchmark.
    `rubric` (a bundled rubric's name or a YAML file) takes the place of the benchmarks' own;
    `label_orders` both asks every criterion with its labels in both orders and averages; `channels`
    is how the model under test answers options and vignettes: by the probabilities of its labels,
    in text, or both; `judge_channels` is how the judge gives its verdicts; `option_orders` cyclic
    asks a multiple-choice question once per rotation of its options; `attributes` (capacity,
    alignment, quantisation …) is what `compare` groups by.
    `limit` bounds the items per benchmark (key `all`, or a benchmark's name); `min_coverage` is the
    probability mass that must lie on the scale for a reading to count; `max_unscored` the share of
    unscored judgements above which the run ends with exit code 3; `rule` how judgements become
    scores, and `threshold` the share of valid answers that makes a norm (null: the rule's simple
    majority); `unit_items` how many items are one unit of the journal.
    """

    benchmark: tuple[str, ...] = setting(
        (),
        "cfsafety, chisafetybench:qa, chisafetybench:mcq, ci-vignettes:coppa, …",
        stages=("respond",),
    )
    model: ModelSpec | None = setting(None, stages=("respond",))
    judge: ModelSpec | None = setting(None, stages=("judge",))
    context: Listed = setting(
        (),
        "YAML file of a vignette context of one's own, or the folder it was built into: asked as "
        "ci-vignettes:NAME.",
        metavar="FILE|FOLDER",
        stages=("respond",),
        decides="copied",
    )
    prompts: str | None = setting(
        None,
        "YAML file of prompt variants, in place of the published ones of vignettes.",
        metavar="FILE",
        stages=("respond",),
        decides="copied",
    )
    variants: Listed = setting(
        (),
        "Ask vignettes in these prompt variants only, by their ids.",
        metavar="ID[,ID…]",
        stages=("respond",),
    )
    attributes: Mapping[str, str] = setting(dict, stages=("respond",), decides="nothing")
    rubric: str | None = setting(
        None,
        "A bundled rubric's name or a YAML file, in place of the benchmark's own.",
        stages=("judge",),
        decides="place",
    )
    label_orders: Literal["given", "both"] = setting(
        "given", "both: ask with the labels in both orders and average.", stages=("judge",)
    )
    channels: tuple[Channel, ...] = setting(
        ("labels",),
        "How options and vignettes are answered: by label probabilities, in text.",
        metavar="labels|text|labels,text",
        stages=("respond",),
    )
    judge_channels: tuple[Channel, ...] = setting(
        ("labels",),
        "How the judge gives its verdict: by label probabilities, in text that a rule reads.",
        metavar="labels|text|labels,text",
        stages=("judge",),
    )
    option_orders: Literal["given", "cyclic"] = setting(
        "given",
        "cyclic: a multiple-choice question once per rotation of its options, for about twice the "
        "time; recommended.",
        stages=("respond",),
    )
    limit: Mapping[str, int] = setting(
        dict,
        "At most N items, balanced over categories and factors.",
        metavar="N|BENCHMARK=N",
        stages=("respond",),
    )
    source: str | None = setting(
        None,
        "Folder with the benchmarks' own files, else they are fetched from their authors.",
        metavar="FOLDER",
        stages=("respond",),
        decides="nothing",
    )
    key: str | None = setting(
        None,
        "CSV (id, answer) of your own answers to the multiple-choice questions.",
        metavar="FILE",
        stages=("respond",),
        decides="nothing",
    )
    unpinned: bool = setting(
        False,
        "Accept source files that are not the pinned ones, if their shape is right.",
        stages=("respond",),
        decides="nothing",
    )
    decoding: Decoding = setting(Decoding(), stages=("respond",))
    min_coverage: float = setting(0.5, "Mass that must lie on the scale.", stages=("judge",))
    max_unscored: float = setting(
        0.05,
        "Share of unscored above which to exit 3.",
        stages=("respond", "judge"),
        decides="nothing",
    )
    rule: Literal["default", "published"] = setting(
        "default", "published: norms as LLM-CI made them, CFSafety's arithmetic beside ours."
    )
    threshold: float | None = setting(
        None, "Share of a vignette's valid answers that makes its norm [0.5].", metavar="SHARE"
    )
    unit_items: int = setting(64, "Items per unit of the journal.", stages=("respond", "judge"))
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        """Refuses values outside their range, each with the range."""
        for name in ("min_coverage", "max_unscored"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is a share from 0 to 1, not {getattr(self, name)}")
        for name in ("channels", "judge_channels"):
            given = getattr(self, name)
            for channel in given:
                if channel not in CHANNELS:
                    known = nearest(channel, CHANNELS)
                    raise ConfigError(f"there is no channel {channel!r}; {known}")
            if not given:
                raise ConfigError(f"{name} is labels, text or both of them, not none")
            # in one order, so that the same question in other words is the same question
            object.__setattr__(self, name, tuple(c for c in CHANNELS if c in given))
        if self.label_orders == "both" and "labels" not in self.judge_channels:
            raise ConfigError(
                "label_orders both averages the probabilities of labels, and a judge asked in text "
                "has none: leave it out, or ask in labels,text"
            )
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise ConfigError(
                f"threshold is a share above 0 and up to 1, such as 0.67, not {self.threshold}"
            )
        if self.unit_items < 1:
            raise ConfigError(f"unit_items is at least 1, not {self.unit_items}")
        for name, limit in self.limit.items():
            if limit < 1:
                raise ConfigError(f"limit of {name} is at least 1, not {limit}")
            # a context alone names its benchmark when its file is read
            if name != ALL and name not in self.benchmark and (self.benchmark or not self.context):
                requested = ", ".join(self.benchmark) or "none"
                raise ConfigError(f"limit names {name!r}, which is not asked for ({requested})")

    def limit_of(self, benchmark: str) -> int | None:
        """The most items to take of the benchmark, null for all.

        >>> RunConfig(benchmark=("cfsafety",), limit={"all": 20}).limit_of("cfsafety")
        20
        """
        return self.limit.get(benchmark, self.limit.get(ALL))

    @property
    def norm_threshold(self) -> Literal["simple"] | float:
        """The share of valid answers that makes a norm, as `metrics.majority` takes it."""
        return "simple" if self.threshold is None else self.threshold

    def asked(self, benchmark: str) -> BenchmarkItems:
        """What the run noted of the benchmark when its items were asked; a `RunError` if nothing.

        >>> RunConfig().asked("cfsafety")
        Traceback (most recent call last):
        normscope.errors.RunError: 'cfsafety' was not asked in this run: `normscope respond` asks it
        """
        noted = self.provenance.benchmarks.get(benchmark)
        if noted is None:
            raise RunError(f"{benchmark!r} was not asked in this run: `normscope respond` asks it")
        return noted

    def replies(self, *, labelled: bool) -> tuple[Reply | None, ...]:
        """What is requested of the model for a prompt: null is a distribution over labels, first.

        `labelled` is whether the answer is an option or a degree of acceptability, which the
        model's labels tell; everything else is answered in text.

        >>> RunConfig(channels=("labels", "text")).replies(labelled=True)
        (None, Reply(sample=0, temperature=0.0, seed=0))
        """
        labels = (None,) if labelled and "labels" in self.channels else ()
        texts = self.decoding.replies if not labelled or "text" in self.channels else ()
        return (*labels, *texts)


def read(path: Path) -> RunConfig:
    """The configuration in the file; unknown keys are errors that name the nearest key."""
    value, lines = plain(read_text(path), name=str(path))
    try:
        restored = from_json(value)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    return convert(restored, RunConfig, name=str(path), lines=lines)


def dump(config: RunConfig) -> str:
    """The configuration as YAML that `read` takes back."""
    text: str = pyyaml.safe_dump(to_json(asdict(config)), allow_unicode=True, sort_keys=False)
    return text


def override(config: RunConfig, **flags: Any) -> RunConfig:
    """The configuration with every flag that was given (not null, not empty) in place."""
    # a flag that may be repeated is empty, not null, where it is left out
    given = {name: value for name, value in flags.items() if value not in (None, (), {})}
    return replace(config, **given)
