from pathlib import Path

import pytest
import yaml

from normscope.datasets_builders.ci_vignettes import review as context_review_rules
from normscope.datasets_builders.ci_vignettes.context import CONTEXTS, bundled_contexts
from normscope.datasets_builders.ci_vignettes.context_file import PARAMETERS
from normscope.errors import ConfigError
from normscope.spaces.normscope.context_form import (
    EXAMPLE,
    FIELDS,
    MAX_CHARACTERS,
    filled_in,
    form_of,
    read,
    yaml_of,
)
from normscope.spaces.normscope.context_review import command, file_name, look, opened
from normscope.spaces.normscope.texts import VisitorError

contribute = pytest.importorskip(
    "normscope.spaces.normscope.tabs.contribute",
    reason="needs gradio: pip install 'normscope[space]'",
)


@pytest.mark.parametrize("name", bundled_contexts())
def test_a_form_that_nobody_touched_changes_nothing(name: str) -> None:
    value = yaml.safe_load((CONTEXTS / f"{name}.yaml").read_text(encoding="utf-8"))
    assert filled_in(value, form_of(value)) == value


def test_the_example_can_be_built_and_has_no_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    # a fork may have a context that is much like the example, or is made of it
    monkeypatch.setattr(context_review_rules, "bundled_contexts", dict)
    seen = look(yaml_of(EXAMPLE))
    assert seen.findings == ()
    # 2 senders × 2 attributes × 2 recipients × 3 principles, a third of it without the principle
    assert seen.counts == {"vignettes": 24, "in the null control": 8, "anchors": 2}
    assert len(seen.vignettes) == 6


def test_what_is_typed_in_the_form_stands_in_the_file() -> None:
    form = form_of(EXAMPLE) | {
        "title": "Läden: 书店",
        "what_sender": " a shop \n\na stall\n",
        "how_recipient": "absent",
        "what_recipient": "nobody is named",
        "because_acceptable": "",
        "anchor_acceptable": "",
    }
    made = read(yaml_of(filled_in(EXAMPLE, form)))
    assert made["title"] == "Läden: 书店"
    assert made["factors"]["sender"]["levels"] == ["a shop", "a stall"]
    assert made["absent"] == {"recipient": "nobody is named"}
    assert "recipient" not in made["factors"]
    assert [anchor["expected"] for anchor in made["anchors"]] == ["unacceptable"]


def test_what_the_form_does_not_show_is_kept() -> None:
    value = {**EXAMPLE, "exclusions": [{"sender": "a bookshop", "recipient": "the police"}]}
    made = filled_in(value, form_of(value) | {"title": "Another"})
    assert made["exclusions"] == value["exclusions"]


@pytest.mark.parametrize("value", [None, 3, "text", [1, 2], {"factors": 3, "anchors": {"a": 1}}])
def test_a_form_can_be_made_of_any_value(value: object) -> None:
    form = form_of(value)
    assert set(form) == set(FIELDS)
    assert set(filled_in(value, form)) >= {"name", "factors", "practices"}


def test_every_problem_of_an_empty_context_stands_at_a_field() -> None:
    by_field = look(yaml_of(contribute.blank())).by_field()
    assert {f"what_{name}" for name in PARAMETERS} <= set(by_field)
    assert {"name", "title", "contributors", "template"} <= set(by_field)
    assert set(by_field) - {""} <= set(contribute.AT)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &a [x]\nb: [*a, *a]", "aliases"),
        ("a: !!python/object/apply:os.system [ls]", "not valid YAML"),
        ("[" * 3_000, "not valid YAML|beyond reason"),
        ("name: {", "not valid YAML"),
        ("x" * (MAX_CHARACTERS + 1), "characters; up to"),
    ],
)
def test_a_bomb_in_yaml_is_refused_in_words(text: str, told: str) -> None:
    with pytest.raises((ConfigError, VisitorError), match=told):
        look(text)


def test_a_product_beyond_reason_is_counted_and_not_made() -> None:
    levels = [f"a thing with the number {at}" for at in range(120)]
    factors = {name: {"levels": levels} for name in PARAMETERS if name != "subject"}
    seen = look(yaml_of({**EXAMPLE, "factors": factors}))
    assert seen.errors
    assert any("207,360,000" in found.text for found in seen.findings)


def test_half_a_character_is_no_fault_of_ours() -> None:
    assert look(yaml_of(EXAMPLE).replace("A bookshop", "A \ud800 shop")).errors == 0


def test_a_file_in_another_encoding_is_told_by_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "library.yaml"
    path.write_bytes("title: Bücher".encode("latin-1"))
    with pytest.raises(
        ConfigError, match=r"^library\.yaml:1: not UTF-8 text; in Windows-1252.*'title: Bücher'"
    ):
        opened(path)


def test_only_a_plain_name_gets_into_a_command() -> None:
    assert file_name("a; rm -rf ~") == file_name({"a": 1}) == file_name("x" * 70) == "context"
    assert "contexts/library.yaml" in command("library")
