"""What a run is asked to do: values, files, and what cannot be meant."""

from pathlib import Path
from typing import Any

import pytest

from normscope.errors import ConfigError
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.settings import FIELDS, Settings, dump, read, typed


def test_a_configuration_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    config = Settings(
        benchmark=("cfsafety", "ci-vignettes:coppa"),
        model=ModelSpec("a", lineage="b"),
        channels=("labels", "text"),
        option_orders="cyclic",
        limit={"cfsafety": 3},
        decoding=Decoding(temperature=(0.0, 0.7), samples=2, seed=9),
    )
    (tmp_path / "config.yaml").write_text(dump(config))
    assert read(tmp_path / "config.yaml") == config


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("channels: [logits]", "config.yaml:1: channels.0: .*'labels' or 'text', not 'logits'"),
        ("channels: []", "channels is labels, text or both"),
        ("option_orders: random", "'given' or 'cyclic', not 'random'"),
        ("decoding: {temperature: [0.5, -1]}", "temperature at least 0"),
        ("decoding: {temperature: []}", "not an empty list"),
        ("decoding: {temperature: .inf}", "temperature at least 0"),
        ("decoding: {samples: 2}", "set a temperature"),
        ("decoding: {samples: 2, temperature: [0, 0]}", "set a temperature"),
        ("decoding: {temperatur: 1}", "did you mean 'temperature'"),
        (f"model: {{model: {'x' * 6_000}}}", "the model 'x{40}'… has a name of 6,000 characters"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(
    tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match=told):
        read(tmp_path / "config.yaml")


def test_greedy_replies_are_asked_once_and_every_sample_has_a_number_and_seed() -> None:
    replies = Decoding(temperature=(0.0, 1.0), samples=3, seed=10).replies
    assert [r.temperature for r in replies] == [0.0, 1.0, 1.0, 1.0]
    assert [r.sample for r in replies] == [0, 1, 2, 3]
    assert [r.seed for r in replies] == [10, 11, 12, 13]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"limit": 3}, {"limit": {"all": 3}}),
        ({"limit": ("cfsafety=3", "9")}, {"limit": {"cfsafety": 3, "all": 9}}),
        ({"variants": [0, "3"]}, {"variants": ("0", "3")}),
        ({"channels": ("text", "labels")}, {"channels": ("text", "labels")}),
        ({"context": [Path("a.yaml")], "seed": None}, {"context": ("a.yaml",)}),
        ({"judge_revision": "main", "columns": {"a": "b"}}, {"judge_revision": "main"}),
    ],
)
def test_a_setting_is_read_in_whatever_form_it_is_given(
    given: dict[str, Any], found: dict[str, Any]
) -> None:
    assert typed(given) == found


def test_every_setting_has_a_text_and_a_stage() -> None:
    made_of_settings = {"provenance", "decoding", "endpoint"}
    for name in FIELDS.keys() - made_of_settings:
        assert FIELDS[name].metadata["help"] and FIELDS[name].metadata["stages"], name
