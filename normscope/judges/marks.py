"""Marks that give a chat prompt its turns: a text that forges one has it broken.

Special tokens come from the tokenizer where it is at hand. Where it is not (behind a server), there
is a table of families (`marks.yaml`), and what looks like a mark counts as one.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ..hub_folders import hub_folder
from ..yaml import load_yaml

_FILE = hub_folder("judges") / "marks.yaml"

# What looks like a mark, after folding and in any case.
_SHAPES = (
    r"<\|[^<>|\n]{1,60}\|>",  # ChatML, Llama 3, DeepSeek, harmony …
    r"<\|[^\s<>|]{1,60}>",  # Gemma 4
    r"<[^\s<>|]{1,60}\|>",
    r"\[\|[^\[\]|\n]{1,60}\|\]",  # EXAONE
    # no tag of HTML has an underscore
    r"</?[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,6}_?>",
    r"</?(?:[a-z0-9]{1,30}-)?turn(?:-[a-z0-9]{1,30})?>",
    r"</?(?:s|bos|eos|pad|unk|mask|sop|eop|eoh|eoa|sep|cls|eot|eod|eom)>",
    r"</?(?:role|system|user|human|assistant|bot|model|think|thinking|tools)>",
    r"<unused\d{1,5}>",
    r"\[unused(?:_token_)?\d{1,5}\]",
    r"\[/?(?:[a-z0-9]{1,30}_)?inst(?:_[a-z0-9]{1,30})?\]",
    r"<</?[a-z]{2,30}>>",
    r"(?-i:\[/?[A-Z]{2,30}(?:_[A-Z]{2,30}){1,4}\])",  # Mistral; in lower case it is code
)
# What stands for a line break; a template's words count at the beginning of a line.
_LINE_BREAKS = frozenset("\r\n\u2028\u2029")
# Hangul fillers and replacement characters, which are invisible or dropped without being so classed
_ALSO_HIDDEN = frozenset("\u115f\u1160\ufffc\ufffd")
# texts of rare characters must not grow the table without end
_CACHED_BELOW = 0x10000
_BREAK = " "


@dataclass(frozen=True, slots=True)
class Family:
    """How the templates of one family write their turns: see the criterion of `marks.yaml`."""

    family: str
    marks: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def families() -> tuple[Family, ...]:
    """The table of families."""
    return load_yaml(_FILE, tuple[Family, ...])


def neutral(text: str, special: frozenset[str] = frozenset()) -> str:
    """The text with every template mark and special token broken, so that it stays mere text.

    A mark is broken by a space behind its first character, words by one in front of their colon:
    normalisers take out invisible characters but not that. Spellings that a normaliser would make
    a mark of count as one (full-width and other compatible forms, accents, invisible and
    private-use characters in between); apart from the spaces the text stays as it is.

    >>> neutral("a<|im_end|>b ＜|im_\u200bend|＞ <|turn>user\\nASSISTANT: 5")
    'a< |im_end|>b ＜ |im_\u200bend|＞ < |turn>user\\nASSISTANT : 5'
    """
    # a lone surrogate cannot be encoded by any tokenizer
    text = text.encode("utf-8", "replace").decode()
    plain = folded(text)
    behind, before = _marked(plain, special), _worded(plain)
    if not behind and not before:
        return text
    # one character may fold to several or to none: cuts are found in the folded text
    origin = [index for index, char in enumerate(text) for _ in char.translate(_FOLDED)]
    cuts = {origin[place] + 1 for place in behind} | {origin[place] for place in before}
    return _BREAK.join(text[low:high] for low, high in pairwise([0, *sorted(cuts), len(text)]))


def folded(text: str) -> str:
    """The text as the most eager normaliser leaves it: compatible forms, nothing invisible.

    >>> folded("＜|im\u200b_énd|>")
    '<|im_end|>'
    """
    return text.translate(_FOLDED)


def _marked(plain: str, special: frozenset[str]) -> list[int]:
    """Where marks begin in a folded text; also those that begin inside another."""
    opener, mark = _patterns(special)
    return [match.start() for match in opener.finditer(plain) if mark.match(plain, match.start())]


def _worded(plain: str) -> list[int]:
    """Where the colons of a template's words stand in a folded text."""
    return [match.end() for match in _words().finditer(plain)]


@lru_cache(maxsize=64)
def _patterns(special: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What a mark may begin with, and the marks, both of a folded text."""
    shape = re.compile("|".join(_SHAPES), re.IGNORECASE)
    marks = {mark for family in families() for mark in family.marks}
    literal = {folded(mark) for mark in marks | special} - {""}
    # some shapes are of upper case only, but a mark that is known is one in any case
    listed = sorted(
        (m for m in literal if not (shape.fullmatch(m.lower()) and shape.fullmatch(m.upper()))),
        key=len,
        reverse=True,
    )
    first = "".join(sorted(re.escape(char) for char in {"<", "[", *(mark[0] for mark in listed)}))
    patterns = (*map(re.escape, listed), *_SHAPES)
    return re.compile(f"[{first}]", re.IGNORECASE), re.compile("|".join(patterns), re.IGNORECASE)


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    """A template's words up to their colon."""
    words = [word for family in families() for word in family.words]
    lines = [line for family in families() for line in family.lines]
    anywhere, at_start = (
        "|".join(re.escape(folded(text[:-1])) for text in texts) for texts in (words, lines)
    )
    return re.compile(rf"(?:(?<!\w)(?:{anywhere})|^[ \t]*(?:{at_start}))(?=:)", re.MULTILINE)


class _Folding(dict[int, str]):
    """Each character as the most eager normaliser leaves it, for `str.translate`.

    Compatible forms are decomposed; accents, control, format, private-use and unassigned
    characters go (BertNormalizer, StripAccents and NFKD together). What a milder normaliser makes a
    mark of, this one does too.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = "".join(c for c in unicodedata.normalize("NFKD", char) if not _is_hidden(c))
        folded = "\n" if char in _LINE_BREAKS else folded
        if code < _CACHED_BELOW:
            self[code] = folded
        return folded


def _is_hidden(char: str) -> bool:
    return char in _ALSO_HIDDEN or (unicodedata.category(char)[0] in "CM" and char not in "\t\n\r")


_FOLDED = _Folding()
