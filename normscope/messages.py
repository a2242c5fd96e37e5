"""Texts that are data until they are shown: an English format string, its slots, the catalogues.

A `Message` is a `str`, so that it goes wherever text goes; who shows it translates it. What a file
keeps of it is its id and its slots, so that nothing has to take a finished sentence apart.

A translator edits `locale/<language>/LC_MESSAGES/normscope.po`; `make messages` brings new messages
in and compiles it.
"""

import gettext
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Literal, Self, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
LOCALE = Path(__file__).parent / "locale"
DOMAIN = "normscope"

Slot = str | int | float | None

# a file may be anybody's: a message that is made of itself over and over must not fill the memory
_DEEPEST, _LONGEST = 8, 50_000


class Message(str):
    """An English format string with its slots filled; as a string, the finished English."""

    __slots__ = ("id", "slots")

    id: str
    """The format string, by which the catalogues know it."""
    slots: Mapping[str, Slot]
    """What stands in it; a slot that is a message is translated along with it."""

    def __new__(cls, id: str, slots: Mapping[str, Slot]) -> Self:  # noqa: A002 - gettext's word
        """Keeps the slots of the format string; a `ValueError` if one of them is not given."""
        if absent := slots_of(id) - set(slots):
            raise ValueError(f"the slots {sorted(absent)} of {id!r} are not given")
        self = super().__new__(cls, _filled(id, slots, "en"))
        self.id, self.slots = id, {name: slots[name] for name in slots if name in slots_of(id)}
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        """For pickle and copy."""
        return self.id, self.slots


class Joined(str):
    """Several texts with a separator between them; each is translated, and the separator is."""

    __slots__ = ("parts", "separator")

    separator: str
    parts: tuple[str, ...]

    def __new__(cls, separator: str, parts: tuple[str, ...]) -> Self:
        """As a string, the parts in English with the separator between them."""
        self = super().__new__(cls, separator.join(parts))
        self.separator, self.parts = separator, parts
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        """For pickle and copy."""
        return self.separator, self.parts


class _AsItIs:
    """Tells pydantic to leave a text alone: it would make a plain `str` of a message."""

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:
        from pydantic_core import core_schema

        return core_schema.is_instance_schema(str)


Text = Annotated[str, _AsItIs()]
"""The type of a field that may hold a message and is read back from a file."""


def message(text: str, /, **slots: object) -> Message:
    """The message of an English format string; what is neither text nor a number is its `str`.

    A slot is a plain name in braces, in quotes with `!r`; numbers are formatted before.

    >>> message("{n} of {m} items", n=3, m=9)
    '3 of 9 items'
    >>> message("{method}, over the scored", method=message("Wilson")).slots
    {'method': 'Wilson'}
    """
    return Message(text, {name: _slot(value) for name, value in slots.items()})


def marked(text: str) -> str:
    """The format string itself: it stands in a table, and becomes a message where it is used."""
    return text


def known(text: str) -> Message | Joined:
    """A name or a text of a file as a message: translated where a catalogue knows it.

    >>> translate(message("{method}, over the scored", method=known("exact")), "zh")
    '精确值，仅限已评分者'
    """
    if isinstance(text, Message | Joined):
        return text
    return Message(text.replace("{", "{{").replace("}", "}}"), {})


def joined(parts: Iterable[str], separator: str = ", ") -> Joined:
    """The texts with a separator between them.

    >>> joined(["a", message("{n} items", n=2)], "; ")
    'a; 2 items'
    """
    return Joined(separator, tuple(parts))


def translate(text: str, language: str) -> str:
    """The text in the language; what the catalogue does not know stays English.

    Of a message the format string is looked up, of a plain string the string itself.

    >>> translate(message("{method}, over the scored", method=message("Wilson")), "zh")
    'Wilson 区间，仅限已评分者'
    >>> translate(joined([message("exact"), "s-01"]), "zh"), translate("exact", "en")
    ('精确值，s-01', 'exact')
    """
    if isinstance(text, Message):
        return _filled(_known(text.id, language), text.slots, language)
    if isinstance(text, Joined):
        separator = _known(text.separator, language)
        return separator.join(_translated(each, language) for each in text.parts)
    return _known(text, language)


def replaced(text: str, old: str, new: str) -> str:
    """The text with one string in the place of another: in a message, in what fills its slots.

    >>> error = message("{path} has {n} rows", path="/tmp/x/a.csv", n=0)
    >>> replaced(error, "/tmp/x/", "").slots
    {'path': 'a.csv', 'n': 0}
    """
    if isinstance(text, Joined):
        return Joined(text.separator, tuple(replaced(part, old, new) for part in text.parts))
    if not isinstance(text, Message):
        return text.replace(old, new)
    slots = {
        name: replaced(slot, old, new) if isinstance(slot, str) else slot
        for name, slot in text.slots.items()
    }
    return Message(text.id, slots)


def to_json(value: object, *, within: bool = False) -> Any:
    """The value with each message in it as a JSON object of its id and slots.

    A message without slots is its text, by which the catalogue knows it; `within` another it stays
    an object, since a plain string there is never looked up.

    >>> to_json([message("{n} items", n=2), message("exact")])
    [{'id': '{n} items', 'slots': {'n': 2}}, 'exact']
    """
    if isinstance(value, Message):
        if value == value.id and not within:
            return str(value)
        slots = {name: to_json(slot, within=True) for name, slot in value.slots.items()}
        return {"id": value.id, "slots": slots}
    if isinstance(value, Joined):
        parts = [to_json(part, within=True) for part in value.parts]
        return {"separator": value.separator, "parts": parts}
    if isinstance(value, Mapping):
        return {key: to_json(member) for key, member in value.items()}
    return [to_json(member) for member in value] if isinstance(value, list | tuple) else value


def from_json(value: Any, *, depth: int = 0) -> Any:
    """The value with each object that `to_json` wrote as the message again.

    Raises a `ValueError` if such an object is damaged; `depth` is within how many messages it is.

    >>> from_json({"note": {"id": "{n} items", "slots": {"n": 2}}})
    {'note': '2 items'}
    """
    if isinstance(value, list):
        return [from_json(member, depth=depth) for member in value]
    if not isinstance(value, dict):
        return value
    if value.keys() not in ({"id", "slots"}, {"separator", "parts"}):
        return {key: from_json(member, depth=depth) for key, member in value.items()}
    if depth > _DEEPEST:
        raise ValueError("a message is nested beyond reason")
    result = _message(value, depth + 1)
    if len(result) > _LONGEST:
        raise ValueError("a message is long beyond reason")
    return result


@cache
def slots_of(text: str) -> frozenset[str]:
    """The names of the slots of a format string.

    Raises a `ValueError` for a brace that stands alone or a slot that is not a plain name.
    """
    names = [name for _, name, _, _ in _pieces(text) if name is not None]
    if odd := [name for name in names if not name.isidentifier()]:
        raise ValueError(f"{odd[0]!r} is not the name of a slot in {text!r}")
    return frozenset(names)


def _message(value: dict[str, Any], depth: int) -> Message | Joined:
    """What a JSON object says, each of its members checked."""
    if "id" in value:
        text, slots = value["id"], from_json(value["slots"], depth=depth)
        if not isinstance(text, str) or not isinstance(slots, dict):
            raise ValueError("a message has an id and slots")
        if not all(isinstance(slot, Slot) for slot in slots.values()):
            raise ValueError(f"the slots of {text!r} are neither texts nor numbers")
        return Message(text, slots)
    separator, parts = value["separator"], from_json(value["parts"], depth=depth)
    if not isinstance(separator, str) or not isinstance(parts, list):
        raise ValueError("a list of messages has a separator and parts")
    if not all(isinstance(part, str) for part in parts):
        raise ValueError("the parts of a list of messages are texts")
    return Joined(separator, tuple(parts))


def _slot(value: object) -> Slot:
    if isinstance(value, Message | Joined) or type(value) in {str, int, float, type(None)}:
        return value  # type: ignore[return-value]  # narrowed by its exact type
    return str(value)


def _filled(text: str, slots: Mapping[str, Slot], language: str) -> str:
    """The format string with its slots filled, a message among them in the language."""
    # not `str.format`: a string from a file could reach into what it is given
    return "".join(
        literal + ("" if name is None else _shown(slots[name], language, conversion))
        for literal, name, _, conversion in _pieces(text)
    )


def _shown(slot: Slot, language: str, conversion: str | None) -> str:
    if conversion == "r":
        return repr(slot)
    if isinstance(slot, float):
        return f"{slot:g}"
    return _translated(slot, language) if isinstance(slot, str) else str(slot)


def _translated(text: str, language: str) -> str:
    """A message in the language; a plain string within one is a name or a number, and stays."""
    return translate(text, language) if isinstance(text, Message | Joined) else text


def _pieces(text: str) -> Iterable[tuple[str, str | None, str | None, str | None]]:
    return Formatter().parse(text)


def _known(text: str, language: str) -> str:
    # the empty string is the catalogue's own description
    return _catalogue(language).gettext(text) if text else text


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    """The compiled catalogue; English stands in the code."""
    if language == "en":
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, LOCALE, [language])
