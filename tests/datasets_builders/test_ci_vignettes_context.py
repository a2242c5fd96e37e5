"""What is wrong with a context's parts, and which files are contexts."""

import time
from pathlib import Path

import pytest
from mock_museum import LIBRARY

from normscope.builders.ci_vignettes.check import find_problems
from normscope.builders.ci_vignettes.context import bundled_contexts, load_context
from normscope.builders.ci_vignettes.context_file import ContextFile
from normscope.builders.ci_vignettes.prompts import CONTEXTS
from normscope.errors import ConfigError
from normscope.problems import refuse
from normscope.yaml import parse

TIED = (
    LIBRARY.replace(
        "  transmission_principle:\n",
        """  purpose:
    tied_to: recipient
    levels_for:
      the publisher: [to print more, to plan]
      the reader's school: [to order books]
  transmission_principle:
""",
    )
    .replace("{recipient} {attribute}", "{recipient} {attribute} {purpose}")
    .partition("anchors:")[0]
)
"""The library with a factor whose levels hang on another's, and without anchors."""


def _tied(old: str = "", new: str = "") -> ContextFile:
    assert old in TIED
    context = parse(TIED.replace(old, new, 1) if old else TIED, ContextFile)
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
        ("name: mock_library", "name: library_null", "like one of our configs"),
        ("name: mock_library", "name: The library", "'The library' must be lower-case letters"),
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
def test_what_is_wrong_with_its_parts_is_named(old: str, new: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _tied(old, new)
    assert told in str(caught.value)


def test_an_optional_level_may_be_empty() -> None:
    context = _tied(
        "levels: [if the reader agrees, if names are left out]",
        "optional: true\n    levels: ['', if names are left out]",
    )
    assert context.factors["transmission_principle"].levels[0] == ""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "      - the publisher\n",
            "".join(f"      - p{n}\n" for n in range(2000)),
            "2,001 are too many",
        ),
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
        _tied(old, new)
    assert time.perf_counter() - started < 5


def test_the_name_of_a_context_is_that_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "archive.yaml"
    path.write_text(LIBRARY, encoding="utf-8")
    with pytest.raises(ConfigError, match="rename it to mock_library"):
        load_context(path)


def test_every_file_of_the_folder_is_a_context_or_named_by_one() -> None:
    contexts = bundled_contexts().values()
    beside = {file for c in contexts for file in (c.prompts, c.ratings and c.ratings.file) if file}
    names = {path.name for path in CONTEXTS.iterdir()}
    assert names == beside | {f"{name}.yaml" for name in bundled_contexts()}
