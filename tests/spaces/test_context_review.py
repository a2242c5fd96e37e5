import time
from pathlib import Path

import pytest
import yaml

from normscope.builders.ci_vignettes import review as context_review_rules
from normscope.builders.ci_vignettes.context_file import PARAMETERS
from normscope.builders.ci_vignettes.contribute import starter
from normscope.errors import ConfigError
from normscope.space.context_review import (
    EXAMPLE,
    MAX_CHARACTERS,
    file_name,
    look,
    opened,
)
from normscope.space.texts import VisitorError

TEXT = EXAMPLE.read_text(encoding="utf-8")


def test_the_example_can_be_built_and_has_no_findings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # a fork may have a context that is made of the example
    monkeypatch.setattr(context_review_rules, "CONTEXTS", tmp_path)
    seen = look(TEXT)
    assert seen.findings == ()
    # 2 senders × 2 attributes × 2 recipients × 3 principles, a third of it without the principle
    assert seen.counts == {"vignettes": 24, "in the null control": 8, "anchors": 2}
    assert len(seen.vignettes) == 6


def test_the_empty_file_says_by_line_what_is_still_to_fill_in() -> None:
    text = starter("my_context")
    seen = look(text)
    blanks = {number for number, line in enumerate(text.splitlines(), 1) if "___" in line}
    assert seen.errors
    assert {finding.line for finding in seen.findings} & blanks


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [*{before}, *{before}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LAUGHS, "aliases"),
        ("a: &a {b: 1}\nc: {<<: *a}", "aliases"),
        ("a: &a [*a]", "aliases"),
        ("x" * (MAX_CHARACTERS + 1), "characters; up to"),
        ("[" * 20_000, "beyond reason|not valid YAML"),
        ("a: [" + "{b: [" * 40 + "]}" * 40 + "]", "beyond reason"),
        ("{a: " * 10_000, "beyond reason|not valid YAML"),
        ("!!python/object/apply:os.system [id]", "not valid YAML"),
        ("a: \x00", "not valid YAML"),
        ("name: {", "not valid YAML"),
    ],
    ids=["laughs", "merge", "own", "huge", "open", "deep", "braces", "tag", "null", "half"],
)
def test_a_bomb_in_yaml_is_refused_at_once_in_words(text: str, told: str) -> None:
    begun = time.monotonic()
    with pytest.raises((ConfigError, VisitorError), match=told):
        look(text)
    assert time.monotonic() - begun < 10


def test_a_product_beyond_reason_is_counted_and_not_made() -> None:
    levels = [f"a thing with the number {at}" for at in range(120)]
    factors = {name: {"levels": [*levels]} for name in PARAMETERS if name != "subject"}
    begun = time.monotonic()
    seen = look(yaml.safe_dump({**yaml.safe_load(TEXT), "factors": factors}))
    assert seen.errors
    assert any("more than 50,000" in found.text for found in seen.findings)
    assert time.monotonic() - begun < 10


def test_no_file_beside_the_server_s_own_is_read() -> None:
    for name in ("/etc/passwd", "../../../etc/passwd", "/dev/zero"):
        told = " ".join(finding.text for finding in look(f"{TEXT}prompts: {name}\n").findings)
        assert "is not the name of a YAML file beside this one" in told


def test_half_a_character_is_no_fault_of_ours() -> None:
    assert look(TEXT.replace("A bookshop", "A \ud800 shop")).errors == 0


def test_a_file_in_another_encoding_is_told_by_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "library.yaml"
    path.write_bytes("title: Bücher".encode("latin-1"))
    with pytest.raises(
        ConfigError, match=r"^library\.yaml:1: not UTF-8 text; in Windows-1252.*'title: Bücher'"
    ):
        opened(path)


def test_only_a_plain_name_gets_into_a_path() -> None:
    for name in ("'a; rm -rf ~'", "{a: 1}", "x" * 70):
        assert file_name(f"name: {name}") == "context"
