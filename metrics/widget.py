"""The page of a metric's Space: rows in, the numbers out, the card below."""

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import evaluate

from ..errors import NormscopeError
from ..extras import require
from .results import UndefinedWarning

_FENCE = "---"


def launch(
    script: str | Path, rows: Sequence[Sequence[Any]], options: Mapping[str, Any] | None = None
) -> None:
    """Serves the page of the metric in that script, filled with these rows and options."""
    interface(script, rows, options).launch()


def interface(
    script: str | Path, rows: Sequence[Sequence[Any]], options: Mapping[str, Any] | None = None
) -> Any:
    """The gradio page of the metric in that script: a table of its columns, options, an answer.

    A cell left empty is a null. Options are one JSON object, the keywords of `compute`.
    """
    gradio = require("gradio", extra="space")
    path = Path(script)
    metric = evaluate.load(str(path), keep_in_memory=True)
    schema = metric.features[0] if isinstance(metric.features, list) else metric.features

    def compute(table: list[list[Any]], options: str) -> dict[str, Any]:
        try:
            columns = read(table, {name: feature.dtype for name, feature in schema.items()})
            given = json.loads(options) if options.strip() else {}
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", UndefinedWarning)
                found = metric.compute(**columns, **given)
        except (NormscopeError, ValueError, TypeError) as error:
            raise gradio.Error(str(error)) from error
        for warning in told:
            gradio.Warning(str(warning.message))
        return dict(shown(found))

    return gradio.Interface(
        fn=compute,
        inputs=[
            gradio.Dataframe(
                value=[list(row) for row in rows],
                headers=list(schema),
                column_count=len(schema),
                type="array",
                label="One row per answer; leave a cell empty where there is no value",
            ),
            gradio.Textbox(
                label="Options (JSON)",
                placeholder='{"level": 0.9}',
                value=json.dumps(options) if options else "",
            ),
        ],
        outputs=gradio.JSON(label=metric.name),
        title=metric.name,
        description=metric.description,
        article=card(path.with_name("README.md")),
        flagging_mode="never",
        api_name="compute",
    )


def read(table: Sequence[Sequence[Any]], types: dict[str, str]) -> dict[str, list[Any]]:
    """The columns of the table by name, numbers as floats and empty cells as null.

    Empty rows at the end are dropped, as a form leaves them behind.

    >>> read([["1", "A"], ["", "B"], ["", ""]], {"x": "float64", "y": "string"})
    {'x': [1.0, None], 'y': ['A', 'B']}
    """
    filled = [place for place, row in enumerate(table) if not all(map(_empty, row))]
    kept = table[: filled[-1] + 1] if filled else []
    return {
        name: [_cell(row[place], name, kind) for row in kept]
        for place, (name, kind) in enumerate(types.items())
    }


def shown(found: Any) -> Any:
    """The result as a browser can read it, with null for what is NaN.

    >>> shown({"x": float("nan"), "y": [1.0]})
    {'x': None, 'y': [1.0]}
    """
    if isinstance(found, dict):
        return {name: shown(value) for name, value in found.items()}
    if isinstance(found, list):
        return [shown(value) for value in found]
    return None if isinstance(found, float) and math.isnan(found) else found


def card(path: Path) -> str:
    """The card without its front matter."""
    text = path.read_text(encoding="utf-8")
    if not text.startswith(_FENCE):
        return text
    return text.split(_FENCE, 2)[2].lstrip()


def _cell(value: Any, name: str, kind: str) -> Any:
    if _empty(value):
        return None
    if not kind.startswith("float"):
        return str(value).strip()
    try:
        return float(value)
    except ValueError:
        raise ValueError(
            f"{name}: {value!r} is not a number; leave the cell empty for none"
        ) from None


def _empty(value: Any) -> bool:
    return value is None or str(value).strip() in {"", "nan"}
