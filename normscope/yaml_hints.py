"""What is wrong with a text that is no YAML, in words for somebody who types it by hand.

PyYAML says at which token it gave up. What was typed wrongly often stands before that: the hint is
looked for by PyYAML's words and by the line, and says what to type instead.
"""

import re

import yaml

from .messages import known, marked, message

_NO_KEY = marked(
    "this line has no key; write `key: value` with an ordinary colon (not ：) and a space after "
    "it, `- ` before an entry of a list, and indent what goes on from the line above"
)
_HINTS = {
    ("while scanning a quoted scalar", "begin", ""): marked(
        "the quote that opens here is never closed; close it, or take it out"
    ),
    (r"found character '\\t'", "stop", ""): marked(
        "there is a tab, which YAML does not take here; type spaces instead"
    ),
    ("cannot start any token|an (alias|anchor)|a block scalar|for the tag '!", "stop", ""): marked(
        "a text that begins with a sign such as @ % & * ! > has to stand in double quotes"
    ),
    ("while parsing a flow", "begin", ""): marked(
        "the bracket that opens on this line is not closed, or a comma is missing in it; put a "
        "text that only begins with one in double quotes"
    ),
    ("could not find expected ':'", "begin", ""): _NO_KEY,
    ("mapping values are not allowed", "stop", r":\s.*:(\s|$)"): marked(
        "a colon with a space after it stands within the text; put the whole text in double quotes"
    ),
    # at the head of a file, a line without a key goes on into the next
    ("mapping values are not allowed", "above", r"^(?!.*:(\s|$)).*\S"): _NO_KEY,
    ("mapping values are not allowed", "stop", ""): marked(
        "the line is indented deeper than the one above, which has its value already; begin both "
        "in the same column"
    ),
    ("sequence entries are not allowed", "stop", ""): marked(
        "a list does not begin behind its key; put each - on a line of its own"
    ),
    ("expected <block end>, but found '<scalar>'", "stop", r"""[:-]\s+["'[{]"""): marked(
        "text goes on after the quote or bracket that closes; put the whole in quotes, or in those "
        "of the other kind"
    ),
    ("expected <block end>, but found '<", "stop", ""): marked(
        "the line is indented otherwise than its neighbours; begin it in their column"
    ),
    ("", "stop", ""): marked("{problem}; put a text with signs of YAML's in double quotes"),
}
"""What to type instead, by PyYAML's words, the line that is meant and how it looks.

The line is that on which the part that was read begins, that on which PyYAML stopped, or the one
above it.
"""


def syntax_problem(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The line on which the text stops being YAML, or where that began, and what to type instead.

    Lines are counted from 1; 0 is the whole text.
    """
    if isinstance(error, yaml.reader.ReaderError):
        code = f"U+{int(error.character):04X}"
        line = text.count("\n", 0, error.position) + 1
        return line, message("the character {code} cannot stand in a file; take it out", code=code)
    if not isinstance(error, yaml.MarkedYAMLError):
        return 0, known(str(error))
    lines = text.splitlines() or [""]
    mark = error.problem_mark or error.context_mark
    # at the end of the text, the mark is after the last line
    stop = min(mark.line, len(lines) - 1) if mark else 0
    begin = min(error.context_mark.line, stop) if error.context_mark else stop
    numbers = {"begin": begin, "above": max(stop - 1, 0), "stop": stop}
    words, problem = f"{error.context}: {error.problem}", known(error.problem or "")
    number, hint = next(
        (numbers[place], hint)
        for (said, place, looks), hint in _HINTS.items()
        if re.search(said, words) and re.search(looks, lines[numbers[place]])
    )
    return number + 1, message(hint, problem=problem)
