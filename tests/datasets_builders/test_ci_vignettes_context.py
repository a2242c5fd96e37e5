import time
from pathlib import Path

import pytest

from normscope.builders.ci_vignettes.check import find_problems
from normscope.builders.ci_vignettes.context import bundled_contexts, load_context
from normscope.builders.ci_vignettes.context_file import ContextFile
from normscope.builders.ci_vignettes.prompts import CONTEXTS
from normscope.errors import ConfigError
from normscope.problems import refuse
from normscope.yaml import parse

LIBRARY = """
name: library
title: A library
language: en
population: readers of the example
instrument: written for this test
year: 2026
license: CC0-1.0
source: written for this test
contributors: [A. Reader]
constants:
  sender: the library
absent:
  subject: it is in the attribute
factors:
  attribute:
    levels: [the books a reader borrowed, the hours a reader came]
  recipient:
    levels: [the publisher, the reader's school]
  purpose:
    tied_to: recipient
    levels_for:
      the publisher: [to print more, to plan]
      the reader's school: [to order books]
  transmission_principle:
    levels: [if the reader agrees, if names are left out]
practices:
  library:
    template: "The library tells {recipient} {attribute} {purpose}, {transmission_principle}"
    null_control: "The library tells {recipient} {attribute} {purpose}"
"""


def _library(old: str = "", new: str = "") -> ContextFile:
    assert old in LIBRARY
    context = parse(LIBRARY.replace(old, new, 1) if old else LIBRARY, ContextFile)
    refuse(find_problems(context), "library.yaml")
    return context


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{attribute} {purpose},", "{attribut} {purpose},", "did you mean 'attribute'?"),
        ("{attribute} {purpose},", "{attribute {purpose},", "brace without its partner"),
        ("{attribute} {purpose},", "{purpose},", "no template has the slot {attribute}"),
        ("tells {recipient} {attribute}", "tells {attribute}", "tied to {recipient}, which is not"),
        ("if names are left out", "if the reader agrees", "'if the reader agrees' stands twice"),
        ("if names are left out", '""', "say `optional: true`"),
        ("if names are left out", '"if so "', "'if so ' begins or ends with a space"),
        ("[if the reader agrees, if names are left out]", "[]", "there are no levels"),
        ("the publisher: [to", "the printer: [to", "says nothing for recipient 'the publisher'"),
        ("the publisher: [to", "the publishers: [to", "did you mean 'the publisher'?"),
        ("tied_to: recipient", "tied_to: nobody", "'nobody' is no factor that stands before it"),
        ("    tied_to: recipient\n", "", "levels_for needs tied_to"),
        ("    tied_to", "    levels: [x]\n    tied_to", "a tied factor has levels_for, not levels"),
        ("  sender: the library", "  sender: ''", "constants.sender: it is empty"),
        ("  sender: the library", "  reader: he", "'reader' is not a parameter"),
        ('{purpose}"\n', '{purpose}, {transmission_principle}"\n', "and only that"),
        ("  purpose:\n", "  prompt:\n", "the tables have a column of that name"),
        ("  purpose:\n", "  Purpose:\n", "'Purpose' must be lower-case letters"),
        ("name: library", "name: library_null", "like one of our configs"),
        ("name: library", "name: The library", "'The library' must be lower-case letters"),
        ("language: en", "language: English", "'English' is not a language tag"),
        ("contributors: [A. Reader]", "contributors: []", "name at least one"),
        ("practices:", "exclusions: [{}]\npractices:", "would leave out everything"),
        ("practices:", "exclusions: [{reader: x}]\npractices:", "'reader' is no factor"),
        ("    null_control", "    constants: {sender: x}\n    null_control", "calls absent"),
        (
            "    null_control",
            "    constants: {subject: ''}\n    null_control",
            "subject: it is empty",
        ),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _library(old, new)
    assert told in str(caught.value)


def test_an_optional_level_may_be_empty() -> None:
    context = _library(
        "levels: [if the reader agrees, if names are left out]",
        "optional: true\n    levels: ['', if names are left out]",
    )
    assert context.factors["transmission_principle"].levels[0] == ""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[the publisher,", f"[{', '.join(f'p{n}' for n in range(2000))},", "2,001 are too many"),
        ("to order books", "x" * 5000, "up to 5,"),
        ("library tells {recipient}", "library tells " + "{recipient}" * 1000, "characters"),
        (
            "practices:",
            f"exclusions: [{', '.join(['{recipient: the publisher}'] * 200)}]\npractices:",
            "exclusions: 200 are too many",
        ),
    ],
)
def test_a_context_beyond_reason_is_refused_at_once(old: str, new: str, told: str) -> None:
    started = time.perf_counter()
    with pytest.raises(ConfigError, match=told):
        _library(old, new)
    assert time.perf_counter() - started < 5


def test_the_name_of_a_context_is_that_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "archive.yaml"
    path.write_text(LIBRARY, encoding="utf-8")
    with pytest.raises(ConfigError, match="rename it to library"):
        load_context(path)
    good = path.rename(tmp_path / "library.yaml")
    assert load_context(good) == _library()


def test_every_file_of_the_folder_is_a_context_or_named_by_one() -> None:
    contexts = bundled_contexts().values()
    beside = {file for c in contexts for file in (c.prompts, c.ratings and c.ratings.file) if file}
    names = {path.name for path in CONTEXTS.iterdir()}
    assert names == beside | {f"{name}.yaml" for name in bundled_contexts()}
