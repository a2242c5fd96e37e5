"""`ns.validate`: people's labels and a judge in, its card out."""

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import UnscoredWarning, UsageError
from ..format import percent
from ..judges.trust.public_sets import labels_of
from ..judges.trust.validation import validate as make
from ..progress import hidden
from .card import Card
from .judge import Judge
from .settings import Names, listed_names


def validate(
    judge: Judge | str | os.PathLike[str],
    labels: Any,
    *,
    criterion: str | None = None,
    label: str = "label",
    map: Mapping[Any, Any] | None = None,  # noqa: A002 - as the flag is called
    columns: Mapping[str, str] | None = None,
    category: str | None = None,
    language: str | None = None,
    harmful: Names = (),
    name: str = "",
    source: str | os.PathLike[str] | None = None,
    split: str | None = None,
    trained_on: Names = (),
    limit: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
) -> Card:
    """How far a judge agrees with people on one criterion, as its card.

    Args:
        judge: The judge, with the rubric that it is asked under.
        labels: A data frame, an Arrow table or a file with the columns question, response and
            label, and if it has them language, category, turns, messages and cluster (what is not
            independent; the question itself without it). Or the name of a public set.
        criterion: The rubric's criterion; its only one where it has one.
        label: The column of people's labels.
        map: What its values are on the criterion's scale: `{"safe": 1, "unsafe": 0}`; a value
            mapped to None is left out. Without it they are the labels themselves.
        columns: The columns by their roles, where they are called otherwise.
        category: The rubric's category for rows that have none of its categories.
        language: The language of rows that name none.
        harmful: The criterion's labels of answers that do harm, where they are not the usual ones.
        name: What the labels are called on the card.
        source: The folder with the public set's files.
        split: A part of the public set; its first without it.
        trained_on: Sets that the judge learnt from, beside those that it declares itself.
        limit: A random sample of so many rows.
        resamples: Of the bootstrap of intervals.
        seed: Of the bootstrap and of the sample.
        out: A folder for the card's files; a call that was broken off goes on there.

    Raises:
        UsageError: An unknown criterion, label, category or set, with the nearest name.
        DataError: A column or a row that cannot be read, by its name or number.

    Where more than `max_unscored` of the answers are unscored, an `UnscoredWarning` says so.
    """
    judge = judge if isinstance(judge, Judge) else Judge(judge)
    rubric, config = judge.rubric, judge.config
    of_table = {"column": label, "mapping": map, "name": name}
    read = labels_of(labels, rubric, criterion, source=source, split=split, **of_table)
    if len(read.criteria) > 1:
        raise UsageError(
            f"{read.name} has labels of several criteria ({', '.join(read.criteria)}): name one, "
            f"criterion={next(iter(read.criteria))!r}"
        )
    with hidden(not judge.progress):
        [result] = make(
            read,
            rubric,
            config,
            lambda _: judge.loaded.engine,
            benchmark=name,
            columns=columns,
            category=category,
            language=language,
            harmful=listed_names(harmful),
            trained_on=listed_names(trained_on),
            limit=limit,
            resamples=resamples,
            seed=seed,
            out=None if out is None else Path(out),
        )
    card = Card(result)
    if out is not None:
        card.write(out)
    if result.unscored > config.max_unscored:
        text = f"{percent(result.unscored)} of the answers are unscored: the card says why"
        warnings.warn(text, UnscoredWarning, stacklevel=2)
    return card
