"""What people said of vignettes, read from a table: each answer, how many gave it, or the means.

A row is placed by the levels in its columns, one column per factor (and `practice`), or by the
`item_id` of its vignette. What else it holds is told by its columns: `answer` (a row per person and
vignette), a column per answer of the scale (how many gave it), or `mean` (with `sd` and `n` where
they are known). A table of none of these forms may be wide, a row per person and a column per
vignette: it is made a table of single answers first (`ratings_wide.py`).

A table that names a person is refused. What is published of any is how many people gave each answer
(`ratings_published.py`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...errors import ConfigError, DataError, nearest
from ...messages import joined, message
from ...problems import Problem, problem
from ...records.answered import spelt
from ...rows import Row, read_rows
from ...yaml import MOST
from .check import find_problems
from .context_file import ContextFile, Rating, Ratings, factors_of
from .ratings_wide import ANSWER, ITEM, Numbered, WideTable, wide_table
from .vignettes import vignette_table
from .wording import names_people

PRACTICE, MEAN, SD, N, COUNTS = "practice", "mean", "sd", "n", "counts"
MISSING = "missing"
"""The column of counts in which all stand that are no answer."""

_FILE = ("ratings", "file")


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a file of ratings, the columns by which they are placed, and their form.

    The form is `answer`, `counts` or `mean`; `answers` are the columns of counts. `idle` are the
    columns of which nothing is made.
    """

    context: ContextFile
    ratings: Ratings
    rows: Sequence[Numbered]
    places: tuple[str, ...]
    form: str
    answers: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()

    def row_problem(self, row: Numbered, text: str, /, **slots: object) -> Problem:
        """What is wrong with a row, or with a cell of a wide table."""
        clause, file = message(text, **slots), self.ratings.file
        if row.column is None:
            return problem(
                _FILE,
                "{file}, row {row}: {problem}",
                file=file,
                row=row.number,
                problem=clause,
            )
        return problem(
            _FILE,
            "{file}, row {row}, column {column}: {problem}",
            file=file,
            row=row.number,
            column=repr(row.column),
            problem=clause,
        )


def with_ratings(context: ContextFile, folder: Path) -> tuple[ContextFile, list[Problem]]:
    """The context with the ratings of the file that it names, and what is wrong with that file.

    The file lies in the folder of the context's own, so that both are handed on together. A column
    of which nothing is made is a warning: a factor may be misspelt in it.
    """
    ratings = context.ratings
    if ratings is None or ratings.file is None:
        return context, []
    try:
        rows = _rows(ratings, ratings.file, folder)
    except (DataError, ConfigError) as error:
        return context, [Problem(_FILE, error.message)]
    if personal := list(_personal(context, ratings, rows)):
        return context, personal
    return read_ratings(context, ratings, rows)


def _personal(context: ContextFile, ratings: Ratings, rows: Sequence[Row]) -> Iterator[Problem]:
    """Columns that name those who answered."""
    for name in rows[0] if rows else ():
        if name in context.factors or name in ratings.answers:
            continue
        kind = names_people(name, (spelt(row[name]) for row in rows))
        if kind is not None:
            yield problem(
                _FILE,
                "{file} holds {kind} in the column {column}; take the column out, or number the "
                "raters: nothing that names a person may be handed on",
                file=ratings.file,
                kind=kind,
                column=repr(name),
            )


def read_ratings(
    context: ContextFile, ratings: Ratings, rows: Sequence[Row]
) -> tuple[ContextFile, list[Problem]]:
    """The context with the ratings that the rows are, and what is wrong with these."""
    try:
        table = _table(context, ratings, rows)
    except (DataError, ConfigError) as error:
        return context, [Problem(_FILE, error.message)]
    if table is None:
        return context, []
    if not table.rows:
        return context, [problem(_FILE, "nobody's answer is in {file}", file=ratings.file)]
    grouped: dict[tuple[str, ...], list[Numbered]] = {}
    for each in table.rows:
        key = tuple(spelt(each.row[name]) for name in table.places)
        grouped.setdefault(key, []).append(each)
    values: list[Rating] = []
    wrong: list[Problem] = []
    for key, group in grouped.items():
        for result in _rating(table, dict(zip(table.places, key, strict=True)), group):
            if isinstance(result, Rating):
                values.append(result)
            else:
                wrong.append(result)
    if wrong:
        return context, wrong[:MOST]
    if table.places == (ITEM,):
        try:
            values = [*_placed(context, values)]
        except ConfigError as error:
            return context, [Problem(_FILE, error.message)]
    filled = replace(context, ratings=replace(ratings, values=tuple(values)))
    return filled, list(_unused(table))


def _vignettes(context: ContextFile) -> pa.Table | None:
    """Every vignette that may have been rated; none of a context that has another error in it."""
    if any(not each.warning for each in find_problems(context)):
        return None
    # which ones are rated is only known when the file has been read
    return vignette_table(replace(context, only_rated=False))


def _placed(context: ContextFile, values: Sequence[Rating]) -> Iterator[Rating]:
    """Ratings by `item_id` with the practice and the levels of their vignettes.

    An id that no vignette has is told later, with how many there are.
    """
    vignettes = _vignettes(context)
    rows = {} if vignettes is None else {row[ITEM]: row for row in vignettes.to_pylist()}
    for rating in values:
        if (row := rows.get(rating.item_id)) is None:
            yield rating
            continue
        names = factors_of(context, context.practices[row[PRACTICE]].template)
        yield replace(rating, practice=row[PRACTICE], levels={name: row[name] for name in names})


def _rows(ratings: Ratings, file: str, folder: Path) -> list[Row]:
    """The file's rows; a `DataError` where it may not be read."""
    if ratings.values:
        text = message("ratings stand in {file} and under values; leave one of them out", file=file)
        raise DataError(text)
    # a context may be a stranger's: no path leads out of its folder
    if Path(file).name != file:
        text = message(
            "{file} is not the name of a file beside this one; put it there, without a folder",
            file=repr(file),
        )
        raise DataError(text)
    return read_rows(folder / file)


def _table(context: ContextFile, ratings: Ratings, rows: Sequence[Row]) -> _Table | None:
    """The rows in one of the three forms, else a `DataError` that says what they lack.

    None where that cannot be said: whether a header is a vignette is known of a sound context only.
    """
    columns = list(rows[0]) if rows else []
    levels = tuple(name for name in (PRACTICE, *context.factors) if name in columns)
    places = (ITEM,) if ITEM in columns else levels
    forms = [name for name in (ANSWER, MEAN) if name in columns]
    answers = tuple(ratings.answers)
    if not answers and not forms:
        # without words for them, answers are numbers
        answers = tuple(name for name in columns if _value(ratings, name) is not None)
    if answers and set(answers) <= set(columns):
        forms.append(COUNTS)
    if places and len(forms) == 1:
        used = {*places, ANSWER, MEAN, SD, N, *answers, *ratings.no_answer}
        used |= {MISSING} if forms == [COUNTS] else set()
        idle = tuple(name for name in columns if name not in used)
        numbered = [Numbered(number, row) for number, row in enumerate(rows, start=1)]
        return _Table(context, ratings, numbered, places, forms[0], answers, idle)
    if (vignettes := _vignettes(context)) is None:
        return None
    wide = wide_table(vignettes, columns)
    if wide.vignettes:
        idle = tuple(name for name in columns if name not in wide.vignettes)
        return _Table(context, ratings, [*wide.answers(rows)], (ITEM,), ANSWER, idle=idle)
    raise DataError(_formless(context, ratings, columns, wide, placed=bool(places)))


def _formless(
    context: ContextFile, ratings: Ratings, columns: Sequence[str], wide: WideTable, *, placed: bool
) -> str:
    """What a table lacks that has none of the forms."""
    if not placed:
        return message(
            "{file} does not say which vignettes were rated; it needs a column per factor "
            "({factors}) or item_id, or, in a form's download, a column per vignette with its text "
            "or its item_id as the header, as {vignette}. It has {columns}",
            file=ratings.file,
            factors=joined(context.factors),
            vignette=repr(wide.example),
            columns=joined(columns) or "–",
        )
    return message(
        "{file} needs exactly one of these: the column answer; a column for each of the answers "
        "that ratings.answers names ({answers}); or the column mean. It has {columns}",
        file=ratings.file,
        answers=joined(ratings.answers) or "–",
        columns=joined(columns),
    )


def _unused(table: _Table) -> Iterator[Problem]:
    if table.idle:
        yield problem(
            _FILE,
            "nothing is made of these columns of {file}: {columns}",
            warning=True,
            file=table.ratings.file,
            columns=joined(table.idle),
        )


def _rating(
    table: _Table, place: Mapping[str, str], rows: Sequence[Numbered]
) -> Iterator[Rating | Problem]:
    """The rating that the rows of one place make, or everything that is wrong with them."""
    first = rows[0]
    problems = list(_misplaced(table, first, place))
    if table.form != ANSWER:
        # a second row would be another mean, or other counts, of the same vignettes
        text = "these vignettes were rated before, in row {row}; one row each"
        problems += [table.row_problem(each, text, row=first.number) for each in rows[1:]]
    read = {ANSWER: _answers, COUNTS: _counts, MEAN: _means}[table.form]
    result = list(read(table, rows))
    problems += [each for each in result if isinstance(each, Problem)]
    yield from problems
    if not problems:
        levels = {name: level for name, level in place.items() if name not in {ITEM, PRACTICE}}
        for each in result:
            if isinstance(each, Rating):
                yield replace(
                    each, levels=levels, practice=place.get(PRACTICE), item_id=place.get(ITEM)
                )


def _misplaced(table: _Table, row: Numbered, place: Mapping[str, str]) -> Iterator[Problem]:
    """Levels that a factor does not have, and practices that there are not."""
    for name, level in place.items():
        if name == ITEM:
            continue
        factors, practices = table.context.factors, table.context.practices
        known = [*practices] if name == PRACTICE else factors[name].all_levels
        if level not in known:
            yield table.row_problem(
                row,
                "{level} is no level of {factor}; {note}",
                level=repr(level),
                factor=name,
                note=nearest(level, known),
            )


def _answers(table: _Table, rows: Sequence[Numbered]) -> Iterator[Rating | Problem]:
    """A row per person: how often each answer was given."""
    ratings = table.ratings
    counts: Counter[str] = Counter()
    for each in rows:
        answer = spelt(each.row[ANSWER])
        value = _value(ratings, answer)
        if not answer or answer in ratings.no_answer:
            counts[""] += 1
        elif value is None:
            known = [*ratings.answers, *ratings.no_answer]
            note = nearest(answer, known) if ratings.answers else ""
            yield table.row_problem(
                each,
                "{answer} is no answer on the scale of {low} to {high}; {note}",
                answer=repr(answer),
                low=ratings.low,
                high=ratings.high,
                note=note or message("name the words of the scale under ratings.answers"),
            )
        else:
            counts[answer] += 1
    yield _summary(ratings, counts)


def _counts(table: _Table, rows: Sequence[Numbered]) -> Iterator[Rating | Problem]:
    """A row per vignette: its cells say how often each answer was given."""
    ratings, first = table.ratings, rows[0]
    counts: Counter[str] = Counter()
    for name in dict.fromkeys((*table.answers, *ratings.no_answer, MISSING)):
        cell = spelt(first.row.get(name))
        if not cell:
            continue
        if not cell.isdecimal():
            yield table.row_problem(
                first, "{cell} in {column} is no number of people", cell=repr(cell), column=name
            )
            continue
        counts[name if name in table.answers else ""] += int(cell)
    yield _summary(ratings, counts)


def _means(table: _Table, rows: Sequence[Numbered]) -> Iterator[Rating | Problem]:
    """A row per vignette: mean, and sd and n where the table has them."""
    first = rows[0]
    numbers: dict[str, float | None] = {}
    for name in (MEAN, SD, N):
        cell = spelt(first.row.get(name))
        numbers[name] = _number(cell)
        if numbers[name] is None and (cell or name == MEAN):
            yield table.row_problem(
                first, "{cell} in {column} is no number", cell=repr(cell), column=name
            )
    mean, sd, n = numbers[MEAN], numbers[SD], numbers[N]
    low, high = table.ratings.low, table.ratings.high
    if mean is not None and not low <= mean <= high:
        yield table.row_problem(
            first, "{mean} is not on the scale of {low} to {high}", mean=mean, low=low, high=high
        )
    yield Rating({}, mean, sd, None if n is None else int(n))


def _summary(ratings: Ratings, counts: Counter[str]) -> Rating:
    """Mean, standard deviation (n − 1) and number of the answers; what counts for none is missing.

    >>> scale = Ratings("How?", 0, 1, "", answers={"yes": 1, "no": 0})
    >>> rating = _summary(scale, Counter({"yes": 3, "no": 1, "": 2}))
    >>> rating.mean, rating.sd, rating.n, rating.missing
    (0.75, 0.5, 4, 2)
    """
    worth = {answer: _value(ratings, answer) or 0.0 for answer in counts if answer}
    # up the scale, so that the order of people does not move the last digit
    given = {answer: counts[answer] for answer in sorted(worth, key=lambda a: (worth[a], a))}
    numbers = [worth[answer] for answer in given]
    values = np.repeat(numbers, np.array([*given.values()], dtype=np.intp))
    n = len(values)
    return Rating(
        {},
        mean=float(values.mean()) if n else None,
        sd=float(values.std(ddof=1)) if n > 1 else None,
        n=n,
        counts=given,
        missing=counts[""],
    )


def _value(ratings: Ratings, answer: str) -> float | None:
    """What an answer counts: as `answers` says, or the number that it is; null for none."""
    if ratings.answers:
        return ratings.answers.get(answer)
    value = _number(answer)
    return value if value is not None and ratings.low <= value <= ratings.high else None


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
