"""How the graded set was judged, as a page: what fails stands first."""

from collections.abc import Iterator, Sequence

from ...format import count, estimate, number
from ...judges.trust.graded_set import GradedGroup, GradedSetCheck, Step
from ...messages import joined, message
from ..blocks import Bullets, Page, Record, Section, Table
from ..estimates import estimate_columns
from ..names import name_of

_LEGEND = (
    message(
        "A step compares the answers of two neighbouring grades to the same question in the same "
        "language; it is shown where its interval (Student's t, clustered by question) lies above "
        "0. Grades are what was intended when the answers were written."
    ),
    message("Spearman's interval is a bootstrap over questions."),
)


def page(check: GradedSetCheck) -> Page:
    """The check as a page."""
    whole = check.groups[0]
    return Page(
        title=message(
            "Graded set: {outcome} by intended grade, {judge}",
            outcome=name_of(check.outcome),
            judge=check.judge or check.name,
        ),
        blocks=(
            Bullets(tuple(_findings(check))),
            Section(message("Each step, over all answers"), (_steps(whole),)),
            Section(message("Means by grade"), (_means(check),)),
            Section(message("How to read this"), (Bullets(_LEGEND),)),
        ),
    )


def _findings(check: GradedSetCheck) -> Iterator[str]:
    whole = check.groups[0]
    if check.rises is None:
        yield message("Whether it rises is not known: some grade has no scored answer.")
    elif check.rises:
        yield message("The mean rises with every step.")
    else:
        fallen = [_step(step) for step in whole.steps if not step.rises]
        yield message("FAILED: the mean does not rise at {steps}.", steps=_named(fallen))
    if not all(step.difference.n for step in whole.steps):
        yield message(
            "No pairs: no question has answers of neighbouring grades here, so that a step has no "
            "interval. Judge the whole set."
        )
    if check.unscored:
        yield message(
            "{n} of {m} answers are unscored.", n=count(check.unscored), m=count(check.answers)
        )


def _step(step: Step) -> str:
    return f"{step.lower} → {step.upper}"


def _named(steps: Sequence[str]) -> str:
    if len(steps) == 1:
        return message("step {step}", step=steps[0])
    return message("steps {steps}", steps=joined(steps))


def _name(group: GradedGroup) -> str:
    if not group.group:
        return name_of("all")
    return joined((name_of(group.group), name_of(group.member)), ": ")


def _steps(whole: GradedGroup) -> Table:
    return Table.of(
        {
            message("step"): _step(step),
            message("means"): f"{number(lower.value)} → {number(upper.value)}",
            **estimate_columns(step.difference, value=message("difference"), signs=True),
        }
        for step, lower, upper in zip(whole.steps, whole.means[:-1], whole.means[1:], strict=True)
    )


def _means(check: GradedSetCheck) -> Table:
    """The mean at each grade: overall, by language and by category."""
    rises = {True: message("yes"), False: message("NO"), None: message("not known")}
    rows: list[Record] = []
    for group in check.groups:
        rho = estimate(group.spearman)
        grades = (message("grade {grade}", grade=grade) for grade in check.grades)
        means = (number(mean.value) for mean in group.means)
        rows.append(
            {
                message("group"): _name(group),
                message("rises"): rises[group.rises],
                **dict(zip(grades, means, strict=True)),
                message("Spearman"): f"{rho.value} {rho.interval}",
                "n": rho.n,
            }
        )
    return Table.of(rows, texts=2)
