"""A run's norms against norms that somebody released of the same answers."""

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

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
    at = pc.index_in(norms["item_id"], value_set=pc.unique(released["item_id"]))
    if len(pc.unique(released["item_id"])) != len(released):
        raise DataError("the released norms are of more than one model; name one of them")
    if at.null_count:
        raise DataError(
            f"{at.null_count} vignettes of the run have no released norm, such as "
            f"{norms.filter(pc.is_null(at))['item_id'][0].as_py()}"
        )
    differing = 0
    for ours, theirs in COLUMNS.items():
        mine, released_norm = (
            pc.fill_null(column.cast(pa.float64()), float("inf"))
            for column in (norms[ours], released[theirs].take(at))
        )
        differing += pc.sum(pc.not_equal(mine, released_norm)).as_py()
    return Held(len(norms) * len(COLUMNS), differing)
