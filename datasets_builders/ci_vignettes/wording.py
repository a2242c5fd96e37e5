"""What looks wrong in a text: joins that went astray, and personal data.

Rules of thumb: each finding is for a person to look at. Articles are looked at in English only,
spaces in languages that put them between words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...messages import Message, message

_NO_SPACES = ("zh", "ja", "th", "lo", "km", "my")

_OFF = (
    (message("two spaces"), re.compile(r" {2,}")),
    (message("a space before punctuation"), re.compile(r"\w +[,;:!?.](?![\w.])")),
    (message("punctuation twice"), re.compile(r"(?<!\.)([.,;:!?。，；：！？、])\s*\1(?!\.)")),
    (message("a word twice"), re.compile(r"\b(?!(?:that|had) )(\w+)\s+\1\b", re.IGNORECASE)),
)
_DETERMINERS = "a|an|the|my|your|his|her|its|our|their"
_ENGLISH = (
    (
        message("two articles"),
        re.compile(rf"\b({_DETERMINERS})\s+(?!\1\b)(?:{_DETERMINERS})\b", re.I),
    ),
    (
        message("'a' before a vowel"),
        re.compile(r"\ba\s+(?!eu|one|once|uni|us[aeiu]|ub|ut[ei])[aeiou]\w*"),
    ),
    (
        message("'an' before a consonant"),
        re.compile(r"\ban\s+(?!h(?:ou?r|onest|eir|onou?r))[b-df-hj-np-tv-z]\w*"),
    ),
)
_OPENS = re.compile(
    rf"(?:{_DETERMINERS}|this|that|these|those|some|any|all|no|other|\w+['’]s)\b", re.I
)
_SINGULAR = re.compile(r"[a-z]+(?:-[a-z]+)*")


@dataclass(frozen=True, slots=True)
class Oddity:
    """A stretch of a text, and what is odd about it."""

    start: int
    end: int
    kind: str
    text: str

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> Message:
        """What is odd, and the stretch."""
        return message("{kind} in {text}", kind=self.kind, text=repr(self.text))


def find_oddities(text: str, *, language: str = "en") -> Iterator[Oddity]:
    """Joined sentences: doubled spaces, punctuation, words and articles, a wrong article.

    >>> [str(found) for found in find_oddities("A site collects your your data. . It is a end")]
    ["punctuation twice in '. .'", "a word twice in 'your your'", "'a' before a vowel in 'a end'"]
    """
    tongue = language.partition("-")[0]
    rules = _OFF[2:3] if tongue in _NO_SPACES else _OFF
    for kind, rule in (*rules, *(_ENGLISH if tongue == "en" else ())):
        for match in rule.finditer(text):
            start, end = match.span()
            around = (
                text[max(0, start - 12) : end + 12].strip() if not match[0].strip() else match[0]
            )
            yield Oddity(start, end, kind, around)


def lacks_article(levels: Sequence[str]) -> Iterator[int]:
    """The levels of a factor that begin without an article or its like where most have one.

    A plural, a name in capitals and a clause need none, and are passed over.

    >>> levels = ["a fitness app", "a mapping app", "license plate reader", "CCTV cameras"]
    >>> [levels[at] for at in lacks_article(levels)]
    ['license plate reader']
    """
    filled = [level for level in levels if level]
    if 2 * sum(bool(_OPENS.match(level)) for level in filled) < len(filled):
        return
    for index, level in enumerate(levels):
        words = re.split(r"[ ,(]", level)
        noun = words[0] and _SINGULAR.fullmatch(words[0]) and not _OPENS.match(level)
        if noun and not any(word.endswith("s") for word in words[:4]):
            yield index


_ENDS = re.compile(r"(?<!\betc)(?<!\bInc)(?<!\bLtd)(?<!\b[Cc]o)(?<!\b\w)(?<!\.)[.。．]$")


def ends_a_sentence(level: str) -> bool:
    """Whether there is a full stop at its end that is not of an abbreviation.

    >>> ends_a_sentence("if asked."), ends_a_sentence("Acme Inc."), ends_a_sentence("at 3 p.m.")
    (True, False, False)
    """
    return bool(_ENDS.search(level))


_PERSONAL = (
    (
        message("an e-mail address"),
        re.compile(r"[\w.+-]+@(?!example\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.I),
    ),
    (message("a social security number"), re.compile(r"\b\d{3}-\d{2}-\d{4}\b")),
    (message("an identity number"), re.compile(r"(?<!\d)[1-9]\d{5}(?:19|20)\d{9}[\dXx](?!\d)")),
    (
        message("an account number"),
        re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b"),
    ),
)
_PHONE = re.compile(
    r"(?<![A-Za-z0-9_.,/-])(?:\+|\(\+?)?\d[\d ()./-]{4,24}\d(?![A-Za-z0-9_]|[.,/-]\d)"
)
_NO_PHONE = re.compile(
    r"\d{4}[./-]\d\d?[./-]\d\d?(?!\d).*|\d\d?[./-]\d\d?[./-](?:\d\d)?\d\d"  # a date
    r"|(?:1[89]|20)\d\d(?:[ /-]+(?:1[89]|20)?\d\d)+"  # years
    r"|[1-9]\d{0,2}(?: \d{3})+"  # a large number
    r"|97[89][ -]\d[\d -]+"  # a book's
    r"|10\.\d{4,}/.*|\d{1,3}(?:\.\d{1,3}){3}"  # a publication's, a computer's
)
_MOBILE = re.compile(r"(?<!\d)(?:\+\d{8,15}|1[3-9]\d{9})(?!\d)")
_CARD = re.compile(r"(?<!\d)(?:\d[ -]?){13,19}(?!\d)")


def find_personal_data(text: str) -> Iterator[Oddity]:
    """E-mail addresses (but for example.org and its like), phone, card and identity numbers.

    >>> [str(found) for found in find_personal_data("mail jo@mail.test, ring +44 20 7946 0018")]
    ["an e-mail address in 'jo@mail.test'", "a phone number in '+44 20 7946 0018'"]
    """
    oddities = [
        Oddity(*match.span(), kind, match[0])
        for kind, rule in _PERSONAL
        for match in rule.finditer(text)
    ]
    oddities += [
        Oddity(*match.span(), message("a card number"), match[0].strip())
        for match in _CARD.finditer(text)
        if _is_card([int(digit) for digit in match[0] if digit.isdigit()])
    ]
    for match in (*_MOBILE.finditer(text), *_PHONE.finditer(text)):
        start, end = match.span()
        # a card or an account number has the form of a phone number too
        if not any(other.start < end and start < other.end for other in oddities) and (
            match.re is _MOBILE or _is_phone(match[0])
        ):
            oddities.append(Oddity(start, end, message("a phone number"), match[0]))
    yield from sorted(oddities, key=lambda oddity: oddity.start)


_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_RATER = re.compile(
    r"\b(?:id|who|by|(?:first|last|full|sur|user)?[ _]?name)\b"
    r"|rater|annotator|labell?er|participant|respondent|worker|person|user"
    r"|姓名|名字|评分者|标注者|参与者|受访者|填写人|用户",
    re.I,
)
_MOST_WORDS = 4
_HAN = re.compile(r"[\u4e00-\u9fff·]{2,}")


def names_people(column: str, cells: Iterable[str]) -> Message | None:
    """What of people a column of a table holds: e-mail addresses, or their names; null for neither.

    A name has letters and a space, or Chinese characters alone, and is looked for where the column
    is headed as what says who answered: elsewhere it may be anything.

    >>> names_people("rater", ["17", "w-4"]), names_people("When", ["1 May"])
    (None, None)
    >>> print(names_people("rater", ["17", "Jo Doe"]), names_people("note", ["jo@example.org"]))
    names of persons e-mail addresses
    """
    texts = list(cells)
    if any("@" in text and _ADDRESS.search(text) for text in texts):
        return message("e-mail addresses")
    # a question of a form may have such a word in it
    if len(column.split()) > _MOST_WORDS or not _RATER.search(column.replace("_", " ")):
        return None
    named = any(
        (any(map(str.isalpha, text)) and any(map(str.isspace, text))) or _HAN.fullmatch(text)
        for text in texts
    )
    return message("names of persons") if named else None


def _is_phone(text: str) -> bool:
    """Whether digits with signs between them are grouped as those of a phone number are.

    >>> _is_phone("010-6234 5678"), _is_phone("555-0143"), _is_phone("2019-2023")
    (True, True, False)
    """
    groups = re.findall(r"\d+", text)
    digits = sum(map(len, groups))
    # up to 15 digits (ITU-T E.164); without an area code hardly fewer than 7
    if len(groups) == 1 or digits not in range(7, 16) or _NO_PHONE.fullmatch(text):
        return False
    # 555-0143, 202 555 0143, 138 0013 8000; lists of small numbers are none
    local = [*map(len, groups)][-1] == 4 and max(map(len, groups[:-1])) in (3, 4)  # noqa: PLR2004
    return local or bool(re.match(r"[+(]|0\d|\d{3,4}[ -]\d{7,8}$", text))


def _is_card(digits: list[int]) -> bool:
    """Whether the last digit is the check digit of the others (Luhn).

    >>> _is_card([7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 3])
    True
    """
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
