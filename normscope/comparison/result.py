"""What a comparison comes to: differences of pairs of runs, and what limits them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from .. import format as fmt
from ..frames import tidy_frame
from ..messages import Joined, Text, joined, message
from ..metrics.criterion import CRITERION
from ..metrics.definitions import Better, definition_of
from ..metrics.estimate import Estimate, Unit
from ..metrics.intervals import Bounds
from ..metrics.significance import Test
from .same import Mismatch

if TYPE_CHECKING:
    import pandas as pd

Role = Literal["primary", "secondary", "exploratory"]
"""What a difference was looked at for, and so with what its p-value is corrected.

Primary is the first statistic of a metric, secondary are its others, both overall and corrected by
Holm; exploratory is every breakdown, corrected by Benjamini and Hochberg.
"""


@dataclass(frozen=True, slots=True)
class Unscored:
    """The pairs without a score in a run (for `mean_acceptability`: answers).

    `in_both` of them lack it in both runs for the same reason: one item that failed, not two.
    """

    pairs: int
    in_both: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One statistic of `second` less that of `first`, over the items that both have scored.

    The interval of `estimate` is of the pairs that both have scored, as is `test`, of which it is
    the inversion; its `lowest` and `highest` are those of all pairs. `group` is the dimension it is
    broken down by (empty: overall) and `member` the level of it; overall, what it is of where that
    is not everything: open prompts.
    `test` is null where nothing was sampled. `p_adjusted` is corrected within the benchmark for
    the family of its role. `over` says of which prompt variants it is, where some run has others.
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
    over: Text = ""


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


Outcome = Literal["pass", "worse", "inconclusive"]

_TIDY = (
    *("value", "low", "high", "level", "n"),
    *("unscored", "lowest", "highest", "target", "method"),
)
_LIMITS = ("lower_limit", "upper_limit")


@dataclass(frozen=True, slots=True)
class Completeness:
    """Of so many questions that either run was `asked`, how many each of them is `missing`.

    `left_out` counts by their reason those that neither has a score of, for the same final reason.
    """

    asked: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gated:
    """A statistic of `second` less that of `first` against the margin that was stated for it.

    The interval of `estimate`, over the scored, is one of several that hold together (`Gate`).
    `limits` are what decides: its ends, or the lower one of the lowest case and the upper one of
    the highest where these reach further; null where nothing is scored. `better` says where a value
    is better; without a direction a difference either way is worse. `member` is what the statistic
    is of where that is not everything, `category` the one it is confined to.

    `completeness` says what is behind it: of what some run lacks a part, the row does not pass.
    `line` is where a bar states the margin.
    """

    benchmark: str
    statistic: str
    unit: Unit
    better: Better
    member: str
    category: str
    first: str
    second: str
    first_value: float | None
    second_value: float | None
    estimate: Estimate
    limits: Bounds | None
    margin: float
    outcome: Outcome
    completeness: Completeness = Completeness()
    line: int = 0

    @property
    def name(self) -> Text:
        """The statistic's name, and what it is of where that is not everything."""
        definition = definition_of(self.statistic)
        name: Text = definition.name if definition else self.statistic.removeprefix(CRITERION)
        names = [part for part in (self.member, self.category) if part]
        return message("{name} ({of})", name=name, of=", ".join(names)) if names else name

    @property
    def margin_text(self) -> Text:
        """The margin in the units of the statistic: 2 pp, 0.5 points."""
        if self.unit == "score":
            return message("{n} points", n=fmt.scale_end(self.margin))
        return f"{fmt.scale_end(100 * self.margin)} pp"

    @property
    def text(self) -> Text:
        """Statistic, benchmark, runs, difference with its interval, margin; and the notes."""
        shown = fmt.estimate(self.estimate, self.unit, signs=True)
        text = message(
            "{name} of {benchmark}, {second} − {first}: {value} {interval}, margin {margin}",
            name=self.name,
            benchmark=self.benchmark,
            second=self.second,
            first=self.first,
            value=shown.value,
            interval=shown.interval,
            margin=self.margin_text,
        )
        return joined(filter(None, (text, self.notes)), "; ")

    @property
    def notes(self) -> Text:
        """What decides beyond the interval, what is left out, and what would settle the row."""
        notes: list[Text] = []
        of, e = self.completeness, self.estimate
        if self.limits and self.limits != (e.low, e.high):
            reach = fmt.interval(*self.limits, rate=self.unit != "score", signs=True)
            notes.append(message("{limits} with the unscored at either end", limits=reach))
        if of.left_out:
            reasons = (
                message("{n} × {reason}", n=fmt.count(n), reason=reason.replace("_", " "))
                for reason, n in of.left_out.items()
            )
            text = joined(reasons, ", ")
            notes.append(message("left out, unscored in both runs: {reasons}", reasons=text))
        if self.outcome == "inconclusive" and of.missing:
            asked = fmt.count(of.asked)
            lacking = (
                message("{run} lacks {n} of {m} questions", run=run, n=fmt.count(n), m=asked)
                for run, n in of.missing.items()
            )
            notes.append(joined((joined(lacking, ", "), message("ask both runs the same")), ": "))
        elif self.outcome == "inconclusive" and not e.n:
            notes.append(message("nothing is scored in both runs"))
        return joined(notes, "; ")


@dataclass(frozen=True, slots=True, repr=False)
class Gate:
    """Whether a run is worse than the first by more than the margins allow.

    `alpha` is divided over the one-sided `bounds` that were looked at, so that the chance of any
    false "worse" is at most alpha, and so is that of any row's false "pass". `outcome` is "worse"
    if any row is, else "inconclusive" if any is, else "pass". `bar` is the file that stated the
    margins, with its SHA-256.
    """

    alpha: float
    bounds: int
    outcome: Outcome
    rows: tuple[Gated, ...]
    bar: str = ""
    bar_hash: str = ""

    def __repr__(self) -> str:
        """The outcome on one line, in English."""
        return str(self.text)

    def to_frame(self) -> "pd.DataFrame":
        """A tidy data frame, a row per statistic: `value` is that of `run` less that of `baseline`.

        The interval is over the scored and holds together with those of all rows; `lower_limit` and
        `upper_limit`, which decide on the `outcome` at the `margin`, reach over what is unscored.
        """
        rows = [
            {
                "baseline": row.first,
                "run": row.second,
                "benchmark": row.benchmark,
                "statistic": row.statistic,
                "group": "category" if row.category else "",
                "member": ", ".join(filter(None, (row.member, row.category))),
                "unit": row.unit,
                **{name: getattr(row.estimate, name) for name in _TIDY},
                **dict(zip(_LIMITS, row.limits or (None, None), strict=True)),
                "margin": row.margin,
                "outcome": row.outcome,
            }
            for row in self.rows
        ]
        return tidy_frame(rows, [*rows[0]])

    @property
    def text(self) -> Text:
        """The outcome on one line, with the rows that decide it."""
        decide = [row for row in self.rows if row.outcome == self.outcome]
        rows: Joined = joined((row.text for row in decide), " · ")
        if self.bar:
            return message(
                "{verdict}, {bar}:{lines} (SHA-256 {hash}): {rows}",
                verdict="FAIL" if self.outcome == "worse" else self.outcome.upper(),
                bar=self.bar,
                lines=", ".join(dict.fromkeys(str(row.line) for row in decide)),
                hash=fmt.shortened(self.bar_hash),
                rows=rows,
            )
        texts = {
            "pass": message("pass, within the margin: {rows}", rows=rows),
            "worse": message("worse by more than the margin: {rows}", rows=rows),
            "inconclusive": message("inconclusive: {rows}", rows=rows),
        }
        return texts[self.outcome]


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison. `runs` names the model of each run; the first run is the baseline.

    `mismatches` are the fields for which it would have been refused, `failures` says which run has
    hardly any numbers on a benchmark; `caveats` limit it less.
    `norms` are those of the benchmarks of vignettes; `gate` is null where nobody stated a margin.
    """

    runs: Mapping[str, str]
    mismatches: tuple[Mismatch, ...]
    caveats: tuple[str, ...]
    pairings: Mapping[str, Pairing]
    rows: tuple[Difference, ...]
    norms: Mapping[str, NormsCompared] = field(default_factory=dict)
    gate: Gate | None = None
    failures: tuple[str, ...] = ()
