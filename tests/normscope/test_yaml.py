"""YAML into dataclasses: every problem with its line, and nothing hostile is expanded."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from normscope.errors import ConfigError
from normscope.files import encoding_problem
from normscope.messages import translate
from normscope.yaml import decoded, load_yaml, parse, plain


@dataclass(frozen=True)
class Inner:
    size: int


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner | None = None
    parts: tuple[Inner, ...] = ()
    named: Mapping[str, Inner] = field(default_factory=dict)


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse(text, Outer, name="x.yaml")
    return str(caught.value).splitlines()


def test_an_unknown_key_names_its_line_and_the_nearest_key() -> None:
    assert problems("name: a\ninner:\n  siz: 1") == [
        "x.yaml:3: missing key 'inner.size'",
        "x.yaml:3: unknown key 'inner.siz'; did you mean 'size'?",
    ]


def test_unknown_keys_are_found_in_lists_and_mappings_too() -> None:
    told = problems("name: a\nparts:\n- {size: 1, colour: red}\nnamed: {b: {size: 1, hue: 2}}")
    assert [line.partition(";")[0] for line in told] == [
        "x.yaml:3: unknown key 'parts.0.colour'",
        "x.yaml:4: unknown key 'named.b.hue'",
    ]


def test_a_wrong_type_is_told_with_the_value() -> None:
    (told,) = problems("name: a\ninner: {size: many}")
    assert told.startswith("x.yaml:2: inner.size: ")
    assert "'many'" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &x [1]\nb: *x", "x.yaml:2: aliases"),
        ("name: a\nname: b", "x.yaml:2: key 'name' stands twice"),
        ("!!python/object/apply:os.system [ls]", "not valid YAML"),
        ("name: [", "x.yaml:"),
        ("? [a, b]\n: c", "x.yaml:1: a key is a word, not a list or a mapping"),
        ("name: x\n{a: 1}: 2", "x.yaml:2: "),
        (
            "name: !!timestamp soon\nsize: !!set {a}",
            "x.yaml:2: not valid YAML: could not determine",
        ),
        ("name: !!binary '%'", "x.yaml:1: not valid YAML: could not determine"),
        ("name: [" + "a," * 50_001 + "]", "beyond reason"),
        ("[" * 100 + "]" * 100, "beyond reason"),
        ("a: " + "x" * 2_000_001, "more than 2,000,000 bytes"),
        ('a: 1\nname: "\\UFFFFFFFF"', "x.yaml:2: .* no character .* has so large a number"),
        ("%YAML 1." + "9" * 5_000 + "\n---\na: 1", "x.yaml:1: .* no version"),
        ('a: 1\nname: "\\uD800"', r"x.yaml:2: .* U\+D800 cannot stand in a file"),
        ('a: 1\nname: !!int ""', "x.yaml:2: .* '' is read as int and is none"),
        ('a: 1\n!!float "_": b', "x.yaml:2: .* '_' is read as float and is none"),
        ("a: 1\nname: !!bool maybe", "x.yaml:2: .* 'maybe' is read as bool and is none"),
        ("a: 1\nname: 1" + ":59" * 60_000, "x.yaml:2: .* a number has at most 100 characters"),
        ("a: 1\nname: 1" + ":59" * 200 + ".5", "x.yaml:2: .* a number has at most 100"),
        ("\ud800", "character U.D800 cannot stand"),
    ],
)
def test_hostile_or_broken_yaml_is_refused_at_once(text: str, told: str) -> None:
    start = time.perf_counter()
    with pytest.raises(ConfigError, match=told):
        parse(text, Outer, name="x.yaml")
    assert time.perf_counter() - start < 60


@pytest.mark.parametrize(
    ("text", "first", "more"),
    [
        ("\n".join(f"key_{n}: 1" for n in range(2_000)), "missing key 'name'", 2_001 - 50),
        ("name: a\nparts: [" + "{size: x}, " * 1_000 + "]", "parts.0.size: a whole", 1_000 - 50),
    ],
)
def test_of_thousands_of_problems_fifty_are_shown_and_the_others_counted(
    text: str, first: str, more: int
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, Outer, name="x.yaml")
    shown = str(caught.value).splitlines()
    assert len(shown) == len(caught.value.problems) == 51
    assert first in shown[0]
    assert shown[-1].endswith(f"{more:,} more problems; mend these first")


def test_a_file_that_is_missing_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        load_yaml(tmp_path / "no.yaml", Outer)
    (tmp_path / "latin.yaml").write_bytes("name: é".encode("latin-1"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_yaml(tmp_path / "latin.yaml", Outer)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "endless.yaml").symlink_to("/dev/zero")
    (tmp_path / "folder.yaml").mkdir()
    for name, kind in (("pipe", "a pipe"), ("endless", "a device"), ("folder", "a folder")):
        with pytest.raises(ConfigError, match=f"{name}.yaml is {kind}, not a file"):
            load_yaml(tmp_path / f"{name}.yaml", Outer)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("a: 1\n\tb: 2", 2, "there is a tab"),
        ("a:\tb", 1, "type spaces instead"),
        ('a: 1\nb: "two\nc: 3', 2, "never closed"),
        ("a: 'it's'", 1, "text goes on after the quote"),
        ("- [x] tells y", 1, "after the quote or bracket that closes"),
        ("- @home", 1, "a text that begins with a sign"),
        ("- *new*", 1, "a text that begins with a sign"),
        ("- *new", 1, "put a text that begins with * in double quotes"),
        ("- !new", 1, "a text that begins with a sign"),
        ("- > 18", 1, "a text that begins with a sign"),
        ("a: one: two", 1, "a colon with a space after it stands within the text"),
        ("a: one\n  b: two", 2, "indented deeper than the one above"),
        ("a: 1\nb:2\nc: 3", 2, "an ordinary colon (not ：) and a space"),
        ("a：1\nb: 2", 1, "an ordinary colon (not ：) and a space"),
        ("a:\n- x\n-y\nb: 1", 3, "`- ` before an entry of a list"),
        ("a: - x", 1, "put each - on a line of its own"),
        ("a: [x, y\nb: [z]", 1, "the bracket that opens on this line is not closed"),
        ("a:\n  - x\n - y", 3, "indented otherwise than its neighbours"),
        ('"a": "b",\n"c": "d"', 1, "found ','; put a text with signs"),
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


def test_a_key_without_quotes_is_text() -> None:
    assert plain("no: 1\n1: 2\n2026-01-01: 3")[0] == {"no": 1, "1": 2, "2026-01-01": 3}


@pytest.mark.parametrize(
    "data", ["a: é", "标题：图书馆\n", "\ufeffa: 1", "", "\0", "a: 😀"], ids=repr
)
def test_utf_8_is_taken_as_it_is(data: str) -> None:
    assert encoding_problem(data.encode()) is None
    assert decoded(data.encode(), name="x") == data


def test_gbk_and_latin_are_told_apart_by_their_letters() -> None:
    assert "GBK" in str(encoding_problem("标题: 图书馆".encode("gbk")))
    assert "Latin-1" in str(encoding_problem("title: Crème brûlée à la carte".encode("latin-1")))
