"""What several judges have in common, as a page."""

from collections.abc import Iterator, Mapping, Sequence

from ...format import count, estimate, number
from ...judges.trust.judges_agree import RESIDUALS, VERDICTS, JudgesCheck, SharedErrors
from ...messages import joined, message
from ...metrics.estimate import Statistic
from ...metrics.judges_agree import ALL
from ..blocks import Bullets, Page, Section, Table, columns
from ..names import name_of

_ESTIMATE = (message("95 % interval"), message("n"), message("unscored"))
_LEGEND = (
    message(
        "κ is Cohen's, of the likeliest labels; quadratic weights count a disagreement by the "
        "square of its distance. α is Krippendorff's, ordinal, of all judges. Their intervals are"
        " bootstrap intervals over questions, that of the agreement is Wilson's."
    ),
    message(
        "The effective number of judges, n / (1 + (n − 1)ρ), is the number of judges with "
        "independent errors whose mean would be as good. It is between 1 and n: where ρ is below "
        "0 errors cancel out, and the judges count as independent. ρ is the mean correlation of "
        "two judges' errors; a bias that a judge has throughout is not in it, and stands in the "
        "column bias."
    ),
    message(
        "Against people's labels or intended grades, an error is the value less the label; for "
        "the score, which is on no scale of grades, the value less the judge's own mean at that "
        "grade. Intended grades are what was meant when the answers were written; what is wrong "
        "with one of them counts as an error that all judges share, and makes the effective "
        "number too small."
    ),
    message(
        "With no reference the effective number from the values is a lower bound (if errors do "
        "not hang on what is true): judges that see the same truth agree on it. Residuals from "
        "the judges' mean tell only who is closer to whom; their mean correlation is −1/(n − 1) "
        "by construction."
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
            Section(message("Correlated errors"), (_errors(check, residuals=False),)),
            Section(message("Who is closer to whom"), (_errors(check, residuals=True),)),
            Section(message("Bias, the value less the label"), (_biases(check),)),
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
    for errors in check.errors:
        if errors.reference != RESIDUALS:
            yield message(
                "{outcome}, by {reference}: {worth}.",
                outcome=name_of(errors.outcome),
                reference=name_of(errors.reference),
                worth=_worth(errors, judges=count(len(check.judges))),
            )
    if check.reference == "none":
        yield message(
            "No reference: whether they err together is not known. Give people's labels with "
            "--labels, or judge the graded set."
        )
    if check.disagreements:
        items = joined(each.item_id for each in check.disagreements[:5])
        yield message("They differ most on: {items}.", items=items)


def _worth(errors: SharedErrors, *, judges: str) -> str:
    """How many independent judges they are worth."""
    of_all = {each.name: each.estimate for each in errors.statistics if each.member == ALL}
    effective, correlation = of_all["effective_number"], of_all["error_correlation"]
    if effective.value is None:
        return message(
            "not known how many they are worth: some judge makes no error, or the same one "
            "throughout"
        )
    slots = {"n": number(effective.value), "judges": judges}
    worth = message("they are worth {n} of {judges} judges", **slots)
    if errors.reference == VERDICTS:
        worth = message("they are worth at least {n} of {judges} judges", **slots)
    slots = {
        "worth": worth,
        "estimate": estimate(effective).sentence,
        "rho": estimate(correlation).sentence,
    }
    # the mean correlation is cut off at 0 in the formula, which a reader could take for a mistake
    if correlation.value is not None and correlation.value < 0:
        return message(
            "{worth} ({estimate}; ρ {rho}; below 0, errors cancel out, which counts as "
            "independent)",
            **slots,
        )
    return message("{worth} ({estimate}; ρ {rho})", **slots)


def agreement_table(agreement: Mapping[str, Sequence[Statistic]], who: str) -> Table:
    """Per criterion how each pair agrees, and all of them: raters or judges, as `who` says."""
    rows = tuple(
        (
            name_of(criterion),
            _who(each),
            name_of(each.name),
            *estimate(each.estimate, each.unit).cells,
        )
        for criterion, statistics in agreement.items()
        for each in statistics
    )
    header = (message("criterion"), who, message("statistic"), message("value"), *_ESTIMATE)
    return Table(columns(*header, texts=3), rows)


def _who(statistic: Statistic) -> str:
    return name_of(ALL) if statistic.member == ALL else statistic.member


def _errors(check: JudgesCheck, *, residuals: bool) -> Table:
    header = columns(
        message("outcome"),
        message("errors by"),
        message("judges"),
        message("value"),
        *_ESTIMATE,
        texts=3,
    )
    rows = tuple(
        (
            name_of(errors.outcome),
            name_of(errors.reference),
            _errors_name(each, lower_bound=errors.reference == VERDICTS),
            *estimate(each.estimate).cells,
        )
        for errors in check.errors
        if (errors.reference == RESIDUALS) is residuals
        for each in errors.statistics
        if each.group == "pair"
    )
    return Table(header, rows, brief=not residuals)


def _errors_name(statistic: Statistic, *, lower_bound: bool) -> str:
    if statistic.name != "effective_number":
        return message("mean ρ") if statistic.member == ALL else statistic.member
    if lower_bound:
        return message("effective number (lower bound)")
    return message("effective number")


def _biases(check: JudgesCheck) -> Table:
    rows = tuple(
        (name_of(errors.outcome), each.member, *estimate(each.estimate, signs=True).cells)
        for errors in check.errors
        for each in errors.statistics
        if each.name == "bias"
    )
    header = (message("outcome"), message("judge"), message("bias"), *_ESTIMATE)
    return Table(columns(*header, texts=2), rows)


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
