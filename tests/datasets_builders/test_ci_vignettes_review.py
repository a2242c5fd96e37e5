import time
from pathlib import Path
from typing import Any

import pytest

from normscope.datasets_builders.ci_vignettes.context import CONTEXTS, Context, load_context
from normscope.datasets_builders.ci_vignettes.prompts import OURS, PROMPTS, Prompts
from normscope.datasets_builders.ci_vignettes.review import review
from normscope.errors import ConfigError
from normscope.problems import Review

LIBRARY = """\
name: mock_library
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
    levels:
      - the publisher
      - the reader's school
  transmission_principle:
    levels: [if the reader agrees, if names are left out]
practices:
  library:
    template: "The library tells {recipient} {attribute}, {transmission_principle}"
    null_control: "The library tells {recipient} {attribute}"
anchors:
  - {text: The library tells a reader its opening hours, expected: acceptable, reason: public}
  - {text: The library sells its readers' letters, expected: unacceptable, reason: private}
"""

PROMPT = """\
source: written for this test
variants:
  kindly: "Kindly tell us about this: {scenario}. Say one of {likert_scale}"
"""


def _review(tmp_path: Path, old: str = "", new: str = "", *, text: str = LIBRARY) -> Review[Any]:
    assert old in text
    path = tmp_path / "mock_library.yaml"
    path.write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    return review(path)


def _told(found: Review[Any]) -> list[tuple[int, bool, str]]:
    return [(finding.line, finding.warning, finding.text) for finding in found.findings]


def test_a_good_file_has_no_finding_and_makes_its_context(tmp_path: Path) -> None:
    found = _review(tmp_path)
    assert _told(found) == []
    assert found.result == load_context(tmp_path / "mock_library.yaml")


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("language: en", "language: English", 3, "language: 'English' is not a language tag"),
        ("year: 2026", "year: soon", 6, "year: Input should be a valid integer"),
        ("license: CC0-1.0", "licence: CC0-1.0", 7, "did you mean 'license'?"),
        ("  sender: the library", "  sander: the library", 11, "'sander' is not a parameter"),
        ("  sender: the library", "  subject: you", 13, "subject stands in several places"),
        ("      - the publisher", "      - the reader's school", 20, "stands twice"),
        ("      - the publisher", "      - ''", 19, "a level is empty"),
        ("      - the publisher", "      - 12", 19, "should be a valid string, not 12"),
        ("{recipient} {attribute},", "{recipent} {attribute},", 25, "did you mean 'recipient'?"),
        ("      - the publisher", "      - the man at jo@mail.test", 19, "no personal data"),
        ("expected: acceptable", "expected: fine", 28, "'acceptable' or 'unacceptable'"),
        ("anchors:", "exclusions:\n  - {recipient: nobody}\nanchors:", 28, "is no level of"),
        ("anchors:", "corrections:\n  teh: the\nanchors:", 28, "no vignette has 'teh'"),
        ("name: mock_library", "name: archive", 1, "it must be archive.yaml, or rename it"),
        ("title: A library", "title: ___", 2, "still a blank"),
        ("title: A library", "title: *x", 2, "aliases (*) are not allowed"),
        ("title: A library", "title: !!python/object:os.system {}", 2, "not valid YAML"),
    ],
)
def test_an_error_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, told: str
) -> None:
    found = _review(tmp_path, old, new)
    assert found.result is None
    errors = [(finding.line, finding.text) for finding in found.findings if not finding.warning]
    assert [at for at, text in errors if told in text] == [line], errors


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("license: CC0-1.0\n", "", 1, "license: there is none"),
        ('    null_control: "The library tells {recipient} {attribute}"\n', "", 25, "null_control"),
        ("expected: unacceptable", "expected: acceptable", 28, "plainly unacceptable"),
        ("      - the publisher", "      - publisher", 19, "begins without an article"),
        ("      - the publisher", "      - the  publisher", 19, "two spaces"),
        ("tells {recipient} {attribute},", "tells the {recipient} {attribute},", 19, "twice"),
        ("{attribute}, {trans", "{attribute} , {trans", 16, "a space before punctuation"),
        (
            "if names are left out",
            "if the reader agrees so",
            22,
            "is nearly 'if the reader agrees'",
        ),
        ("language: en", "language: de", 3, "the published prompts are English"),
        ("sells its readers'", "sells its its readers'", 29, "a word twice"),
    ],
)
def test_a_warning_is_told_with_its_line_and_the_file_can_be_built(
    tmp_path: Path, old: str, new: str, line: int, told: str
) -> None:
    found = _review(tmp_path, old, new)
    assert isinstance(found.result, Context)
    assert found.errors == 0
    assert line in [finding.line for finding in found.findings if told in finding.text]


def test_a_context_that_nearly_repeats_a_bundled_one_is_told(tmp_path: Path) -> None:
    text = (CONTEXTS / "public_records.yaml").read_text(encoding="utf-8")
    for old in ("name: public_records\n", "  public_records:\n"):
        text = text.replace(old, old.replace("public_records", "mock_library"))
    found = _review(tmp_path, text=text)
    assert "nearly those of the context public_records" in found.findings[-1].text
    assert isinstance(found.result, Context)


def test_a_new_file_may_not_take_the_name_of_a_bundled_context(tmp_path: Path) -> None:
    path = tmp_path / "coppa.yaml"
    path.write_bytes((CONTEXTS / "coppa.yaml").read_bytes())
    assert [finding.text for finding in review(path).findings if not finding.warning] == [
        "name: a bundled context has this name; choose another"
    ]


@pytest.mark.parametrize("path", [*sorted(CONTEXTS.glob("*.yaml")), PROMPTS, OURS])
def test_every_bundled_file_passes(path: Path) -> None:
    findings = review(path).findings
    assert [finding.text for finding in findings if not finding.warning] == []


def test_prompts_are_reviewed_by_line_too(tmp_path: Path) -> None:
    found = _review(tmp_path, text=PROMPT)
    assert isinstance(found.result, Prompts)
    assert _told(found) == []
    bad = _review(tmp_path, "Kindly tell us about this: {scenario}", "Kindly", text=PROMPT)
    assert bad.result is None
    assert bad.findings[0].line == 3
    assert "needs {scenario} and {likert_scale}" in bad.findings[0].text
    odd = _review(tmp_path, "about this:", "about this this:", text=PROMPT)
    assert [(f.line, f.warning) for f in odd.findings] == [(3, True)]
    taken = _review(tmp_path, "kindly:", "unacceptable:", text=PROMPT)
    assert "a bundled variant has this name" in taken.findings[0].text


def test_a_variant_that_nearly_repeats_a_published_one_is_told(tmp_path: Path) -> None:
    text = PROMPTS.read_text(encoding="utf-8").split("variants:\n")[1]
    first = text.split('  "1"')[0].replace('"0"', "mine")
    found = _review(tmp_path, text=f"source: x\nvariants:\n{first}")
    assert any("nearly the bundled variant '0'" in finding.text for finding in found.findings)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(20)
)
LEVELS = ", ".join(f"level {n}" for n in range(1000))
PRODUCT = (
    LIBRARY.replace("  recipient:\n", f"  more:\n    levels: [{LEVELS}]\n  recipient:\n")
    .replace("[if the reader agrees, if names are left out]", f"[{LEVELS}]")
    .replace("{recipient} {attribute}", "{recipient} {more} {attribute}")
    .replace("[the books a reader borrowed, the hours a reader came]", f"[{LEVELS}]")
)
WRONG_TIES = LIBRARY.replace(
    "      - the publisher\n",
    "".join(f"      - a level that is right, number {n}\n" for n in range(900)),
).replace(
    "levels: [if the reader",
    "tied_to: recipient\n    levels_for:\n"
    + "".join(f"      a level that is wrong, number {n}: [x]\n" for n in range(900))
    + "    levels: [if the reader",
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BOMB, "aliases"),
        ("[" * 100_000, "beyond reason"),
        ("name: !!python/object/apply:os.system [echo]", "not valid YAML"),
        ("", "no keys are in it"),
        ("- a\n- b\n", "no keys are in it"),
        ("\0", "not valid YAML"),
        (PRODUCT, "the product makes 2,000,000,000 vignettes; at most 50,000"),
        (WRONG_TIES, "it says nothing for recipient"),
    ],
    ids=["bomb", "nested", "tag", "empty", "list", "null", "product", "ties"],
)
def test_a_hostile_file_is_refused_quickly_with_a_clear_message(
    tmp_path: Path, text: str, told: str
) -> None:
    started = time.perf_counter()
    found = _review(tmp_path, text=text)
    assert time.perf_counter() - started < 5
    assert found.result is None
    assert told in " ".join(finding.text for finding in found.findings)
    assert len(found.findings) <= 60


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at most 2,000,000 are read"):
        _review(tmp_path, text="a: " + "x" * 3_000_000)


def test_a_thousand_like_levels_are_told_quickly_and_briefly(tmp_path: Path) -> None:
    levels = "\n".join(f"      - the reader of the long book number {n}" for n in range(999))
    started = time.perf_counter()
    found = _review(tmp_path, "      - the publisher\n", f"{levels}\n")
    assert time.perf_counter() - started < 10
    assert found.errors == 0
    assert 1 <= len(found.findings) <= 10
