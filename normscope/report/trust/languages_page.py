"""The equivalence of two languages as a page, with its margin and its power."""

from collections.abc import Iterable, Sequence

from ...format import count, interval, number, percent
from ...judges.trust.languages import FIRST, SECOND, LanguagesCheck, Pairs
from ...metrics.equivalence import Equivalence
from ...metrics.estimate import Estimate
from .check_page import Page, Table, cells, p_told, p_value

_LEGEND = """\
- A difference is zh less en, of pairs that say the same thing. Equivalent: the 90 % interval lies
  within ± the margin (two one-sided tests at 0.05); different: it lies outside 0. Neither: there
  are too few pairs to tell. No difference found is not equivalence.
- The margin is stated before the result is seen and stays on it. It holds for the score, 0 to 5;
  of another outcome it is the same share of its scale.
- Power: the chance to show equivalence if there is no difference at all, at the spread seen and
  this number of clusters; and the largest true difference with which that chance is still 80 %.
- Pairs of one question are a cluster.
"""


def page(found: LanguagesCheck) -> Page:
    """The check as a page."""
    whole = [row for row in found.pairs if not row.group]
    criteria = [row for row in whole if row == _first_of(found, row.subject)]
    verdicts = [row.test.shown for row in criteria]
    return Page(
        title=f"Languages: {FIRST} less {SECOND}, within ± {number(found.margin)}",
        good=None if None in verdicts else all(verdicts),
        says=tuple(_says(found, criteria)),
        tables=(
            _table("Overall", whole),
            _table("By category", [row for row in found.pairs if row.group], brief=False),
        ),
        legend=_LEGEND,
    )


def _first_of(found: LanguagesCheck, subject: str) -> Pairs:
    return next(row for row in found.pairs if row.subject == subject)


def _says(found: LanguagesCheck, criteria: Sequence[Pairs]) -> Iterable[str]:
    stated = "the default" if found.margin == found.default_margin else "given"
    yield f"Margin, stated before: ± {number(found.margin)} on the score of 0 to 5 ({stated})."
    if found.margins_before:
        past = ", ".join(map(number, found.margins_before))
        yield f"CHANGED: this was tested before with the margin {past}; the result was known."
    for row in criteria:
        yield f"{row.subject}, {row.outcome}: {_verdict(row.test)}. {_power(row.test)}"
    for why, many in found.left_out.items():
        yield f"Left out, {count(many)} answers: {why}."


def _verdict(test: Equivalence) -> str:
    one = test.estimate
    if one.value is None:
        return "not known, no pair is scored"
    shown = f"{_signed(one)} {interval(one.low, one.high)} (90 %), equivalence {p_told(test.p)}"
    if test.shown is None:
        return f"not known: {one.method}"
    if test.shown:
        return f"equivalent: {shown}"
    low, high = one.low or 0.0, one.high or 0.0
    if low > 0 or high < 0:
        return f"NOT shown to be equivalent, and different: {shown}"
    return f"NOT shown to be equivalent: {shown}"


def _signed(one: Estimate) -> str:
    return cells(one, signed=True)[0]


def _power(test: Equivalence) -> str:
    power = test.power
    if power is None:
        return "Power: not known, the differences have no spread."
    largest = f"up to a true difference of {number(power.largest)}" if power.largest else "never"
    return (
        f"Power with {count(test.clusters)} clusters: {percent(power.at_zero)} if there is no "
        f"difference, 80 % {largest}; 80 % would need a margin of {number(power.margin)}."
    )


def _table(title: str, rows: Sequence[Pairs], *, brief: bool = True) -> Table:
    compared = ("pairs of", "outcome", "category", FIRST, SECOND, "difference", "90 % interval")
    header = (
        *compared,
        "n",
        "unscored",
        "clusters",
        "margin",
        "p",
        "equivalent",
        "power at 0",
        "80 % up to",
    )
    lines = []
    for row in rows:
        test = row.test
        shown = {True: "yes", False: "NO", None: "not known"}[test.shown]
        power = test.power
        lines.append(
            (
                row.subject,
                row.outcome,
                row.member,
                *map(number, row.means),
                *cells(test.estimate, signed=True),
                count(test.clusters),
                number(test.margin),
                p_value(test.p),
                shown,
                percent(power.at_zero if power else None),
                number(power.largest if power else None),
            )
        )
    return Table(title, header, tuple(lines), texts=3, brief=brief)
