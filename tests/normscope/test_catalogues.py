"""What the sources say is in every catalogue, translated, and nothing else is."""

import re
from pathlib import Path

import pytest
from catalogues import TEMPLATE, catalogues, compiled, extracted, slots, translations, written

TAGS = re.compile(r"</?\w+>")


@pytest.fixture(scope="module")
def messages() -> set[str]:
    found: set[str] = extracted()
    return found


def test_messages_are_found_in_code_and_in_templates(messages: set[str]) -> None:
    assert {"{method}, over the scored", "Privacy leaks", ", "} <= messages


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_every_message_has_a_translation(path: Path, messages: set[str]) -> None:
    translated = translations(path)
    missing = sorted(text for text in messages if not translated.get(text))
    assert missing == [], "run `make messages` and translate them"
    assert sorted(translated.keys() - messages) == [], "nobody says these: run `make messages`"


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_a_translation_has_the_slots_and_tags_of_its_message(path: Path) -> None:
    for text, other in translations(path).items():
        assert slots(text) == slots(other), text
        assert TAGS.findall(text) == TAGS.findall(other), text


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.parts[-3])
def test_the_files_are_as_they_are_written(path: Path) -> None:
    translated, language = translations(path), path.parts[-3]
    assert path.read_bytes() == written(translated, language), "run `make messages`"
    assert path.with_suffix(".mo").read_bytes() == compiled(translated, language)


def test_the_template_is_what_the_sources_say(messages: set[str]) -> None:
    assert TEMPLATE.read_bytes() == written(dict.fromkeys(messages, ""), None)
