"""The one question that every engine answers: how probable is each label after a prompt?

An engine also writes text, for the model under test. It is handed whole units of work and keeps
nothing between them, so that a unit's result depends on the unit alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..reasons import Reason
from ..records.judgement import RawToken
from ..records.units import ONE_LANE, Lanes
from .scale import Scale

Conversation = tuple[tuple[str, str], ...]
"""Its turns as (role, content) pairs, the last one the user's."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a model that was trained to judge is asked about a conversation that ends in a response.

    `arguments` go to its chat template, which takes the conversation as it is, or `messages` (role
    and content). A `text` is the whole prompt, and no chat template is asked. Both may have the
    slots {question} (with what was said before it), {response} and {policy}, filled once: what is
    put in is never scanned again. `begins` is what the reply has already said. `marks` stand
    between the parts of the prompt and are broken in the texts that are put in. With `parts` the
    template takes a message as a list of parts, of which ours has one, a text.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    messages: tuple[tuple[str, str], ...] = ()
    text: str = ""
    begins: str = ""
    marks: tuple[str, ...] = ()
    parts: bool = False
    policy: str = ""


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """How probable is each label of the scale as the beginning of the reply to the conversation?

    `lead` is what the reply has already said (`Answer:`), for models without a chat template. With
    a `form` the conversation is put as that says.
    """

    conversation: Conversation
    scale: Scale
    lead: str = ""
    form: Form | None = None


@dataclass(frozen=True, slots=True)
class LabelResult:
    """Log-probabilities of the labels, all spellings added up, not renormalised; or a reason.

    `unseen` is the most probability that the labels can have beyond what is in `logprobs`: above 0
    only where a server tells no more than its top tokens.
    """

    logprobs: tuple[float, ...] | None
    unseen: float = 0.0
    raw_top: tuple[RawToken, ...] | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class TextRequest:
    """Write the reply to the conversation."""

    conversation: Conversation
    max_new_tokens: int
    temperature: float
    seed: int
    form: Form | None = None


@dataclass(frozen=True, slots=True)
class TextResult:
    """The reply, or a reason."""

    text: str | None
    reason: Reason | None = None


class Engine(Protocol):
    """A model that can be asked. Everything that changes its answers is in `identity`.

    An engine may have more. One behind which the model may change has `served()`: the models that
    have answered since it was last asked. One that takes several units of work at once, each from a
    thread of its own, has `lanes`, how many, and `end()`, after which what is in progress fails.
    One that goes several ways through its model has `how`: which way, and why, in one line.
    """

    @property
    def name(self) -> str:
        """What the model is called in tables: its path or Hub id as the user gave it."""

    @property
    def identity(self) -> dict[str, Any]:
        """Engine, model, revision, chat-template hash, dtype, device, batch plan: JSON values."""

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """One result per request, in their order."""

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """One result per request, in their order."""


def served_by(engine: Engine) -> Callable[[], Sequence[str]]:
    """How to learn which models have answered; of an engine that holds its model, always none."""
    # `tuple()` is the empty sequence, whenever it is called
    served: Callable[[], Sequence[str]] = getattr(engine, "served", tuple)
    return served


def lanes_of(engine: Engine) -> Lanes:
    """How many units of work the engine takes at once; most take one."""
    return Lanes(getattr(engine, "lanes", 1), getattr(engine, "end", ONE_LANE.end))
