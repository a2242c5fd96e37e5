"""A multiple-choice question's text taken apart into its stem and its options."""

import re
from itertools import pairwise

from ...records.item import Option

LETTERS = "ABCDEFGH"

_HALF_WIDTH = {ord("Ａ") + index: letter for index, letter in enumerate(LETTERS)}
_MARK = re.compile(
    r"(?:^|(?<=[\s;；。]))[（(]?(?P<letter>[A-HＡ-Ｈ])\s*(?P<end>[.．、:：,，)）])?[^\S\n]*",
    re.MULTILINE,
)


def split_options(text: str) -> tuple[str, tuple[Option, ...]]:
    r"""The stem and the options, in the order of their letters; no options if there are none.

    An option begins at a letter, half or full width, with a delimiter after it, at the start of a
    line or after a blank. The options are the last run of letters from A on, one whose A
    opens a line before any other, so that letters in the stem or in an option are left alone. A
    letter at the start of a line may lack its delimiter if it is the next in turn (one item of the
    benchmark is printed so).

    >>> split_options("天是什么颜色？ \nA. 蓝 B. 绿\nC红")  # doctest: +NORMALIZE_WHITESPACE
    ('天是什么颜色？',
     (Option(letter='A', text='蓝'), Option(letter='B', text='绿'), Option(letter='C', text='红')))
    """
    marks = list(_MARK.finditer(text))
    starts = sorted(range(len(marks)), key=lambda index: (_opens_line(text, marks[index]), index))
    for start in reversed(starts):
        run = _run(text, marks[start:])
        if len(run) > 1:
            return text[: run[0].start()].strip(), _options(text, run)
    return text.strip(), ()


def _run(text: str, marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The marks of one list of options: A first, then each letter that is due."""
    if _letter(marks[0]) != "A" or not marks[0]["end"]:
        return []
    run = [marks[0]]
    for mark in marks[1:]:
        due = LETTERS[len(run) : len(run) + 1]
        if _letter(mark) == due and (mark["end"] or _bare(text, mark)):
            run.append(mark)
    return run


def _bare(text: str, mark: re.Match[str]) -> bool:
    """Whether a letter without a delimiter opens a line and no Latin word."""
    following = text[mark.end() : mark.end() + 1]
    latin = following.isascii() and following.isalnum()
    return _opens_line(text, mark) and not latin and bool(following.strip())


def _opens_line(text: str, mark: re.Match[str]) -> bool:
    before = text[: mark.start()].rstrip(" \t")
    return not before or before.endswith("\n")


def _options(text: str, run: list[re.Match[str]]) -> tuple[Option, ...]:
    ends = [after.start() for _, after in pairwise(run)] + [len(text)]
    return tuple(
        Option(_letter(mark), text[mark.end() : end].strip().rstrip("；;").strip())
        for mark, end in zip(run, ends, strict=True)
    )


def _letter(mark: re.Match[str]) -> str:
    return mark["letter"].translate(_HALF_WIDTH)
