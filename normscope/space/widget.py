"""The page of a metric's Space: rows in, the numbers out, the card below."""

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..errors import NormscopeError
from ..extras import require
from ..metrics.results import UndefinedWarning

_FENCE = "---"


def launch(script: str | Path, rows: Sequence[Sequence[Any]]) -> None:
    """Serves the page of the metric in that script, filled with these rows."""
    # gradio reads it when it is imported
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    gradio = require("gradio", extra="space")
    # fonts that are there: gradio's own theme asks another host for them
    theme = gradio.themes.Default(
        font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
    )
    interface(script, rows).launch(theme=theme, ssr_mode=False)


def interface(script: str | Path, rows: Sequence[Sequence[Any]]) -> Any:
    """The gradio page of the metric in that script: a table of its columns, options, an answer.

    A cell left empty is a null. Options are one JSON object, the keywords of `compute`.
    """
    # it brings transformers and torch, for which who takes only a card would wait five seconds
    import evaluate

    gradio = require("gradio", extra="space")
    path = Path(script)
    metric = evaluate.load(str(path), keep_in_memory=True)
    schema = metric.features[0] if isinstance(metric.features, list) else metric.features
    types = {name: str(feature.dtype) for name, feature in schema.items()}

    def compute(table: Any, options: str = "") -> dict[str, Any]:
        try:
            chosen = json.loads(options) if options.strip() else {}
            columns = filled(table.astype(object).values.tolist(), types)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UndefinedWarning)
                result = metric.compute(**columns, **chosen)
        except (NormscopeError, ValueError, TypeError) as error:
            # messages quote what was sent, and are shown as HTML
            raise gradio.Error(escape(str(error), quote=False)) from error
        for warning in caught:
            gradio.Warning(escape(str(warning.message), quote=False))
        return dict(result)

    return gradio.Interface(
        fn=compute,
        inputs=[
            gradio.Dataframe(
                value=[list(row) for row in rows],
                headers=list(schema),
                column_count=len(schema),
                type="pandas",
                label="One row per answer; leave a cell empty where there is no value",
            ),
            gradio.Textbox("", label="Options (JSON)", placeholder='{"level": 0.9}'),
        ],
        outputs=gradio.JSON(label=metric.name),
        title=metric.name,
        description=metric.description,
        article=card(path.with_name("README.md")),
        flagging_mode="never",
        api_name="compute",
        analytics_enabled=False,
    )


def filled(rows: Sequence[Sequence[Any]], types: Mapping[str, str]) -> dict[str, list[Any]]:
    """The table's columns by their types, numbers as floats and empty cells as null.

    Empty rows at the end are dropped, as a form leaves them behind.

    >>> filled([["1", "A"], ["", "B"], ["", ""]], {"x": "float64", "y": "string"})
    {'x': [1.0, None], 'y': ['A', 'B']}
    """
    last = max((at for at, row in enumerate(rows) if not all(map(_empty, row))), default=-1)
    return {
        name: [_cell(row[at], name, kind) for row in rows[: last + 1]]
        for at, (name, kind) in enumerate(types.items())
    }


def _cell(value: Any, name: str, kind: str) -> Any:
    if _empty(value):
        return None
    if not kind.startswith("float"):
        return str(value).strip()
    try:
        return float(value)
    except (ValueError, TypeError):
        raise ValueError(
            f"{name}: {value!r} is not a number; leave the cell empty for none"
        ) from None


def _empty(value: Any) -> bool:
    return value is None or str(value).strip() in {"", "nan"}


def card(path: Path) -> str:
    """The card without its front matter."""
    text = path.read_text(encoding="utf-8")
    if not text.startswith(_FENCE):
        return text
    return text.split(_FENCE, 2)[2].lstrip()
