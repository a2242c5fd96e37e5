"""Units that are in progress at the same time end in the rows of one after the other."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from normscope.judges.engine import Engine, lanes_of
from normscope.judges.engines import load
from normscope.judges.engines.local.transformers import TransformersEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened
from normscope.records.integrity import JOURNAL, JUDGEMENTS, RESPONSES
from normscope.records.journal import Journal
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.settings import Settings


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
    monkeypatch.setattr(TransformersEngine, "lanes", property(lambda _: 2), raising=False)
    monkeypatch.setattr(TransformersEngine, "end", lambda _: None, raising=False)
    assert files("two") == one
    assert lanes == [1, 2]
    # eleven prompts in units of two, in either channel
    assert [stage.units_done for stage in one["units"]] == [6, 6]
