"""The first view of the Space: the norms of real models, from answers that were published."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache

from .. import format as fmt
from ..builders.ci_vignettes.published_answers import CONTEXT, published_models
from ..messages import LANGUAGES, Language, message
from ..report.blocks import (
    Beside,
    Block,
    Bullets,
    Chart,
    Listing,
    Paragraph,
    Section,
    titled,
)
from ..report.charts import Plot
from ..report.names import name_of
from ..report.norm_charts import (
    agreement_matrix,
    level_means,
    mean_norms,
    norm_shares,
    prompt_means,
)
from ..report.norms import apart_table
from .pages import written
from .published import (
    FACTORS,
    FIRST,
    PublishedModel,
    agreements,
    apart,
    chosen_models,
    flows,
)

Sides = tuple[str, str]
"""The factors along the rows and the columns of a map."""

_FARTHEST = 8
_KEPT = 48
"""Pages that are not drawn again: a page is a fifth of a megabyte."""

_DEMO = "runs/demo"

_drawing = ThreadPoolExecutor(max_workers=1, thread_name_prefix="drawing")


@lru_cache(maxsize=_KEPT)
def norms_page(names: tuple[str, ...], sides: Sides, language: Language) -> str:
    """What these models, or all, find acceptable: what is seen first, as HTML."""
    return written(tuple(norm_blocks(chosen_models(names), sides)), language)


@lru_cache(maxsize=_KEPT)
def more_page(names: tuple[str, ...], sides: Sides, language: Language) -> str:
    """Where they disagree, what moves their answers, and where these are from, as HTML."""
    return written(tuple(more_blocks(chosen_models(names), sides)), language)


def warm() -> None:
    """Begins to draw the first view in every language, without waiting for it."""
    for draw in (norms_page, more_page):
        for language in LANGUAGES:
            _drawing.submit(draw, (), FIRST, language)


def norm_blocks(models: Sequence[PublishedModel], sides: Sides) -> Iterator[Block]:
    """What this is about, then the norms of every model by two factors and by label."""
    names = [model.name for model in models]
    yield Paragraph(
        message(
            "May a fitness tracker send its owner's heart rate to the owner's doctor, if the "
            "information is kept confidential? {n} such flows of information, put to {models} "
            "models in up to eleven prompt variants and three orders of the answers. A flow's norm "
            "is what at least half of a model's valid answers say.",
            n=fmt.count(len(flows()[FACTORS[0]])),
            models=len(published_models()),
        )
    )
    yield Section(message("What the models find acceptable"), tuple(_norms(models, names, sides)))


def more_blocks(models: Sequence[PublishedModel], sides: Sides) -> Iterator[Block]:
    """The sections below."""
    names = [model.name for model in models]
    yield Section(message("Where they disagree"), tuple(_disagreement(models, names)))
    yield Section(message("What the prompt variant does"), tuple(_wording(models, names)))
    yield Section(message("What moves the answer"), tuple(_levels(models, names, sides)))
    yield Section(message("Where this is from"), tuple(_source()))


def _norms(models: Sequence[PublishedModel], names: Sequence[str], sides: Sides) -> Iterator[Block]:
    maps = mean_norms(names, [model.states for model in models], flows(), sides)
    about = message(
        "Mean norm, from −2 (orange, unacceptable) to +2 (blue, acceptable); a gap where no "
        "flow has a norm"
    )
    yield _drawn(maps, about)
    labels = norm_shares(names, [model.states for model in models])
    yield _drawn(replace(labels, caption=""), message("Norms by label"))


def _disagreement(models: Sequence[PublishedModel], names: Sequence[str]) -> Iterator[Block]:
    everybody = list(published_models())
    yield _drawn(
        agreement_matrix(everybody, agreements()),
        message("Share of the vignettes on which two models have the same norm, in %"),
    )
    rows = apart(models, _FARTHEST)
    yield replace(
        apart_table(rows, names, FACTORS),
        title=message("Flows on which the chosen models differ most"),
        look="numbers",
    )
    compared = names if len(names) > 1 else everybody
    yield Paragraph(
        message(
            "The same on your machine, from these answers as runs. There models are compared over "
            "the prompts that all of them were asked; here by their norms as they were released, "
            "from all of a model's prompts:"
        ),
        note=True,
    )
    runs = " ".join(f"{_DEMO}/{name}" for name in compared)
    yield Listing(f"normscope demo --out {_DEMO}\nnormscope compare {runs}", command=True)


def _wording(models: Sequence[PublishedModel], names: Sequence[str]) -> Iterator[Block]:
    means = [model.variant_means for model in models]
    spread = prompt_means(names, means)
    yield _drawn(spread, message("Mean answer to all vignettes, in each prompt variant"))


def _levels(
    models: Sequence[PublishedModel], names: Sequence[str], sides: Sides
) -> Iterator[Block]:
    yield Beside(
        tuple(
            _drawn(
                level_means(names, [model.replies for model in models], factor, flows()[factor]),
                message(
                    "Mean answer by {factor}, with its interval for new prompt variants",
                    factor=name_of(factor),
                ),
            )
            for factor in sides
        )
    )


def _source() -> Iterator[Block]:
    yield Bullets(
        (
            message(
                "The answers were released by the authors of LLM-CI (Shvartzshnaider, Duddu and "
                "Lacalamita) under the MIT licence, github.com/yansh/privacy-bias at commit "
                "ec69cb8; here they are the dataset's config {config}.",
                config=f"{CONTEXT}_published_answers",
            ),
            message(
                "They are of a later run than the tables of the paper, and differ from them. With "
                "which revisions of the models, how they were decoded and when, is not known, nor "
                "the words of the three orders."
            ),
            message(
                "The models are called as the authors' table calls them. gpt-4o-mini-8B is its "
                "name there; it was asked three prompt variants of the eleven."
            ),
            message(
                "Vignettes are enumerated, not sampled: the intervals are for new prompt "
                "variants, and of three they are wide."
            ),
        )
    )


def _drawn(plot: Plot, title: str) -> Chart:
    """The plot under its title, which a page writes larger than the picture does."""
    return titled(replace(plot, title=title))
