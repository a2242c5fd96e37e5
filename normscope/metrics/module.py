"""What our `evaluate` modules share.

Columns and options per row are made plain lists at the door, wherever they come from. Nulls are
allowed everywhere, and a failed call leaves nothing behind. A number that is undefined is null in
our own types, and NaN with a warning here: who formats or averages a result should not meet an
object that is no number.

A metric's script names this class through its module (`module.Metric`): evaluate takes the first
metric class that it finds in a script's namespace.
"""

import math
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import datasets
import evaluate
import yaml

from ..errors import DataError, UsageError, nearest
from ..hub_folders import hub_folder
from .columns import listed, names, option
from .estimate import Statistic
from .inputs import same_length

NUMBER, NAME = datasets.Value("float64"), datasets.Value("string")

_FIELDS = ("low", "high", "lowest", "highest", "n", "unscored")
_MOST = 5

_PAPERS = yaml.safe_load(Path(__file__).with_name("papers.yaml").read_text(encoding="utf-8"))


class Metric(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """An `evaluate.Metric` that takes columns of any library, and a null in any row.

    It holds its rows itself: evaluate's table of them refuses nulls, locks a file, and takes two
    seconds of a million rows. `per_row` are the options with a value for each row, `options` the
    others; every other keyword is refused before anything is computed. `schemas` are the columns
    with their types, several where they can be given in several ways; `paper` is one of
    papers.yaml. What they mean stands in the module's card.
    """

    paper: ClassVar[str]
    schemas: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)
    per_row: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[tuple[str, ...]] = ()

    _statistics: Callable[..., dict[str, Any]]
    """The statistics of all rows; a module's own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Refuses several processes: they would each hold some of the rows."""
        if kwargs.get("num_process", 1) > 1:
            raise UsageError("the rows of several processes: gather them, and compute once")
        super().__init__(*args, **kwargs)
        self._rows: dict[str, list[Any]] = {}

    def _info(self) -> evaluate.MetricInfo:
        schemas = [datasets.Features(dict(schema)) for schema in self.schemas]
        # as evaluate makes the metric's name of its class
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()
        text = (hub_folder("metrics") / name / "README.md").read_text(encoding="utf-8")
        summary, *usage = text.partition(f"\n# {name}\n")[2].strip().split("\n\n")
        paper = _PAPERS[self.paper]
        return evaluate.MetricInfo(
            description=summary,
            citation=paper["citation"],
            inputs_description="\n\n".join(usage).partition("\n## Limits")[0],
            features=schemas if len(schemas) > 1 else schemas[0],
            reference_urls=[paper["address"]],
        )

    def compute(self, **inputs: Any) -> dict[str, Any]:
        """The statistics of the given rows, or of those added before.

        Columns and options are the module's own:
        """
        accepted = (*self.schemas[0], *self.per_row, *self.options)
        for name in inputs:
            if name not in accepted:
                raise UsageError(f"{self.name} has no option {name!r}; {nearest(name, accepted)}")
        columns = {name: inputs.pop(name, None) for name in self._feature_names()}
        try:
            if not self._rows or any(column is not None for column in columns.values()):
                self.add_batch(**columns)
            rows = self._rows
        finally:
            # a failed call leaves nothing behind
            self._rows = {}
        options = {
            name: option(name, value) if name in self.per_row else value
            for name, value in inputs.items()
        }
        return self._statistics(**rows, **options)

    def add_batch(self, **columns: Any) -> None:
        """Adds the rows of some columns, from any library."""
        batch = {}
        for name in self._feature_names():
            if columns.get(name) is None:
                raise DataError(f"{self.name} has no column {name!r}; give {name}=[...]")
            batch[name] = self._column(name, columns[name])
        same_length(batch)
        for name, values in batch.items():
            self._rows.setdefault(name, []).extend(values)

    def add(self, **values: Any) -> None:
        """Adds one row."""
        plural = {"prediction": "predictions", "reference": "references"}
        self.add_batch(**{plural.get(name, name): [value] for name, value in values.items()})

    def _column(self, name: str, column: Any) -> list[Any]:
        """The column as a plain list: ids and letters as text."""
        is_text = getattr(self.schemas[0][name], "dtype", "") == "string"
        return names(column) if is_text else listed(column)


class UndefinedWarning(UserWarning):
    """A statistic has no value for these rows."""


def flat(table: list[Statistic]) -> dict[str, Any]:
    """The overall statistics by name, and under `by_<group>` the same for each of its levels.

    A statistic `x` gives `x`, `x_low`, `x_high`, `x_lowest`, `x_highest`, `x_n` and `x_unscored`;
    `n` and `unscored` without a name are those of the first one. What is undefined is NaN, and an
    `UndefinedWarning` names it with the reason.
    """
    result: dict[str, Any] = {}
    for row in table:
        if row.group:
            levels = result.setdefault(f"by_{row.group}", {})
            _put(levels.setdefault(row.member, {}), row)
        else:
            _put(result, row)
    undefined = [
        f"{row.name} of {row.group} {row.member!r}".removesuffix(" of  ''")
        + f" ({row.estimate.method})"
        for row in table
        if row.estimate.value is None
    ]
    if undefined:
        more = f" and {len(undefined) - _MOST} more" if len(undefined) > _MOST else ""
        visible = ", ".join(undefined[:_MOST])
        warnings.warn(f"undefined, NaN: {visible}{more}", UndefinedWarning, stacklevel=2)
    return result


def _put(entry: dict[str, Any], row: Statistic) -> None:
    result = row.estimate
    entry[row.name] = _number(result.value)
    for field in _FIELDS:
        entry[f"{row.name}_{field}"] = _number(getattr(result, field))
    entry.setdefault("n", result.n)
    entry.setdefault("unscored", result.unscored)


def _number(value: float | None) -> float:
    return math.nan if value is None else value
