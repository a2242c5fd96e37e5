"""Flows of information and the norms that models have of them: the published, and a visitor's."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..builders.ci_vignettes.context import bundled_contexts
from ..builders.ci_vignettes.published_answers import (
    CONTEXT,
    published_answers,
    published_models,
    published_norms,
)
from ..builders.ci_vignettes.vignettes import vignette_table
from ..metrics.inputs import Floats
from ..metrics.majority import LIKERT
from ..metrics.vignette_norms import NormState
from ..records.integrity import CONFIG
from ..records.settings import Settings
from ..report.norm_charts import norm_values
from ..tables import read_table
from ..text_tables import Limits
from ..yaml import load_yaml
from . import limits
from .texts import VisitorError
from .upload import readable

if TYPE_CHECKING:
    import pandas as pd

FACTORS = ("sender", "attribute", "recipient", "transmission_principle")
"""Those of a sentence, in its order."""

_LIMITS = Limits(limits.MAX_LONG_ROWS, limits.MAX_COLUMNS, limits.MAX_TABLE_BYTES)
_MOST_LEVELS, _MOST_MODELS = 60, 12
_KEYS = ("benchmark", "item_id", "temperature")
_STATES = [state.name.lower() for state in NormState]

Counts = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class ModelNorms:
    """What became of each flow (`NormState`), and how many of `asked` say each label (flows × 5).

    They are prompt variants where `by_variant`, else single answers.
    """

    name: str
    states: Counts
    votes: Counts
    asked: Counts
    by_variant: bool = False

    def at(self, places: Counts) -> "ModelNorms":
        """Those of the flows at the places; a flow at −1 was not asked."""
        here = places >= 0
        return replace(
            self,
            states=np.where(here, self.states[places], NormState.NOT_ASKED),
            votes=self.votes[places] * here[:, None],
            asked=self.asked[places] * here,
        )


@dataclass(frozen=True, eq=False)
class FlowNorms:
    """The level of every flow in each factor, and the norms of the models."""

    factors: dict[str, list[str]]
    models: tuple[ModelNorms, ...]

    @cached_property
    def levels(self) -> dict[str, list[str]]:
        """The levels of each factor, in the order of the flows."""
        return {name: list(dict.fromkeys(column)) for name, column in self.factors.items()}

    @cached_property
    def codes(self) -> dict[str, Counts]:
        """The level of every flow as its place among the levels."""
        at = {name: {level: at for at, level in enumerate(of)} for name, of in self.levels.items()}
        return {
            name: np.array([at[name][level] for level in column])
            for name, column in self.factors.items()
        }

    @cached_property
    def places(self) -> dict[tuple[str, ...], int]:
        """Where the flow of these levels stands."""
        return {key: at for at, key in enumerate(zip(*self.factors.values(), strict=True))}

    def place(self, flow: dict[str, str]) -> int:
        """Where the flow stands, −1 where there is none of these levels."""
        return self.places.get(tuple(flow[name] for name in self.factors), -1)

    def states(self, flow: dict[str, str]) -> Counts:
        """Each model's `NormState` of the flow."""
        place = self.place(flow)
        if place < 0:
            return np.full(len(self.models), NormState.NOT_ASKED)
        return np.array([model.states[place] for model in self.models])

    def beside(self, other: "FlowNorms") -> "FlowNorms":
        """With the other's models, if it has any of these flows."""
        if {*self.factors} != {*other.factors}:
            return self
        keys = zip(*(self.factors[name] for name in other.factors), strict=True)
        places = np.array([other.places.get(key, -1) for key in keys])
        if (places < 0).all():
            return self
        models = (*self.models, *(model.at(places) for model in other.models))
        return replace(self, models=models[:_MOST_MODELS])

    def mean_norms(
        self, states: Counts, rows: str, columns: str, among: NDArray[np.bool_]
    ) -> tuple[Floats, Counts, Counts]:
        """By two factors the mean norm, and of how many flows with a norm, of how many flows."""
        size = (len(self.levels[rows]), len(self.levels[columns]))
        cell = np.ravel_multi_index((self.codes[rows], self.codes[columns]), size)
        norms = norm_values(states)
        having = among & ~np.isnan(norms)
        n = size[0] * size[1]
        flows, with_norm = (np.bincount(cell[of], minlength=n) for of in (among, having))
        total = np.bincount(cell[having], norms[having], minlength=n)
        mean = np.where(with_norm > 0, total / np.maximum(with_norm, 1), np.nan)
        return mean.reshape(size), with_norm.reshape(size), flows.reshape(size)


def variant_votes(answers: Floats, variants: Sequence[str]) -> Counts:
    """How many prompt variants say each label: flows × five, the lowest first.

    A variant says what more than half of its valid answers do; orders of the scale are answers to
    one variant.

    >>> answers = np.array([[1.0, 1, -2, np.nan, 0, -2, 2]])
    >>> variant_votes(answers, ["a", "a", "a", "b", "c", "d", "d"]).tolist()
    [[0, 0, 1, 1, 0]]
    """
    votes = np.zeros((len(answers), len(LIKERT)), np.intp)
    for variant in dict.fromkeys(variants):
        of = answers[:, np.array(variants) == variant]
        valid = (~np.isnan(of)).sum(axis=1)
        for at, label in enumerate(LIKERT):
            votes[:, at] += 2 * (of == label).sum(axis=1) > valid
    return votes


@cache
def published_flows() -> dict[str, list[str]]:
    """The level of every published flow in each factor, in their order."""
    table = vignette_table(bundled_contexts()[CONTEXT])
    return {name: table[name].to_pylist() for name in FACTORS}


@cache
def published() -> FlowNorms:
    """The flows of the published answers, with the released norms of the five models."""
    return FlowNorms(published_flows(), tuple(map(_published_model, published_models())))


def _published_model(name: str) -> ModelNorms:
    table, norms = published_answers(name), published_norms(name)
    n = len(norms)
    # a row per flow for each prompt, in the order of the flows
    answers = table["answer"].cast(pa.float64()).to_numpy().reshape(-1, n).T
    variants = table.take(list(range(0, len(table), n)))["variant_id"].to_pylist()
    labels = norms["majority"].cast(pa.float64()).to_numpy()
    states = np.where(np.isnan(labels), NormState.NO_MAJORITY, labels - LIKERT[0])
    sizes = np.full(n, len({*variants}))
    votes = variant_votes(answers, variants)
    return ModelNorms(name, states.astype(np.intp), votes, sizes, by_variant=True)


def norms_of_files(paths: Sequence[Path]) -> FlowNorms:
    """The norms in the tables, beside the published of the same flows.

    A table is `norms.csv` or `norms.parquet` of a run or a comparison, or one like it: a column per
    factor, then `norm` (−2 … 2), or for several models `NAME: norm`. The configuration beside it
    names a run's model; nothing else of a folder is read.
    """
    named = [path for path in paths if path.stem == "norms"]
    # a run has both kinds
    tables = [path for path in named or paths if path.suffix == ".csv"] or named
    if not tables:
        raise VisitorError("There is no table of norms: a run and a comparison have norms.csv.")
    configs = (load_yaml(path, Settings) for path in paths if path.name == CONFIG)
    model = next((config.model for config in configs), None)
    of_files, *others = (
        _norms_of_file(path, Path(model.model).name if model else path.stem) for path in tables
    )
    for other in (*others, published()):
        of_files = of_files.beside(other)
    return of_files


def _norms_of_file(path: Path, model: str) -> FlowNorms:
    with readable(path, most=limits.MAX_LONG_BYTES):
        frame = read_table(path, limits=_LIMITS).rows.to_pandas().replace("", np.nan)
    columns = [str(name) for name in frame.columns]
    ends = [at for at, name in enumerate(columns) if name in {"norm", "agree"}]
    names = [name for name in columns if name == "norm" or name.endswith(": norm")]
    factors = [
        name
        for name in columns[: min(ends, default=0)]
        if name not in _KEYS and 1 < frame[name].nunique() <= _MOST_LEVELS
    ]
    if not factors or not names:
        raise VisitorError(
            "{name} is no table of norms: it needs a column for each factor of the flows, then "
            "norm, as norms.csv of a run has them.",
            name=path.name,
        )
    # an anchor is made by no factors; of several temperatures the first counts
    frame = frame.dropna(subset=factors).drop_duplicates(factors)
    levels = {name: frame[name].astype(str).to_list() for name in factors}
    models = (_model_of(frame, name.removesuffix("norm"), model) for name in names)
    return FlowNorms(levels, tuple(models)[:_MOST_MODELS])


def _model_of(frame: "pd.DataFrame", before: str, model: str) -> ModelNorms:
    import pandas as pd

    def column(name: str) -> Counts:
        if before + name not in frame:
            return np.zeros(len(frame), np.intp)
        numbers = pd.to_numeric(frame[before + name], errors="coerce").fillna(0)
        return np.asarray(numbers, np.intp)

    cells = frame[f"{before}norm"]
    norms = pd.to_numeric(cells, errors="coerce").to_numpy(float)
    if not (np.isin(norms, LIKERT) | cells.isna().to_numpy()).all():
        raise VisitorError("A norm is −2, −1, 0, 1 or 2, and empty where there is none.")
    known = frame.get(f"{before}state", pd.Series("", frame.index))
    why = known.map({state: at for at, state in enumerate(_STATES)}).fillna(NormState.NO_MAJORITY)
    states = np.where(np.isnan(norms), why, norms - LIKERT[0]).astype(np.intp)
    votes = np.stack([column(label) for label in _STATES[: len(LIKERT)]], axis=1)
    return ModelNorms(before.removesuffix(": ") or model, states, votes, column("asked"))


_OPENED: OrderedDict[str, tuple[float, FlowNorms]] = OrderedDict()
"""Visitors' norms by the name that addresses have for them, and when they were opened."""
_MOST_OPENED = 32


def opened(norms: FlowNorms) -> str:
    """A name for these norms, by which `norms_named` has them for half an hour."""
    name = secrets.token_urlsafe(9)
    _OPENED[name] = (time.monotonic(), norms)
    while len(_OPENED) > _MOST_OPENED:
        _OPENED.popitem(last=False)
    return name


def norms_named(name: str) -> FlowNorms:
    """The norms that were opened under the name; without a name the published."""
    if not name:
        return published()
    since, norms = _OPENED.get(name, (-np.inf, published()))
    if time.monotonic() - since > limits.KEEP_S:
        _OPENED.pop(name, None)
        raise VisitorError("These norms are deleted: a file stays half an hour. Open it again.")
    return norms
