"""What made a run's tables is kept in its configuration, and read back as it was."""

from pathlib import Path

from normscope.records.config import RunConfig, dump, read
from normscope.records.provenance import (
    BenchmarkItems,
    Difference,
    JudgementsProvenance,
    Provenance,
    Repetition,
    Reply,
    ResponsesProvenance,
    RubricVersion,
    StageProvenance,
)

WHOLE = Provenance(
    ResponsesProvenance(
        benchmarks={"b": BenchmarkItems("d", "c", "r" * 64, None, ("option",), ("m",), 2, 5, 4, 1)},
        model={"model": "m", "content": None, "threads": 2},
        scales={"option": "5" * 64},
        replies=(Reply(0, 0.7, 3),),
        packages={"numpy": "2.0"},
        files={"items.parquet": "1" * 64},
        retries=(3, 1),
        served=("m (fp)",),
    ),
    JudgementsProvenance(
        judge={"model": "j", "languages": ["en"]},
        rubrics={"b": RubricVersion("9" * 64, "safety", 2, ("moral",))},
        rules={"option": "7" * 64},
        caveats=("of the same lineage",),
    ),
    StageProvenance(files={"scores.json": "2" * 64}),
    Repetition("run", "0" * 64, {"judge": (Difference("judge.dtype", "float32", None),)}),
)


def test_everything_that_made_a_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(dump(RunConfig(provenance=WHOLE)), encoding="utf-8")
    assert read(path).provenance == WHOLE
