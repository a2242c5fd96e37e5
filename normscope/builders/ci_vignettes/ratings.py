"""What people said of vignettes, read from a table, and what of it is published: counts alone.

A row is an answer to a vignette: the vignette by a column per factor (and `practice`) or by its
`item_id`, the `answer`, and, where a row stands for several people, how many gave it (`n`). A table
that names a person is refused. What is published has the same columns, and no row of a person.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ...errors import ConfigError, DataError, nearest
from ...messages import Message, joined, message
from ...problems import Problem, problem
from ...records.answered import spelt
from ...table_writer import write_rows
from ...tables import read_table
from ...text_tables import Row
from ...yaml import MOST
from .check import find_problems
from .context_file import ContextFile, Rating, Ratings, factors_of
from .vignettes import vignette_table

ITEM, PRACTICE, ANSWER, N = "item_id", "practice", "answer", "n"

_FILE = ("ratings", "file")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_RATER = re.compile(
    r"\b(?:id|who|by|(?:first|last|full|sur|user)?[ _]?name)\b"
    r"|rater|annotator|labell?er|participant|respondent|worker|person|user"
    r"|姓名|名字|评分者|标注者|参与者|受访者|填写人|用户",
    re.I,
)
_MOST_WORDS = 4
_HAN = re.compile(r"[\u4e00-\u9fff·]{2,}")

_NONE = ""
"""Under which no answer is counted."""


def with_ratings(context: ContextFile, folder: Path) -> tuple[ContextFile, list[Problem]]:
    """The context with the ratings of the file that it names, and what is wrong with that file.

    The file lies in the folder of the context's own, so that both are handed on together. A column
    of which nothing is made is a warning: a factor may be misspelt in it.
    """
    ratings = context.ratings
    if ratings is None or ratings.file is None:
        return context, []
    try:
        rows = _rows(context, ratings, ratings.file, folder)
        return _with_rows(context, ratings, rows)
    except (DataError, ConfigError) as error:
        return context, [Problem(_FILE, error.message)]


def _with_rows(
    context: ContextFile, ratings: Ratings, rows: Sequence[Row]
) -> tuple[ContextFile, list[Problem]]:
    columns = list(rows[0]) if rows else []
    telling = (ITEM,) if ITEM in columns else (PRACTICE, *context.factors)
    used = tuple(name for name in telling if name in columns)
    if not used or ANSWER not in columns:
        raise ConfigError(
            message(
                "{file} needs a row per answer: the column answer, and a column per factor "
                "({factors}) or item_id. It has {columns}",
                file=ratings.file,
                factors=joined(context.factors),
                columns=joined(columns) or "–",
            )
        )
    if used == (ITEM,) and any(not each.warning for each in find_problems(context)):
        # of a context with an error no vignette can be made; it is told in any case
        return context, []
    vignettes = _places_by_id(context) if used == (ITEM,) else {}
    places: dict[tuple[str, ...], Mapping[str, str]] = {}
    counts: dict[tuple[str, ...], Counter[str]] = {}
    wrong: list[Problem] = []
    for number, row in enumerate(rows, start=1):
        cells = {name: spelt(row[name]) for name in used}
        key = tuple(cells.values())
        try:
            if key not in places:
                places[key] = _place_of(context, cells, vignettes)
            answer, people = _answer(ratings, row)
            counts.setdefault(key, Counter())[answer] += people
        except ConfigError as error:
            text, file = error.message, ratings.file
            wrong.append(
                problem(_FILE, "{file}, row {row}: {problem}", file=file, row=number, problem=text)
            )
    if wrong:
        return context, wrong[:MOST]
    values = tuple(_rating(ratings, places[key], counted) for key, counted in counts.items())
    idle = [name for name in columns if name not in {*used, ANSWER, N}]
    unused = problem(
        _FILE,
        "nothing is made of these columns of {file}: {columns}",
        warning=True,
        file=ratings.file,
        columns=joined(idle),
    )
    filled = replace(context, ratings=replace(ratings, values=values))
    return filled, [unused] if idle else []


def _place_of(
    context: ContextFile, cells: Mapping[str, str], vignettes: Mapping[str, Mapping[str, str]]
) -> Mapping[str, str]:
    """The practice and the levels that a row is about, each where it is given."""
    if ITEM in cells:
        if cells[ITEM] not in vignettes:
            raise ConfigError(message("no vignette has the id {id}", id=repr(cells[ITEM])))
        return vignettes[cells[ITEM]]
    levels = {PRACTICE: [*context.practices]}
    levels |= {name: [*factor.all_levels] for name, factor in context.factors.items()}
    # an empty cell is a factor that is averaged over, or that the practice has not
    place = {name: level for name, level in cells.items() if level or "" in levels[name]}
    for name, level in place.items():
        if level not in levels[name]:
            raise ConfigError(
                message(
                    "{name} is no level of {factor}; {note}",
                    name=repr(level),
                    factor=name,
                    note=nearest(level, levels[name]),
                )
            )
    return place


def _answer(ratings: Ratings, row: Row) -> tuple[str, int]:
    """A row's answer, empty where it is none that counts, and how many people gave it."""
    people, answer = spelt(row.get(N, 1)), spelt(row[ANSWER])
    if not people.isdecimal():
        raise ConfigError(message("{n} in n is no number of people", n=repr(people)))
    if answer in (_NONE, *ratings.no_answer):
        return _NONE, int(people)
    if _value(ratings, answer) is None:
        note: str = message("name the words of the scale under ratings.answers")
        if ratings.answers:
            note = nearest(answer, [*ratings.answers, *ratings.no_answer])
        raise ConfigError(
            message(
                "{answer} is no answer on the scale of {low} to {high}; {note}",
                answer=repr(answer),
                low=ratings.low,
                high=ratings.high,
                note=note,
            )
        )
    return answer, int(people)


def _rows(context: ContextFile, ratings: Ratings, file: str, folder: Path) -> list[Row]:
    """The file's rows; an error where it may not be read, or names those who answered."""
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
    rows = read_table(folder / file).to_rows()
    for name in (column for column in (rows[0] if rows else ()) if column not in context.factors):
        if (kind := names_people(name, (spelt(row[name]) for row in rows))) is not None:
            raise DataError(
                message(
                    "{file} holds {kind} in the column {column}; take the column out, or number "
                    "the raters: nothing that names a person may be handed on",
                    file=file,
                    kind=kind,
                    column=repr(name),
                )
            )
    return rows


def names_people(column: str, cells: Iterable[str]) -> Message | None:
    """What of people a column of a table holds: e-mail addresses, or their names; null for neither.

    A name has letters and a space, or Chinese characters alone, and is looked for where the column
    is headed as what says who answered: elsewhere it may be anything.

    >>> names_people("rater", ["17", "w-4"]), names_people("When", ["1 May"])
    (None, None)
    >>> print(names_people("rater", ["17", "Jo Doe"]), names_people("note", ["jo@example.org"]))
    names of persons e-mail addresses
    """
    texts = list(cells)
    if any("@" in text and _ADDRESS.search(text) for text in texts):
        return message("e-mail addresses")
    # a question of a form may have such a word in it
    if len(column.split()) > _MOST_WORDS or not _RATER.search(column.replace("_", " ")):
        return None
    named = any(
        (any(map(str.isalpha, text)) and any(map(str.isspace, text))) or _HAN.fullmatch(text)
        for text in texts
    )
    return message("names of persons") if named else None


def _places_by_id(context: ContextFile) -> dict[str, Mapping[str, str]]:
    """The practice and the levels of each vignette that may have been rated."""
    # which ones are rated is only known when the file has been read
    rows = vignette_table(replace(context, only_rated=False)).to_pylist()
    factors = {name: factors_of(context, p.template) for name, p in context.practices.items()}
    return {
        row[ITEM]: {name: row[name] for name in (PRACTICE, *factors[row[PRACTICE]])} for row in rows
    }


def _rating(ratings: Ratings, place: Mapping[str, str], counted: Counter[str]) -> Rating:
    """Mean, standard deviation (n − 1) and number of the answers, beside the counts."""
    worth = {answer: _value(ratings, answer) or 0.0 for answer in counted if answer != _NONE}
    # up the scale, so that the order of people does not move the last digit
    counts = {answer: counted[answer] for answer in sorted(worth, key=lambda a: (worth[a], a))}
    numbers = [worth[answer] for answer in counts]
    values = np.repeat(numbers, np.array([*counts.values()], dtype=np.intp))
    n = len(values)
    return Rating(
        {name: level for name, level in place.items() if name != PRACTICE},
        mean=float(values.mean()) if n else None,
        sd=float(values.std(ddof=1)) if n > 1 else None,
        n=n,
        practice=place.get(PRACTICE),
        counts=counts,
        missing=counted[_NONE],
    )


def _value(ratings: Ratings, answer: str) -> float | None:
    """What an answer counts: as `answers` says, or the number that it is; null for none."""
    if ratings.answers:
        return ratings.answers.get(answer)
    try:
        value = float(answer)
    except ValueError:
        return None
    return value if ratings.low <= value <= ratings.high else None


def ratings_copy(context: ContextFile) -> bytes:
    """The file of the context's ratings as it is published, in the format of its name.

    A row has how many gave an answer, and the empty answer how many gave none. It is made of what
    was read and not of the file, and reads back as the same ratings.
    """
    ratings = context.ratings
    assert ratings is not None  # noqa: S101 - asked of contexts with a file of ratings
    assert ratings.file is not None  # noqa: S101
    names = [
        name
        for name in (PRACTICE, *context.factors)
        if any(name in _place(rating) for rating in ratings.values)
    ]
    rows = [
        {**{name: _place(rating).get(name, "") for name in names}, ANSWER: answer, N: str(n)}
        for rating in ratings.values
        for answer, n in (*rating.counts.items(), (_NONE, rating.missing))
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / ratings.file
        write_rows(path, rows)
        return path.read_bytes()


def _place(rating: Rating) -> dict[str, str]:
    practice = {} if rating.practice is None else {PRACTICE: rating.practice}
    return {**practice, **rating.levels}
