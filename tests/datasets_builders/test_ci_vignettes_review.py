import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mock_museum import LIBRARY

from normscope.builders.ci_vignettes.context import load_context
from normscope.builders.ci_vignettes.context_file import ContextFile
from normscope.builders.ci_vignettes.prompts import CONTEXTS, PROMPTS, Prompts
from normscope.builders.ci_vignettes.review import find_oddities, review
from normscope.problems import Review

RATED = """\
ratings:
  question: How acceptable is it?
  low: -2
  high: 2
  source: written for this test
  values:
    - levels: {recipient: the publisher}
"""
"""What stands before a mean."""

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
        ("year: 2026", "year: soon", 6, "year: a whole number is expected, not 'soon'"),
        ("license: CC0-1.0", "licence: CC0-1.0", 7, "did you mean 'license'?"),
        ("  sender: the library", "  subject: you", 13, "subject is there 2 times"),
        (
            "      - the publisher",
            "      - 12",
            19,
            'a text is expected, not 12; put it in quotes: "12"',
        ),
        ("      - the publisher", "      - the man at jo@mail.test", 19, "no personal data"),
        ("expected: acceptable", "expected: fine", 28, "'acceptable' or 'unacceptable'"),
        ("anchors:", "corrections:\n  teh: the\nanchors:", 28, "no vignette has 'teh'"),
        (
            "name: mock_library",
            "name: archive",
            1,
            "rename it to archive.yaml, or change the name in it",
        ),
        ("title: A library", "title: ___", 2, "still a blank"),
        ("title: A library", "title: *x", 2, "aliases (*) are not allowed"),
        ("title: A library", "title: !!python/object:os.system {}", 2, "not valid YAML"),
        # what YAML reads otherwise than it looks
        ("title: A library", "title: “A library”", 2, "the curly quotes are read as part of"),
        ("[if the reader agrees,", "[“if so”,", 22, "type straight ones, or none"),
        ("      - the publisher", "      - flat #3", 19, "'#3' is read as a comment"),
        ("      - the reader's", "        - the reader's", 19, "begin its - in the column of this"),
        ("      - the publisher", "      - a car: rented", 19, 'put it in quotes: "a car: rented"'),
        ("      - the publisher", "      - no", 19, 'put it in quotes: "no"'),
        ("      - the publisher", "      - {sender}", 19, 'put it in quotes: "{sender}"'),
        ("      - the publisher", "      -", 19, "a text is expected, and nothing stands here"),
        ("contributors: [A. Reader]", "contributors: A. Reader", 9, "as [a, b] or each on"),
        (
            ": [the books a reader borrowed, the",
            ": 【the books，the",
            16,
            "on a line of its own after `- `",
        ),
        ("{recipient} {attribute}, {trans", "(recipient) (", 25, "in braces, as in {attribute}"),
        ("  subject: it is", "subject: it is", 12, "each as `key: value` on an indented line"),
        ("  subject: it is", "\u3000subject: it is", 13, "a space of another kind"),
        ("  sender: the", "  sender：the", 11, "each as `key: value`"),
        ("title: A library", "“title”: A library", 2, "did you mean 'title'?"),
        ("      - the publisher", "      - |-\n        a\n        b", 19, "has a line break"),
        ("anchors:", f"{RATED}      mean: 0,4\nanchors:", 34, "with a point as in 0.5"),
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
        ("      - the publisher", "      - the  publisher", 25, "two spaces"),
        ("tells {recipient} {attribute},", "tells the {recipient} {attribute},", 25, "twice"),
        ("{attribute}, {trans", "{attribute} , {trans", 25, "a space before punctuation"),
        ("language: en", "language: de", 3, "the published prompts are English"),
        ("sells its readers'", "sells its its readers'", 29, "a word twice"),
        ("      - the reader's school\n", "", 19, "'the publisher' is the only level"),
        ('principle}"\n', 'principle}."\n', 25, "it ends with '.', and the prompt goes on"),
    ],
)
def test_a_warning_is_told_with_its_line_and_the_file_can_be_built(
    tmp_path: Path, old: str, new: str, line: int, told: str
) -> None:
    found = _review(tmp_path, old, new)
    assert isinstance(found.result, ContextFile)
    assert found.errors == 0
    assert line in [finding.line for finding in found.findings if told in finding.text]


@pytest.mark.parametrize(
    ("data", "line", "told"),
    [
        (LIBRARY.replace("A library", "图书馆").encode("gbk"), 2, "in GBK this line reads"),
        (LIBRARY.replace("A library", "Bücherei").encode("latin-1"), 2, "'title: Bücherei'"),
        (LIBRARY.encode("utf-16"), 0, "it is UTF-16 text"),
        (LIBRARY.encode("utf-16-be"), 0, "it is UTF-16 text"),
        (b"PK\x03\x04" + bytes(90), 0, "it is a Word, spreadsheet or ZIP file"),
    ],
)
def test_another_encoding_is_told_as_a_finding(
    tmp_path: Path, data: bytes, line: int, told: str
) -> None:
    path = tmp_path / "mock_library.yaml"
    path.write_bytes(data)
    (finding,) = review(path).findings
    assert (finding.line, finding.warning) == (line, False)
    assert told in finding.text
    assert "UTF-8" in finding.text


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("{likert_scale}", "{likert_scale} {foo}", 3, "slot {foo} is none of a prompt's; known:"),
        ("{scenario}", "{scenaro}", 3, "slot {scenaro} is none of a prompt's; did you mean 'scen"),
        ("one of {likert_scale}", "one of {likert_scale", 3, "a brace without its partner"),
        ("variants:", "scale_orders: {up: [0, 1, 2, 3, 4]}\nvariants:", 2, "add `forward: [0"),
        (
            "variants:",
            "scale_orders: {forward: [0, 1, 2, 3]}\nvariants:",
            2,
            "is no order of 0 to 4",
        ),
        ("variants:", "direction: up\nvariants:", 2, "unknown key 'direction'; known: source"),
    ],
)
def test_a_prompt_that_could_not_be_asked_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, told: str
) -> None:
    findings = _review(tmp_path, old, new, text=PROMPT).findings
    assert [f.line for f in findings if told in f.text and not f.warning] == [line], findings


ODD = [
    *"\t“”\"'：#-{}[],|>&*!%@`?~_=\n\r\0\x85\u2028\u3000\u00a0\ufeff",
    *(
        ": ",
        " #",
        "- ",
        "\n\n",
        "    ",
        "---",
        "0,4",
        "no",
        "12:30",
        "___",
        "<<: ",
        "!!int ",
        "1e400",
    ),
]


@given(
    st.sampled_from([LIBRARY, PROMPT]),
    st.lists(st.tuples(st.integers(0, 1500), st.integers(0, 9), st.sampled_from(ODD)), max_size=4),
)
def test_no_slip_of_the_hand_is_too_much_and_each_line_is_in_the_file(
    text: str, slips: list[tuple[int, int, str]]
) -> None:
    for at, length, typed in slips:
        text = text[:at] + typed + text[at + length :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mock_library.yaml"
        path.write_text(text, encoding="utf-8", newline="")
        reviewed = review(path)
    assert all(0 <= finding.line <= max(1, len(text.splitlines())) for finding in reviewed.findings)
    assert (reviewed.result is None) == (reviewed.errors > 0)


@pytest.mark.parametrize("path", [*sorted(CONTEXTS.glob("*.yaml")), PROMPTS])
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
    taken = _review(tmp_path, "kindly:", "3:", text=PROMPT)
    assert "a bundled variant has this name" in taken.findings[0].text


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
        (PRODUCT, "the product makes more than 50,000 vignettes"),
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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a door  lock", "two spaces"),
        ("a lock , a door", "a space before punctuation"),
        ("and so on etc.. The end", "punctuation twice"),
        ("It rains. . It snows", "punctuation twice"),
        ("data from from a phone", "a word twice"),
        ("Your your data", "a word twice"),
        ("手机。。数据 数据", "punctuation twice"),
    ],
)
def test_a_join_that_went_astray_is_found(text: str, kind: str) -> None:
    language = "zh-CN" if "手机" in text else "en"
    assert [odd for odd, _ in find_oddities(text, language=language)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "a personal assistant (e.g., Siri, Amazon echo), i.e. a device",
        "they said that that was so, and had had enough ...",
        "types of bars, etc.). The company",
        "is it so? Yes: 3.5 of 10, at 10:30",
    ],
)
def test_what_reads_well_is_left_alone(text: str) -> None:
    assert list(find_oddities(text)) == []
