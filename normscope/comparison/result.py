"""What a comparison comes to: differences of pairs of runs, and what limits them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa

from ..builders.published import PublishedResult, PublishedSource
from ..messages import Text
from ..metrics.estimate import Estimate, Statistic
from ..metrics.significance import Test
from .gated import Gate
from .same import Mismatch

Unit = Literal["rate", "score"]

Role = Literal["primary", "secondary", "exploratory"]
"""What a difference was looked at for, and so with what its p-value is corrected.

Primary is the first statistic of a metric, secondary are its others, both overall and corrected by
Holm; exploratory is every breakdown, corrected by Benjamini and Hochberg.
"""


@dataclass(frozen=True, slots=True)
class Unscored:
    """The pairs without a score in a run (for `mean_acceptability`: answers), and their reach.

    `in_both` of them lack it in both runs for the same reason: one item that failed, not two.
    `low` is the lower limit of the interval in the lowest case, `high` the upper in the highest.
    """

    pairs: int
    in_both: int
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One statistic of `second` less that of `first`, over the items that both have scored.

    The interval of `estimate` is of the pairs that both have scored, as is `test`, of which it is
    the inversion; its `lowest` and `highest` are those of all pairs, and `unscored` what lies
    beyond. `group` is the dimension it is broken down by (empty: overall) and `member` the level of
    it; overall, what it is of where that is not everything: open prompts.
    `test` is null where nothing was sampled. `p_adjusted` is corrected within the benchmark for
    the family of its role.
    """

    benchmark: str
    statistic: str
    unit: Unit
    role: Role
    first: str
    second: str
    first_value: float | None
    second_value: float | None
    estimate: Estimate
    unscored: Unscored
    test: Test | None
    p_adjusted: float | None = None
    group: str = ""
    member: str = ""


@dataclass(frozen=True, slots=True)
class Pairing:
    """How many rows of a benchmark every run has, and how many of each run some other lacks."""

    rows: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The share of all vignettes that have the same norm in each of these runs.

    A vignette without a norm in some run is none of them; one that is unscored in some run widens
    the lowest and the highest case. `labels` counts those with the same norm by it, from the lowest
    up. Norms are those over the prompts that all runs were asked; `own` is the share where each
    run's norm is over its own, as LLM-CI counts, null where these are the same prompts.
    """

    runs: tuple[str, ...]
    share: Estimate
    labels: tuple[int, ...]
    own: Estimate | None = None


@dataclass(frozen=True, slots=True)
class NormTest:
    """A test of the majority norms of these runs."""

    runs: tuple[str, ...]
    test: Test


@dataclass(frozen=True, slots=True)
class NormsCompared:
    """The norms of each run by what became of the vignettes, and the runs against one another.

    `states` counts the vignettes of each run by their state (`norms.STATES`). `agreements` and
    `tests` are of every pair and, with three runs or more, of all of them. `table` has every
    vignette (`norms.norms_side_by_side`).
    """

    states: Mapping[str, Mapping[str, int]]
    agreements: tuple[Agreement, ...]
    tests: tuple[NormTest, ...]
    table: pa.Table


@dataclass(frozen=True, slots=True)
class OwnResult:
    """A run's statistic beside the published one of the name `beside`; of several, their agreement.

    It may have another name: by the authors' arithmetic, with another answer key.
    """

    run: str
    beside: str
    statistic: Statistic


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper printed for a benchmark, and the runs' own statistics of the same name.

    `differs` says for each run in what it was measured otherwise, as far as that is known; a run
    that was measured alike has nothing. No test and no interval takes in a published number.
    """

    benchmark: str
    source: PublishedSource
    results: tuple[PublishedResult, ...]
    own: tuple[OwnResult, ...]
    differs: Mapping[str, tuple[Text, ...]]


@dataclass(frozen=True, slots=True)
class PublishedBeside:
    """The published results of the benchmarks of some runs, and which of these have none."""

    benchmarks: tuple[Published, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison. `runs` names the model of each run; the first run is the baseline.

    `mismatches` are the fields for which it would have been refused; `caveats` limit it less.
    `norms` are those of the benchmarks of vignettes, and `published` is null where nobody asked
    for published results, as `gate` is where nobody stated a margin. A run alone has `published`
    and nothing else.
    """

    runs: Mapping[str, str]
    mismatches: tuple[Mismatch, ...]
    caveats: tuple[str, ...]
    pairings: Mapping[str, Pairing]
    rows: tuple[Difference, ...]
    norms: Mapping[str, NormsCompared] = field(default_factory=dict)
    published: PublishedBeside | None = None
    gate: Gate | None = None
