"""A response as a sample of Inspect's, and a prompt as what it asks."""

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType

from ...files import hash_value
from ...pipeline.importing.formats.inspect_records import Json
from ...reasons import Reason, is_ours
from ...records.item import Item, ItemKey
from ...records.judgement import Judgement, likeliest
from ...records.response import Response
from .score import scores_of

# what would make a name ambiguous, or a folder of it, in the archive of a log
_ESCAPED: Mapping[int, str] = MappingProxyType(
    {ord(c): f"%{ord(c):02X}" for c in ("%", ":", "/", "\\")}
)

OPTIONS = "options"
"""The metadata in which a prompt has what can be chosen, each a letter and a text."""

_DESCRIBED = ("language", "area", "category", "source_category")


def sample_id(key: ItemKey) -> str:
    """The id of a prompt's samples: the item's, then prompt variant and order where there are any.

    >>> sample_id(ItemKey("b", "coppa-1", "3", "forward")), sample_id(ItemKey("b", "a/b", "", ""))
    ('coppa-1:3:forward', 'a%2Fb')
    """
    parts = (key.item_id, key.variant_id, key.scale_order)
    return ":".join(part.translate(_ESCAPED) for part in parts).rstrip(":")


def input_of(item: Item) -> str | list[Json]:
    """What is asked: a text, or a conversation where there is more than one turn."""
    if len(item.messages) == 1 and item.messages[0].role == "user":
        return item.question
    return [turn._asdict() for turn in item.messages] or ""


def metadata_of(item: Item) -> Json:
    """By what a prompt is known again, its place in the taxonomy, what can be chosen.

    A facet has its own name, unless one of these is called so.
    """
    described = {name: getattr(item, name) for name in _DESCRIBED}
    described[OPTIONS] = [list(option) for option in item.options]
    known = {**item.facets, **described, **item.key._asdict()}
    return {name: value for name, value in known.items() if value}


def sample_of(item: Item, response: Response, judgements: Sequence[Judgement]) -> Json:
    """The response as a sample: its number is the epoch, its judgements are the scores.

    A response that a call or an engine failed to bring is a sample with an error. One that was read
    off the model's labels has the likeliest as its output, with the others' log-probabilities.
    """
    uuid = hash_value([*response.key])[:22]
    failed = is_ours(response.reason)
    model = response.key.model
    asked = input_of(item)
    turns: list[Json] = (
        [{"role": "user", "content": asked}] if isinstance(asked, str) else list(asked)
    )
    output: Json = {"model": model, "choices": [], "completion": ""}
    if not failed:
        text = _text(response)
        answer = {"role": "assistant", "content": text, "source": "generate", "model": model}
        choice = {"message": answer, "stop_reason": "stop", **_logprobs(response)}
        output |= {"choices": [choice], "completion": text}
        turns.append(answer)
    # a reader tells the turns of all samples apart
    for at, turn in enumerate(turns):
        turn["id"] = f"{uuid}-{at}"
    result: Json = {
        "id": sample_id(item.key),
        "epoch": response.key.sample + 1,
        "input": asked,
        "target": item.answer or "",
        "messages": turns,
        "output": output,
        "scores": {name: score.as_json() for name, score in scores_of(judgements).items()},
        "metadata": metadata_of(item),
        "uuid": uuid,
    }
    if item.options:
        result["choices"] = [option.text for option in item.options]
    if failed:
        why = str(response.reason or Reason.CALL_FAILED)
        result["error"] = {"message": why, "traceback": "", "traceback_ansi": ""}
    return result


def _text(response: Response) -> str:
    if response.label_probs and response.labels:
        place = likeliest(response.label_probs)
        return "" if place is None else response.labels[place]
    return response.text or ""


def _logprobs(response: Response) -> Json:
    """The log-probability of each label, all spellings together; of none where it wrote."""
    if not response.label_probs or not response.labels:
        return {}
    mass = 1.0 if response.coverage is None else response.coverage
    known: list[Json] = [
        {"token": label, "logprob": math.log(prob * mass)}
        for label, prob in zip(response.labels, response.label_probs, strict=True)
        # JSON has no form for the logarithm of nothing
        if prob * mass > 0
    ]
    known.sort(key=itemgetter("logprob"), reverse=True)
    return {"logprobs": {"content": [known[0] | {"top_logprobs": known}]}} if known else {}
