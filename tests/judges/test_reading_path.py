"""How many of our files are read to follow a judgement from `judge.py` to the logits and back."""

import sys
from pathlib import Path
from types import FrameType

import normscope
from normscope.judges.engines import load
from normscope.judges.judge import LoadedJudge
from normscope.judges.rubric import Questions
from normscope.judges.rubric_files import rubric
from normscope.records.item import Item, Turn
from normscope.records.model_spec import ModelSpec
from normscope.records.response import Response

FILES = 12


def test_a_judgement_crosses_few_files(tiny_model: Path) -> None:
    engine = load(ModelSpec(str(tiny_model)))
    judge = LoadedJudge(engine, {"b": Questions.of(rubric("cfsafety"))}, min_coverage=0.0)
    item = Item("b", "1", (Turn("user", "May I?"),), "en", category="misleading", cluster="c")
    pairs = [(item, Response.to(item, answer)) for answer in ("Yes, do.", "Yes, gladly.")]
    # what is read and said once: the table of marks, which way prompts go
    expected = judge.judge(pairs)
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        judgements = judge.judge(pairs)
    finally:
        sys.setprofile(before)
    assert judgements == expected
    root = Path(normscope.__file__).parent
    crossed = {
        path.relative_to(root).as_posix() for path in map(Path, files) if root in path.parents
    }
    assert {"judges/judge.py", "judges/engines/local/tree_attention.py"} < crossed
    assert len(crossed) <= FILES, sorted(crossed)
