"""Vignettes of several runs: how far apart their answers are, where their norms agree, and tests.

What varies is the prompt, so its variants are what differences are inferred over. The vignettes of
a context are an enumerated factorial: shares of them are exact, and of a slice they have the
interval of a sample without replacement. LLM-CI counts the flows on which models agree and tests
their majority norms against one another (Tables 2 to 4): a test over vignettes is given as
published and not relied on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ..categorical import Categorical, combined, first_rows
from ..format import count
from ..messages import message
from ..metrics.answers import Answers, by_vignette, failures
from ..metrics.concordance import agree
from ..metrics.estimate import Unit
from ..metrics.groups import Rows
from ..metrics.inputs import Bools, Floats
from ..metrics.intervals import LEVEL
from ..metrics.majority import LIKERT
from ..metrics.paired import enumerated_difference
from ..metrics.rates import enumerated
from ..metrics.shift import norm_test, omnibus
from ..metrics.variants import completed, variant_difference, variant_means, variant_test
from ..metrics.vignette_norms import NormState, VignetteNorms, vignette_norms
from ..pipeline.norms import VignetteAnswers, norm_columns, vignette_table
from ..records.item import Item, varying
from .align import Aligned
from .outcomes import Texts, contrasted
from .result import Agreement, Difference, NormsCompared, NormTest, Unscored

SHARES = ("accept_share", "reject_share", "neutral_share", "undecided", "no_answer")
"""The shares of vignettes that are compared."""


@dataclass(frozen=True, slots=True)
class Vignettes:
    """The answers of every run as vignettes × variants, −2 … +2 or NaN; the unscored, and why.

    `variants` names each column; the orders of one variant, which `orders` names, carry one name.
    `norms` are those of each run by the rule of the first.
    """

    aligned: Aligned
    items: tuple[Item, ...]
    variants: tuple[str, ...]
    orders: tuple[str, ...]
    answers: tuple[Floats, ...]
    unscored: tuple[Bools, ...]
    reasons: tuple[Texts, ...]
    norms: tuple[VignetteNorms, ...]
    name: ClassVar = "mean_acceptability"
    gated_as: ClassVar = "norm_shift"
    unit: ClassVar[Unit] = "score"
    bounds: ClassVar = (float(LIKERT[0]), float(LIKERT[-1]))
    primary: ClassVar = True
    beside: ClassVar = False
    member: ClassVar = ""

    @property
    def absent(self) -> tuple[Bools, ...]:
        """The answers without a value in each run."""
        return self.unscored

    @property
    def size(self) -> int:
        """How many answers there should be."""
        return self.unscored[0].size

    @property
    def dimensions(self) -> Mapping[str, Categorical]:
        """The factors by which the vignettes are broken down."""
        levels = varying([item.facets for item in self.items])
        return {name: Categorical.of(column) for name, column in levels.items()}

    def without(self, answers: Bools) -> "Vignettes":
        """The same without these answers."""
        return replace(self, unscored=tuple(each & ~answers for each in self.unscored))

    def completed(self, *, highest: bool) -> "Vignettes":
        """The same where all are scored, so that the second of two runs less the first is extreme.

        The second's unscored answers stand at −2 and the first's at 2, or, for the `highest`
        difference, the other way round.
        """
        bound = self.bounds[0] if not highest else self.bounds[1]
        gaps = self.unscored[1], self.unscored[0]
        second, first = completed(self.answers[1], self.answers[0], gaps, bound)
        none = np.zeros_like(gaps[0])
        return replace(self, answers=(first, second), unscored=(none, none))

    def contrast(
        self, first: int, second: int, rows: Rows = slice(None), *, level: float = LEVEL
    ) -> Difference:
        """The mean answer of the run at `second` less that of the run at `first`, over variants.

        `variant_difference` and its t test, of what both answered. Unscored answers stand at −2 and
        +2 in the lowest and the highest case.
        """
        a, b = self.answers[second][rows], self.answers[first][rows]
        gaps = self.unscored[second][rows], self.unscored[first][rows]
        alike = self.reasons[second][rows] == self.reasons[first][rows]
        result = variant_difference(a, b, variants=self.variants, unscored=gaps, level=level)
        text = message("{method}, over {n} vignettes", method=result.method, n=len(a))
        both = ~(np.isnan(a) | np.isnan(b))
        means = [
            [*variant_means(np.where(both, answers, np.nan), self.variants).values()]
            for answers in (b, a)
        ]
        values = [float(np.nanmean(answers)) if result.n else None for answers in means]
        several = len(set(self.variants)) > 1
        # the means of a run alone are of all its answers
        alone = both.sum() < max((~np.isnan(a)).sum(), (~np.isnan(b)).sum())
        lost, in_both = (gaps[0] | gaps[1]).sum(), (gaps[0] & gaps[1] & alike).sum()
        return Difference(
            **self.aligned.pair(first, second),
            statistic=self.name,
            unit=self.unit,
            role="primary",
            first_value=values[0],
            second_value=values[1],
            estimate=replace(result, method=text),
            unscored=Unscored(int(lost), int(in_both)),
            test=variant_test(a, b, variants=self.variants) if several else None,
            over=message("{n} answers that both gave", n=count(int(both.sum()))) if alone else "",
        )

    def share(self, name: str, first: int, second: int) -> Difference:
        """The difference of a share of the vignettes.

        Shares are described and not tested (`enumerated_difference`).
        """
        a, b = (self.norms[run].outcomes[name] for run in (second, first))
        gaps = self.unscored[second] | self.unscored[first]
        apart = (self.reasons[second] != self.reasons[first]) & gaps
        result = enumerated_difference(a, b, population=self.aligned.population)
        about = {"statistic": name, "unit": "rate", "role": "secondary"}
        about |= self.aligned.pair(first, second)
        return contrasted(about, a, b, result, alike=~apart.any(axis=1))

    def means(self, run: int) -> dict[str, float]:
        """The mean answer in each variant, orders of the scale together; NaN where none is."""
        return variant_means(self.answers[run], self.variants)


def vignettes(aligned: Aligned) -> Vignettes:
    """The acceptability of every vignette in every variant and order of the scale."""
    item_id, variant, order = map(aligned.of_items, ("item_id", "variant_id", "scale_order"))
    # each order and sample of a variant is a column: it is an answer of its own
    replies = combined(variant, order, aligned.sample)
    first = first_rows(replies)
    answers, reasons = zip(
        *(
            by_vignette(item_id, replies, column.values, column.reasons)
            for column in aligned.criteria["acceptability"]
        ),
        strict=True,
    )
    unscored = tuple(map(failures, answers, reasons))
    majority = aligned.settings.majority._asdict()
    return Vignettes(
        aligned=aligned,
        items=tuple(aligned.distinct_items()),
        variants=tuple(name or "" for name in variant[first]),
        orders=tuple(name or "" for name in order[first]),
        answers=answers,
        unscored=unscored,
        reasons=tuple(np.array(matrix.tolist(), dtype=object) for matrix in reasons),
        norms=tuple(
            # every run was asked every column, whatever failed in it
            vignette_norms(*pair, **majority, requested=True)
            for pair in zip(answers, unscored, strict=True)
        ),
    )


AGREE = "agree"
SIDE = ("norm", "state", "valid", "mean", "variance")
"""The columns of each run's norms that stand side by side."""

STATES = tuple(state.name.lower() for state in NormState if state is not NormState.NOT_ASKED)


def compare_norms(aligned: Aligned, vignettes: Vignettes) -> NormsCompared:
    """The norms of the aligned runs.

    The tests are Wilcoxon's of each pair (`norm_test`), and of each pair and of all Friedman's and
    the repeated-measures ANOVA.
    """
    runs = aligned.names
    every = range(len(runs))
    sets = list(
        dict.fromkeys((*combinations(every, 2), *([tuple(every)] if len(runs) > 1 else [])))
    )
    separate = _own_norms(aligned, vignettes)
    counts = [np.bincount(of.states, minlength=len(STATES)).tolist() for of in vignettes.norms]
    return NormsCompared(
        states={
            run: dict(zip(STATES, of, strict=True)) for run, of in zip(runs, counts, strict=True)
        },
        agreements=tuple(_agreement(aligned, vignettes.norms, separate, at) for at in sets),
        tests=tuple(_tests(runs, [of.norm for of in vignettes.norms])),
        table=norms_side_by_side(aligned.benchmark, runs, vignettes),
    )


def side_by_side(models: Mapping[str, VignetteAnswers]) -> tuple[dict[str, Answers], list[str]]:
    """The models' answers in the order of the first one's vignettes, and each column's variant.

    A column is a reply that any model was asked for: a prompt variant in an order of the scale, or
    the same asked again. A `DataError` where their vignettes differ.
    """
    first = next(iter(models.values()))
    places: dict[tuple[str, str, int], int] = {}
    columns = {}
    for name, of in models.items():
        prompts = list(zip(of.variants, of.orders, strict=True))
        replies = [(*prompt, prompts[:at].count(prompt)) for at, prompt in enumerate(prompts)]
        columns[name] = [places.setdefault(reply, len(places)) for reply in replies]
    result = {}
    for name, of in models.items():
        at, vignettes = columns[name], first.places(of)
        answers = np.full((len(vignettes), len(places)), np.nan)
        unscored, requested = np.zeros(answers.shape, np.bool_), np.zeros(len(places), np.bool_)
        answers[:, at], unscored[:, at] = (
            of.answers.values[vignettes],
            of.answers.unscored[vignettes],
        )
        requested[at] = of.answers.requested
        result[name] = Answers(answers, unscored, requested)
    return result, [variant for variant, _, _ in places]


def _own_norms(aligned: Aligned, vignettes: Vignettes) -> list[VignetteNorms] | None:
    """The norms of each run over every prompt that it was asked; null where all share them."""
    answered = [VignetteAnswers.of(run.counted[aligned.benchmark]) for run in aligned.runs]
    if all(of.answers.values.shape[1] == len(vignettes.variants) for of in answered):
        return None
    norms = []
    for of in answered:
        place = {item.item_id: at for at, item in enumerate(of.items)}
        rows = [place[item.item_id] for item in vignettes.items]
        whole = of.norms(aligned.settings.majority)
        norms.append(replace(whole, norm=whole.norm[rows], states=whole.states[rows]))
    return norms


def agreed(norms: Sequence[VignetteNorms]) -> Floats:
    """Per vignette whether these norms of it are the same (`concordance.agree`)."""
    return agree([of.norm for of in norms], [of.states == NormState.UNSCORED for of in norms])


def norms_side_by_side(benchmark: str, runs: Sequence[str], vignettes: Vignettes) -> pa.Table:
    """A row per vignette: its factors, whether the runs agree, and the norm of each run.

    `agree` says whether all runs have the same norm, null where that hangs on unscored answers. Of
    each run there are the columns `SIDE` of `norm_table`, behind its name.
    """
    together = agreed(vignettes.norms)
    numbers = {AGREE: pa.array(together == 1, mask=np.isnan(together))}
    for run, norms in zip(runs, vignettes.norms, strict=True):
        columns = norm_columns(norms)
        numbers |= {f"{run}: {name}": columns[name] for name in SIDE}
    return vignette_table(benchmark, vignettes.items, numbers)


def factors_of(table: pa.Table) -> list[str]:
    """The columns of `norms_side_by_side` that are factors."""
    names: list[str] = table.column_names
    return names[names.index("item_id") + 1 : names.index(AGREE)]


def farthest_apart(table: pa.Table, runs: Sequence[str], most: int) -> pa.Table:
    """The vignettes on whose mean answers the runs differ most: rows of `norms_side_by_side`.

    The column `spread` is the highest mean less the lowest. Of equal ones the earlier stands first;
    one with answers in fewer than two runs, and one on which all are of one mind, is none of them.
    """
    means = np.array([table[f"{run}: mean"].to_numpy() for run in runs], dtype=float)
    shared = (~np.isnan(means)).sum(axis=0) > 1
    spread = np.zeros(len(table))
    spread[shared] = np.nanmax(means[:, shared], axis=0) - np.nanmin(means[:, shared], axis=0)
    order = np.argsort(-spread, kind="stable")[:most]
    order = order[spread[order] > 0]
    return table.take(order).append_column("spread", pa.array(spread[order]))


def _agreement(
    aligned: Aligned,
    norms: Sequence[VignetteNorms],
    own: Sequence[VignetteNorms] | None,
    places: Sequence[int],
) -> Agreement:
    same = agreed([norms[at] for at in places])
    alike = norms[places[0]].norm[same == 1]
    as_published = None
    if own is not None:
        of_own = agreed([own[at] for at in places])
        as_published = enumerated(of_own, population=aligned.population)
    return Agreement(
        tuple(aligned.names[at] for at in places),
        enumerated(same, population=aligned.population),
        tuple(int((alike == label).sum()) for label in LIKERT),
        as_published,
    )


def _tests(runs: Sequence[str], norms: Sequence[Floats]) -> Iterator[NormTest]:
    """The paper's of every pair, and of three runs or more at once."""
    for first, second in combinations(range(len(runs)), 2):
        both = np.stack([norms[first], norms[second]], axis=1)
        # of two conditions a flow that lacks one says nothing, in any of these tests
        whole = both[~np.isnan(both).any(axis=1)]
        tests = norm_test(norms[second], norms[first]), *omnibus(whole)
        yield from (NormTest((runs[first], runs[second]), test) for test in tests)
    if len(runs) > 2:  # noqa: PLR2004 - two are a pair
        yield from (NormTest(tuple(runs), test) for test in omnibus(np.stack(norms, axis=1)))
