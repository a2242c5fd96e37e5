"""What the server remembers of its visitors has a bound, and so has its memory."""

import json
from pathlib import Path

import pytest
from scripted_space import scripted
from served_space import get, post, resident, served_space, write_rows

from normscope.spaces.normscope import Space
from normscope.spaces.normscope.limits import READ_ONCE
from normscope.spaces.normscope.norm_file import ContextAnswers, read_context
from normscope.spaces.normscope.served import Judges
from normscope.spaces.normscope.vignettes import choose, prompts_of

tab = pytest.importorskip(
    "normscope.spaces.normscope.tabs.vignettes",
    reason="needs gradio: pip install 'normscope[space]'",
)

ONE = {"sender": ["a smart speaker/baby monitor"], "recipient": ["its manufacturer"]}


def test_a_long_table_is_read_once_for_all_choices_and_few_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(path: Path, name: str) -> ContextAnswers:
        read.append(path.stem)
        return read_context(path, name)

    monkeypatch.setattr(tab, "read_context", counted)
    space, chosen = Space(judges=Judges(loading=scripted)), choose("coppa", ONE)
    rows = [[row.item_id, variant, "neutral"] for row in chosen for variant in prompts_of(row)]
    heads = ["item_id", "variant_id", "answer"]
    names = [str(at) for at in range(READ_ONCE + 1)]
    files = [write_rows(tmp_path / f"{name}.csv", [heads, *rows]) for name in names]
    for file in (files[0], *files):
        page, *_ = tab.drawn(space, "coppa", ONE, str(file), language="en")
        assert "neutral" in page
    assert read == names
    assert len(space.tables) == READ_ONCE
    tab.drawn(space, "coppa", ONE, str(files[0]), language="en")
    assert read == [*names, names[0]]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_does_not_grow_with_the_number_of_visitors(tmp_path: Path) -> None:
    held = []
    with served_space(tmp_path, NORMSCOPE_TEST_SESSIONS="40") as (address, _, process):
        for _ in range(4):
            for visitor in range(100):
                inputs = {"data": [f"Question {visitor}?", "No. " * 50]}
                status, told = post(address, "/gradio_api/call/score_answer", inputs)
                assert status == 200, told
                path = f"/gradio_api/call/score_answer/{json.loads(told)['event_id']}"
                assert "event: complete" in get(address, path)
            held.append(resident(process))
    print(held)  # noqa: T201 - seen with -s
    # each of the last 300 visitors is another: remembered, they would take 140 MB
    assert held[-1] - held[0] < 50, held
