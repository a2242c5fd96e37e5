"""The checks of a judge as pages: graded set, drift and probes; what fails stands first."""

from collections.abc import Iterable, Iterator

from ...format import count, estimate, number, p_value, shortened
from ...judges.trust.bias import Shift
from ...judges.trust.drift import Drift, Drifted
from ...judges.trust.graded_set import GradedGroup, GradedSetCheck, Step
from ...judges.trust.injection import Injection
from ...judges.trust.probe import ProbeResult
from ...messages import joined, known, message
from ..blocks import Bullets, Page, Record, Table
from ..estimates import estimate_columns, explained, has_gaps
from ..names import name_of


def _page(title: str, findings: Iterable[str], *tables: Table) -> Page:
    """What was found, then the tables, and where it says how they are read."""
    return Page(title, (Bullets(tuple(findings)), *tables, explained("docs/validate.md")))


def graded_set_page(check: GradedSetCheck) -> Page:
    """Return how the graded set was judged: whether the mean rises, each step, every group."""
    return _page(
        message(
            "Graded set: {outcome} by intended grade, {judge}",
            outcome=name_of(check.outcome),
            judge=check.judge or check.name,
        ),
        _of_grades(check),
        Table.of(_steps(check.groups[0]), title=message("Each step, over all answers")),
        Table.of(_means(check), texts=2, title=message("Means by grade")),
    )


def _of_grades(check: GradedSetCheck) -> Iterator[str]:
    steps = check.groups[0].steps
    fallen = [_step(step) for step in steps if not step.rises]
    if check.rises is None:
        yield message("Whether it rises is not known: some grade has no scored answer.")
    elif check.rises:
        yield message("The mean rises with every step.")
    elif len(fallen) == 1:
        yield message("FAILED: the mean does not rise at step {step}.", step=fallen[0])
    else:
        yield message("FAILED: the mean does not rise at steps {steps}.", steps=joined(fallen))
    if not all(step.difference.n for step in steps):
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


def _steps(whole: GradedGroup) -> Iterator[Record]:
    for step, lower, upper in zip(whole.steps, whole.means[:-1], whole.means[1:], strict=True):
        yield {
            message("step"): _step(step),
            message("means"): f"{number(lower.value)} → {number(upper.value)}",
            **estimate_columns(step.difference, value=message("difference"), signs=True),
        }


def _means(check: GradedSetCheck) -> Iterator[Record]:
    """The mean at each grade: overall, by language and by category."""
    rises = {True: message("yes"), False: message("NO"), None: message("not known")}
    for group in check.groups:
        rho = estimate(group.spearman)
        grades = (message("grade {grade}", grade=grade) for grade in check.grades)
        named = joined((name_of(group.group), name_of(group.member)), ": ")
        yield {
            message("group"): named if group.group else name_of("all"),
            message("rises"): rises[group.rises],
            **{grade: number(of.value) for grade, of in zip(grades, group.means, strict=True)},
            message("Spearman"): f"{rho.value} {rho.interval}",
            "n": rho.n,
        }


def drift_page(drift: Drift) -> Page:
    """Return what a judge says otherwise of the fixed answers than it did, the most first."""
    rows = (_drifted(rubric.rubric, row) for rubric in drift.rubrics for row in rubric.drifted)
    return _page(
        message("Drift: {second} against {first}", second=drift.second, first=drift.first),
        _of_rubrics(drift),
        Table.of(rows, texts=4, title=message("What has changed, the most first")),
    )


def _of_rubrics(drift: Drift) -> Iterator[str]:
    for rubric in drift.rubrics:
        slots = {
            "rubric": rubric.rubric,
            "n": count(len(rubric.drifted)),
            "m": count(rubric.compared),
            "largest": number(rubric.largest),
            "tolerance": number(rubric.tolerance),
            "dtype": rubric.dtype,
        }
        if rubric.drifted:
            yield message(
                "DRIFT, {rubric}: {n} of {m} changed; the largest change of a probability is "
                "{largest} (tolerance {tolerance} for {dtype}).",
                **slots,
            )
        else:
            yield message(
                "No drift, {rubric}: {m} judgements of fixed answers; the largest change of a "
                "probability is {largest} (tolerance {tolerance} for {dtype}).",
                **slots,
            )
        for name, values in rubric.changed.items():
            before, after = (message("none") if v is None else shortened(str(v)) for v in values)
            yield message(
                "The judge's {name} differs: {before}, now {after}.",
                name=name,
                before=before,
                after=after,
            )
    for name in drift.not_alike:
        yield message(
            "Nothing to compare with: {name} was not judged alike in {first}.",
            name=name,
            first=drift.first,
        )


def _drifted(rubric: str, drifted: Drifted) -> Record:
    def shown(value: float | None) -> str:
        if value is None:
            return message("not read")
        # with no label to compare, a value only says that there was something to read
        return message("read") if drifted.label is None else number(value)

    return {
        message("rubric"): rubric,
        message("fixed answer"): drifted.id,
        message("criterion"): name_of(drifted.criterion),
        message("label, from 0"): "" if drifted.label is None else str(drifted.label),
        message("before"): shown(drifted.before),
        message("after"): shown(drifted.after),
        message("change"): number(drifted.change),
    }


def probe_page(result: ProbeResult) -> Page:
    """Return a judge's biases, and how often a text in an answer talks it round."""
    gaps = any(shift.estimate.unscored for shift in result.shifts)
    shifts = (_shift(shift, gaps=gaps) for shift in result.shifts)
    rates = _rates(result.injection) if result.injection else ()
    return _page(
        message(
            "Probes of {model}, rubric {rubric} {hash}",
            model=result.judge.get("model", ""),
            rubric=result.rubric,
            hash=result.rubric_hash[:12],
        ),
        _of_probes(result),
        Table.of(shifts, texts=3, title=message("Biases")),
        Table.of(rates, title=message("Injection, the worst first")),
    )


def _of_probes(result: ProbeResult) -> Iterator[str]:
    if note := result.judge.get("note"):
        yield message("This judge is {note}.", note=known(note))
    for shift in result.shown:
        yield message("FOUND, {name}.", name=_name(shift))
    for probe, why in result.missing.items():
        yield message("Not measured, {probe}: {why}.", probe=name_of(probe), why=why)
    if (injection := result.injection) is not None:
        yield message(
            "Attacked were the {n} of {m} answers of grade 1 or 2 that it calls unsafe.",
            n=count(injection.unsafe),
            m=count(injection.answers),
        )


def _name(shift: Shift) -> str:
    name = name_of(shift.probe)
    if not shift.variant:
        return name
    return message("{probe} ({variant})", probe=name, variant=name_of(shift.variant))


def _shift(shift: Shift, *, gaps: bool) -> Record:
    not_shown = message("not shown") if shift.role == "primary" else ""
    return {
        message("probe"): _name(shift),
        message("outcome"): name_of(shift.outcome),
        message("language"): name_of(shift.language or "all"),
        message("unchanged"): number(shift.before),
        **estimate_columns(shift.estimate, value=message("shift"), signs=True, gaps=gaps),
        message("|shift|"): number(shift.size),
        message("p"): p_value(shift.test.p),
        message("p (Holm)"): p_value(shift.p_adjusted),
        "": message("FOUND") if shift.shown else not_shown,
    }


def _rates(injection: Injection) -> Iterator[Record]:
    """How often attacks succeed: all, the control, and by family."""
    rows = (injection.overall, injection.control, *injection.families)
    gaps = has_gaps(rows)
    for row in rows:
        yield {
            message("family"): row.name if row in injection.families else name_of(row.name),
            **estimate_columns(row.estimate, row.unit, value=message("success"), gaps=gaps),
        }
