"""Markup of ours as a notebook shows it: with its own style, which changes nothing around it.

Text has the colour of the notebook, whatever its theme, and no script is needed.
"""

from functools import cache
from pathlib import Path

from .. import palette

_STYLE = Path(__file__).with_name("notebook.css")
_CLASS = ".normscope"

_DARK = (
    "body[data-jp-theme-light='false']",  # JupyterLab and Notebook
    ".vscode-dark",
    "html[theme='dark']",  # Colab
    "[data-md-color-scheme='slate']",  # mkdocs-material
)
"""How notebooks say that they are dark; the reader's system says nothing of a notebook's theme."""


def cell(markup: str) -> str:
    """The markup of a writer, or of a chart, as the output of a cell."""
    return f"<style>{_style()}</style>\n<div class='{_CLASS[1:]}'>{markup}</div>"


@cache
def _style() -> str:
    dark = ", ".join(f"{theme} {_CLASS}" for theme in _DARK)
    tones = palette.properties(_CLASS, dark)
    return f"{tones}{palette.rules(_CLASS)}{_STYLE.read_text(encoding='utf-8')}"
