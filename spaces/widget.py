"""The page of a metric's Space: rows in, the numbers out, the card below."""

import json
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..errors import NormscopeError
from ..extras import require
from ..metrics.results import UndefinedWarning
from .cells import MOST_BYTES, option_columns, read_file, read_table

_FENCE = "---"


def launch(
    script: str | Path, rows: Sequence[Sequence[Any]], options: Mapping[str, Any] | None = None
) -> None:
    """Serves the page of the metric in that script, filled with these rows and options."""
    # gradio reads it when it is imported
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    gradio = require("gradio", extra="space")
    # fonts that are there: gradio's own theme asks another host for them
    theme = gradio.themes.Default(
        font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
    )
    interface(script, rows, options).launch(theme=theme, max_file_size=MOST_BYTES, ssr_mode=False)


def interface(
    script: str | Path, rows: Sequence[Sequence[Any]], options: Mapping[str, Any] | None = None
) -> Any:
    """The gradio page of the metric in that script: a table of its columns, options, an answer.

    A cell left empty is a null. Options are one JSON object, the keywords of `compute`; columns of
    that name go before. A file, if there is one, is taken in place of the table.
    """
    # it brings transformers and torch, for which who takes only a card would wait five seconds
    import evaluate

    gradio = require("gradio", extra="space")
    path = Path(script)
    metric = evaluate.load(str(path), keep_in_memory=True)
    schema = metric.features[0] if isinstance(metric.features, list) else metric.features
    types = {name: str(feature.dtype) for name, feature in schema.items()}

    def compute(table: Any, options: str = "", file: str | None = None) -> dict[str, Any]:
        try:
            chosen = json.loads(options) if options.strip() else {}
            if file is None:
                sheet = read_table(
                    list(table), table.astype(object).values.tolist(), types, metric.per_row
                )
            else:
                sheet = read_file(Path(file), types, metric.per_row)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UndefinedWarning)
                result = metric.compute(**sheet.columns, **{**chosen, **sheet.options})
        except (NormscopeError, ValueError, TypeError) as error:
            # messages quote what was sent, and are shown as HTML
            raise gradio.Error(escape(str(error), quote=False)) from error
        for warning in caught:
            gradio.Warning(escape(str(warning.message), quote=False))
        if sheet.unused:
            unused = f"columns that are not used: {', '.join(sheet.unused)}"
            gradio.Warning(escape(unused, quote=False))
        return dict(shown(result))

    columns = f"columns {', '.join(types)}; also {', '.join(option_columns(metric.per_row))}"
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
            gradio.Textbox(
                label="Options (JSON)",
                placeholder='{"level": 0.9}',
                value=json.dumps(options) if options else "",
            ),
            gradio.File(
                label=f"Or a file (CSV, JSONL or Parquet): {columns}",
                file_types=[".csv", ".jsonl", ".parquet"],
                type="filepath",
            ),
        ],
        outputs=gradio.JSON(label=metric.name),
        title=metric.name,
        description=metric.description,
        article=card(path.with_name("README.md")),
        flagging_mode="never",
        api_name="compute",
        analytics_enabled=False,
    )


def shown(result: Any) -> Any:
    """The result as a browser can read it, with null for what is NaN.

    >>> shown({"x": float("nan"), "y": [1.0]})
    {'x': None, 'y': [1.0]}
    """
    if isinstance(result, dict):
        return {name: shown(value) for name, value in result.items()}
    if isinstance(result, list):
        return [shown(value) for value in result]
    return None if isinstance(result, float) and math.isnan(result) else result


def card(path: Path) -> str:
    """The card without its front matter."""
    text = path.read_text(encoding="utf-8")
    if not text.startswith(_FENCE):
        return text
    return text.split(_FENCE, 2)[2].lstrip()
