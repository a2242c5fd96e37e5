"""What moves an answer to a vignette: its prompt variant, the order of the scale, or both."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..format import percent
from ..messages import message
from ..metrics.estimate import Statistic
from ..metrics.facets import (
    AGAIN,
    CHANGE,
    COMPONENT,
    FACET,
    HALF_SQUARE,
    ORDER,
    RESIDUAL,
    SHARE,
    VARIANT,
    VIGNETTE,
    Term,
)
from ..metrics.groups import CROSS
from ..metrics.norms import ACCEPTABILITY
from ..palette import VARIANCE
from ..records.judgements import Judgements
from .blocks import Block, Chart, Details, Paragraph, Table
from .charts import Bars, Heatmap
from .estimates import about, counted_table
from .names import name_of

_TERMS = (
    VIGNETTE,
    VARIANT,
    CROSS.join((VIGNETTE, VARIANT)),
    ORDER,
    CROSS.join((VIGNETTE, ORDER)),
    CROSS.join((VARIANT, ORDER)),
    CROSS.join((VIGNETTE, VARIANT, ORDER)),
    # a bar has one of the two
    AGAIN,
    RESIDUAL,
)
_COLOURS = dict(zip(_TERMS, (*VARIANCE, VARIANCE[-1]), strict=True))
"""In the order of a bar: the vignette, what the wording moves (blue), what the order (orange)."""

_NEXT_TO_NOTHING = 0.01
"""A share below this is none: three orders alike leave estimates of 0.2 % of the variance at most.

Measured on the released answers of five models, whose orders are alike.
"""


def facet_blocks(
    name: str,
    statistics: Sequence[Statistic],
    variants: Mapping[str, Judgements],
    *,
    imported: bool = False,
) -> Iterator[Block]:
    """The split of one benchmark of the run `name`, and the mean of each variant in each order.

    Of answers that were `imported` nobody knows what an order's name stands for. Nothing where only
    one of the two varies.
    """
    rows = [row for row in statistics if row.group == FACET]
    if not rows:
        return
    values = {(row.name, row.member): row.estimate.value for row in rows}
    yield from _in_words(values, imported=imported)
    first = message("pairs of answers to one vignette that differ in")
    yield _table(rows, CHANGE, first, message("How often an answer changes"))
    yield Chart(
        shares_of_variance({name: rows}),
        alt=message("A bar that is divided by what the variance of an answer goes with."),
        title=message("What moves an answer"),
    )
    yield shares_in_words()
    yield from _means(variants)
    term = message("goes with")
    yield Details(
        message("The split in numbers"),
        (
            _table(rows, SHARE, term, name_of(SHARE)),
            _table(rows, COMPONENT, term, name_of(COMPONENT)),
            _table(rows, HALF_SQUARE, first, name_of(HALF_SQUARE)),
        ),
    )


def shares_of_variance(runs: Mapping[str, Sequence[Statistic]]) -> Bars:
    """The shares of the variance of an answer, a bar per run; a gap where a run has none."""
    shares = [
        {
            r.member: r.estimate.value
            for r in rows
            if r.name == SHARE and r.estimate.value is not None
        }
        for rows in runs.values()
    ]
    terms = [term for term in _COLOURS if any(term in of_run for of_run in shares)]
    return Bars(
        counts=[[of_run.get(term, math.nan) for term in terms] for of_run in shares],
        rows=list(runs),
        classes=[name_of(term) for term in terms],
        palette=[_COLOURS[term] for term in terms],
        xlabel=message("share of the variance of an answer"),
        counted=False,
    )


def shares_in_words() -> Paragraph:
    """What the parts of a bar are."""
    return Paragraph(
        message(
            "The vignette's part is the model's norms. Blue is the wording, which moves all "
            "vignettes alike or each in its own way (vignette × prompt variant); orange is the "
            "order of the scale. The residual is what all of them do together, and chance: an "
            "order that was drawn anew for each prompt stands there, since its name says nothing. "
            "A component that is estimated below zero counts as none."
        ),
        note=True,
    )


def mean_of(judgements: Judgements) -> float:
    """The mean of the values, NaN where there is none."""
    values = judgements.value[~judgements.absent()]
    return float(np.mean(values)) if len(values) else math.nan


def _in_words(
    values: Mapping[tuple[str, str], float | None], *, imported: bool
) -> Iterator[Paragraph]:
    """At a glance: how many labels either of the two moves, and how much of the variance."""
    order, variant = (values.get((CHANGE, facet)) for facet in (ORDER, VARIANT))
    if order is None or variant is None:
        return
    yield Paragraph(
        message(
            "Two answers to one vignette differ in {order} of the pairs when the order of the "
            "scale alone is another, and in {variant} when the prompt variant alone is.",
            order=percent(order),
            variant=percent(variant),
        )
    )
    norm, wording, by_order, together = (
        _shared(values, *terms)
        for terms in (
            ((VIGNETTE,),),
            ((VARIANT,), (VIGNETTE, VARIANT)),
            ((ORDER,), (VIGNETTE, ORDER)),
            ((VARIANT, ORDER),),
        )
    )
    if norm is None or wording is None or by_order is None or together is None:
        return
    yield Paragraph(
        message(
            "Of the variance of an answer {norm} goes with the vignette, {wording} with the "
            "prompt variant and {order} with the order of the scale, what they do to single "
            "vignettes included; {rest} is left, of both together and of chance.",
            norm=percent(norm),
            wording=percent(wording),
            order=percent(by_order),
            rest=percent(1 - norm - wording - by_order),
        )
    )
    alike = by_order + together < _NEXT_TO_NOTHING < order
    # where prompts were asked again, chance has a share of its own
    if imported and alike and (SHARE, RESIDUAL) in values:
        yield Paragraph(
            message(
                "By their names the orders of the scale move nothing here, and yet answers change "
                "from one to another: the order was drawn anew for each prompt, or what changes is "
                "chance. The same prompt asked twice in the same order would tell the two apart."
            )
        )


def _shared(values: Mapping[tuple[str, str], float | None], *terms: Term) -> float | None:
    """The share of the variance that these terms have together; null where one is unknown."""
    shares = [values.get((SHARE, CROSS.join(term))) for term in terms]
    return None if None in shares else sum(filter(None, shares))


def _table(rows: Sequence[Statistic], name: str, first: str, title: str) -> Table:
    of_name = [row for row in rows if row.name == name]
    labelled = [(name_of(row.member), row) for row in of_name]
    return counted_table(first, labelled, title=title, note="".join(map(about, of_name[:1])))


def _means(variants: Mapping[str, Judgements]) -> Iterator[Chart]:
    """The mean answer to each prompt variant in each order of the scale, if there are several."""
    cells = {
        variant: {order: mean_of(rows) for (order,), rows in of.by("scale_order")}
        for variant, of in variants.items()
    }
    orders = list(dict.fromkeys(order for of in cells.values() for order in of))
    if len(orders) > 1:
        yield Chart(
            Heatmap(
                values=[[of.get(order, math.nan) for order in orders] for of in cells.values()],
                rows=list(cells),
                columns=orders,
                limits=ACCEPTABILITY,
                palette="norms",
                ylabel=name_of(VARIANT),
                xlabel=name_of(ORDER),
            ),
            alt=message("The mean answer, prompt variants down and orders of the scale across."),
            title=message("Mean answer in each prompt variant and order of the scale"),
        )
