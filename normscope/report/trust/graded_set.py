"""How the graded set was judged, as a page: what fails stands first."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...format import count, estimate, number
from ...judges.trust.graded_set import CROSSED, GradedGroup, GradedSetCheck, Step
from ..blocks import Bullets, Page, Paragraph, Section, Table, columns

_BROAD = ("", "language", "category")
_ESTIMATE = ("95 % interval", "n", "unscored")
_LEGEND = (
    (
        "A step compares the answers of two neighbouring grades to the same question in the same "
        "language; its interval is Student's t of the differences, robust to clusters (a question"
        " in both languages is one). Unscored answers widen it from their worst case to their "
        "best."
    ),
    (
        "The mean rises where that of every grade is above that of the one below it; a step is "
        "shown where its interval lies above 0, and reversed where it lies below."
    ),
    (
        "Grades are what was intended when the answers were written: a judge that disagrees with "
        "one answer may be right, one that cannot tell the bottom from the top is not."
    ),
    "Spearman's interval is a bootstrap over questions.",
)


def page(check: GradedSetCheck) -> Page:
    """The check as a page."""
    whole = check.groups[0]
    return Page(
        title=f"Graded set: {check.outcome} by intended grade, {check.judge or check.name}",
        blocks=(
            Bullets(tuple(_findings(check))),
            Section("Each step, over all answers", (_steps(whole),)),
            Section("Means by grade", (_means(check, _BROAD),)),
            Section(
                "Means by grade, category × language", (_means(check, (CROSSED,), brief=False),)
            ),
            Section("Every step of every group", (_every_step(check),)),
            Section("Inversions, the deepest first", _inversions(check)),
            Section("How to read this", (Bullets(_LEGEND),), screen=False),
        ),
    )


def _findings(check: GradedSetCheck) -> Iterator[str]:
    whole = check.groups[0]
    if check.rises is None:
        yield "Whether it rises is not known: some grade has no scored answer."
    elif check.rises:
        yield "The mean rises with every step."
    else:
        fallen = [f"{step.lower} → {step.upper}" for step in whole.steps if not step.rises]
        yield f"FAILED: the mean does not rise at {_steps_word(fallen)} {', '.join(fallen)}."
    if not all(step.difference.n for step in whole.steps):
        yield (
            "No pairs: this slice has no question with answers of neighbouring grades, so that a "
            "step has no interval. Judge the whole set."
        )
    unsure = [
        f"{step.lower} → {step.upper}"
        for step in whole.steps
        if step.rises and step.difference.n and (step.difference.low or 0) <= 0
    ]
    if unsure:
        named = ", ".join(unsure)
        yield f"Not shown, since the interval reaches 0: {_steps_word(unsure)} {named}."
    for dimension in dict.fromkeys(group.group for group in check.groups if group.group):
        groups = [group for group in check.groups if group.group == dimension]
        bad = [group.member for group in groups if group.rises is False]
        if bad:
            many = f"{count(len(bad))} of {count(len(groups))}"
            yield f"By {dimension}, it does not rise throughout in {many}: {'; '.join(bad)}."
        else:
            yield f"By {dimension}, it rises with every step in all {count(len(groups))}."
    pairs = sum(step.difference.n for step in whole.steps)
    down = f"{count(len(check.inversions))} of {count(pairs)}"
    yield f"Inversions: {down} single steps go down."
    yield f"Spearman's ρ with the grade: {estimate(whole.spearman).sentence}."
    if check.unscored:
        yield f"{count(check.unscored)} of {count(check.answers)} answers are unscored."


def _steps_word(steps: Sequence[str]) -> str:
    return "step" if len(steps) == 1 else "steps"


def _name(group: GradedGroup) -> str:
    return f"{group.group}: {group.member}" if group.group else "all"


def _steps(whole: GradedGroup) -> Table:
    rows = tuple(
        (
            f"{step.lower} → {step.upper}",
            f"{number(lower.value)} → {number(upper.value)}",
            *estimate(step.difference, signs=True).cells,
            _standing(step),
        )
        for step, lower, upper in zip(whole.steps, whole.means[:-1], whole.means[1:], strict=True)
    )
    return Table(columns("step", "means", "difference", *_ESTIMATE, ""), rows)


def _standing(step: Step) -> str:
    low, high = step.difference.low, step.difference.high
    if low is None or high is None:
        return "not known"
    if low > 0:
        return "rises"
    return "FALLS" if high < 0 else "not shown" if step.rises else "does not rise"


def _means(check: GradedSetCheck, dimensions: Sequence[str], *, brief: bool = True) -> Table:
    rows = []
    for group in check.groups:
        if group.group in dimensions:
            rho = estimate(group.spearman)
            rises = {True: "yes", False: "NO", None: "not known"}[group.rises]
            means = (number(mean.value) for mean in group.means)
            rows.append((_name(group), rises, *means, f"{rho.value} {rho.interval}", rho.n))
    grades = (f"grade {grade}" for grade in check.grades)
    return Table(
        columns("group", "rises", *grades, "Spearman", "n", texts=2), tuple(rows), brief=brief
    )


def _every_step(check: GradedSetCheck) -> Table:
    rows = tuple(
        (
            _name(group),
            f"{step.lower} → {step.upper}",
            *estimate(step.difference, signs=True).cells,
        )
        for group in check.groups[1:]
        for step in group.steps
    )
    return Table(columns("group", "step", "difference", *_ESTIMATE, texts=2), rows, brief=False)


def _inversions(check: GradedSetCheck) -> tuple[Paragraph | Table, ...]:
    # a judge that confuses two neighbouring grades is another matter than one without an order
    steps = [f"{each.lower} → {each.upper}" for each in check.inversions]
    most = Counter(steps).most_common()
    where = ", ".join(f"{count(many)} at {step}" for step, many in most)
    rows = tuple(
        (each.question, each.language, step, number(each.before), number(each.after))
        for each, step in zip(check.inversions, steps, strict=True)
    )
    header = columns("question", "language", "step", "before", "after", texts=3)
    summary = f"By step: {where}." if where else "None."
    return Table(header, rows, brief=False), Paragraph(summary, note=True)
