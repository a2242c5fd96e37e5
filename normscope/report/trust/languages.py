"""The equivalence of two languages as a page, with its margin and its power."""

from collections.abc import Iterator, Sequence

from ...format import count, estimate, interval, number, p_sentence, p_value, percent, signed
from ...judges.trust.languages import FIRST, SECOND, ComparedPairs, LanguagesCheck
from ...metrics.equivalence import Equivalence
from ..blocks import Bullets, Page, Section, Table, columns

_LEGEND = (
    (
        "A difference is zh less en, of pairs that say the same thing. Equivalent: the 90 % "
        "interval lies within ± the margin (two one-sided tests at 0.05); different: it lies "
        "outside 0. Neither: there are too few pairs to tell. No difference found is not "
        "equivalence."
    ),
    (
        "The margin is stated before the result is seen and stays on it. It holds for the score, "
        "0 to 5; of another outcome it is the same share of its scale."
    ),
    (
        "Power: the chance to show equivalence if there is no difference at all, at the spread "
        "seen and this number of clusters; and the largest true difference with which that chance"
        " is still 80 %."
    ),
    "Pairs of one question are a cluster.",
)


def page(check: LanguagesCheck) -> Page:
    """The check as a page."""
    whole = [row for row in check.pairs if not row.group]
    by_category = [row for row in check.pairs if row.group]
    return Page(
        title=f"Languages: {FIRST} less {SECOND}, within ± {number(check.margin)}",
        blocks=(
            Bullets(tuple(_findings(check))),
            Section("Overall", (_table(whole),)),
            Section("By category", (_table(by_category, brief=False),)),
            Section("How to read this", (Bullets(_LEGEND),), screen=False),
        ),
    )


def _findings(check: LanguagesCheck) -> Iterator[str]:
    stated = "the default" if check.margin == check.default_margin else "given"
    yield f"Margin, stated before: ± {number(check.margin)} on the score of 0 to 5 ({stated})."
    if check.margins_before:
        past = ", ".join(map(number, check.margins_before))
        yield f"CHANGED: this was tested before with the margin {past}; the result was known."
    for row in check.primary:
        yield f"{row.subject}, {row.outcome}: {_standing(row.test)}. {_power(row.test)}"
    for why, many in check.left_out.items():
        yield f"Left out, {count(many)} answers: {why}."


def _standing(test: Equivalence) -> str:
    difference = test.estimate
    if difference.value is None:
        return "not known, no pair is scored"
    if test.shown is None:
        return f"not known: {difference.method}"
    limits = interval(difference.low, difference.high, signs=True)
    shown = f"{signed(difference.value)} {limits} (90 %), equivalence {p_sentence(test.p)}"
    if test.shown:
        return f"equivalent: {shown}"
    if (difference.low or 0.0) > 0 or (difference.high or 0.0) < 0:
        return f"NOT shown to be equivalent, and different: {shown}"
    return f"NOT shown to be equivalent: {shown}"


def _power(test: Equivalence) -> str:
    power = test.power
    if power is None:
        return "Power: not known, the differences have no spread."
    largest = f"up to a true difference of {number(power.largest)}" if power.largest else "never"
    return (
        f"Power with {count(test.clusters)} clusters: {percent(power.at_zero)} if there is no "
        f"difference, 80 % {largest}; 80 % would need a margin of {number(power.margin)}."
    )


def _table(rows: Sequence[ComparedPairs], *, brief: bool = True) -> Table:
    named = ("pairs of", "outcome", "category", FIRST, SECOND)
    tested = ("difference", "90 % interval", "n", "unscored", "clusters", "margin", "p")
    names = (*named, *tested, "equivalent", "power at 0", "80 % up to")
    return Table(columns(*names, texts=3), tuple(map(_row, rows)), brief=brief)


def _row(row: ComparedPairs) -> tuple[str, ...]:
    test = row.test
    return (
        row.subject,
        row.outcome,
        row.member,
        *map(number, row.means),
        *estimate(test.estimate, signs=True).cells,
        count(test.clusters),
        number(test.margin),
        p_value(test.p),
        {True: "yes", False: "NO", None: "not known"}[test.shown],
        percent(test.power.at_zero if test.power else None),
        number(test.power.largest if test.power else None),
    )
