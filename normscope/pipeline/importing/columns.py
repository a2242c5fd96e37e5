"""Which column of a file holds what: named by the user, fixed by the format, or guessed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import DataError, UsageError, nearest
from ...messages import message
from .raw import RawAnswers, Role
from .target import Target
from .values import as_text

ROLES: tuple[Role, ...] = get_args(Role)

_ALIASES: Mapping[Role, tuple[str, ...]] = {
    "item_id": ("id", "item", "vignette_id", "question_id", "custom_id"),
    "prompt": ("question", "input", "instruction"),
    "variant_id": ("variant", "template", "template_id", "prompt_id", "prompt_variant", "wording"),
    "scale_order": ("order", "scale"),
    "answer": (
        *("response", "output", "completion", "text", "reply", "回答", "generation"),
        *("prediction", "label", "rating"),
    ),
    "model": ("model_name", "model_id"),
    "sample": ("epoch", "repetition", "rep"),
    "temperature": ("temp",),
    "failed": ("error",),
}
"""What else people call a column of each role, the likeliest first."""

_ANSWER_TO = "answer:"
_HALF, _LEVELS_LOOKED_AT = 0.5, 10_000


@dataclass(frozen=True, slots=True)
class Answers:
    """A column of a wide table: the answers in one prompt variant and, if it says, one order."""

    column: str
    variant_id: str
    scale_order: str


@dataclass(frozen=True, slots=True)
class Layout:
    """What the columns of a file hold.

    `names` are all of them, in their order. `roles` are columns by role and `factors` by factor of
    the benchmark; `wide` are the columns of answers where there are several. `guessed` are the
    columns whose meaning nobody has said yet, `unused` those that are not read.
    """

    names: tuple[str, ...]
    roles: Mapping[Role, str]
    factors: Mapping[str, str]
    wide: tuple[Answers, ...]
    guessed: frozenset[str]
    unused: tuple[str, ...]

    @property
    def meanings(self) -> dict[str, str]:
        """Column by column, in the file's order, what it is taken for, as `--column` names it."""
        result = {column: role for role, column in (*self.roles.items(), *self.factors.items())}
        for each in self.wide:
            order = f":{each.scale_order}" if each.scale_order else ""
            result[each.column] = f"{_ANSWER_TO}{each.variant_id}{order}"
        return {name: result[name] for name in self.names if name in result}


def layout_of(raw: RawAnswers, target: Target, given: Mapping[str, str]) -> Layout:
    """The layout of the file; `given` are columns by role, factor or `answer:VARIANT[:ORDER]`.

    A column that has the name of a role or of a factor is taken for it; other names, and columns
    that hold a factor's levels, are guesses.
    """
    names = raw.table.column_names
    factors = [name for name in target.factors.column_names if name != "item_id"]
    plain = [name for name in names if _is_plain(raw.table[name].type)]
    said, wide = _said(names, factors, given)
    # what the user says of a column goes before what its format does
    for role, column in raw.roles.items():
        if role not in said and column not in said.values():
            said[role] = column
    taken = {*said.values(), *(each.column for each in wide)}
    for name in (*ROLES, *factors):
        if name in names and name not in said and name not in taken:
            said[name] = name
            taken.add(name)
    guessed: dict[str, str] = {}

    def left() -> list[str]:
        taken_too = {*taken, *guessed.values()}
        return [name for name in plain if name not in taken_too]

    if "answer" not in said and not wide:
        wide = tuple(_wide(left(), target))
    taken |= {each.column for each in wide}
    for role, aliases in _ALIASES.items():
        if role in said or (role == "answer" and wide):
            continue
        for column in _called(left(), aliases):
            if role != "item_id" or _is_known(raw.table[column], target.ids):
                guessed[role] = column
                break
    if not {"item_id", "prompt"} & {*said, *guessed}:
        guessed |= dict(_by_levels(raw.table.select(left()), target, {*said}))
    if odd := [c for c in (*said.values(), *(w.column for w in wide)) if c not in plain]:
        raise DataError(
            message(
                "the column {column} holds lists, objects or bytes: write it as text, or name "
                "another with --column",
                column=repr(odd[0]),
            )
        )
    every = {**said, **guessed}
    unsaid = {*guessed.values()}
    if not any(name.startswith(_ANSWER_TO) for name in given):
        unsaid |= {each.column for each in wide}
    return Layout(
        names=tuple(names),
        roles={role: every[role] for role in ROLES if role in every},
        factors={name: every[name] for name in factors if name in every},
        wide=wide,
        guessed=frozenset(unsaid),
        unused=tuple(name for name in names if name in left() or name not in plain),
    )


def _said(
    names: list[str], factors: list[str], given: Mapping[str, str]
) -> tuple[dict[str, str], tuple[Answers, ...]]:
    """What the user says of columns, checked: one column each, and answers to single prompts."""
    said: dict[str, str] = {}
    wide: list[Answers] = []
    for role, column in given.items():
        if column not in names:
            raise UsageError(
                message(
                    "the file has no column {column} for {role}; {nearest}",
                    column=repr(column),
                    role=role,
                    nearest=nearest(column, names),
                )
            )
        if role.startswith(_ANSWER_TO):
            variant, _, order = role.removeprefix(_ANSWER_TO).partition(":")
            wide.append(Answers(column, variant, order))
        elif role in {*ROLES, *factors}:
            said[role] = column
        else:
            raise UsageError(
                message(
                    "--column names no role {role}; {nearest}",
                    role=repr(role),
                    nearest=nearest(role, [*ROLES, *factors, f"{_ANSWER_TO}VARIANT:ORDER"]),
                )
            )
    return said, tuple(wide)


def _called(names: list[str], aliases: tuple[str, ...]) -> Iterator[str]:
    """The columns that are called so, in the order of what they may be called."""
    by_name = {re.sub(r"[\s-]+", "_", name.strip().casefold()): name for name in reversed(names)}
    yield from (by_name[alias] for alias in aliases if alias in by_name)


def _wide(names: list[str], target: Target) -> Iterator[Answers]:
    """The columns that are named after a prompt variant, and maybe an order; at least two."""
    pattern = _of_variants(target.variants)
    result = []
    for name in names:
        if match := pattern.fullmatch(name.strip()):
            result.append(Answers(name, match["variant"], match["order"] or ""))
        elif variant := target.templates.get(name.strip()):
            result.append(Answers(name, variant, ""))
    if len(result) > 1:
        yield from result


def _of_variants(variants: Sequence[str]) -> re.Pattern[str]:
    """The names that a column of the answers in one prompt variant has.

    >>> names = ("p#3_1", "v3", "variant_3", "3", "prompt 3 order 1", "num_responses")
    >>> [m and m.groups() for m in map(_of_variants(["3"]).fullmatch, names)]
    [('3', '1'), ('3', None), ('3', None), ('3', None), ('3', '1'), None]
    """
    known = "|".join(re.escape(name) for name in sorted(variants, key=len, reverse=True))
    return re.compile(
        r"(?:(?:answer|p|v|variant|prompt|template|wording)[\s_#-]*)?"
        rf"(?P<variant>{known or '(?!)'})"
        r"(?:[\s_-]+(?:(?:scale[\s_])?order[\s_#-]*|o)?(?P<order>\w+))?",
        re.IGNORECASE,
    )


def _by_levels(table: pa.Table, target: Target, said: set[str]) -> Iterator[tuple[str, str]]:
    """The factors of which a column holds levels: at least half of its different values are."""
    levels = {
        name: target.factors[name].unique()
        for name in target.factors.column_names
        if name not in said and name != "item_id"
    }
    for column in table.column_names:
        values = _plain(table[column].slice(0, _LEVELS_LOOKED_AT)).unique()
        values = values.filter(pc.not_equal(values, ""))
        shares = {
            name: pc.mean(pc.is_in(values, value_set=_plain(known)).cast(pa.int8())).as_py() or 0
            for name, known in levels.items()
        }
        best = max(shares, key=lambda name: shares[name], default=None)
        if best is not None and shares[best] >= _HALF:
            del levels[best]
            yield best, column


def _is_plain(kind: pa.DataType) -> bool:
    """Whether the values have one text each."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    odd = (pa.types.is_nested, pa.types.is_binary, pa.types.is_large_binary)
    return not any(is_odd(kind) for is_odd in odd)


def _is_known(column: pa.ChunkedArray, ids: pa.Array) -> bool:
    """Whether any value of the column is the id of an item."""
    known: bool = pc.any(pc.is_in(_plain(column, case=True), value_set=ids)).as_py()
    return known


def _plain(column: pa.Array, *, case: bool = False) -> pa.Array:
    texts = pc.utf8_trim_whitespace(as_text(column))
    return texts if case else pc.utf8_lower(texts)
