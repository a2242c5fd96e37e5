"""A budget: so much time, so many tokens, or so much money."""

import re
from dataclasses import dataclass
from typing import Literal

from ...errors import UsageError
from ...messages import message

Kind = Literal["time", "tokens", "money"]

_SECONDS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400}
_THOUSANDS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "B": 10**9}
_TIME = re.compile(r"(?P<n>[\d.]+)\s*(?P<unit>s|min|m|h|d)")
_TOKENS = re.compile(r"(?P<n>[\d.]+)\s*(?P<unit>[kMGB]?)\s*tok(?:ens?)?")
_MONEY = re.compile(r"(?P<n>[\d.]+)\s*(?P<unit>[A-Z]{3})")


@dataclass(frozen=True, slots=True)
class Budget:
    """At most so much: seconds, tokens (of prompts and replies), or money of a `currency`."""

    kind: Kind
    most: float
    text: str
    currency: str = ""


def read_budget(text: str) -> Budget:
    """The budget as it is typed; a `UsageError` with examples where it is none.

    >>> read_budget("2h").most, read_budget("90 s").most, read_budget("1.5h").most
    (7200.0, 90.0, 5400.0)
    >>> read_budget("5M tokens").most, read_budget("200ktok").kind
    (5000000.0, 'tokens')
    >>> read_budget("20 USD")
    Budget(kind='money', most=20.0, text='20 USD', currency='USD')
    """
    given = text.strip()
    for kind, pattern in (("time", _TIME), ("tokens", _TOKENS), ("money", _MONEY)):
        if match := pattern.fullmatch(given):
            amount = _number(match["n"], given)
            if kind == "time":
                return Budget("time", amount * _SECONDS[match["unit"]], given)
            if kind == "tokens":
                return Budget("tokens", amount * _THOUSANDS[match["unit"]], given)
            return Budget("money", amount, given, match["unit"])
    raise _refused(given)


def read_seconds(text: str) -> float:
    """A time as it is typed, in seconds; 0 is none.

    >>> read_seconds("10s"), read_seconds("0"), read_seconds("1min")
    (10.0, 0.0, 60.0)
    """
    given = text.strip()
    match = _TIME.fullmatch(given)
    if given in {"0", "0s"}:
        return 0.0
    if match is None:
        raise UsageError(message("{given!r} is no time: 10s, 1min, or 0", given=given))
    return _number(match["n"], given) * _SECONDS[match["unit"]]


def _number(text: str, given: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise _refused(given) from None
    if value <= 0:
        raise _refused(given)
    return value


def _refused(given: str) -> UsageError:
    return UsageError(
        message(
            "{given!r} is no budget: a time (90s, 30min, 2h), tokens (500k tokens, 5M tokens) or "
            "money (20 USD), above 0",
            given=given,
        )
    )
