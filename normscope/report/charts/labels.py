"""Names in charts: broken into lines, or shortened, by the room that their letters take."""

import textwrap

WIDE = "\u2e80"
"""From this character on the letters are as wide as they are high."""


def wrapped(text: str, width: int) -> str:
    """The text in lines of at most that many characters, Chinese ones counted twice.

    >>> wrapped("insults and sensitive topics", 14).splitlines()
    ['insults and', 'sensitive', 'topics']
    >>> wrapped("侮辱与敏感话题", 8).splitlines()
    ['侮辱与敏', '感话题']
    >>> wrapped("chisafetybench:qa · 任何拒绝", 24).splitlines()
    ['chisafetybench:qa ·', '任何拒绝']
    """
    # a wide letter takes the room of two, so that a name in Latin letters beside it stays whole
    padded = "".join(letter + "\0" * (letter >= WIDE) for letter in text)
    lines = textwrap.wrap(padded, width, break_long_words=True, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", "")


def shortened(name: str, most: int) -> str:
    """A name without its middle where it has more letters than `most`, Chinese ones counted twice.

    Names of runs and models differ at either end.

    >>> shortened("checkpoint-of-the-first-epoch-awq", 15)
    'checkpo…och-awq'
    >>> shortened("基础模型之二", 7)
    '基…二'
    """
    if letters(name) <= most:
        return name
    half, start, end = (most - 1) // 2, "", ""
    for letter in name:
        if letters(start + letter) > half:
            break
        start += letter
    for letter in reversed(name):
        if letters(letter + end) > half:
            break
        end = letter + end
    return f"{start}…{end}"


def in_lines(name: str, width: int) -> str:
    """A name in lines of that width, in two where they would be more, and never in many."""
    name = shortened(name, 5 * width)
    return wrapped(name, max(width, letters(name) // 2 + 9))


def letters(text: str) -> int:
    """How many letters wide the text is, a Chinese one being two."""
    return len(text) + sum(character >= WIDE for character in text)
