"""A called judge on a scripted engine, as a process of its own: `python scripted_api.py PORT`.

What its answers do is said in `called_judge`; `slow` takes half a second more.
"""

import os
import sys
import time

from called_judge import Scripted, answer_in, says

from normscope.api.judge import Judge
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.judge import LoadedJudge
from normscope.server import serve


def slowly(request: LabelRequest) -> LabelResult:
    if "slow" in answer_in(request):
        time.sleep(0.5)
    result: LabelResult = says(request)
    return result


if __name__ == "__main__":
    judge = Judge("./judge", rubric=os.environ.get("NORMSCOPE_TEST_RUBRIC", "cfsafety"))
    engine = Scripted()
    engine.on_labels = slowly
    judge.__dict__["loaded"] = LoadedJudge(engine, {"answers": judge.questions}, 0.5)
    serve(judge, host="127.0.0.1", port=int(sys.argv[1]))
