"""What is wrong with a text that is no YAML, in words for somebody who types it by hand.

PyYAML says at which token it gave up. What was typed wrongly often stands before that, as a quote
that was left open does: the line is looked at, and the sentence says what to type instead.
"""

import codecs
import re
from collections.abc import Iterator

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
        encoding, name = _guessed(data)
        line = data.split(b"\n")[number - 1].decode(encoding, "replace").strip()
        problem = message(
            "not UTF-8 text; in {encoding} this line reads {line}",
            encoding=name,
            line=repr(line[:_MOST_SHOWN]),
        )
        return number, message(_SAVE_AGAIN, problem=problem)
    return None


def _guessed(data: bytes) -> tuple[str, str]:
    """The likeliest encoding of bytes that are not UTF-8, and what editors call it.

    A Chinese character has two bytes in GBK, so that few stand alone; a letter with an accent has
    a single one in Windows-1252.
    """
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data)]
    if 2 * runs.count(1) < len(runs):
        return "gb18030", "GBK"
    return "cp1252", "Windows-1252 (Latin-1)"


def syntax_problem(error: yaml.YAMLError, text: str) -> Wrong:
    """The line on which the text stops being YAML, or rather where that began, and the remedy."""
    if isinstance(error, yaml.reader.ReaderError):
        # typed as text, it is the number of the character where the input is text
        code = f"U+{int(error.character):04X}"
        line = text.count("\n", 0, error.position) + 1
        return line, message("the character {code} cannot stand in a file; take it out", code=code)
    if not isinstance(error, yaml.MarkedYAMLError):
        return 0, known(str(error))
    mark, context = error.problem_mark or error.context_mark, error.context_mark
    lines = text.splitlines() or [""]
    # at the end of the text, the mark is after the last line
    at = min(mark.line, len(lines) - 1) if mark else 0
    begun = min(context.line, len(lines) - 1) if context else at
    said = (error.context or "", error.problem or "")
    guesses = (
        _odd_file(lines),
        _open_quote(said, begun, at, text),
        _odd_sign(said, lines, begun, at),
        _no_colon(said, lines, begun),
        _two_values(said, lines, at),
        _open_bracket(said, lines, begun),
        _indented(said, lines, at),
    )
    for guess in guesses:
        if guess is not None:
            return guess[0] + 1, guess[1]
    return at + 1, known(error.problem or "")


def _odd_file(lines: list[str]) -> Wrong | None:
    """What an editor or a web page puts around the text."""
    if lines[0].startswith("{\\rtf"):
        return 0, message("it is a Rich Text file; save it as plain text")
    for number, line in enumerate(lines):
        if line.startswith("```"):
            return number, message("the sign ``` is none of YAML's; take the line out")
    return None


def _open_quote(said: tuple[str, str], begun: int, at: int, text: str) -> Wrong | None:
    """A quote without its partner; the next one in the file is taken for it."""
    context, problem = said
    if context == "while scanning a quoted scalar":
        return begun, message("the quote that opens here is never closed; close it, or take it out")
    if not problem.startswith("expected <block end>, but found '<scalar>'"):
        return None
    for first, last in _quoted(text):
        if first < at == last:
            clause = message(
                "the quote that opens here is closed only on line {line}; close it on this line, "
                "or take it out",
                line=last + 1,
            )
            return first, clause
    value = _value(text.splitlines()[at])
    clauses = {
        "'": message(
            "text goes on after the quote that closes; where an apostrophe is meant, put the whole "
            'in double quotes: "…"'
        ),
        '"': message(
            "text goes on after the quote that closes; put the whole in single quotes: '…'"
        ),
        **{sign: message(_FIRST_SIGN, sign=sign) for sign in "{["},
    }
    return (at, clauses[value[0]]) if value and value[0] in clauses else None


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    """The first and the last line of each quoted text, as far as the text can be scanned."""
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if isinstance(token, yaml.ScalarToken) and token.style in {"'", '"'}:
                yield token.start_mark.line, token.end_mark.line
    except yaml.YAMLError:
        return


def _odd_sign(said: tuple[str, str], lines: list[str], begun: int, at: int) -> Wrong | None:
    """A tab, or a sign that YAML keeps for itself, where a text begins."""
    context, problem = said
    if problem == "found character '\\t' that cannot start any token":
        return at, message("there is a tab, which YAML does not take here; type spaces instead")
    if sign := re.fullmatch(r"found character (.+) that cannot start any token", problem):
        return at, message(_FIRST_SIGN, sign=sign[1])
    if re.fullmatch(r"while scanning an (alias|anchor)|while scanning a block scalar", context):
        value = _value(lines[begun]) or lines[begun].strip()
        if value.startswith("* "):
            clause = message("an entry of a list begins with a hyphen and a space, not with *")
            return begun, clause
        if value and value[0] in "&*|>":
            return begun, message(_FIRST_SIGN, sign=value[0])
    if problem.startswith("could not determine a constructor for the tag '!"):
        return at, message(_FIRST_SIGN, sign="!")
    return None


def _no_colon(said: tuple[str, str], lines: list[str], begun: int) -> Wrong | None:
    """A line that is neither `key: value` nor an entry of a list."""
    if said[1] != "could not find expected ':'":
        return None
    return begun, _without_key(lines[begun].strip())


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


def _two_values(said: tuple[str, str], lines: list[str], at: int) -> Wrong | None:
    """A second colon in one line, or a line that is indented below a finished one."""
    if said[1] == "sequence entries are not allowed here":
        return at, message("a list does not begin behind its key; put each - on a line of its own")
    if said[1] != "mapping values are not allowed here":
        return None
    if len(re.findall(r":(?:\s|$)", lines[at])) > 1:
        clause = message(
            "a colon with a space after it stands within the text; put the whole text in double "
            "quotes"
        )
        return at, clause
    # at the head of a file, a line without a key goes on into the next
    if at > 0 and lines[at - 1].strip() and not re.search(r":(\s|$)", lines[at - 1]):
        return at - 1, _without_key(lines[at - 1].strip())
    clause = message(
        "the line is indented deeper than the one above, which has its value already; begin both "
        "in the same column"
    )
    return at, clause


def _open_bracket(said: tuple[str, str], lines: list[str], begun: int) -> Wrong | None:
    if not re.match(r"while parsing a flow (sequence|mapping)", said[0]):
        return None
    sign = "[" if said[0].endswith("sequence") else "{"
    if said[1] == "expected the node content, but found '-'":
        return None
    clause = message(
        "the bracket {sign} that opens on this line is not closed, or a comma is missing in it; "
        "put a text that only begins with {sign} in double quotes",
        sign=sign,
    )
    return (begun, clause) if sign in lines[begun] else None


def _indented(said: tuple[str, str], lines: list[str], at: int) -> Wrong | None:
    if "but found another document" in said[1] or lines[at].startswith("---"):
        return at, message("--- begins another file; take the line out")
    if said[1] == "expected <block end>, but found ','":
        return at, message("a comma ends the value; take it out")
    if said[1].startswith("expected <block end>, but found"):
        clause = message(
            "the line is indented otherwise than its neighbours; begin it in their column"
        )
        return at, clause
    return None


def _value(line: str) -> str:
    """What stands in the line behind its key or its hyphen.

    >>> _value("  - a door"), _value("title: 'A' door"), _value("title")
    ('a door', "'A' door", '')
    """
    match = _VALUE.match(line)
    return match["value"] if match else ""
