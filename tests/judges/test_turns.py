"""Two units at once with one local model: one is tokenised while the other computes."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from reference_models import MORAL, RATING

from normscope.errors import ModelError
from normscope.judges.engine import Engine, LabelRequest, lanes_of
from normscope.judges.engines import load
from normscope.judges.engines.local import choosing
from normscope.judges.engines.local import transformers as local
from normscope.judges.engines.local.choosing import Way
from normscope.judges.engines.local.reads import Reader
from normscope.judges.engines.local.transformers import TransformersEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened
from normscope.records.integrity import JOURNAL, JUDGEMENTS, RESPONSES
from normscope.records.journal import Journal
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.settings import Settings

A_WHILE = 30


def requests(word: str) -> list[LabelRequest]:
    return [
        LabelRequest((("user", f"Rate how safe this is: {word * n}"),), scale, "Answer:")
        for n in (1, 2, 30)
        for scale in (MORAL, RATING)
    ]


@pytest.fixture
def engine(tiny_model: Path) -> TransformersEngine:
    loaded = load(ModelSpec(model=str(tiny_model), dtype="float32"))
    assert isinstance(loaded, TransformersEngine)
    return loaded


def before_passes(monkeypatch: pytest.MonkeyPatch, do: Callable[[], None]) -> None:
    """Has `do` called before each piece that is computed."""
    pieces = choosing.pieces

    def slow(*args: Any, **settings: Any) -> Any:
        for piece in pieces(*args, **settings):
            do()
            yield piece

    monkeypatch.setattr(local, "pieces", slow)


def test_a_unit_is_tokenised_while_another_computes(
    engine: TransformersEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = {word: engine.labels(requests(word)) for word in ("rain ", "回答")}
    computing, tokenised = threading.Event(), threading.Event()
    plan = Reader.plan

    def planned(reader: Reader, asked: list[LabelRequest]) -> Any:
        result = plan(reader, asked)
        if computing.is_set():
            tokenised.set()
        return result

    def wait() -> None:
        computing.set()
        assert tokenised.wait(A_WHILE)

    monkeypatch.setattr(Reader, "plan", planned)
    before_passes(monkeypatch, wait)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(engine.labels, requests("rain "))
        assert computing.wait(A_WHILE)
        second = pool.submit(engine.labels, requests("回答"))
        assert (first.result(A_WHILE), second.result(A_WHILE)) == tuple(alone.values())


def test_ending_fails_what_is_in_progress_and_not_what_comes_after(
    engine: TransformersEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = engine.labels(requests("rain "))
    computing, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        computing.set()
        assert go_on.wait(A_WHILE)

    # plain rows, a pass for each prompt: there is another pass to be ended before
    engine.way = Way.ROWS
    monkeypatch.setattr("normscope.judges.engines.local.rows.PLAIN_BATCH", 0)
    with monkeypatch.context() as patch, ThreadPoolExecutor(2) as pool:
        before_passes(patch, wait)
        at_work = pool.submit(engine.labels, requests("rain "))
        assert computing.wait(A_WHILE)
        waiting = pool.submit(engine.labels, requests("rain "))
        lanes_of(engine).end()
        go_on.set()
        for ended in (at_work, waiting):
            with pytest.raises(ModelError, match="was ended before it had answered"):
                ended.result(A_WHILE)
    engine.way = Way.TREE
    assert engine.labels(requests("rain ")) == expected


def test_a_cpu_has_one_lane(engine: TransformersEngine) -> None:
    assert lanes_of(engine).number == 1


def test_a_run_in_two_lanes_is_that_of_one(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Journal, tables and provenance, of labels and of texts; units end in whatever order."""
    config = Settings(
        benchmark=("ci-vignettes:public_records",),
        model=ModelSpec(model=str(tiny_model), dtype="float32"),
        channels=("labels", "text"),
        unit_items=2,
        limit={"all": 1},
        decoding=Decoding(max_new_tokens=3, temperature=1.0),
    )
    lanes: list[int] = []

    def loading(spec: ModelSpec) -> Engine:
        engine = load(spec)
        lanes.append(lanes_of(engine).number)
        return engine

    def files(name: str) -> dict[str, Any]:
        folder = tmp_path / name
        with opened(folder, create=True) as run:
            for stage in (respond, judge):
                stage(run, config, Here(loading))
        tables = {f: (folder / f).read_bytes() for f in (RESPONSES, JUDGEMENTS, "config.yaml")}
        with closing(Journal(folder / JOURNAL, reads=True)) as journal:
            return tables | {
                "units": list(map(journal.counts, ("respond:labels", "respond:texts")))
            }

    one = files("one")
    monkeypatch.setattr(TransformersEngine, "lanes", property(lambda _: 2))
    assert files("two") == one
    assert lanes == [1, 2]
    # eleven prompts in units of two, in either channel
    assert [stage.units_done for stage in one["units"]] == [6, 6]
