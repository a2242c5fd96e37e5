"""Templates with slots, such as `{sender} records {attribute}`."""

import re
from collections.abc import Iterable, Sequence

_SLOT = re.compile(r"\{([^{}]*)\}")


def list_slots(template: str) -> list[str]:
    """The names in braces, as often as they occur.

    >>> list_slots("{sender} tells {recipient}, and {sender} knows it")
    ['sender', 'recipient', 'sender']
    """
    return _SLOT.findall(template)


def has_stray_brace(template: str) -> bool:
    """Whether a brace is left when the slots are taken out.

    >>> has_stray_brace("{sender} records {attribute")
    True
    """
    return any(brace in _SLOT.sub("", template) for brace in "{}")


def fill(template: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The template filled with each row, whose values are those of `names`.

    A value is put in as it is and never scanned for slots.

    >>> fill("{a} and {b}", ["b", "a"], [("x", "{b}")])
    ['{b} and x']
    """
    parts = _SLOT.split(template)  # text, slot, text, slot, …, text
    between, places = parts[0::2], [names.index(slot) for slot in parts[1::2]]
    return [
        "".join(
            text + value
            for text, value in zip(between, [*(row[at] for at in places), ""], strict=True)
        )
        for row in rows
    ]
