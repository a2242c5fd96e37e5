r"""A table as LaTeX with the rules of booktabs; whatever stands in a cell is escaped.

Needs `\usepackage{booktabs}`; pdfLaTeX suffices for English, Chinese needs XeLaTeX with ctex.
"""

import re

from ...messages import Language
from ...untrusted import visible
from ..blocks import Table, Text, plain, texts_of

_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": r"$-$",
    "×": r"$\times$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "·": r"$\cdot$",
    "²": r"$^2$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "η": r"$\eta$",
    "χ": r"$\chi$",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
}
"""What LaTeX takes for a command or has no letter for, and what it writes instead."""

_SPECIAL = re.compile("|".join(map(re.escape, _SIGNS)))


def escaped(text: str) -> str:
    r"""The text as LaTeX writes it, on one line.

    >>> escaped("50.0 % of a_b"), escaped("−1 {x}")
    ('50.0 \\% of a\\_b', '$-$1 \\{x\\}')
    """
    line = " ".join(visible(text).split())
    return _SPECIAL.sub(lambda match: _SIGNS[match[0]], line)


def table(table: Table, language: Language = "en") -> str:
    r"""The table in an environment of its own, its title as the caption.

    A first cell that begins with a bracket is no optional argument of the row before it.
    """

    def line(cells: tuple[Text, ...] | tuple[str, ...]) -> str:
        texts = [escaped(plain(cell, language)) for cell in cells]
        # `\\ [` would be a distance between rows
        guarded = [
            f"{{}}{text}" if text.startswith("[") and not at else text
            for at, text in enumerate(texts)
        ]
        return f"    {' & '.join(guarded)} \\\\"

    kept = table.written
    columns = [table.columns[at] for at in kept]
    kinds = "".join("r" if column.kind == "number" else "l" for column in columns)
    rows = (texts_of([row[at] for at in kept], language) for row in table.rows)
    return "\n".join(
        (
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{escaped(plain(table.title, language))}}}",
            rf"  \begin{{tabular}}{{{kinds}}}",
            r"    \toprule",
            line(tuple(column.title for column in columns)),
            r"    \midrule",
            *map(line, rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        )
    )
