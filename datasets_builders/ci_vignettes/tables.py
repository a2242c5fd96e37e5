"""Tables that are made when they are asked for."""

import logging
from collections.abc import Callable, Iterator, Mapping

import pyarrow as pa

Make = Callable[[], pa.Table]
WhyNot = Callable[[], str | None]
"""Why a table cannot be had here, or nothing if it can."""


class Tables(Mapping[str, pa.Table]):
    """Tables by config, each made when it is first asked for and kept.

    A run asks for one config: it neither waits for the others nor needs their sources. Going
    through all of them leaves out, with a line in the log, those that cannot be had.
    """

    def __init__(
        self, makers: Mapping[str, Make], *, why_not: Mapping[str, WhyNot] | None = None
    ) -> None:
        """`why_not` holds a check for each config that may be left out."""
        self._makers = dict(makers)
        self._why_not = dict(why_not or {})
        self._tables: dict[str, pa.Table] = {}

    def __getitem__(self, config: str) -> pa.Table:
        """The table, made now if it was not made before."""
        if config not in self._tables:
            self._tables[config] = self._makers[config]()
        return self._tables[config]

    def __iter__(self) -> Iterator[str]:
        """The configs that can be had."""
        for config in [name for name in self._why_not if name in self._makers]:
            if (reason := self._why_not.pop(config)()) is not None:
                del self._makers[config]
                logging.getLogger("normscope").warning("%s is left out: %s", config, reason)
        return iter(self._makers)

    def __len__(self) -> int:
        """How many can be had."""
        return sum(1 for _ in self)
