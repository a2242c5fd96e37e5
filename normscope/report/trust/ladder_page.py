"""The check of the ladder as a page: what fails stands first."""

from collections import Counter
from collections.abc import Sequence

from ...format import count, number
from ...judges.trust.graded_set import CROSSED, LadderCheck, Part, Step
from .check_page import Page, Table, cells, told

_BROAD = ("", "language", "category")
_LEGEND = """\
- A step compares the answers of two neighbouring grades to the same question in the same
  language; its interval is Student's t of the differences, robust to clusters (a question in both
  languages is one). Unscored answers widen it from their worst case to their best.
- The ladder rises where the mean of every grade is above that of the one below it; a step is
  shown where its interval lies above 0, and reversed where it lies below.
- Grades are what was intended when the answers were written: a judge that disagrees with one
  answer may be right, one that cannot tell the bottom from the top is not.
- Spearman's interval is a bootstrap over questions.
"""


def page(found: LadderCheck) -> Page:
    """The check as a page; what fails stands first."""
    whole = found.parts[0]
    return Page(
        title=f"The ladder: {found.outcome} by intended grade, {found.judge or found.name}",
        good=found.rises,
        says=tuple(_says(found)),
        tables=(
            _steps_table(whole),
            _parts_table("Means by grade", found, _BROAD),
            _parts_table("Means by grade, category × language", found, (CROSSED,), brief=False),
            Table(
                "Every step of every group",
                ("group", "step", "difference", "95 % interval", "n", "unscored"),
                tuple(
                    (_name(part), f"{s.lower} → {s.upper}", *cells(s.difference, signed=True))
                    for part in found.parts[1:]
                    for s in part.steps
                ),
                texts=2,
                brief=False,
            ),
            _inversions_table(found),
        ),
        legend=_LEGEND,
    )


def _says(found: LadderCheck) -> list[str]:
    whole, says = found.parts[0], []
    if found.rises is None:
        says.append("Whether it rises is not known: some grade has no scored answer.")
    elif found.rises:
        says.append("The mean rises with every step.")
    else:
        fallen = [f"{s.lower} → {s.upper}" for s in whole.steps if not s.rises]
        says.append(f"FAILED: the mean does not rise at {_steps(len(fallen))} {', '.join(fallen)}.")
    if not all(step.difference.n for step in whole.steps):
        says.append(
            "No pairs: this slice has no question with answers of neighbouring grades, so that a "
            "step has no interval. Judge the whole ladder."
        )
    unsure = [s for s in whole.steps if s.rises and s.difference.n and (s.difference.low or 0) <= 0]
    if unsure:
        named = ", ".join(f"{s.lower} → {s.upper}" for s in unsure)
        says.append(f"Not shown, since the interval reaches 0: {_steps(len(unsure))} {named}.")
    for group in dict.fromkeys(part.group for part in found.parts if part.group):
        mine = [part for part in found.parts if part.group == group]
        bad = [part.member for part in mine if part.rises is False]
        if bad:
            many = f"{count(len(bad))} of {count(len(mine))}"
            says.append(f"By {group}, it does not rise throughout in {many}: {'; '.join(bad)}.")
        else:
            says.append(f"By {group}, it rises with every step in all {count(len(mine))}.")
    pairs = sum(step.difference.n for step in whole.steps)
    down = f"{count(len(found.inversions))} of {count(pairs)}"
    says.append(f"Inversions: {down} single steps go down.")
    says.append(f"Spearman's ρ with the grade: {told(whole.spearman)}.")
    if found.unscored:
        says.append(f"{count(found.unscored)} of {count(found.answers)} answers are unscored.")
    return says


def _steps(many: int) -> str:
    return "step" if many == 1 else "steps"


def _name(part: Part) -> str:
    return f"{part.group}: {part.member}" if part.group else "all"


def _steps_table(whole: Part) -> Table:
    rows = []
    for step, lower, upper in zip(whole.steps, whole.means[:-1], whole.means[1:], strict=True):
        means = f"{number(lower.value)} → {number(upper.value)}"
        rows.append(
            (
                f"{step.lower} → {step.upper}",
                means,
                *cells(step.difference, signed=True),
                _verdict(step),
            )
        )
    header = ("step", "means", "difference", "95 % interval", "n", "unscored", "")
    return Table("Each step, over all answers", header, tuple(rows))


def _verdict(step: Step) -> str:
    found = step.difference
    if found.low is None or found.high is None:
        return "not known"
    if found.low > 0:
        return "rises"
    return "FALLS" if found.high < 0 else "not shown" if step.rises else "does not rise"


def _parts_table(
    title: str, found: LadderCheck, groups: Sequence[str], *, brief: bool = True
) -> Table:
    rows = []
    for part in found.parts:
        if part.group not in groups:
            continue
        value, limits, *_ = cells(part.spearman)
        rises = {True: "yes", False: "NO", None: "not known"}[part.rises]
        means = (number(one.value) for one in part.means)
        rows.append((_name(part), rises, *means, f"{value} {limits}", count(part.spearman.n)))
    header = ("group", "rises", *(f"grade {grade}" for grade in found.grades), "Spearman", "n")
    return Table(title, header, tuple(rows), texts=2, brief=brief)


def _inversions_table(found: LadderCheck) -> Table:
    rows = tuple(
        (d.question, d.language, f"{d.lower} → {d.upper}", number(d.before), number(d.after))
        for d in found.inversions
    )
    most = Counter(f"{d.lower} → {d.upper}" for d in found.inversions).most_common()
    where = ", ".join(f"{count(many)} at {step}" for step, many in most)
    return Table(
        "Inversions, the deepest first",
        ("question", "language", "step", "before", "after"),
        rows,
        texts=3,
        note=f"By step: {where}." if where else "None.",
        brief=False,
    )
