"""What several judges have in common, as a page."""

from collections.abc import Iterator, Mapping, Sequence

from ...format import count, estimate, number
from ...judges.trust.judges_agree import RESIDUALS, VERDICTS, JudgesCheck
from ...metrics.estimate import Estimate, Statistic
from ...metrics.judges_agree import ALL
from ..blocks import Bullets, Page, Section, Table, columns
from ..names import name_of

_ESTIMATE = ("95 % interval", "n", "unscored")
_LEGEND = (
    (
        "κ is Cohen's, of the likeliest labels; quadratic weights count a disagreement by the "
        "square of its distance. α is Krippendorff's, ordinal, of all judges. Their intervals are"
        " bootstrap intervals over questions, that of the agreement is Wilson's."
    ),
    (
        "The effective number of judges, n / (1 + (n − 1)ρ), is the number of judges with "
        "independent errors whose mean would be as good. It is between 1 and n: where ρ is below "
        "0 errors cancel out, and the judges count as independent. ρ is the mean correlation of "
        "two judges' errors; a bias that a judge has throughout is not in it, and stands in the "
        "column bias."
    ),
    (
        "Against people's labels or intended grades, an error is the value less the label; for "
        "the score, which is on no scale of grades, the value less the judge's own mean at that "
        "grade. Intended grades are what was meant when the answers were written; what is wrong "
        "with one of them counts as an error that all judges share, and makes the effective "
        "number too small."
    ),
    (
        "With no reference the effective number from the values is a lower bound (if errors do "
        "not hang on what is true): judges that see the same truth agree on it. Residuals from "
        "the judges' mean tell only who is closer to whom; their mean correlation is −1/(n − 1) "
        "by construction."
    ),
)


def page(check: JudgesCheck) -> Page:
    """The check as a page."""
    closest = f"The answers on which they differ most, {check.outcome}"
    return Page(
        title=f"{count(len(check.judges))} judges of {check.model}",
        blocks=(
            Bullets(tuple(_findings(check))),
            Section("Agreement", (agreement_table(check.agreement, "judges"),)),
            Section("Correlated errors", (_errors(check, residuals=False),)),
            Section("Who is closer to whom", (_errors(check, residuals=True),)),
            Section("Bias, the value less the label", (_biases(check),)),
            Section(closest, (_disagreements(check),)),
            Section("How to read this", (Bullets(_LEGEND),), screen=False),
        ),
    )


def _findings(check: JudgesCheck) -> Iterator[str]:
    judges = ", ".join(check.judges)
    yield f"Judges: {judges}. Answers that all of them have: {count(check.items)}."
    for name, many in check.left_out.items():
        yield f"Left out, since another judge does not have them: {count(many)} of {name}."
    for criterion, statistics in check.agreement.items():
        alpha = next((each for each in statistics if each.member == ALL), None)
        if alpha is not None:
            yield f"{criterion}: α {estimate(alpha.estimate).sentence}."
    for errors in check.errors:
        of_all = {each.name: each.estimate for each in errors.statistics if each.member == ALL}
        if errors.reference != RESIDUALS:
            worth = _worth(
                of_all["effective_number"],
                of_all["error_correlation"],
                judges=count(len(check.judges)),
                least="at least " if errors.reference == VERDICTS else "",
            )
            yield f"{errors.outcome}, by {errors.reference}: {worth}."
    if check.reference == "none":
        yield (
            "No reference: whether they err together is not known. Give people's labels with "
            "--labels, or judge the graded set."
        )
    if check.disagreements:
        worst = ", ".join(each.item_id for each in check.disagreements[:5])
        yield f"They differ most on: {worst}."


def _worth(effective: Estimate, correlation: Estimate, *, judges: str, least: str) -> str:
    """How many independent judges they are worth."""
    if effective.value is None:
        return (
            "not known how many they are worth: some judge makes no error, or the same one "
            "throughout"
        )
    worth = f"{least}{number(effective.value)} of {judges} judges"
    shown = f"{estimate(effective).sentence}; ρ {estimate(correlation).sentence}"
    if correlation.value is not None and correlation.value < 0:
        shown += "; below 0, errors cancel out, which counts as independent"
    return f"they are worth {worth} ({shown})"


def agreement_table(agreement: Mapping[str, Sequence[Statistic]], who: str) -> Table:
    """Per criterion how each pair agrees, and all of them: raters or judges, as `who` says."""
    rows = tuple(
        (criterion, each.member, name_of(each.name), *estimate(each.estimate, each.unit).cells)
        for criterion, statistics in agreement.items()
        for each in statistics
    )
    return Table(columns("criterion", who, "statistic", "value", *_ESTIMATE, texts=3), rows)


def _errors(check: JudgesCheck, *, residuals: bool) -> Table:
    header = columns("outcome", "errors by", "judges", "value", *_ESTIMATE, texts=3)
    rows = tuple(
        (
            errors.outcome,
            errors.reference,
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
    if statistic.name == "effective_number":
        return "effective number (lower bound)" if lower_bound else "effective number"
    return "mean ρ" if statistic.member == ALL else statistic.member


def _biases(check: JudgesCheck) -> Table:
    rows = tuple(
        (errors.outcome, each.member, *estimate(each.estimate, signs=True).cells)
        for errors in check.errors
        for each in errors.statistics
        if each.name == "bias"
    )
    return Table(columns("outcome", "judge", "bias", *_ESTIMATE, texts=2), rows)


def _disagreements(check: JudgesCheck) -> Table:
    rows = tuple(
        (each.item_id, each.language, each.category, number(each.spread), *map(number, each.values))
        for each in check.disagreements
    )
    header = columns("item", "language", "category", "apart", *check.judges, texts=3)
    return Table(header, rows, brief=False)
