"""A run's norms against norms that somebody released of the same answers."""

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from ..builders.ci_vignettes.published_answers import RELEASED
from ..errors import DataError

COLUMNS: Mapping[str, str] = dict(zip(("norm_simple", "norm_super"), RELEASED, strict=True))
"""What a column of `norms.parquet` is called where the norms were released."""


class Held(NamedTuple):
    """How many norms were held against released ones, and how many of them are not the same."""

    norms: int
    differing: int


def held_against(norms: pa.Table, released: pa.Table) -> Held:
    """The norms of a run (`norms.parquet`) against those released of the same vignettes.

    Two norms are held per vignette of the run, that of half of its valid answers and that of two
    thirds; no norm is the same as no norm. `released` has `item_id` and `RELEASED`; a `DataError`
    says which vignette it lacks.

    >>> ours = pa.table({"item_id": ["a", "b"], "norm_simple": [1.0, None], "norm_super": [1, 2]})
    >>> theirs = pa.table({"item_id": ["b", "a"], "majority": [-1, 1], "majority_67": [2, 1]})
    >>> held_against(ours, theirs)
    Held(norms=4, differing=1)
    """
    theirs = released.to_pandas().set_index("item_id")
    if not theirs.index.is_unique:
        raise DataError("the released norms are of more than one model; name one of them")
    mine = norms.to_pandas().set_index("item_id")
    if lost := [*mine.index.difference(theirs.index, sort=False)]:
        raise DataError(
            f"{len(lost)} vignettes of the run have no released norm, such as {lost[0]}"
        )
    pairs = mine[[*COLUMNS]].join(theirs[[*COLUMNS.values()]])
    # no norm equals nothing, not even itself
    pairs = pairs.astype(float).fillna(float("inf"))
    differing = sum(int((pairs[one] != pairs[other]).sum()) for one, other in COLUMNS.items())
    return Held(len(norms) * len(COLUMNS), differing)
