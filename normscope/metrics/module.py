"""What our `evaluate` modules share.

Columns and options per row are made plain lists at the door, wherever they come from. Nulls are
allowed everywhere, no lock files are needed, a failed call poisons nothing, and modules may be
combined.

A metric's script names this class through its module (`module.Metric`): evaluate takes the first
metric class that it finds in a script's namespace.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import datasets
import evaluate
import yaml

from ..errors import DataError, UsageError, nearest
from ..frames import is_missing
from .columns import Labels, listed, names, option, valued

IDS = frozenset({"condition", "item_id", "model", "variant_id"})
"""The columns whose values are names, whatever their type."""

EVERY = frozenset(
    {
        *("bins", "clusters", "condition", "exclude_no_answer", "groups"),
        *("item_id", "key", "known", "level", "min_valid", "model", "moral"),
        *("n_options", "orders", "orders_of", "population", "predictions", "prompts"),
        *("rates", "rating"),
        *("reasons", "references", "rule", "survey", "threshold", "turns"),
        *("variant_id", "without_history", "variants"),
    }
)
"""The columns and options of all modules."""

NUMBER, NAME = datasets.Value("float64"), datasets.Value("string")
PROMPTS = {"predictions": NUMBER, "item_id": NAME, "variant_id": NAME}
"""The columns of a module over answers to vignettes: a row per prompt."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What a metric is of: its address, and how it is cited."""

    address: str
    citation: str


_PAPERS = yaml.safe_load(Path(__file__).with_name("papers.yaml").read_text(encoding="utf-8"))
CFSAFETY, CHISAFETYBENCH, LLM_CI = (
    Paper(**_PAPERS[name]) for name in ("cfsafety", "chisafetybench", "llm_ci")
)

_PLAIN: dict[str, set[type]] = {"float64": {float, int, type(None)}, "string": {str, type(None)}}
"""What Arrow stores in a column of the type as it is."""


class Metric(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """An `evaluate.Metric` that accepts columns of any library, and a null in any row.

    `per_row` are the options with a value for each row, `options` the others; every other keyword
    is refused before anything is computed. `labels` are the words that may stand for a number,
    `schemas` the columns with their types, several where they can be given in several ways.
    """

    summary: ClassVar[str]
    usage: ClassVar[str]
    paper: ClassVar[Paper]
    schemas: ClassVar[tuple[Mapping[str, Any], ...]]
    per_row: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[tuple[str, ...]] = ()
    labels: ClassVar[Labels] = {}

    _statistics: Callable[..., dict[str, Any]]
    """The statistics of all rows; a module's own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps the rows in memory: in a file they cost a lock and its waiting."""
        if kwargs.get("num_process", 1) > 1:
            raise UsageError("the rows of several processes: gather them, and compute once")
        super().__init__(*args, **{**kwargs, "keep_in_memory": True})
        self._row_options: dict[str, Any] = {}

    def _info(self) -> evaluate.MetricInfo:
        schemas = [datasets.Features(dict(schema)) for schema in self.schemas]
        return evaluate.MetricInfo(
            description=self.summary,
            citation=self.paper.citation,
            inputs_description=self.usage,
            features=schemas if len(schemas) > 1 else schemas[0],
            reference_urls=[self.paper.address],
        )

    def compute(self, **inputs: Any) -> dict[str, Any]:
        """The statistics of the given rows, or of those added before.

        Columns and options are the module's own:
        """
        inputs = self._known_inputs(inputs)
        self._row_options = {
            name: option(name, inputs.pop(name)) for name in self.per_row if name in inputs
        }
        try:
            result: dict[str, Any] = super().compute(**inputs)
        except Exception:
            self._forget()
            raise
        return result

    def add_batch(self, **columns: Any) -> None:
        """Adds the rows of some columns, from any library."""
        for name in self._feature_names():
            if columns.get(name) is None:
                raise DataError(f"{self.name} has no column {name!r}; give {name}=[...]")
        super().add_batch(**{name: self._column(name, columns[name]) for name in columns})

    def add(self, **values: Any) -> None:
        """Adds one row."""
        plural = {"prediction": "predictions", "reference": "references"}
        super().add(
            **{
                name: self._column(plural.get(name, name), [value])[0]
                for name, value in values.items()
            }
        )

    def _known_inputs(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The module's own columns and options; others are refused, but for a combination's.

        `evaluate.combine` hands every module the columns and options of all, and always both
        predictions and references: that tells it from a call of this module alone.
        """
        known = (*self._feature_names(), *self.per_row, *self.options)
        combined = {"predictions", "references"} <= inputs.keys()
        for name in inputs:
            if name not in known and not (combined and name in EVERY):
                raise UsageError(f"{self.name} has no option {name!r}; {nearest(name, known)}")
        return {name: value for name, value in inputs.items() if name in known}

    def _column(self, name: str, column: Any) -> list[Any]:
        """The column as a plain list: ids as text, words of the scale as their numbers."""
        if name in IDS:
            return names(column)
        values = listed(column)
        schema = self.features[0] if isinstance(self.features, list) else self.features
        kind = getattr(schema.get(name), "dtype", "")
        kinds = set(map(type, values))
        if kind == "float64" and str in kinds:
            return valued(values, name, self.labels)
        if kind == "string" and float in kinds:
            # NaN is how pandas says that a text is missing
            return [None if is_missing(value) else value for value in values]
        return values

    def _compute(self, **columns: Any) -> dict[str, Any]:
        """The module's own `_statistics`, with the options per row."""
        return self._statistics(**{**columns, **self._row_options})

    def _forget(self) -> None:
        """Drops the rows of a failed call, so that the next call starts anew."""
        self.writer = self.buf_writer = self.data = self.selected_feature_format = None

    def _infer_feature_from_batch(self, batch: dict[str, Any]) -> Any:
        """The first schema that fits the first value of each column that is not null."""
        return self._infer_feature_from_example(
            {name: _first(column) for name, column in batch.items()}
        )

    def _infer_feature_from_example(self, example: dict[str, Any]) -> Any:
        schemas = self.features if isinstance(self.features, list) else [self.features]
        for schema in schemas:
            try:
                self._enforce_nested_string_type(schema, example)
                schema.encode_example(example)
            # what an encoding raises for a value that does not fit depends on its type
            except (ValueError, TypeError, AttributeError):
                continue
            return _Columns(schema)
        want = " or ".join(str(dict(schema)) for schema in schemas)
        raise DataError(f"{self.name} takes columns {want}; the first values are {example}")

    def _enforce_nested_string_type(self, schema: Any, obj: Any) -> None:
        """As evaluate does, which would refuse a null where it asks for a string."""
        if obj is not None:
            super()._enforce_nested_string_type(schema, obj)


class _Columns(datasets.Features):  # type: ignore[misc]
    """Features that hand a column of plain values on as it is.

    Encoding value by value took 2 s of a million rows' 3 s.
    """

    def encode_batch(self, batch: dict[str, Any]) -> dict[str, Any]:
        plain = {name: column for name, column in batch.items() if _is_plain(self[name], column)}
        rest = {name: column for name, column in batch.items() if name not in plain}
        encoded = datasets.Features({name: self[name] for name in rest}).encode_batch(rest)
        return {name: (plain if name in plain else encoded)[name] for name in batch}


def _is_plain(feature: Any, column: Any) -> bool:
    known = _PLAIN.get(str(getattr(feature, "dtype", "")))
    return known is not None and isinstance(column, list) and set(map(type, column)) <= known


def _first(column: Any) -> Any:
    return next((value for value in column if value is not None), None)
