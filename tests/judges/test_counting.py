"""Tokens without weights: what the local engine will read, and what is taken for a server's."""

from pathlib import Path

import pytest

from normscope.judges.engine import LabelRequest, TextRequest
from normscope.judges.engines.counting import ByteCounter, TokenizerCounter, counter
from normscope.judges.scale import Scale
from normscope.records.model_spec import ModelSpec

SCALE = Scale(("0", "1"), (0.0, 1.0))
LONG = "The same beginning of several questions, which is read once by the tree. " * 4


def asked(*texts: str) -> list[LabelRequest]:
    return [LabelRequest((("user", text),), SCALE) for text in texts]


@pytest.fixture(scope="module")
def exact() -> TokenizerCounter:
    return TokenizerCounter.of(ModelSpec("bundled"))


def test_what_prompts_share_is_counted_once(exact: TokenizerCounter) -> None:
    one = exact.labels(asked(LONG + "One?"))
    both = exact.labels(asked(LONG + "One?", LONG + "Another?"))
    # a plain pass reads the prompt anew for each spelling of a label that has several tokens
    assert one.total > 2 * one.unique
    assert both.unique < one.unique + 20
    assert both.total == pytest.approx(2 * one.total, rel=0.02)


def test_prompts_and_replies_are_those_of_the_tokenizer(exact: TokenizerCounter) -> None:
    requests = [TextRequest((("user", "Is water wet?"),), 9, 0.0, 0)]
    (prompt,) = exact.reader.encode(["Is water wet?\n"])
    assert exact.texts(requests).total == len(prompt)
    assert exact.replies(["", "Is water wet?\n"]) == len(prompt)


def test_a_server_s_tokens_are_taken_for_four_bytes() -> None:
    server = counter(ModelSpec("http://localhost:8000/v1#m"))
    assert isinstance(server, ByteCounter)
    assert not server.exact
    counted = server.labels(asked("a" * 40, "a" * 40 + "b" * 40))
    # with a line break before the lead: 41 and 81 bytes
    assert counted == (11 + 21, 21 + 1)
    assert server.texts([]) == (0, 0)


def test_no_weights_are_loaded(tmp_path: Path, exact: TokenizerCounter) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    bundled = Path(__file__).parents[2] / "judges" / "bundled" / "model"
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((bundled / name).read_bytes())
    other = TokenizerCounter.of(ModelSpec(str(folder)))
    assert other.labels(asked(LONG)) == exact.labels(asked(LONG))
