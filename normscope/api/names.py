"""One name or several, as a call from Python gives them."""

from collections.abc import Iterable

Names = str | Iterable[str]


def listed_names(names: Names | None) -> tuple[str, ...]:
    """One name or several as a tuple: a text alone is no list of its letters.

    >>> listed_names("hr"), listed_names(["hr", "rr1"]), listed_names(None)
    (('hr',), ('hr', 'rr1'), ())
    """
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)
