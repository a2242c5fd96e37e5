"""One name or several, as a call from Python gives them."""

from collections.abc import Iterable

Names = str | Iterable[str]


def listed_names(given: Names | None) -> tuple[str, ...]:
    """One name or several as a tuple: a text alone is no list of its letters.

    >>> listed_names("hr"), listed_names(["hr", "rr1"]), listed_names(None)
    (('hr',), ('hr', 'rr1'), ())
    """
    return () if given is None else (given,) if isinstance(given, str) else tuple(given)
