"""Which model to load and how: the settings that a configuration carries for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from ..errors import ConfigError

DATE = "2026-01-01"
"""The day that chat templates take for today, unless a run says otherwise: a prompt must not change
from one day to the next."""

Dtype = Literal["auto", "float32", "bfloat16", "float16"]
VLLM = "vllm:"
ADDRESSES = ("http://", "https://")
_PART, _PATH = 255, 4095


Decides = Literal["answer", "place", "copied", "nothing"]
"""What a setting decides of the answers.

That of a `place` tells where something lies, or how it is computed there: what was found is noted
in the provenance. Of files that are `copied` into the run the copies count, whatever they say
later. What decides `nothing` may change when a run goes on.
"""


def setting(
    default: Any,
    text: str = "",
    *,
    metavar: str | None = None,
    stages: Sequence[str] = (),
    decides: Decides = "answer",
) -> Any:
    """A field of a configuration with what `--help` says of its flag, and how its value is called.

    A field without a text has no flag and stands in the file only. `stages` are those that it is
    requested of, and `decides` is what it decides there.
    """
    about = {"help": text, "metavar": metavar, "stages": stages, "decides": decides}
    if callable(default):
        return field(default_factory=default, metadata=about)
    return field(default=default, metadata=about)


def refuse_long_name(model: str) -> None:
    """A `ConfigError` for a model whose name is longer than a path or a part of one can be."""
    longest = max(map(len, model.split("/")))
    if not model.startswith(ADDRESSES) and (longest > _PART or len(model) > _PATH):
        raise ConfigError(
            f"the model {model[:40]!r}… has a name of {len(model):,} characters: name a folder, or "
            "an id of the Hub such as Qwen/Qwen3-0.6B"
        )


Day = Annotated[str, BeforeValidator(lambda day: day.isoformat() if isinstance(day, date) else day)]
"""A day as in 2026-01-01, of which YAML makes a date where it stands without quotes."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """How an OpenAI-compatible server is asked. The key is read from the environment only.

    `max_requests` and `max_tokens` bound what a run may spend (null: no bound); `concurrency` is
    the most calls in flight, reached slowly; `api_key_env` names the variable with the key; `marks`
    are turn marks of the served model that are to be broken in texts, beside those that are known.
    """

    api: Literal["auto", "chat", "completions"] = "auto"
    concurrency: int = setting(32, decides="nothing")
    timeout_s: float = setting(60.0, decides="nothing")
    max_requests: int | None = setting(None, "The most calls to a server.", decides="nothing")
    max_tokens: int | None = setting(None, decides="nothing")
    api_key_env: str = setting("NORMSCOPE_API_KEY", decides="nothing")
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Which model to load and how.

    `model` is a folder saved with `save_pretrained`, a Hub id, `bundled` for the small judge that
    comes along, `vllm:ID` for the vLLM engine, or a server's address with the model's name behind
    a hash (`http://localhost:8000/v1#qwen`).
    `revision` is a branch, tag or commit of a Hub id; `lineage` tells relatives (`qwen3`), so that
    a judge of the model's own lineage is known as one; `chat_template` is the path of a Jinja file
    in place of the tokenizer's own; `date` (YYYY-MM-DD) is today for a template that writes the
    date into prompts. `dtype` auto is the checkpoint's own, but never float16 on a
    CPU. `pack_tokens` bounds one forward pass (one that is not of a prefix tree may take eight
    times as many): more is faster on a GPU and takes more memory; `tensor_parallel` is the number
    of GPUs of the vLLM engine.
    """

    model: str = field(metadata={"decides": "place"})
    revision: str | None = setting(
        None, "Branch, tag or commit of a model on the Hub.", decides="place"
    )
    lineage: str | None = setting(
        None, "The model's lineage, if its name does not tell it.", decides="place"
    )
    dtype: Dtype = setting("auto", "The numbers' format; auto is the checkpoint's own.")
    device: str = setting(
        "auto",
        "cpu, cuda, cuda:1 …; auto takes a GPU where there is one, auto-map spreads a large model "
        "over all GPUs, memory and disk.",
        decides="place",
    )
    attention: Literal["auto", "sdpa", "eager"] = setting(
        "auto",
        "How attention is computed outside of the prefix tree; auto takes sdpa if it can.",
        decides="place",
    )
    chat_template: str | None = setting(
        None, "A Jinja file in place of the model's own.", metavar="FILE", decides="place"
    )
    date: Day = setting(
        DATE, "Today, for chat templates that write the date into prompts.", metavar="YYYY-MM-DD"
    )
    # no more than rounding, and a full memory asks for another
    pack_tokens: int = setting(1024, "Tokens in one forward pass.", decides="nothing")
    tensor_parallel: int = setting(1, decides="place")
    endpoint: EndpointSettings = EndpointSettings()

    def __post_init__(self) -> None:
        """Refuses a name that no system could look up, and a date that is none."""
        refuse_long_name(self.model)
        try:
            is_date = date.fromisoformat(self.date).isoformat() == self.date
        except ValueError:
            is_date = False
        if not is_date:
            raise ConfigError(f"date is a day as in {DATE}, not {self.date!r}")


def deciding(kind: Any, what: Decides) -> Iterator[str]:
    """The dotted paths of the settings that decide this.

    >>> [*deciding(ModelSpec, "nothing")][:2]
    ['pack_tokens', 'endpoint.concurrency']
    """
    for each in fields(kind):
        if each.metadata.get("decides") == what:
            yield each.name
        elif is_dataclass(each.default):
            yield from (f"{each.name}.{path}" for path in deciding(each.default, what))


COMPUTED = (
    "device",
    "device_map",
    "threads",
    "pack_tokens",
    "tensor_parallel",
    "attention",
    "batching",
    "linear",
    "vllm",
)
"""The fields of an identity that tell how a model is computed: they move an answer by rounding."""
