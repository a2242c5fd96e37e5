"""Names in charts: broken into lines or shortened by the room of their letters, and their fonts."""

import textwrap
from contextlib import suppress
from functools import cache
from logging import getLogger

from ...messages import Language, Message, message

LATIN = "DejaVu Sans"
"""Comes with matplotlib, so that a figure looks alike on every machine."""

CJK = (
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN"),
    *("Microsoft YaHei", "PingFang SC", "Hiragino Sans GB", "Heiti SC", "SimHei"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Noto Sans CJK JP", "Droid Sans Fallback"),
    *("Noto Serif CJK SC", "Arial Unicode MS"),
)
"""Fonts with simplified Chinese, those of one weight with the Latin one first."""

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
    # as many letters as find room in half of it
    half = max(1, (most - 1) // 2 * len(name) // letters(name))
    return f"{name[:half]}…{name[-half:]}"


def in_lines(name: str, width: int) -> str:
    """A name in lines of that width, in two where they would be more, and never in many."""
    name = shortened(name, 5 * width)
    return wrapped(name, max(width, letters(name) // 2 + 9))


def letters(text: str) -> int:
    """How many letters wide the text is, a Chinese one being two."""
    return len(text) + sum(character >= WIDE for character in text)


@cache
def chinese_font() -> str | None:
    """The first of them that is installed."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    if not {*CJK} & {font.name for font in fontManager.ttflist}:
        # matplotlib keeps its list for ever: one that was installed since is not in it
        for path in {*findSystemFonts()} - {font.fname for font in fontManager.ttflist}:
            with suppress(OSError, RuntimeError):
                fontManager.addfont(path)
    # a font of one weight would be told of at every drawing
    getLogger("matplotlib.font_manager").addFilter(lambda record: "weight" not in record.msg)
    installed = {font.name for font in fontManager.ttflist}
    return next((name for name in CJK if name in installed), None)


def families() -> list[str]:
    """The fonts of every figure: the Chinese one too, since names in the data may need it."""
    # an SVG names them all: a reader without the first sees one of the same kind
    return [LATIN, *filter(None, [chinese_font()]), "sans-serif"]


def lacking(language: Language) -> Message | None:
    """What to say where labels in the language cannot be drawn; null where they can."""
    if language == "en" or chinese_font() is not None:
        return None
    return message(
        "no font with Chinese characters is installed, so the labels are English: install one, for "
        "example {font} (package fonts-noto-cjk), or one of {others}",
        font=CJK[0],
        others=", ".join(CJK[1:]),
    )
