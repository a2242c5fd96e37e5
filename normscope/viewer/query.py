"""A filter of answers as one line of text, as in a search of code.

    privacy "in public" category:mental_harm,social_bias refusal=risky -coverage<0.5 sort:-moral

Bare and quoted words are searched for in the conversation and the response, literally and whatever
their case. `field:value` takes one of several values, `criterion=label` is about what a judgement
comes to, and `criterion<number` about its value. A minus takes out what the term after it would
take. Terms are joined by *and*, the values of one by *or*; `sort:` orders what is left.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from ..errors import UsageError, nearest
from ..messages import message

Operator = Literal["", ":", "=", "<", "<=", ">", ">="]
"""How a term's name and values belong together; none where the value is searched for."""

COMPARISONS: tuple[Operator, ...] = ("<", "<=", ">", ">=")

Flag = Literal["unscored", "disagreement", "changed"]
FLAGS: tuple[Flag, ...] = get_args(Flag)
"""What an answer can be: `is:unscored`."""

PLACES = (
    *("benchmark", "area", "category", "language", "variant", "order", "item"),
    *("criterion", "source"),
)
"""The fields that say where an answer stands, and not what came of it."""

FIELDS = (*PLACES, "reason", "is", "changed")
"""What stands before a colon, beside `sort`."""

SORT = "sort"

# what a name is: as criteria are called in rubrics
_NAMED = re.compile(r"([A-Za-z][A-Za-z0-9_]*)(<=|>=|[:=<>])")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE = re.compile(r'[^\s"]+')
_BARE_VALUE = re.compile(r'[^\s",]+')


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: a name, an operator and values; negated, what does not meet it.

    What is searched for has neither name nor operator, and one value.
    """

    name: str
    operator: Operator
    values: tuple[str, ...]
    negated: bool = False

    def __str__(self) -> str:
        """The term as it is written."""
        values = ",".join(map(_value, self.values)) if self.name else _word(self.values[0])
        return f"{'-' if self.negated else ''}{self.name}{self.operator}{values}"

    @property
    def number(self) -> float:
        """What a comparison compares with."""
        return float(self.values[0])


@dataclass(frozen=True, slots=True)
class Sort:
    """By which criterion, `coverage` or `change` answers are ordered; else they stay in order."""

    by: str
    descending: bool = False

    def __str__(self) -> str:
        """The order as it is written."""
        return f"{SORT}:{'-' if self.descending else ''}{self.by}"


@dataclass(frozen=True, slots=True)
class Query:
    """Conditions that all must hold, and the order of what is left.

    Whether there are such criteria and values is known only where there are answers to select
    (`Collection.select`).
    """

    terms: tuple[Term, ...] = ()
    sort: Sort | None = None

    @classmethod
    def parse(cls, text: str) -> "Query":
        """The query that the line says; a `UsageError` names the term that says nothing.

        >>> query = Query.parse('-refusal=risky,"responsible refusal" bomb sort:-moral')
        >>> query.terms[0].values, query.terms[1].operator, query.sort.descending
        (('risky', 'responsible refusal'), '', True)
        """
        terms: list[Term] = []
        sort: Sort | None = None
        for each in _read(text):
            if isinstance(each, Term):
                terms.append(each)
            elif sort is None:
                sort = each
            else:
                raise UsageError(
                    message("{term}: the order is named twice; leave one out", term=each)
                )
        return cls(tuple(terms), sort)

    def text(self) -> str:
        """The line that `parse` makes the same query of.

        >>> Query.parse("  privacy   area:attack ").text()
        'privacy area:attack'
        """
        return " ".join(map(str, (*self.terms, *([self.sort] if self.sort else []))))

    def put(
        self, name: str, values: Sequence[str], *, operator: Operator = ":", negated: bool = False
    ) -> "Query":
        """The query with these values in place of those that a control has set; none: without it.

        >>> Query.parse("a area:b").put("area", ["c", "d"]).text()
        'a area:c,d'
        """
        of = (name, operator, negated)
        at = [i for i, t in enumerate(self.terms) if (t.name, t.operator, t.negated) == of]
        new = [Term(name, operator, tuple(values), negated)] if values else []
        first = at[0] if at else len(self.terms)
        kept = [term for i, term in enumerate(self.terms) if i not in at]
        return replace(self, terms=(*kept[:first], *new, *kept[first:]))

    def values(
        self, name: str, *, operator: Operator = ":", negated: bool = False
    ) -> tuple[str, ...]:
        """What a control shows: the values of the terms of this name and operator."""
        of = (name, operator, negated)
        several = (t.values for t in self.terms if (t.name, t.operator, t.negated) == of)
        return tuple(value for values in several for value in values)


def _read(text: str) -> Iterator[Term | Sort]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start = at
        negated = text[at] == "-" and at + 1 < len(text) and not text[at + 1].isspace()
        at += negated
        named = _NAMED.match(text, at)
        if named is None:
            value, at = _text(text, at, _BARE)
            yield Term("", "", (value,), negated)
            continue
        name, operator, at = named[1].lower(), _operator(named[2]), named.end()
        values = []
        while True:
            value, at = _text(text, at, _BARE_VALUE, whole=start)
            values.append(value)
            if text[at : at + 1] != ",":
                break
            at += 1
        if at < len(text) and not text[at].isspace():
            raise UsageError(
                message("{term}: put a blank behind the quotes", term=_excerpt(text, start))
            )
        if name == SORT and operator == ":":
            yield _sort(values, text[start:at], negated=negated)
        else:
            yield _checked(Term(name, operator, tuple(values), negated), text[start:at])


def _operator(text: str) -> Operator:
    return next(each for each in get_args(Operator) if each == text)


def _text(
    line: str, at: int, bare: re.Pattern[str], *, whole: int | None = None
) -> tuple[str, int]:
    """The value that begins here, and where it ends; `whole` is where its term begins."""
    term = _excerpt(line, at if whole is None else whole)
    if line[at : at + 1] == '"':
        quoted = _QUOTED.match(line, at)
        if quoted is None:
            raise UsageError(message("{term}: the quotes are not closed", term=term))
        if not quoted[1].strip():
            raise UsageError(message("{term}: there is nothing between the quotes", term=term))
        return re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL), quoted.end()
    plain = bare.match(line, at)
    if plain is None:
        raise UsageError(
            message("{term}: a value is missing; to search for it, put it in quotes", term=term)
        )
    return plain[0], plain.end()


def _checked(term: Term, written: str) -> Term:
    if term.operator == ":" and term.name not in FIELDS:
        raise UsageError(
            message(
                "{term}: there is no field {name}; {known}. To search for it, put it in quotes",
                term=written,
                name=repr(term.name),
                known=nearest(term.name, (*FIELDS, SORT)),
            )
        )
    if term.name == "is" and term.operator == ":":
        for value in term.values:
            if value not in FLAGS:
                raise UsageError(
                    message(
                        "{term}: {value} is nothing that an answer can be; {known}",
                        term=written,
                        value=repr(value),
                        known=nearest(value, FLAGS),
                    )
                )
    if term.operator in COMPARISONS and not (
        len(term.values) == 1 and _NUMBER.fullmatch(term.values[0])
    ):
        raise UsageError(
            message(
                "{term}: {value} is no number, such as 2.5",
                term=written,
                value=repr(",".join(term.values)),
            )
        )
    return term


def _sort(values: Sequence[str], written: str, *, negated: bool) -> Sort:
    name = values[0].removeprefix("-").lower()
    if negated or len(values) > 1 or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UsageError(
            message(
                "{term}: an order is one name, as in sort:moral, or sort:-moral from the highest",
                term=written,
            )
        )
    return Sort(name, values[0].startswith("-"))


def _word(text: str) -> str:
    """A text to search for, in quotes where it would be read as something else."""
    plain = _BARE.fullmatch(text) and not text.startswith("-") and not _NAMED.match(text)
    return text if plain else _in_quotes(text)


def _value(text: str) -> str:
    return text if _BARE_VALUE.fullmatch(text) else _in_quotes(text)


def _in_quotes(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _excerpt(line: str, at: int) -> str:
    """The term that begins here, as far as it goes without a blank."""
    return line[at:].split(maxsplit=1)[0]
