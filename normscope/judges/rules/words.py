"""The words that stand for labels, as the pieces of regular expressions that rules are made of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

from ...errors import UsageError
from .tidy import tidy

# CJK characters are letters to a regular expression, but no part of a Latin word
_LATIN = "A-Za-z0-9\u00c0-\u024f\u0370-\u052f"
BEFORE = rf"(?<![{_LATIN}])(?<!\b[A-Za-z]\.)"
AFTER = rf"(?![{_LATIN}\u0300-\u036f])(?!['-][A-Za-z0-9])(?!\.[A-Za-z](?![A-Za-z]))(?!\+)"

_BETWEEN = r"""[ ,、/&+|"“”「」()\[\]{}*-]{0,6}+"""
_AND = r"(?:or|and|to|through|versus|vs\.?|或者?|和|与|及|以及|还是|到|至|跟)"
_NOUN = r"(?:(?:options?|选项|答案) ?)?"
# after a mere comma, the next label belongs to the list only if the list goes on or ends there
_LISTED = (
    r"(?=[ ]?[^\w\s]|\s*+\Z|\n"
    r"| ?(?:or|and|to|both|all|are|或|和|与|及|还是|都|均|皆|全|选项|正确|对))"
)
# a capital A or I before another word is an article or a pronoun, but before these a letter
_NO_WORD = (
    r"(?! (?!(?:because|since|as|is|isn|are|was|were|and|or|but|not|due|for|in|on|it|the|this|"
    r"that|which|would|could|should|can|must|may|seems?|looks?|sounds?|appears?|stands|makes|fits|"
    r"works|wins|option|choice|answer|to|instead|rather|over|at|if|then|when|while|with|also|both|"
    r"stays)\b)[a-z])"
)
_NEVER = r"(?!)"
_MOST = 9
_QUOTED = 300
_LONG_LATIN, _LONG_HAN = 4, 2


@dataclass(frozen=True, slots=True)
class Words:
    """What stands for each label. The fields are pieces of patterns, and `find` reads them back.

    `label` is one label or several joined ("A and B", "ABD"), in a group of its own, and `each`
    the same where a comma may begin something else ("not A, B"); `unit` is one without a group.
    `bare` is one that is recognised in running text, in a group: no lower-case letters, which are
    articles, and no digits, which count things. `quote` is any option's text and `long` one of a
    few characters at least, both in the group `quote`. `listed` are the first two labels, by which
    a list of all of them is known, without a group: `first` and `second`.

    What may stand around a label: `o` any marks, `s` and new lines, `h` none that end a sentence,
    `g` none that end a clause.
    """

    labels: tuple[str, ...]
    label: str
    unit: str
    bare: str
    finder: str
    quotes: tuple[tuple[str, str], ...] = ()
    listed: tuple[str, str] = (_NEVER, _NEVER)
    slots: dict[str, str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Builds what patterns name in braces."""
        texts = [(text, regex) for text, regex in _regexes(self.quotes)]
        long = [regex for text, regex in texts if _is_long(text)]
        object.__setattr__(
            self,
            "slots",
            {
                "{label}": self.label,
                "{unit}": self.unit,
                "{each}": _each(self.unit),
                "{bare}": self.bare,
                "{first}": self.listed[0],
                "{second}": self.listed[1],
                "{quote}": f"(?P<quote>{'|'.join(regex for _, regex in texts) or _NEVER})",
                "{long}": f"(?P<quote>{'|'.join(long) or _NEVER})",
                "{o}": r"[^\w\n]{0,8}+",
                "{s}": r"[^\w]{0,8}+",
                "{g}": r"[^\w\n.,:;!?。]{0,6}+",
                "{h}": r"[^\w\n;!?。]{0,6}+",
            },
        )

    def compiled(self, regex: str) -> re.Pattern[str]:
        """The pattern with every piece in its place, ignoring case, line by line."""
        return _compile(regex, self if is_quoting(regex) else self._unquoted())

    def is_quoted_in(self, text: str) -> bool:
        """Whether any option's text occurs; if not, patterns need not be built for this item."""
        line = " ".join(text.split()).casefold()
        return any(quote in line for quote, _ in self.quotes)

    def find(self, match: re.Match[str]) -> list[tuple[int, str]]:
        """Where each label begins that the match has caught, and the label."""
        result: list[tuple[int, str]] = []
        quoted = match.re.groupindex.get("quote")
        for group in range(1, match.re.groups + 1):
            start, end = match.span(group)
            if start < 0:
                continue
            if group == quoted:
                plain = _plain(match[group])
                result += [(start, label) for quote, label in self.quotes if quote == plain]
                continue
            for word in _finder(self.finder).finditer(match.string, start, end):
                if word.lastindex:
                    result.append((word.start(), self.labels[word.lastindex - 1]))
        return result

    def _unquoted(self) -> "Words":
        return self if not self.quotes else _bare_words(self)


@lru_cache(maxsize=1024)
def letter_words(letters: tuple[str, ...], options: tuple[str, ...] = ()) -> Words:
    """The words for the letters of a multiple-choice item, and for its options' texts.

    A text that two options share, or that is itself nothing but punctuation, is no quotation.
    """
    plain = [tidy(letter) for letter in letters]
    if not letters or not all(plain) or len({letter.casefold() for letter in plain}) < len(plain):
        raise UsageError(f"the options need letters that differ, not {list(letters)}")
    if options and len(options) != len(letters):
        raise UsageError(f"{len(options)} options and {len(letters)} letters: give a text for each")
    texts = [_plain(option) for option in options]
    quotes = tuple(
        (text, letter)
        for text, letter in zip(texts, letters, strict=False)
        if text and texts.count(text) == 1 and text not in {letter.casefold() for letter in plain}
    )
    capitals = [
        re.escape(letter.upper()) + (_NO_WORD if letter.upper() in {"A", "I"} else "")
        for letter in plain
    ]
    smalls = [re.escape(letter.lower()) for letter in plain]
    capital, small = "|".join(capitals), "|".join(smalls)
    # several answers stand in the order of the letters: ABD, but not BAD or CDC
    single = all(len(letter) == 1 for letter in plain)
    several = f"(?={capital})" + "".join(f"(?:{letter})?" for letter in capitals)
    # a lower-case letter must be followed by something that no article is followed by
    unit = (
        rf"(?:{BEFORE}(?-i:{several if single else f'(?:{capital})'}){AFTER}"
        rf"|{BEFORE}(?-i:{small}){AFTER}(?=[ ]?[^\w\s]|\s*+\Z|\n))"
    )
    groups = "|".join(
        rf"((?-i:(?<![a-z]){letter}(?![a-z])|{BEFORE}{little}{AFTER}))"
        for letter, little in zip(capitals, smalls, strict=True)
    )
    return Words(
        labels=letters,
        label=_joined(unit),
        unit=unit,
        bare=rf"({BEFORE}(?-i:{capital}){AFTER})",
        finder=rf"(?:{BEFORE}(?:or|and|to|options?){AFTER})|{groups}",
        quotes=quotes,
        listed=(rf"{BEFORE}{capitals[0]}{AFTER}", rf"{BEFORE}{(capitals * 2)[1]}{AFTER}"),
    )


def form_words(forms: Sequence[tuple[str, str]], *, digits: bool = False) -> Words:
    """The words for labels that are spelt by regular expressions, longer forms first.

    With `digits`, a label's own digit stands for it too, but not in running text.
    """
    labels = tuple(label for label, _ in forms)
    spelt = [rf"{BEFORE}(?:{form}){AFTER}" for _, form in forms]
    strong = list(spelt)
    if digits:
        starts, ends = r"(?<![\d.,/-])", r"(?![.,/]?\d|[%+])"
        strong = [
            rf"(?:{form}|{BEFORE}{starts}{label}{AFTER}{ends})"
            for label, form in zip(labels, spelt, strict=True)
        ]
    unit = f"(?:{'|'.join(strong)})"
    return Words(
        labels=labels,
        label=_joined(unit),
        unit=unit,
        bare=f"({'|'.join(spelt)})",
        finder="|".join(f"({form})" for form in strong),
    )


def is_quoting(regex: str) -> bool:
    """Whether the pattern looks for the options' texts."""
    return "{quote}" in regex or "{long}" in regex


def _joined(unit: str) -> str:
    more = rf"{_BETWEEN}(?:{_AND}{_BETWEEN}{_NOUN}{unit}|{_NOUN}{unit}{_LISTED})"
    return f"({unit}(?:{more}){{0,{_MOST}}}+)"


def _each(unit: str) -> str:
    goes_on = rf"(?=[ ]?,? ?(?:{_AND} ?)?{_NOUN}{unit})"
    more = (
        rf"{_BETWEEN}{_AND}{_BETWEEN}{_NOUN}{unit}|[ ]?[、/&+] ?{_NOUN}{unit}"
        rf"|[ ]?, ?{_NOUN}{unit}{goes_on}"
    )
    return f"({unit}(?:{more}){{0,{_MOST}}}+)"


def _plain(text: str) -> str:
    """The text on one line, without case and without punctuation around it."""
    line = " ".join(tidy(text).split())[:_QUOTED].casefold()
    return re.sub(r"\A\W+|\W+\Z", "", line)


def _regexes(quotes: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    longest_first = sorted((text for text, _ in quotes), key=len, reverse=True)
    return [(text, rf"{BEFORE}{_spaced(text)}{AFTER}") for text in longest_first]


def _spaced(text: str) -> str:
    return r"\s".join(re.escape(word) for word in text.split())


def _is_long(text: str) -> bool:
    return len(text) >= (_LONG_LATIN if text.isascii() else _LONG_HAN)


@lru_cache(maxsize=1024)
def _bare_words(words: Words) -> Words:
    return replace(words, quotes=())


@lru_cache(maxsize=4096)
def _compile(regex: str, words: Words) -> re.Pattern[str]:
    for name, piece in words.slots.items():
        regex = regex.replace(name, piece)
    return re.compile(regex, re.IGNORECASE | re.MULTILINE)


@cache
def _finder(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.IGNORECASE)
