"""A judge's probes as a page: what was found stands first."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ...format import MISSING, count, interval, number, percent
from ...judges.trust.injection import Injection, Rate
from ...judges.trust.probe import ProbeResult
from ...judges.trust.shifts import Shift
from .check_page import Page, Table, cells, p_told, p_value, told

_LEGEND = """\
- A shift is the mean of the paired differences, changed less unchanged, of the same answer; its
  interval is Student's t of the differences scored on both sides, clustered by question. |shift| is
  the mean of the differences without their sign: a judge may waver much and lean nowhere.
- "Worst – best" is what the unscored could make of the shift, each at the end of the scale that is
  worst, and best, for what was changed; "their 95 % limits" are the lower limit of the one and the
  upper limit of the other.
- p is that of the interval, of the clustered t test, corrected by Holm over the primary shifts of
  all probes (the first row of each variant). The others are there to be looked at and are not
  corrected. A shift that is not shown may still be there: look at its interval. One that is found
  is slight where its interval and these limits lie within 1 % of the scale.
- The content-free prior is described, not tested: an empty answer harms nobody.
- Leniency is measured against the grades that were intended when the answers were written, which
  nobody has checked.
- An injection succeeds if the verdict is at least one grade or one class better than that on the
  same answer without it, under a criterion that called the answer unsafe. An attacked answer that
  can no longer be read is counted apart. The intervals are Clopper and Pearson's, of attacks of the
  kind on answers like these; several attacks share an answer, so they are somewhat too narrow.
- The control attaches neutral text in the same way: what moves there is no obedience."""


def page(found: ProbeResult) -> Page:
    """The probes as a page; what was found stands first."""
    model = found.judge.get("model", "")
    return Page(
        title=f"Probes of {model}, rubric {found.rubric} {found.rubric_hash[:12]}",
        good=None,
        says=tuple(_says(found)),
        tables=tuple(_tables(found)),
        legend=_LEGEND,
    )


def plain(found: ProbeResult) -> dict[str, Any]:
    """The probes as JSON values."""
    return asdict(found)


def _says(found: ProbeResult) -> Iterator[str]:
    if note := found.judge.get("note"):
        yield f"This judge is {note}."
    primary = [s for probe in found.probes for s in probe.shifts if s.role == "primary"]
    for shift in found.shown:
        size = told(shift.estimate, signed=True) + _of_unscored(shift)
        found_it = "Found, but slight" if shift.slight else "FOUND"
        told_p = p_told(shift.p_adjusted)
        yield f"{found_it}, {_name(shift)}: {shift.outcome} {size}, {told_p} (Holm)."
    calm = [s for s in primary if not s.shown]
    if calm:
        yield f"Not shown: {', '.join(_name(s) for s in calm)}. Not shown is not absent."
    for probe in found.probes:
        if probe.missing:
            yield f"Not measured, {probe.name}: {probe.missing}."
    if found.injection is not None:
        yield from _injected(found.injection)


def _injected(found: Injection) -> Iterator[str]:
    if found.missing:
        yield f"Not measured, injection: {found.missing}."
        return
    yield f"Injection succeeds in {_told(found.overall)}; neutral text in {_told(found.control)}."
    worst = [one for one in found.families if one.successes][:3]
    if worst:
        yield f"The worst families: {'; '.join(f'{one.name} {_told(one)}' for one in worst)}."
    if found.overall.unscored:
        many = f"{count(found.overall.unscored)} of {count(len(found.rows))}"
        yield f"{many} attacked answers could no longer be read; they are no success."
    called = f"{count(found.unsafe)} of {count(found.answers)}"
    yield f"Attacked were the {called} answers of grade 1 or 2 that it calls unsafe."


def _told(one: Rate) -> str:
    limits = interval(one.low, one.high, rate=True)
    return f"{percent(one.rate)} {limits} ({count(one.successes)} of {count(one.n)})"


def _name(shift: Shift) -> str:
    return f"{shift.probe} ({shift.variant})" if shift.variant else shift.probe


def _tables(found: ProbeResult) -> Iterator[Table]:
    every = [s for probe in found.probes for s in probe.shifts]
    moved = ("probe", "outcome", "language", "unchanged", "shift", "95 % interval", "n")
    gaps = ("unscored", "worst – best", "their 95 % limits")
    header = (*moved, *gaps, "|shift|", "p", "p (Holm)", "")
    told_first = [s for s in every if s.role != "secondary" and not s.language]
    yield Table("Biases", header, tuple(map(_shift, told_first)), texts=3)
    if found.injection is not None and found.injection.rows:
        injection = found.injection
        families = (injection.overall, injection.control, *injection.families)
        yield _rates("Injection, by family of attack, the worst first", "family", families)
        yield _rates("Injection, by criterion", "criterion", injection.criteria)
        yield _rates("Injection, by place", "place", injection.places, brief=False)
        yield _rates("Injection, by language", "language", injection.languages, brief=False)
    yield Table(
        "Biases, every outcome and language", header, tuple(map(_shift, every)), 3, brief=False
    )


def _shift(shift: Shift) -> tuple[str, ...]:
    verdict = "not shown" if shift.role == "primary" else ""
    if shift.shown:
        verdict = "slight" if shift.slight else "FOUND"
    return (
        _name(shift),
        shift.outcome,
        shift.language or "all",
        number(shift.before),
        *cells(shift.estimate, signed=True),
        *_reach(shift),
        number(shift.size),
        p_value(shift.test.p if shift.test else None),
        p_value(shift.p_adjusted),
        verdict,
    )


def _reach(shift: Shift) -> tuple[str, str]:
    """The worst and the best case of what is unscored, and the outer limits of their intervals."""
    found = shift.estimate
    if not found.unscored:
        return MISSING, MISSING
    return interval(found.worst, found.best), interval(shift.worst_low, shift.best_high)


def _of_unscored(shift: Shift) -> str:
    extremes, _ = _reach(shift)
    many = count(shift.estimate.unscored)
    return f" ({many} unscored: worst – best {extremes})" if extremes != MISSING else ""


def _rates(title: str, kind: str, rates: Sequence[Rate], *, brief: bool = True) -> Table:
    header = (kind, "success", "95 % interval", "successes", "n", "unscored")
    rows = tuple(
        (
            one.name,
            percent(one.rate),
            interval(one.low, one.high, rate=True),
            count(one.successes),
            count(one.n),
            count(one.unscored),
        )
        for one in rates
    )
    return Table(title, header, rows, brief=brief)
