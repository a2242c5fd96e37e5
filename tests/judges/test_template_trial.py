"""Chat templates that never end, or take all memory, are found out before they are used."""

from pathlib import Path

import pytest

from normscope.errors import ConfigError
from normscope.judges.engines.loading import describe
from normscope.judges.template_trial import excess
from normscope.records.model_spec import ModelSpec

LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
GOOD = "{% for turn in messages %}{{ turn.role }}: {{ turn.content }}{% endfor %}"


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (GOOD, None),
        ("{{ raise_exception('no system turn') }}", None),
        ("{% for turn in messages %}", None),
        (LOOP, "takes more than 5 s"),
        ("{{ 'x' * 10**10 }}", "takes more than 1024 MiB"),
        ("{{ 'x'|center(9999999999) }}", "takes more than 1024 MiB"),
        ("{% generation %}{{ 'x' * 10**10 }}{% endgeneration %}", "takes more than 1024 MiB"),
    ],
)
def test_only_what_takes_too_much_is_found_out(template: str, told: str | None) -> None:
    found = excess(template)
    assert found is None if told is None else (found or "").startswith(told)


def test_a_model_whose_template_takes_all_memory_is_refused(
    tiny_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "endless.jinja").write_text("{{ 'x' * 10**10 }}")
    with pytest.raises(ConfigError, match="takes more than 1024 MiB"):
        describe(ModelSpec(str(tiny_model), chat_template=str(tmp_path / "endless.jinja")))
