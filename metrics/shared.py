"""The variants that models were asked, and those that they share.

Models are compared on the variants that all of them were asked: a norm over three variants and one
over eleven would differ by the variants alone.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from .inputs import Bools, Floats
from .majority import Asked, or_all


def asked_of_each(
    answers: Mapping[str, Floats],
    unscored: Mapping[str, Bools] | None = None,
    asked: Mapping[str, Asked] | None = None,
) -> dict[str, Bools]:
    """The columns that each model was asked.

    Those that `asked` marks; else those with an answer, or a failure that `unscored` marks.

    >>> x, y = np.array([[1.0, 1.0]] * 2), np.array([[1.0, np.nan]] * 2)
    >>> result = asked_of_each({"x": x, "y": y})
    >>> {name: columns.tolist() for name, columns in result.items()}
    {'x': [True, True], 'y': [True, False]}
    """
    result = {}
    for name, matrix in answers.items():
        columns = None if asked is None else asked[name]
        if columns is None:
            answered = ~np.isnan(matrix) if unscored is None else ~np.isnan(matrix) | unscored[name]
            columns = or_all(np.logical_or.reduce(answered), len(matrix))
        result[name] = np.broadcast_to(columns, matrix.shape[1:])
    return result


def all_shared(columns: Mapping[str, Bools], names: Iterable[str]) -> Bools:
    """The columns that every one of these models was asked.

    >>> asked = {"x": np.array([True, True]), "y": np.array([True, False])}
    >>> all_shared(asked, "xy").tolist()
    [True, False]
    """
    shared: Bools = np.logical_and.reduce([columns[name] for name in names])
    return shared
