"""What several judges have in common, as a page."""

from collections.abc import Iterator, Sequence

from ...format import count, number
from ...judges.trust.judges_agree import RESIDUALS, Errors, JudgesCheck
from ...metrics.judges_agree import ALL
from .check_page import Page, Table, cells, told

_LEGEND = """\
- κ is Cohen's, of the likeliest labels; `kappa_quadratic` weights a disagreement by the square of
  its distance. α is Krippendorff's, ordinal, of all judges. Their intervals are bootstrap intervals
  over questions, that of the agreement is Wilson's.
- The effective number of judges, n / (1 + (n − 1)ρ), is the number of judges with independent
  errors whose mean would be as good. It is between 1 and n: where ρ is below 0 errors cancel out,
  and the judges count as independent. ρ is the mean correlation of two judges' errors; a bias that
  a judge has throughout is not in it, and stands in the column bias.
- Against people's labels or intended grades, an error is the verdict less the label; for the
  score, which is on no scale of grades, the verdict less the judge's own mean at that grade.
  Intended grades are what was meant when the answers were written; what is wrong with one of them
  counts as an error that all judges share, and makes the effective number too small.
- With no reference the effective number from the verdicts is a lower bound (if errors do not hang
  on what is true): judges that see the same truth agree on it. Residuals from the judges' mean tell
  only who is closer to whom; their mean correlation is −1/(n − 1) by construction."""


def page(found: JudgesCheck) -> Page:
    """The check as a page."""
    rows = tuple(
        (
            one.item_id,
            one.language,
            one.category,
            number(one.spread),
            *(number(value) for value in one.values),
        )
        for one in found.disagreements
    )
    header = ("item", "language", "category", "apart", *found.judges)
    return Page(
        title=f"{count(len(found.judges))} judges of {found.model}",
        good=None,
        says=tuple(_says(found)),
        tables=(
            _agreement_table(found),
            _errors_table("Correlated errors", found.errors),
            _errors_table("Who is closer to whom", found.residuals, brief=False),
            _bias_table(found),
            Table(
                f"The answers on which they differ most, {found.outcome}",
                header,
                rows,
                3,
                brief=False,
            ),
        ),
        legend=_LEGEND,
    )


def _says(found: JudgesCheck) -> Iterator[str]:
    judges = ", ".join(found.judges)
    yield f"Judges: {judges}. Answers that all of them have: {count(found.items)}."
    for name, many in found.left_out.items():
        yield f"Left out, since another judge does not have them: {count(many)} of {name}."
    for criterion, table in found.agreement.items():
        alpha = next((row for row in table if row.member == ALL), None)
        if alpha is not None:
            yield f"{criterion}: α {told(alpha.estimate)}."
    for one in found.errors:
        effective, mean_of = one.correlated.effective, one.correlated.mean
        if effective.value is None:
            why = "some judge makes no error, or the same one throughout"
            yield f"{one.outcome}, by {one.reference}: not known how many they are worth: {why}."
            continue
        least = "at least " if one.lower_bound else ""
        worth = f"{least}{number(effective.value)} of {count(one.correlated.raters)} judges"
        told_of = f"{told(effective)}; ρ {told(mean_of)}"
        if mean_of.value is not None and mean_of.value < 0:
            told_of += "; below 0, errors cancel out, which counts as independent"
        yield f"{one.outcome}, by {one.reference}: they are worth {worth} ({told_of})."
    if found.reference == "none":
        yield (
            "No reference: whether they err together is not known. Give people's labels with "
            "--labels, or judge the ladder."
        )
    if found.disagreements:
        worst = ", ".join(one.item_id for one in found.disagreements[:5])
        yield f"They differ most on: {worst}."


def _agreement_table(found: JudgesCheck) -> Table:
    rows = []
    for criterion, table in found.agreement.items():
        for row in table:
            rate = row.unit == "rate"
            rows.append((criterion, row.member, row.name, *cells(row.estimate, rate=rate)))
    header = ("criterion", "judges", "statistic", "value", "95 % interval", "n", "unscored")
    return Table("Agreement", header, tuple(rows), texts=3)


def _errors_table(title: str, errors: Sequence[Errors], *, brief: bool = True) -> Table:
    rows = []
    for one in errors:
        named = one.outcome, one.reference
        rows += [(*named, pair.member, *cells(pair.estimate)) for pair in one.correlated.pairs]
        rows.append((one.outcome, one.reference, "mean ρ", *cells(one.correlated.mean)))
        if one.reference != RESIDUALS:
            name = "effective number" + (" (lower bound)" if one.lower_bound else "")
            rows.append((one.outcome, one.reference, name, *cells(one.correlated.effective)))
    header = ("outcome", "errors by", "judges", "value", "95 % interval", "n", "unscored")
    return Table(title, header, tuple(rows), texts=3, brief=brief)


def _bias_table(found: JudgesCheck) -> Table:
    rows = tuple(
        (one.outcome, name, *cells(bias, signed=True))
        for one in found.errors
        for name, bias in one.biases.items()
    )
    header = ("outcome", "judge", "bias", "95 % interval", "n", "unscored")
    return Table("Bias, the verdict less the label", header, rows, texts=2)
