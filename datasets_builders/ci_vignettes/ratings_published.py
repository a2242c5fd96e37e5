"""What of people's ratings is handed on: how many gave each answer, and no row of a person's."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ...errors import ConfigError
from ...messages import message
from ...rows import Row, write_rows
from .context_file import ContextFile, Rating
from .ratings_file import MEAN, MISSING, PRACTICE, SD, N, read_ratings
from .ratings_wide import ITEM


def rated_in(context: ContextFile) -> str | None:
    """The name of the file with the context's ratings; null where there is none."""
    return None if context.ratings is None else context.ratings.file


def ratings_copy(context: ContextFile) -> bytes:
    """The file of the context's ratings as it is published, in the format of its name.

    A row has how many gave each answer and how many none, or, where nothing else is known, mean,
    sd and n. It is made of what was read and not of the file, and reads back as the same ratings:
    where it does not, since an answer is called as another column is, that is a `ConfigError`.
    """
    ratings = context.ratings
    assert ratings is not None  # noqa: S101 - asked of contexts with a file of ratings
    assert ratings.file is not None  # noqa: S101
    numbers = _means(ratings.values)
    if any(rating.missing is not None for rating in ratings.values):
        given = {answer for rating in ratings.values for answer in rating.counts}
        answers = [*ratings.answers] or sorted(given, key=float) or [f"{ratings.low:g}"]
        numbers = _counts(ratings.values, answers)
    rows = [
        {name: "" if cell is None else str(cell) for name, cell in {**_place(r), **more}.items()}
        for r, more in zip(ratings.values, numbers, strict=True)
    ]
    bare = replace(ratings, values=())
    again, _ = read_ratings(replace(context, ratings=bare), bare, rows)
    if again.ratings != ratings:
        raise ConfigError(
            message(
                "{file} cannot be handed on as counts: an answer is called as a factor is, or as "
                "another column ({columns}); rename it",
                file=ratings.file,
                columns=", ".join((ITEM, PRACTICE, MEAN, SD, N, MISSING)),
            )
        )
    with TemporaryDirectory() as folder:
        path = Path(folder) / ratings.file
        write_rows(path, rows)
        return path.read_bytes()


def _means(ratings: Iterable[Rating]) -> Iterable[Row]:
    return ({MEAN: each.mean, SD: each.sd, N: each.n} for each in ratings)


def _counts(ratings: Iterable[Rating], answers: Iterable[str]) -> Iterable[Row]:
    columns = [*answers]
    return ({**{a: each.counts.get(a) for a in columns}, MISSING: each.missing} for each in ratings)


def _place(rating: Rating) -> Row:
    """The cells that say which vignettes a rating is of."""
    if rating.item_id is not None:
        return {ITEM: rating.item_id}
    practice = {} if rating.practice is None else {PRACTICE: rating.practice}
    return {**practice, **rating.levels}
