"""The Space with a scripted judge, as a process of its own: `python scripted_space.py PORT`.

What its answers do is said in `called_judge`; `slow` takes its time, `stuck` takes longer than is
waited for.
"""

import os
import sys
import time

from called_judge import Scripted, answer_in, says

from normscope import space
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.records.model_spec import ModelSpec
from normscope.space import build, limits, serve
from normscope.space.served import Judges


def slowly(request: LabelRequest) -> LabelResult:
    answer = answer_in(request)
    if "stuck" in answer and len(request.scale.labels) == 2:
        time.sleep(4)
    if "slow" in answer:
        time.sleep(0.1)
    result: LabelResult = says(request)
    return result


def scripted(spec: ModelSpec) -> Scripted:
    engine = Scripted()
    engine.name, engine.on_labels = spec.model, slowly
    return engine


if __name__ == "__main__":
    limits.ANSWER_S = 3.0
    if keep := os.environ.get("NORMSCOPE_TEST_KEEP"):
        vars(space).update(KEEP_S=int(keep), SWEEP_S=1)
    if sessions := os.environ.get("NORMSCOPE_TEST_SESSIONS"):
        vars(space).update(SESSIONS=int(sessions))
    page = build(Judges(loading=scripted))
    serve(page, host="127.0.0.1", port=int(sys.argv[1]), quiet=True)
