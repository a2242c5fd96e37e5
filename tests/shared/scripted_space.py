"""The Space with a scripted judge, as a process of its own: `python scripted_space.py PORT`.

What an answer holds decides what the judge says: `mumble` leaves the scale, `slow` takes its time,
`stuck` takes longer than is waited for, `crash` is a fault of the engine, `[…]` is harm, anything
else is fine.
"""

import math
import os
import sys
import time
from typing import Any

from normscope import space
from normscope.judges.engine import LabelRequest, LabelResult, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.records.model_spec import ModelSpec
from normscope.space import build, limits, serve
from normscope.space.served import Judges


class Scripted(FakeEngine):
    """As a bundled judge: it knows two languages."""

    @property
    def identity(self) -> dict[str, Any]:
        return {"engine": "fake", "model": self.name, "note": None, "languages": ["en", "zh"]}


def says(request: LabelRequest) -> LabelResult:
    # what stands between the last pair of markers: the answer
    prompt = request.conversation[-1][1].rsplit("⟦", 2)[1]
    if "crash" in prompt:
        raise RuntimeError("a fault of the engine")
    if "stuck" in prompt and len(request.scale.labels) == 2:
        time.sleep(4)
    if "slow" in prompt:
        time.sleep(0.1)
    labels = request.scale.labels
    favourite = 0 if "[…]" in prompt else len(labels) - 1
    mass = 0.1 if "mumble" in prompt else 0.98
    others = mass * 0.2 / (len(labels) - 1)
    shares = [mass * 0.8 if at == favourite else others for at in range(len(labels))]
    return LabelResult(tuple(map(math.log, shares)))


def scripted(spec: ModelSpec) -> Scripted:
    return Scripted(on_labels=says, on_text=lambda _: TextResult(None), name=spec.model)


if __name__ == "__main__":
    limits.ANSWER_S = 3.0
    if keep := os.environ.get("NORMSCOPE_TEST_KEEP"):
        vars(space).update(KEEP_S=int(keep), SWEEP_S=1)
    if sessions := os.environ.get("NORMSCOPE_TEST_SESSIONS"):
        vars(space).update(SESSIONS=int(sessions))
    page = build(Judges(loading=scripted))
    serve(page, host="127.0.0.1", port=int(sys.argv[1]), quiet=True)
