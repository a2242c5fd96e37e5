"""Arrays to numbers with intervals: plain numpy here, one `evaluate` module per subfolder."""

from pathlib import Path
from typing import Literal

from ..errors import UsageError, nearest

Rule = Literal["default", "published"]
"""Our arithmetic, or the one with which a paper's authors made its numbers."""

_HERE = Path(__file__).parent


def names() -> list[str]:
    """The `evaluate` modules there are.

    >>> names()[:3]
    ['cfsafety_score', 'factor_effects', 'norm_agreement']
    """
    scripts = _HERE.glob("*/*.py")
    return sorted(script.stem for script in scripts if script.stem == script.parent.name)


def path(name: str) -> str:
    """The folder of the `evaluate` module, for `evaluate.load(path(name))`.

    >>> path("refusal_rates").endswith("refusal_rates")
    True
    """
    if name not in names():
        raise UsageError(f"no metric {name!r}: {nearest(name, names())}")
    return str(_HERE / name)
