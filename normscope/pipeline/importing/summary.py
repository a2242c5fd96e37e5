"""What was matched, in sentences: for whoever imports answers, before anything is written."""

from collections.abc import Iterator

import pyarrow.compute as pc

from ...format import count
from ...messages import message
from .match import Matched
from .target import Target

_MOST = 12


def summary(matched: Matched, target: Target) -> Iterator[str]:
    """How many answers to what there are, and what of them is not the benchmark's."""
    answers = matched.answers
    nothing, failed = pc.is_null(answers["answer"]), 0
    if "failed" in answers.column_names:
        nothing = pc.and_(nothing, pc.invert(answers["failed"]))
        failed = pc.sum(answers["failed"]).as_py()
    yield message(
        "{benchmark}: {n} answers to {k} of {m} items, {nothing} of them no valid answer",
        benchmark=target.name,
        n=count(len(answers)),
        k=count(pc.count_distinct(answers["item_id"]).as_py()),
        m=count(len(target.ids)),
        nothing=count(pc.sum(nothing).as_py() or 0),
    )
    if failed:
        yield message("calls that failed, and are unscored: {n}", n=count(failed))
    if matched.reworded:
        yield message(
            "answers to prompts in other words than the benchmark's, matched by item: {n}",
            n=count(matched.reworded),
        )
    if target.variants:
        variants = answers["variant_id"].unique().to_pylist()
        asked = [name for name in variants if name in target.variants]
        yield message(
            "prompt variants: {n} of {m} ({names})",
            n=len(asked),
            m=len(target.variants),
            names=_named(asked),
        )
        if other := [name for name in variants if name not in target.variants]:
            yield message(
                "prompt variants that are none of the benchmark's: {names}; in which words they "
                "asked is not known",
                names=_named(other),
            )
    if target.orders:
        orders = answers["scale_order"].unique().to_pylist()
        yield message("orders of the answers: {names}", names=_named(orders))
        if other := [name for name in orders if name not in target.orders]:
            yield message(
                "orders that are none of the benchmark's: {names}; how they list the answers is "
                "not known",
                names=_named(other),
            )
    if matched.empty:
        yield message(
            "columns without any answer, taken for prompts that were not asked: {names}",
            names=_named(matched.empty),
        )


def _named(names: list[str] | tuple[str, ...]) -> str:
    more = ", …" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more if names else "–"
