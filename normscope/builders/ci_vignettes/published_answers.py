"""What five models answered to the IoT vignettes in their authors' run, and the norms of it.

The answers are those that the authors of LLM-CI released with a later run of theirs
(github.com/yansh/privacy-bias at commit ec69cb8, MIT): 6,912 vignettes × 11 prompt variants × 3
orders of the scale, as degrees from −2 to 2. The package carries them as one small Parquet file, a
row per vignette and a column per model and prompt, which is unrolled here.
"""

from collections.abc import Mapping
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import UsageError, nearest
from ...files import read_parquet
from ...messages import message
from .prompts import FOLDER

CONTEXT = "iot"
ANSWERS, NORMS = f"{CONTEXT}_published_answers", f"{CONTEXT}_published_norms"
"""The configs of the dataset."""

FILE = FOLDER / "published_answers.parquet"

RELEASED = ("majority", "majority_67")
"""The columns of norms in the authors' table: with half of the valid answers, and with 0.67."""

_BETWEEN = "/"


def published_answers(model: str | None = None) -> pa.Table:
    """The answers of a model, or of all: `model, item_id, variant_id, scale_order, answer`.

    A row per prompt that a model was asked, in the order of the authors' columns, by which the
    published majority goes. An answer is −2 … 2, or null where there was no valid answer; an order
    is the authors' number for it, whose words nobody noted. A model that is not there is a
    `UsageError` that names the nearest.

    >>> published_answers("tulu-2-7b").num_rows == 6912 * 11 * 3
    True
    """
    wide, tables = _wide(model), []
    for name in wide.column_names:
        match name.split(_BETWEEN):
            case [of, variant, order]:
                key = {"model": of, "variant_id": variant, "scale_order": order}
                tables.append(_rows(wide, key, {"answer": name}))
    return pa.concat_tables(tables)


def published_norms(model: str | None = None) -> pa.Table:
    """The released norms of a model, or of all: `model, item_id, majority, majority_67`.

    A row per vignette, in the order of ours: the label −2 … 2 that half of the valid answers gave,
    and 0.67 of them, by the authors' rule (`rule="published"` of `metrics.norms`); null where it
    gives none.
    """
    wide = _wide(model)
    of_models = [
        _rows(wide, {"model": name}, {norm: f"{name}{_BETWEEN}{norm}" for norm in RELEASED})
        for name in published_models()
        if model in {None, name}
    ]
    return pa.concat_tables(of_models)


@cache
def published_models() -> tuple[str, ...]:
    """The models, as the authors' frame calls them."""
    names = pq.read_schema(FILE).names
    return tuple(dict.fromkeys(name.partition(_BETWEEN)[0] for name in names[1:]))


def _wide(model: str | None) -> pa.Table:
    """The file's columns of the model, or all, after the vignettes' ids."""
    if model is not None and model not in published_models():
        raise UsageError(
            message(
                "there are no published answers of {model}; {nearest}",
                model=repr(model),
                nearest=nearest(model, list(published_models())),
            )
        )
    names = pq.read_schema(FILE).names
    of_model = [name for name in names[1:] if model in {None, name.partition(_BETWEEN)[0]}]
    return read_parquet(FILE, columns=["item_id", *of_model])


def _rows(wide: pa.Table, key: Mapping[str, str], values: Mapping[str, str]) -> pa.Table:
    """A row per vignette with the same key, and the values of these columns under new names."""
    named = {name: pa.repeat(pa.scalar(text, pa.string()), len(wide)) for name, text in key.items()}
    first = {"model": named.pop("model"), "item_id": wide["item_id"]}
    return pa.table({**first, **named, **{name: wide[at] for name, at in values.items()}})
