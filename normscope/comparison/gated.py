"""What a gate comes to: statistics of runs against margins, and the outcome on one line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .. import format as fmt
from ..frames import tidy_frame
from ..messages import Joined, Text, joined, message
from ..metrics.criterion import CRITERION
from ..metrics.definitions import Better, definition_of
from ..metrics.estimate import Estimate, Unit

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.05

Outcome = Literal["pass", "worse", "inconclusive"]


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

    The interval of `estimate` is one of several that hold together (`Gate`), and reaches over what
    is unscored: from the lower limit of the lowest case to the upper of the highest. `better` says
    where a value is better; without a direction a difference either way is worse. `member` is what
    the statistic is of where that is not everything, `category` the one it is confined to.

    `completeness` says what is behind it: of what some run lacks a part, the row does not pass.
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
    margin: float
    outcome: Outcome
    completeness: Completeness = Completeness()

    @property
    def name(self) -> Text:
        """The statistic's name, and what it is of where that is not everything."""
        known = definition_of(self.statistic)
        name: Text = known.name if known else self.statistic.removeprefix(CRITERION)
        parts = [part for part in (self.member, self.category) if part]
        return message("{name} ({of})", name=name, of=", ".join(parts)) if parts else name

    @property
    def margin_text(self) -> Text:
        """The margin in the units of the statistic.

        >>> from dataclasses import replace
        >>> from normscope.metrics.estimate import undefined
        >>> row = Gated("b", "hr", "rate", "lower", "", "", "x", "y", 0.1, 0.1,
        ...     undefined("", target="these items"), 0.02, "pass")
        >>> str(row.margin_text), str(replace(row, unit="score", margin=0.5).margin_text)
        ('2 pp', '0.5 points')
        """
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
        """What is left out, and what would settle a row that more of the same would not settle."""
        notes: list[Text] = []
        of = self.completeness
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
        elif self.outcome == "inconclusive" and not self.estimate.n:
            notes.append(message("nothing is scored in both runs"))
        return joined(notes, "; ")

    @property
    def cells(self) -> dict[str, Any]:
        """The row of a tidy table: what is compared, the difference, and what was decided."""
        e = self.estimate
        return {
            "baseline": self.first,
            "run": self.second,
            "benchmark": self.benchmark,
            "statistic": self.statistic,
            "group": "category" if self.category else "",
            "member": ", ".join(filter(None, (self.member, self.category))),
            "unit": self.unit,
            **{name: getattr(e, name) for name in ("value", "low", "high", "level", "n")},
            **{name: getattr(e, name) for name in ("unscored", "lowest", "highest", "target")},
            "method": e.method,
            "margin": self.margin,
            "outcome": self.outcome,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Gate:
    """Whether a run is worse than the first by more than the margins allow.

    `alpha` is divided over the one-sided `bounds` that were looked at, so that the chance of any
    false "worse" is at most alpha, and so is that of any row's false "pass". `outcome` is "worse"
    if any row is, else "inconclusive" if any is, else "pass".
    """

    alpha: float
    bounds: int
    outcome: Outcome
    rows: tuple[Gated, ...]

    def __repr__(self) -> str:
        """The outcome on one line, in English."""
        return str(self.text)

    def to_frame(self) -> "pd.DataFrame":
        """A tidy data frame, a row per statistic: `value` is that of `run` less that of `baseline`.

        The interval, and with it the `outcome` at the `margin`, holds together with those of all
        rows and reaches over what is unscored.
        """
        rows = [row.cells for row in self.rows]
        return tidy_frame(rows, [*rows[0]])

    @property
    def text(self) -> Text:
        """The outcome on one line, with the rows that decide it."""
        rows: Joined = joined((row.text for row in self.rows if row.outcome == self.outcome), " · ")
        texts = {
            "pass": message("pass, within the margin: {rows}", rows=rows),
            "worse": message("worse by more than the margin: {rows}", rows=rows),
            "inconclusive": message("inconclusive: {rows}", rows=rows),
        }
        return texts[self.outcome]
