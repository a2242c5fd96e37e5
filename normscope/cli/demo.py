"""The demo: vignettes asked of a tiny model made on the spot, and answers for a judge to order."""

from pathlib import Path

from ..datasets_builders.registry import benchmark
from ..datasets_builders.slice import balanced
from ..extras import require
from ..judges import bundled
from ..judges.engine import LabelRequest
from ..judges.respondent import item_scale
from ..records.config import RunConfig
from ..records.item import Item
from ..records.model_spec import ModelSpec

VIGNETTES, GRADED_SET = "ci-vignettes:coppa", "safety-gradient"
_LESSONS = 400


def demo_config(model: Path, *, limit: int | None = None) -> RunConfig:
    """What the demo asks, after making its model in the folder `model` if it is not there yet.

    The model under test has seen the form of an answer with random labels, and nothing else; the
    judge is the small bundled one.
    """
    require("torch", extra="judge")
    require("transformers", extra="judge")
    from ..judges.tiny import make_tiny_model

    if not (model / "config.json").is_file():
        lessons = [
            LabelRequest(i.messages, item_scale(i, "acceptability")) for i in _some(VIGNETTES)
        ]
        texts = [content for lesson in lessons for _, content in lesson.conversation]
        make_tiny_model(model, texts, teach=lessons)
    return RunConfig(
        benchmark=(VIGNETTES, GRADED_SET),
        model=ModelSpec(model=str(model), dtype="float32"),
        judge=ModelSpec(model=bundled.NAME),
        limit={} if limit is None else {VIGNETTES: limit},
    )


def _some(name: str) -> list[Item]:
    dataset, bench = benchmark(name)
    return balanced(bench.items(dataset.tables(None)[bench.config]), _LESSONS)[:_LESSONS]
