"""Benchmarks as what Inspect asks, and its samples as what our judge and our rules read.

Nothing here needs Inspect: `registry` makes tasks and scorers of these.
"""

from dataclasses import dataclass
from typing import Any

from ...api.chats import BENCHMARK
from ...api.settings import requested, typed_settings
from ...errors import UsageError
from ...judges.judge import Pair
from ...judges.respondent import OPTION, RULES, read_text
from ...judges.rubric import Rubric
from ...languages import language_code
from ...messages import message
from ...pipeline.chosen import choose
from ...pipeline.importing.formats.inspect_records import Json, Sample
from ...pipeline.judged_rows import defaults_of, pair_of
from ...pipeline.requested import requested_benchmarks
from ...reasons import Reason
from ...records.answered import Answered
from ...records.config import RunConfig
from ...records.item import Item, Option
from ...records.judgement import Judgement
from ...records.response import Response
from .sample import OPTIONS, input_of, metadata_of, sample_id


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt as a sample of a task: what is asked, the key if there is one, where it stands."""

    id: str
    input: str | list[Json]
    target: str
    metadata: Json


def asked(benchmark: str, **settings: Any) -> list[Asked]:
    """The prompts of a benchmark that a run with these settings would ask.

    A `UsageError` names the nearest benchmark or setting, and one that brings its answers along.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    if isinstance(given.get("limit"), int):
        given["limit"] = {benchmark: given["limit"]}
    # Inspect makes a number of a single one, and a list of several
    if (variants := given.get("variants")) is not None:
        several = variants if isinstance(variants, list | tuple) else [variants]
        given["variants"] = ",".join(str(each) for each in several)
    config = requested(typed_settings({"benchmark": benchmark, **given}), RunConfig())
    items = choose(config, requested_benchmarks(config)).items
    if any(item.response is not None for item in items):
        raise UsageError(
            message("{benchmark} brings its answers along; no model is asked", benchmark=benchmark)
        )
    return [
        Asked(sample_id(item.key), input_of(item), item.answer or "", metadata_of(item))
        for item in items
    ]


def item_of(sample: Sample, target: str) -> Item:
    """The prompt that a sample asks, as far as its metadata tell: its options and its key."""
    meta = sample.metadata
    options = tuple(Option(*map(str, each)) for each in meta.get(OPTIONS) or ())
    return Item(
        benchmark=str(meta.get("benchmark", "")),
        item_id=str(meta.get("item_id", sample.id)),
        variant_id=str(meta.get("variant_id", "")),
        scale_order=str(meta.get("scale_order", "")),
        messages=sample.conversation,
        language=language_code(str(meta.get("language") or "")),
        options=options,
        answer=target or None,
    )


def answer_of(sample: Sample, target: str, criterion: str) -> Judgement:
    """What the rule reads in the answer: an option, or a degree of acceptability."""
    if criterion not in RULES:
        raise UsageError(
            message(
                "no rule reads {criterion!r} in an answer; the criteria are {known}",
                criterion=criterion,
                known=", ".join(RULES),
            )
        )
    item = item_of(sample, target)
    if criterion == OPTION and not item.options:
        raise UsageError(
            message(
                "sample {name} has no options to choose from: its metadata needs {key}, pairs of "
                "letter and text",
                name=sample.id,
                key=OPTIONS,
            )
        )
    reason = Reason.CALL_FAILED if sample.failed else None
    return read_text(item, criterion, Response.to(item, sample.answer, reason=reason))


def pair_of_sample(sample: Sample, rubric: Rubric, *, category: str, language: str) -> Pair:
    """What a judge is asked about a sample, whose metadata of these names have the two.

    Empty or missing they are the rubric's own; an unknown category is a `DataError`.
    """
    meta = sample.metadata
    chat = Answered(
        messages=sample.conversation,
        response=sample.answer,
        language=language_code(str(meta.get(language) or "")),
        category=str(meta.get(category) or ""),
        failed=sample.failed is not None,
    )
    name = f"{sample.id}, epoch {sample.epoch}"
    return pair_of(
        chat,
        rubric,
        defaults_of(rubric),
        benchmark=BENCHMARK,
        item_id=name,
        place=f"sample {name}",
    )
