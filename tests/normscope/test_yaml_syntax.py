"""What keeps a text from being YAML is told at the line where it was typed, with what to type."""

import pytest

from normscope.errors import ConfigError
from normscope.messages import translate
from normscope.yaml_loader import decoded, plain
from normscope.yaml_syntax import encoding_problem


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("a: 1\n\tb: 2", 2, "there is a tab"),
        ("a:\tb", 1, "type spaces instead"),
        ('a: 1\nb: "two\nc: 3', 2, "never closed"),
        ('a: "one\nb: 2\nc: "three"', 1, "closed only on line 3"),
        ("a: 'it's'", 1, "where an apostrophe is meant"),
        ('a: "one" or two', 1, "put the whole in single quotes"),
        ("a: {x} tells y", 1, "a text cannot begin with {"),
        ("- [x] tells y", 1, "a text cannot begin with ["),
        ("- @home", 1, "a text cannot begin with '@'"),
        ("- %50", 1, "a text cannot begin with '%'"),
        ("- *new*", 1, "a text cannot begin with *"),
        ("- *new", 1, "put a text that begins with * in double quotes"),
        ("- & sons", 1, "a text cannot begin with &"),
        ("- !new", 1, "a text cannot begin with !"),
        ("- > 18", 1, "a text cannot begin with >"),
        ("a: one: two", 1, "a colon with a space after it stands within the text"),
        ("a: one\n  b: two", 2, "indented deeper than the one above"),
        ("a: 1\nb:2\nc: 3", 2, "no space after the colon"),
        ("a: 1\nb：2\nc: 3", 2, "the colon is a Chinese one"),
        ("a：1\nb: 2", 1, "the colon is a Chinese one"),
        ("a:1\nb: 2", 1, "no space after the colon"),
        ("a: 1\nb 2\nc: 3", 2, "this line has no key"),
        ("a:\n- x\n-y\nb: 1", 3, "no space after the -"),
        ("a:\n  * x\n  * y", 2, "begins with a hyphen and a space, not with *"),
        ('"a": "b",\n"c": "d"', 1, "a comma ends the value"),
        ("a: - x", 1, "put each - on a line of its own"),
        ("a: [x, y\nb: [z]", 1, "the bracket [ that opens on this line is not closed"),
        ("a: {x: 1\nb: 2", 1, "the bracket { that opens on this line is not closed"),
        ("a:\n  - x\n - y", 3, "indented otherwise than its neighbours"),
        ("a: 1\n---\nb: 2", 2, "--- begins another file"),
        ("```yaml\na: 1\n```", 1, "take the line out"),
        ("{\\rtf1 a: b", 1, "save it as plain text"),
        ("a: 1\nb: \0", 2, "the character U+0000 cannot stand in a file"),
    ],
)
def test_a_slip_is_told_at_its_line_in_words(text: str, line: int, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        plain(text, name="x.yaml")
    ((at, problem),) = caught.value.problems
    assert at == line
    assert told in problem
    assert translate(problem, "zh") != problem


@pytest.mark.parametrize(
    "data", ["a: é", "标题：图书馆\n", "\ufeffa: 1", "", "\0", "a: 😀"], ids=repr
)
def test_utf_8_is_taken_as_it_is(data: str) -> None:
    assert encoding_problem(data.encode()) is None
    assert decoded(data.encode(), name="x") == data


def test_gbk_and_latin_are_told_apart_by_their_letters() -> None:
    assert "GBK" in str(encoding_problem("标题: 图书馆".encode("gbk")))
    assert "Latin-1" in str(encoding_problem("title: Crème brûlée à la carte".encode("latin-1")))
