"""Which fonts a figure is set in, and what is done when none has Chinese characters."""

from functools import cache

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


@cache
def chinese_font() -> str | None:
    """The first of them that is installed."""
    from matplotlib.font_manager import fontManager

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
