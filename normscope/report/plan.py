"""What a run will take and tell, as a page: before anything of it is done."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..format import count, number, scale_end
from ..messages import Language, joined, message, translate
from ..metrics.intervals import RATE
from ..pipeline.planning.plan import Plan, StagePlan
from ..pipeline.planning.precision import Precision
from ..pipeline.planning.ranges import Range
from .blocks import Block, Caveat, Facts, Page, Paragraph, Row, Section, Table, columns
from .names import name_of

_STAGES = {
    "respond:labels": message("the model's labels"),
    "respond:texts": message("the model's replies"),
    "judge": message("the judge"),
    "judge:facts": message("the judge, fixed answers"),
}
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_THOUSAND = 1000


def page(plan: Plan) -> Page:
    """The page of a plan."""
    blocks = (*_taken(plan), _precision(plan), *(Caveat(each) for each in plan.caveats))
    return Page(message("What the run will take"), blocks, "plan")


def to_json(plan: Plan, language: Language = "en") -> str:
    """The plan as JSON for programs: seconds, bytes, tokens; ranges are lists."""
    shown = {
        "seconds": plan.seconds,
        "tokens": plan.tokens,
        "bytes": plan.bytes,
        "loading": plan.loading,
        "items": plan.items,
        "stages": [asdict(each) for each in plan.stages],
        "memory": [asdict(each) for each in plan.memory],
        "precision": [asdict(each) for each in plan.precision],
        "caveats": [translate(each, language) for each in plan.caveats],
    }
    return json.dumps(shown, ensure_ascii=False, indent=2)


def _taken(plan: Plan) -> Iterator[Block]:
    heads = columns(
        message("stage"),
        message("model"),
        message("prompts"),
        message("units"),
        message("tokens"),
        message("read once"),
        message("tokens written"),
        message("time"),
        texts=2,
    )
    yield Table(heads, tuple(map(_stage, plan.stages)))
    if not plan.stages:
        yield Paragraph(message("nothing is left to be done"))
    yield Facts(tuple(_facts(plan)))


def _stage(stage: StagePlan) -> Row:
    prompts = count(stage.rows)
    if stage.rows < stage.all_rows:
        prompts = message("{n} of {m}", n=prompts, m=count(stage.all_rows))
    if stage.written is None:
        written: str = message("at most {n}", n=_tokens(Range.exact(stage.most_written)))
    else:
        written = _tokens(stage.written)
    return (
        _STAGES.get(stage.stage, stage.stage),
        stage.model,
        prompts,
        count(stage.units),
        _tokens(stage.tokens.total),
        _tokens(stage.tokens.unique),
        written,
        message("not measured") if stage.seconds is None else _ranged(stage.seconds, duration),
    )


def _facts(plan: Plan) -> Iterator[tuple[str, str]]:
    if plan.seconds is not None and plan.loading is not None:
        loading = duration(plan.loading.value)
        yield (
            message("time"),
            message(
                "{time}, of it {loading} to load; then scores and report",
                time=_ranged(plan.seconds, duration),
                loading=loading,
            ),
        )
    yield message("tokens"), _tokens(plan.tokens)
    for memory in plan.memory:
        if memory.peak is not None:
            yield (
                message("memory, {model}", model=memory.model),
                message("{peak} at the peak of the calibration", peak=_bytes(memory.peak))
                if memory.weights is None
                else message(
                    "{peak} at the peak of the calibration, of it {weights} weights",
                    peak=_bytes(memory.peak),
                    weights=_bytes(memory.weights),
                ),
            )
    if plan.bytes is not None:
        yield message("disk"), message("{n} for journal and tables", n=_bytes(plan.bytes))


def _precision(plan: Plan) -> Block:
    heads = columns(
        message("benchmark"),
        message("statistic"),
        message("items"),
        message("independent"),
        message("± in the middle"),
        texts=2,
    )
    return Section(
        message("What it tells"),
        (
            Table(heads, tuple(map(_precise, plan.precision))),
            Paragraph(
                message(
                    "±: half the 95 % interval. Independent: items whose answers depend on no "
                    "other's, if those of a cluster are alike."
                ),
            ),
        ),
    )


def _precise(row: Precision) -> Row:
    rate = row.bounds == RATE
    statistic: str = name_of(row.statistic)
    if not rate:
        low, high = map(scale_end, row.bounds)
        statistic = message("{name} ({low} to {high})", name=statistic, low=low, high=high)
    points = message("{points} points", points=number(100 * row.half_width))
    return (
        row.benchmark,
        statistic,
        count(row.items),
        number(row.effective) if row.population is None else "–",
        points if rate else number(row.half_width),
    )


def _ranged(value: Range, shown: Any) -> str:
    text: str = shown(value.value)
    if value.is_exact or value.low is None or value.high is None:
        return text
    low, high = shown(value.low), shown(value.high)
    return text if low == high else joined((text, f"[{low} – {high}]"), " ")


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(7.2), duration(95), duration(9000), duration(200_000)
    ('7.2 s', '1 min 35 s', '2 h 30 min', '2 d 7 h')
    """
    whole = round(seconds)
    if seconds < _MINUTE:
        return f"{seconds:.2g} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    if whole < _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
    return f"{whole // _DAY} d {whole % _DAY // _HOUR} h"


def _tokens(value: Range) -> str:
    return _ranged(value, lambda n: _scaled(n, ("", "k", "M", "G")))


def _bytes(value: float) -> str:
    return f"{_scaled(value, (' B', ' kB', ' MB', ' GB'))}"


def _scaled(value: float, units: tuple[str, ...]) -> str:
    """A count with the largest unit that it has.

    >>> _scaled(999, ("", "k")), _scaled(12_345, ("", "k"))
    ('999', '12.3k')
    """
    for unit in units[:-1]:
        if value < _THOUSAND:
            return f"{number(value) if unit.strip(' B') else round(value)}{unit}"
        value /= _THOUSAND
    return f"{number(value)}{units[-1]}"
