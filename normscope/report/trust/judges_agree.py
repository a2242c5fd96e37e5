"""How several judges of the same answers agree, as a page."""

from collections.abc import Iterator, Mapping, Sequence

from ...format import count, estimate, number
from ...judges.trust.judges_agree import JudgesCheck
from ...messages import joined, message
from ...metrics.estimate import Statistic
from ...metrics.judges_agree import ALL
from ..blocks import Bullets, Page, Section, Table, columns
from ..names import name_of

_LEGEND = (
    message(
        "κ is Cohen's, of the likeliest labels; quadratic weights count a disagreement by the "
        "square of its distance. α is Krippendorff's, ordinal, of all judges. Their intervals are"
        " bootstrap intervals over questions, that of the agreement is Wilson's."
    ),
)


def page(check: JudgesCheck) -> Page:
    """The check as a page."""
    most = message(
        "The answers on which they differ most, {outcome}", outcome=name_of(check.outcome)
    )
    return Page(
        title=message("{n} judges of {model}", n=count(len(check.judges)), model=check.model),
        blocks=(
            Bullets(tuple(_findings(check))),
            Section(message("Agreement"), (agreement_table(check.agreement, message("judges")),)),
            Section(most, (_disagreements(check),)),
            Section(message("How to read this"), (Bullets(_LEGEND),), screen=False),
        ),
    )


def _findings(check: JudgesCheck) -> Iterator[str]:
    yield message(
        "Judges: {judges}. Answers that all of them have: {n}.",
        judges=joined(check.judges),
        n=count(check.items),
    )
    for name, many in check.left_out.items():
        yield message(
            "Left out, since another judge does not have them: {n} of {name}.",
            n=count(many),
            name=name,
        )
    for criterion, statistics in check.agreement.items():
        alpha = next((each for each in statistics if each.member == ALL), None)
        if alpha is not None:
            yield message(
                "{criterion}: α {estimate}.",
                criterion=name_of(criterion),
                estimate=estimate(alpha.estimate).sentence,
            )
    if check.disagreements:
        items = joined(each.item_id for each in check.disagreements[:5])
        yield message("They differ most on: {items}.", items=items)


def agreement_table(agreement: Mapping[str, Sequence[Statistic]], who: str) -> Table:
    """Per criterion the agreement of each pair and of all: raters, judges, runs, as `who` says."""
    rows = tuple(
        (
            name_of(criterion),
            name_of(ALL) if each.member == ALL else each.member,
            name_of(each.name),
            *estimate(each.estimate, each.unit).cells,
        )
        for criterion, statistics in agreement.items()
        for each in statistics
    )
    header = (
        message("criterion"),
        who,
        message("statistic"),
        message("value"),
        message("95 % interval"),
        message("n"),
        message("unscored"),
    )
    return Table(columns(*header, texts=3), rows)


def _disagreements(check: JudgesCheck) -> Table:
    rows = tuple(
        (
            each.item_id,
            name_of(each.language),
            name_of(each.category),
            number(each.spread),
            *map(number, each.values),
        )
        for each in check.disagreements
    )
    header = columns(
        message("item"),
        message("language"),
        message("category"),
        message("apart"),
        *check.judges,
        texts=3,
    )
    return Table(header, rows, brief=False)
