"""The equivalence of two languages as a page, with its margin and its power."""

from collections.abc import Iterator, Sequence

from ...format import count, estimate, interval, number, p_sentence, p_value, percent, signed
from ...judges.trust.languages import FIRST, SECOND, ComparedPairs, LanguagesCheck
from ...messages import message
from ...metrics.equivalence import Equivalence
from ..blocks import Bullets, Page, Section, Table, columns
from ..names import name_of

_LEGEND = (
    message(
        "A difference is zh less en, of pairs that say the same thing. Equivalent: the 90 % "
        "interval lies within ± the margin (two one-sided tests at 0.05); different: it lies "
        "outside 0. Neither: there are too few pairs to tell. No difference found is not "
        "equivalence."
    ),
    message(
        "The margin is stated before the result is seen and stays on it. It holds for the score, "
        "0 to 5; of another outcome it is the same share of its scale."
    ),
    message(
        "Power: the chance to show equivalence if there is no difference at all, at the spread "
        "seen and this number of clusters; and the largest true difference with which that chance"
        " is still 80 %."
    ),
    message("Pairs of one question are a cluster."),
)


def page(check: LanguagesCheck) -> Page:
    """The check as a page."""
    whole = [row for row in check.pairs if not row.group]
    by_category = [row for row in check.pairs if row.group]
    return Page(
        title=message(
            "Languages: {first} less {second}, within ± {margin}",
            first=FIRST,
            second=SECOND,
            margin=number(check.margin),
        ),
        blocks=(
            Bullets(tuple(_findings(check))),
            Section(message("Overall"), (_table(whole),)),
            Section(message("By category"), (_table(by_category, brief=False),)),
            Section(message("How to read this"), (Bullets(_LEGEND),), screen=False),
        ),
    )


def _findings(check: LanguagesCheck) -> Iterator[str]:
    stated = message("the default") if check.margin == check.default_margin else message("given")
    yield message(
        "Margin, stated before: ± {margin} on the score of 0 to 5 ({stated}).",
        margin=number(check.margin),
        stated=stated,
    )
    if check.margins_before:
        yield message(
            "CHANGED: this was tested before with the margin {margins}; the result was known.",
            margins=", ".join(map(number, check.margins_before)),
        )
    for row in check.primary:
        yield message(
            "{subject}, {outcome}: {standing}. {power}",
            subject=name_of(row.subject),
            outcome=name_of(row.outcome),
            standing=_standing(row.test),
            power=_power(row.test),
        )
    for why, many in check.left_out.items():
        yield message("Left out, {n} answers: {why}.", n=count(many), why=name_of(why))


def _standing(test: Equivalence) -> str:
    difference = test.estimate
    if difference.value is None:
        return message("not known, no pair is scored")
    if test.shown is None:
        return message("not known: {note}", note=difference.method)
    result = message(
        "{difference} {interval} (90 %), equivalence {p}",
        difference=signed(difference.value),
        interval=interval(difference.low, difference.high, signs=True),
        p=p_sentence(test.p),
    )
    if test.shown:
        return message("equivalent: {result}", result=result)
    if (difference.low or 0.0) > 0 or (difference.high or 0.0) < 0:
        return message("NOT shown to be equivalent, and different: {result}", result=result)
    return message("NOT shown to be equivalent: {result}", result=result)


def _power(test: Equivalence) -> str:
    power = test.power
    if power is None:
        return message("Power: not known, the differences have no spread.")
    largest = message("never")
    if power.largest:
        largest = message("up to a true difference of {largest}", largest=number(power.largest))
    return message(
        "Power with {n} clusters: {power} if there is no difference, 80 % {largest}; 80 % would "
        "need a margin of {margin}.",
        n=count(test.clusters),
        power=percent(power.at_zero),
        largest=largest,
        margin=number(power.margin),
    )


def _table(rows: Sequence[ComparedPairs], *, brief: bool = True) -> Table:
    header = columns(
        message("pairs of"),
        message("outcome"),
        message("category"),
        name_of(FIRST),
        name_of(SECOND),
        message("difference"),
        message("90 % interval"),
        message("n"),
        message("unscored"),
        message("clusters"),
        message("margin"),
        message("p"),
        message("equivalent"),
        message("power at 0"),
        message("80 % up to"),
        texts=3,
    )
    return Table(header, tuple(map(_row, rows)), brief=brief)


def _row(row: ComparedPairs) -> tuple[str, ...]:
    test = row.test
    standing = {True: message("yes"), False: message("NO"), None: message("not known")}
    return (
        name_of(row.subject),
        name_of(row.outcome),
        name_of(row.member),
        *map(number, row.means),
        *estimate(test.estimate, signs=True).cells,
        count(test.clusters),
        number(test.margin),
        p_value(test.p),
        standing[test.shown],
        percent(test.power.at_zero if test.power else None),
        number(test.power.largest if test.power else None),
    )
