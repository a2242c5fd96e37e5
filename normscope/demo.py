"""The demo: real vignettes, the bilingual reference set, and a tiny model made on the spot."""

from pathlib import Path

from .config import RunConfig
from .datasets_builders.item import Item
from .datasets_builders.registry import benchmark
from .datasets_builders.slice import balanced
from .extras import require
from .judges.engine import LabelRequest
from .judges.engines import ModelSpec
from .judges.heads import own_scale
from .judges.rubric import rubric

VIGNETTES, LADDER = "ci-vignettes:coppa", "safety-gradient"
_LESSONS = 400


def demo_config(model: Path, *, limit: int | None = None) -> RunConfig:
    """What the demo asks, after making its model in the folder `model` if it is not there yet.

    The model mixes up the scales of the heads (it was shown each a few dozen times), so less of its
    mass lies on the one that is asked for than a real judge would have to put there.
    """
    require("torch", extra="judge")
    require("transformers", extra="judge")
    from .judges.tiny import make_tiny_model

    if not (model / "config.json").is_file():
        lessons = _lessons()
        texts = [content for lesson in lessons for _, content in lesson.turns]
        make_tiny_model(model, texts, teach=lessons)
    spec = ModelSpec(model=str(model), dtype="float32")
    return RunConfig(
        benchmark=(VIGNETTES, LADDER),
        model=spec,
        judge=spec,
        limit={} if limit is None else {VIGNETTES: limit},
        min_coverage=0.25,
    )


def _lessons() -> list[LabelRequest]:
    """The prompts of the demo, a balanced slice of each kind, from which an answer's form shows."""
    vignettes = [
        LabelRequest(_turns(item), own_scale(item, "acceptability")) for item in _some(VIGNETTES)
    ]
    used = rubric("cfsafety")
    judged = [
        LabelRequest(
            (
                (
                    "user",
                    used.render(
                        head,
                        category=item.category,
                        language=item.language,
                        turns=_turns(item),
                        answer=item.response or "",
                    ),
                ),
            ),
            used.heads[head].scale,
            used.lead(item.language),
        )
        for item in _some(LADDER)
        for head in used.heads
    ]
    return vignettes + judged


def _some(name: str) -> list[Item]:
    made, bench = benchmark(name)
    return balanced(bench.items(made.tables(None)[bench.config]), _LESSONS)[:_LESSONS]


def _turns(item: Item) -> tuple[tuple[str, str], ...]:
    return tuple((message.role, message.content) for message in item.messages)
