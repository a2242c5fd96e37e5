"""Which fonts a figure is set in, and what is done when none has Chinese characters."""

from dataclasses import dataclass
from functools import cache

from ...errors import UsageError, nearest
from ...messages import LANGUAGES, Language, message

LATIN = "DejaVu Sans"
"""Comes with matplotlib, so that a figure looks alike on every machine."""

CJK = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans GB",
    "Heiti SC",
    "SimHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Noto Sans CJK JP",
    "Droid Sans Fallback",
    "Noto Serif CJK SC",
    "Arial Unicode MS",
)
"""Fonts with simplified Chinese, those of one weight with the Latin one first."""


@dataclass(frozen=True, slots=True)
class Fonts:
    """The families to set a figure in, the language of its labels, and what must be known."""

    families: tuple[str, ...]
    language: Language
    note: str | None = None


def fonts(language: Language) -> Fonts:
    """The fonts for labels in the language; English ones, with a note, where Chinese has no font.

    A Chinese font stands behind the Latin one in either language, for names in the data.
    """
    if language not in LANGUAGES:
        raise UsageError(f"there are no labels in {language!r}; {nearest(language, LANGUAGES)}")
    chinese = _first_installed(CJK)
    if chinese is not None:
        return Fonts((LATIN, chinese), "zh" if language == "zh" else "en")
    if language == "en":
        return Fonts((LATIN,), "en")
    note = message(
        "no font with Chinese characters is installed, so the labels are English: install one, for "
        "example {font} (package fonts-noto-cjk), or one of {others}",
        font=CJK[0],
        others=", ".join(CJK[1:]),
    )
    return Fonts((LATIN,), "en", note)


@cache
def _first_installed(names: tuple[str, ...]) -> str | None:
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return next((name for name in names if name in installed), None)
