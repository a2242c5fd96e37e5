"""What is wrong with a text that is no YAML, in words for somebody who types it by hand.

PyYAML says at which token it gave up. What was typed wrongly often stands before that, as a quote
that was left open does: the line is looked at, and the sentence says what to type instead.
"""

import codecs
import re
from collections.abc import Iterator
from itertools import chain

import yaml

from .messages import known, marked, message

Wrong = tuple[int, str]
"""The line, from 1, or 0 for the whole text, and what is wrong there."""

_SAVE_AGAIN = marked("{problem}; save it again as UTF-8 (Save as …, Encoding: UTF-8)")
_MOST_SHOWN = 60

_FIRST_SIGN = marked("a text cannot begin with {sign}; put the whole of it in double quotes")
_KEY = r"(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s:'\"{\[][^:]*?)"
_VALUE = re.compile(rf"\s*(?:{_KEY}: +|(?:- +)+)(?P<value>\S.*)")


def encoding_problem(data: bytes) -> Wrong | None:
    """What keeps the bytes from being read as UTF-8 text, most likely; none if nothing does."""
    if data.startswith(b"PK\3\4"):
        text = message(
            "it is a Word, spreadsheet or ZIP file; save what stands in it as plain text (UTF-8)"
        )
        return 0, text
    bom = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    # in UTF-16 every second byte of a Latin letter is 0
    zeros = max(data[0::2].count(0), data[1::2].count(0))
    if bom or (len(data) >= 4 and 4 * zeros > len(data)):  # noqa: PLR2004 - one letter is no text
        return 0, message(_SAVE_AGAIN, problem=message("it is UTF-16 text, not UTF-8"))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data[: error.start].count(b"\n") + 1
        # a Chinese character has two bytes in GBK; a letter with an accent is alone in Windows-1252
        runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data)]
        chinese = 2 * runs.count(1) < len(runs)
        encoding, name = ("gb18030", "GBK") if chinese else ("cp1252", "Windows-1252 (Latin-1)")
        line = data.split(b"\n")[number - 1].decode(encoding, "replace").strip()
        problem = message(
            "not UTF-8 text; in {encoding} this line reads {line}",
            encoding=name,
            line=repr(line[:_MOST_SHOWN]),
        )
        return number, message(_SAVE_AGAIN, problem=problem)
    return None


def syntax_problem(error: yaml.YAMLError, text: str) -> Wrong:
    """The line on which the text stops being YAML, or rather where that began, and the remedy."""
    if isinstance(error, yaml.reader.ReaderError):
        # typed as text, it is the number of the character where the input is text
        code = f"U+{int(error.character):04X}"
        line = text.count("\n", 0, error.position) + 1
        return line, message("the character {code} cannot stand in a file; take it out", code=code)
    if not isinstance(error, yaml.MarkedYAMLError):
        return 0, known(str(error))
    mark, before = error.problem_mark or error.context_mark, error.context_mark
    lines = text.splitlines() or [""]
    # at the end of the text, the mark is after the last line
    at = min(mark.line, len(lines) - 1) if mark else 0
    begun = min(before.line, len(lines) - 1) if before else at
    context, problem = error.context or "", error.problem or ""
    guesses = chain(
        _odd_file(lines),
        _signs(context, problem, lines, begun, at),
        _colons(problem, lines, begun, at),
        _blocks(context, problem, lines, begun, at),
    )
    number, wrong = next(guesses, (at, known(problem)))
    return number + 1, wrong


def _odd_file(lines: list[str]) -> Iterator[Wrong]:
    """What an editor or a web page puts around the text."""
    if lines[0].startswith("{\\rtf"):
        yield 0, message("it is a Rich Text file; save it as plain text")
    for number, line in enumerate(lines):
        if line.startswith("```"):
            yield number, message("the sign ``` is none of YAML's; take the line out")


def _signs(context: str, problem: str, lines: list[str], begun: int, at: int) -> Iterator[Wrong]:
    """A quote without its partner, a tab, or a sign that YAML keeps for itself."""
    if context == "while scanning a quoted scalar":
        text = message("the quote that opens here is never closed; close it, or take it out")
        yield begun, text
    if problem.startswith("expected <block end>, but found '<scalar>'"):
        yield from _text_after_quote(lines, at)
    if problem == "found character '\\t' that cannot start any token":
        yield at, message("there is a tab, which YAML does not take here; type spaces instead")
    if sign := re.fullmatch(r"found character (.+) that cannot start any token", problem):
        yield at, message(_FIRST_SIGN, sign=sign[1])
    if re.fullmatch(r"while scanning an (alias|anchor)|while scanning a block scalar", context):
        value = _value(lines[begun]) or lines[begun].strip()
        if value.startswith("* "):
            text = message("an entry of a list begins with a hyphen and a space, not with *")
            yield begun, text
        if value.startswith(("&", "*", "|", ">")):
            yield begun, message(_FIRST_SIGN, sign=value[0])
    if problem.startswith("could not determine a constructor for the tag '!"):
        yield at, message(_FIRST_SIGN, sign="!")


def _text_after_quote(lines: list[str], at: int) -> Iterator[Wrong]:
    """A quote that closes before the text ends; it may have been opened on a line before."""
    value = _value(lines[at])
    for number in range(at):
        if lines[number].count('"') % 2:
            text = message(
                "the quote that opens here is closed only on line {line}; close it on this line, "
                "or take it out",
                line=at + 1,
            )
            yield number, text
    if value.startswith("'"):
        text = message(
            "text goes on after the quote that closes; where an apostrophe is meant, put the whole "
            'in double quotes: "…"'
        )
        yield at, text
    if value.startswith('"'):
        text = message(
            "text goes on after the quote that closes; put the whole in single quotes: '…'"
        )
        yield at, text
    if value.startswith(("{", "[")):
        yield at, message(_FIRST_SIGN, sign=value[0])


def _colons(problem: str, lines: list[str], begun: int, at: int) -> Iterator[Wrong]:
    """A line without a key, a second colon in one line, or a line below a finished one."""
    if problem == "could not find expected ':'":
        yield begun, _without_key(lines[begun].strip())
    if problem == "sequence entries are not allowed here":
        yield at, message("a list does not begin behind its key; put each - on a line of its own")
    if problem != "mapping values are not allowed here":
        return
    if len(re.findall(r":(?:\s|$)", lines[at])) > 1:
        text = message(
            "a colon with a space after it stands within the text; put the whole text in double "
            "quotes"
        )
        yield at, text
    # at the head of a file, a line without a key goes on into the next
    if at > 0 and lines[at - 1].strip() and not re.search(r":(\s|$)", lines[at - 1]):
        yield at - 1, _without_key(lines[at - 1].strip())
    text = message(
        "the line is indented deeper than the one above, which has its value already; begin both "
        "in the same column"
    )
    yield at, text


def _without_key(line: str) -> str:
    if "：" in line:
        return message("the colon is a Chinese one (：); type : and a space after it")
    if re.match(r"-[^\s-]", line):
        return message("there is no space after the -; type one")
    if re.match(r"[\w\"']+:\S", line):
        return message("there is no space after the colon; type one")
    return message(
        "this line has no key; write `key: value`, or `- ` before an entry of a list, and indent "
        "what goes on from the line above"
    )


def _blocks(context: str, problem: str, lines: list[str], begun: int, at: int) -> Iterator[Wrong]:
    """A bracket that is not closed, a second document, a comma, a line out of its column."""
    sign = {"sequence": "[", "mapping": "{"}.get(context.removeprefix("while parsing a flow "), "")
    if sign and sign in lines[begun] and problem != "expected the node content, but found '-'":
        text = message(
            "the bracket {sign} that opens on this line is not closed, or a comma is missing in "
            "it; put a text that only begins with {sign} in double quotes",
            sign=sign,
        )
        yield begun, text
    if "but found another document" in problem or lines[at].startswith("---"):
        yield at, message("--- begins another file; take the line out")
    if problem == "expected <block end>, but found ','":
        yield at, message("a comma ends the value; take it out")
    if problem.startswith("expected <block end>, but found"):
        text = message(
            "the line is indented otherwise than its neighbours; begin it in their column"
        )
        yield at, text


def _value(line: str) -> str:
    """What stands in the line behind its key or its hyphen.

    >>> _value("  - a door"), _value("title: 'A' door"), _value("title")
    ('a door', "'A' door", '')
    """
    match = _VALUE.match(line)
    return match["value"] if match else ""
