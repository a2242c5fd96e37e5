"""What a setting is, and those of a model: which one is loaded and how, and how it writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import EntryPoint, entry_points
from math import inf
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from ..errors import ConfigError, UsageError
from .provenance import Reply

DATE = "2026-01-01"
"""The day that chat templates take for today, unless a run says otherwise: a prompt must not change
from one day to the next."""

VLLM = "vllm:"
ADDRESSES = ("http://", "https://")
ENGINES = "normscope.engines"
"""The group of entry points by which a package registers engines, each by a prefix of models."""

_OURS = ("vllm", "http", "https", "bundled")
_PART, _PATH = 255, 4095

Dtype = Literal["auto", "float32", "bfloat16", "float16"]
Stage = Literal["respond", "judge", "score"]
ASKING: tuple[Stage, ...] = ("respond", "judge")
"""The stages in which a model is asked."""
PER_MODEL = ("revision", "lineage", "chat_template")
"""What is said of one model, and of no other that takes its place."""

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
    stages: Sequence[Stage] = ASKING,
    decides: Decides = "answer",
) -> Any:
    """A field with what help says of it, and how its value is called.

    A field without a text is made of settings. `stages` are those that it is requested of, and
    `decides` is what it decides there.
    """
    about: dict[str, Any] = {"help": text, "metavar": metavar}
    about |= {"stages": stages, "decides": decides}
    if callable(default):
        return field(default_factory=default, metadata=about)
    return field(default=default, metadata=about)


def listed(value: Any) -> Any:
    """A list, one value, or several with commas, as a list of texts.

    >>> listed("0, 3"), listed(7), listed([0, "3"])
    (['0', '3'], ['7'], ['0', '3'])
    """
    if value is None or isinstance(value, Mapping):
        return value
    several = value if isinstance(value, list | tuple) else str(value).split(",")
    return [str(each).strip() for each in several]


def _numbers(value: Any) -> Any:
    """A number, or several as a list; the file's own mistakes stay as they are."""
    return listed(value) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(listed)]
"""Names, of which a file may give a single one without brackets, and numbers without quotes."""
Numbers = Annotated[float | tuple[float, ...], BeforeValidator(_numbers)]
Day = Annotated[str, BeforeValidator(lambda day: day.isoformat() if isinstance(day, date) else day)]
"""A day as in 2026-01-01, of which YAML makes a date where it stands without quotes."""


def package_engine(model: str) -> EntryPoint | None:
    """The engine that an installed package registers for the model's prefix, null for none.

    A `UsageError` where two packages have the prefix, or it is one of ours.
    """
    prefix, colon, _ = model.partition(":")
    registered = {each.value: each for each in entry_points(group=ENGINES, name=prefix) if colon}
    if not registered:
        return None
    packages = ", ".join(
        each.dist.name if each.dist else each.value for each in registered.values()
    )
    if prefix in _OURS:
        raise UsageError(
            f"{packages} registers an engine as {prefix!r}, which is one of Normscope's: remove "
            "the package, or have it register another name"
        )
    if len(registered) > 1:
        raise UsageError(f"{packages} both register an engine as {prefix!r}: remove one of them")
    return next(iter(registered.values()))


def is_elsewhere(model: str) -> bool:
    """Whether a server or another package's engine answers, of whose files nothing is known."""
    return model.startswith(ADDRESSES) or package_engine(model) is not None


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """How an OpenAI-compatible server is asked. The key is read from the environment only.

    `max_requests` bounds what a run may spend (null: no bound); `concurrency` is the most calls in
    flight; `api_key_env` names the variable with the key; `marks` are turn marks of the served
    model that are to be broken in texts, beside those that are known.
    """

    api: Literal["auto", "chat", "completions"] = setting(
        "auto", "How the server is asked: auto, chat or completions."
    )
    concurrency: int = setting(32, "The most calls to a server in flight.", decides="nothing")
    timeout_s: float = setting(60.0, "Seconds until a call is given up.", decides="nothing")
    max_requests: int | None = setting(None, "The most calls to a server.", decides="nothing")
    api_key_env: str = setting(
        "NORMSCOPE_API_KEY", "The variable with the server's key.", decides="nothing"
    )
    marks: Names = setting((), "Turn marks of the served model to break in texts.")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Which model to load and how.

    `model` is a folder saved with `save_pretrained`, a Hub id, `bundled` for the small judge that
    comes along, `vllm:ID` for the vLLM engine, `NAME:ID` for the engine that a package registers as
    NAME (`ENGINES`), or a server's address with the model's name behind a hash
    (`http://localhost:8000/v1#qwen`). What is said of one model (its revision) holds for no
    other; how it is loaded holds for every model of a run. `lineage` stands for one that its name
    does not tell; `dtype` auto is never float16 on a CPU; `attention` is computed so outside of the
    prefix tree; `date` is today for chat templates that write it into prompts.
    `pack_tokens` bounds one forward pass (one that is not of a prefix tree may take eight times as
    many): more is faster on a GPU and takes more memory. `tensor_parallel` is the number of GPUs of
    the vLLM engine.
    """

    model: str = field(metadata={"decides": "place"})
    revision: str | None = setting(
        None, "Branch, tag or commit of a model on the Hub.", decides="place"
    )
    lineage: str | None = setting(
        None, "The model's family, where its name does not tell it.", decides="place"
    )
    dtype: Dtype = setting(
        "auto", "The numbers' format: float32, bfloat16, float16; auto is the checkpoint's own."
    )
    device: str = setting(
        "auto",
        "cpu, cuda, cuda:1 …; auto: a GPU where there is one; auto-map: all GPUs, memory, disk.",
        decides="place",
    )
    attention: Literal["auto", "sdpa", "eager"] = setting(
        "auto",
        "How attention is computed outside of the prefix tree: auto, sdpa, eager.",
        decides="place",
    )
    chat_template: str | None = setting(
        None, "A Jinja file in place of the model's own.", decides="place"
    )
    date: Day = setting(DATE, "Today for chat templates that write it.")
    # no more than rounding, and a full memory asks for another
    pack_tokens: int = setting(1024, "Tokens in one forward pass.", decides="nothing")
    tensor_parallel: int = setting(1, "GPUs of the vLLM engine.", decides="place")
    endpoint: EndpointSettings = EndpointSettings()

    def __post_init__(self) -> None:
        """Refuses a name that no system could look up, and a date that is none."""
        longest = max(map(len, self.model.split("/")))
        if not self.model.startswith(ADDRESSES) and (longest > _PART or len(self.model) > _PATH):
            raise ConfigError(
                f"the model {self.model[:40]!r}… has a name of {len(self.model):,} characters: "
                "name a folder, or an id of the Hub such as Qwen/Qwen3-0.6B"
            )
        try:
            is_date = date.fromisoformat(self.date).isoformat() == self.date
        except ValueError:
            is_date = False
        if not is_date:
            raise ConfigError(f"date is a day as in {DATE}, not {self.date!r}")


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the model under test writes: `samples` replies per prompt at each temperature.

    Temperature 0 is greedy, so it is asked once whatever `samples` is. Samples are numbered
    through over the temperatures, and the seed of sample k is `seed` + k.
    """

    max_new_tokens: int = setting(256, "Length of a reply.", stages=("respond",))
    temperature: Numbers = setting(
        0.0,
        "0 is greedy; several are asked one after the other.",
        metavar="T[,T…]",
        stages=("respond",),
    )
    samples: int = setting(1, "Replies per prompt and temperature above 0.", stages=("respond",))
    seed: int = setting(0, "Where sampling starts.", stages=("respond",))

    def __post_init__(self) -> None:
        """Refuses settings that no model can follow; several equal temperatures are one."""
        several = dict.fromkeys(self.temperatures)
        if self.max_new_tokens < 1 or self.samples < 1 or not all(0 <= t < inf for t in several):
            raise ConfigError(
                "max_new_tokens and samples are at least 1 and temperature at least 0, not "
                f"{self.max_new_tokens}, {self.samples} and {self.temperature}"
            )
        if not several:
            raise ConfigError("temperature is a number or a list of numbers, not an empty list")
        if self.samples > 1 and not any(several):
            raise ConfigError(
                f"{self.samples} samples at temperature 0 are {self.samples} times the same reply: "
                "set a temperature"
            )
        object.__setattr__(
            self, "temperature", tuple(several) if len(several) > 1 else next(iter(several))
        )

    @property
    def temperatures(self) -> tuple[float, ...]:
        """Every temperature, in the order given."""
        value = self.temperature
        return tuple(map(float, value if isinstance(value, tuple | list) else (value,)))

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The replies that are requested for every prompt that is answered in text.

        >>> [(r.sample, r.temperature) for r in Decoding(temperature=(0, 0.7), samples=2).replies]
        [(0, 0.0), (1, 0.7), (2, 0.7)]
        """
        temperatures = [t for t in self.temperatures for _ in range(self.samples if t else 1)]
        return tuple(Reply(k, t, self.seed + k) for k, t in enumerate(temperatures))
