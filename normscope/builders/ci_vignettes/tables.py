"""Tables that are made when they are asked for."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping

import pyarrow as pa

from ...errors import SourceError

Make = Callable[[], pa.Table]


class Tables(Mapping[str, pa.Table]):
    """Tables by config, each made when it is first asked for and kept.

    A run asks for one config: it neither waits for the others nor needs their sources. Going
    through all of them leaves out, with a line in the log, those that cannot be had.
    """

    def __init__(self, makers: Mapping[str, Make], *, optional: Collection[str] = ()) -> None:
        """`optional` configs may be left out, when their sources cannot be had."""
        self._makers = dict(makers)
        self._optional = list(optional)
        self._tables: dict[str, pa.Table] = {}

    def __getitem__(self, config: str) -> pa.Table:
        """The table, made now if it was not made before."""
        if config not in self._tables:
            self._tables[config] = self._makers[config]()
        return self._tables[config]

    def __iter__(self) -> Iterator[str]:
        """The configs that can be had."""
        while self._optional:
            config = self._optional.pop(0)
            try:
                self[config]
            except SourceError as error:
                del self._makers[config]
                logging.getLogger("normscope").warning("%s is left out: %s", config, error)
        return iter(self._makers)

    def __len__(self) -> int:
        """How many can be had."""
        return sum(1 for _ in self)
