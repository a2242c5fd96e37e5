"""The short name of an answer, by which a link finds it again."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from ..categorical import Codes
from .pairing import Paired

DIGITS = 16  # 64 bits: two of a quarter of a million answers have one name once in 10⁹ runs


def keys_of(paired: Paired, places: Codes) -> list[str]:
    """The names of the answers in these places, made of what identifies an answer in every run.

    Neither the run nor its model is in it: a link to an answer of one run opens it in another.
    """
    columns = (
        *(column[places].tolist() for column in paired.key),
        paired.sample[places].tolist(),
        paired.temperature[places].tolist(),
    )
    return [
        hashlib.sha256("\x1f".join(map(str, key)).encode()).hexdigest()[:DIGITS]
        for key in zip(*columns, strict=True)
    ]


def as_numbers(keys: list[str]) -> NDArray[np.uint64]:
    """The names as numbers, eight bytes each."""
    return np.array([int(key, 16) for key in keys], dtype=np.uint64)


def as_number(key: str) -> np.uint64 | None:
    """The name as a number; null where it is no name of an answer."""
    try:
        return np.uint64(int(key, 16))
    except (ValueError, OverflowError):
        return None
