"""A column of few distinct names as codes, so that a million rows are not a million strings."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

Bools = NDArray[np.bool_]
Codes = NDArray[np.intp]

_MOST = 2**62
"""How many combinations of values are numbered before those that there are get numbers anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Categorical:
    """The place of each row's name among `names`; −1 where there is none.

    `names` are distinct; a name may have no row. `codes` may have several dimensions.
    """

    codes: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: "Iterable[str | None] | pa.ChunkedArray | Categorical") -> "Categorical":
        """The column with its names in the order in which they are first seen.

        >>> column = Categorical.of(["b", None, "a", "b"])
        >>> column.codes.tolist(), column.names
        ([0, -1, 1, 0], ('b', 'a'))
        """
        if isinstance(values, Categorical):
            return values
        if not isinstance(values, pa.ChunkedArray | pa.Array):
            values = pa.array(values, type=pa.string())
        if isinstance(values, pa.ChunkedArray):
            # the chunks of a file have dictionaries of their own, whose codes do not go together
            values = values.unify_dictionaries().combine_chunks()
        encoded = values.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return cls(codes.astype(np.int32, copy=False), tuple(encoded.dictionary.to_pylist()))

    @classmethod
    def stacked(cls, columns: "Sequence[Categorical]") -> "Categorical":
        """The columns one under the other.

        >>> Categorical.stacked([Categorical.of(["b", None]), Categorical.of(["a", "b"])]).tolist()
        ['b', None, 'a', 'b']
        """
        place: dict[str, int] = {}
        for name in chain.from_iterable(column.names for column in columns):
            place.setdefault(name, len(place))
        # the last code is that of a row without a name
        codes = [
            np.array([*(place[name] for name in column.names), -1], dtype=np.int32)[column.codes]
            for column in columns
        ]
        return cls(np.concatenate(codes), tuple(place))

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    def __iter__(self) -> Iterator[str | None]:
        """The names row by row."""
        return iter(self.tolist())

    def __getitem__(self, rows: Any) -> "Categorical":
        """These rows, by their places or by a mask."""
        return Categorical(self.codes[rows], self.names)

    def taken(self, places: "NDArray[np.integer[Any]]") -> "Categorical":
        """The names in these places; none for the place −1.

        >>> Categorical.of(["b", "a"]).taken(np.array([1, -1, 0])).tolist()
        ['a', None, 'b']
        """
        return Categorical(np.append(self.codes, np.int32(-1))[places], self.names)

    def tolist(self) -> list[str | None]:
        """The names row by row, null where there is none."""
        # the code −1 is that of the last, null
        choice = np.array([*self.names, None], dtype=object)
        names: list[str | None] = choice[self.codes].tolist()
        return names

    def name(self, row: int) -> str | None:
        """The name of one row."""
        code = int(self.codes[row])
        return None if code < 0 else self.names[code]

    def equals(self, name: str) -> Bools:
        """Which rows have the name."""
        return self.isin((name,))

    def isin(self, names: Iterable[str]) -> Bools:
        """Which rows have one of the names.

        >>> Categorical.of(["b", None, "a"]).isin({"a", "c"}).tolist()
        [False, False, True]
        """
        looked_for = set(names)
        return self.marked([name in looked_for for name in self.names])

    def marked(self, names: Iterable[bool]) -> Bools:
        """Which rows have a name that is marked; `names` has a mark for each."""
        # the last mark is that of the code −1
        marks = np.array([*names, False], dtype=np.bool_)
        return marks[self.codes]

    def put(self, name: str, rows: Any) -> "Categorical":
        """The column with this name in these rows, by their places or by a mask.

        >>> Categorical.of(["b", None, "a"]).put("c", [1, 2]).tolist()
        ['b', 'c', 'c']
        """
        names = self.names if name in self.names else (*self.names, name)
        codes = self.codes.copy()
        codes[rows] = names.index(name)
        return Categorical(codes, names)

    def where(self, kept: Bools) -> "Categorical":
        """The column with a name only in the rows that are kept."""
        return Categorical(np.where(kept, self.codes, np.int32(-1)), self.names)

    def seen(self) -> "Categorical":
        """The names that have rows, in the order in which they are first seen.

        >>> Categorical.of(["b", "a", None, "c"])[1:].seen().names
        ('a', 'c')
        """
        present = self.codes >= 0
        encoded = pa.array(self.codes, mask=~present).dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        names = tuple(self.names[code] for code in encoded.dictionary.to_pylist())
        return Categorical(codes.astype(np.int32, copy=False), names)


def combined(*columns: Categorical | NDArray[Any] | pa.Array) -> Codes:
    """The place of each row's combination of values among the distinct ones as first seen.

    Null is a value like any other, and so is NaN.

    >>> combined(Categorical.of(["b", "a", "b", "b"]), np.array([0.5, 0.5, np.nan, 0.5])).tolist()
    [0, 1, 2, 0]
    """
    result, size = np.zeros(0, dtype=np.intp), 0
    for column in columns:
        # the code −1 becomes 0
        codes = column.codes + np.intp(1) if isinstance(column, Categorical) else _places(column)
        n = int(codes.max(initial=-1)) + 1
        if size * n > _MOST:
            result = _places(result)
            size = int(result.max(initial=-1)) + 1
        result, size = (result * n + codes, size * n) if size else (codes, n)
    return _places(result)


def first_rows(codes: Codes) -> Codes:
    """The first row of each code from 0 on.

    >>> first_rows(np.array([0, 1, 0, 2])).tolist()
    [0, 1, 3]
    """
    first: Codes = np.unique(codes, return_index=True)[1]
    return first


def group_by(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The rows under their keys, both in the order in which they came.

    >>> group_by(["pear", "fig", "plum"], len)
    {4: ['pear', 'plum'], 3: ['fig']}
    """
    groups: dict[K, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _places(values: NDArray[Any] | pa.Array) -> Codes:
    array = values if isinstance(values, pa.Array) else pa.array(values)
    indices = array.dictionary_encode(null_encoding="encode").indices
    places: Codes = indices.to_numpy(zero_copy_only=False).astype(np.intp, copy=False)
    return places
