"""YAML into dataclasses: every problem with its line, and nothing hostile is expanded."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from normscope.errors import ConfigError
from normscope.yaml import load_yaml, parse


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
        (
            "name: a\nparts: [" + "{size: x}, " * 1_000 + "]",
            "parts.0.size: a whole",
            1_000 - 50,
        ),
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
