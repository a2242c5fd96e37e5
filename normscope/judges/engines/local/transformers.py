"""Any causal model that transformers can load, read at the labels of a scale.

Requests that share a beginning share its computation: the prompts and label branches of a unit are
laid out as a prefix tree (`prefix_tree`), and one forward pass reads a whole piece of it. A model
that cannot read one carries its states, or takes plain rows; which way it is, is tried when the
model is loaded (`choosing`) and stands in `identity`.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import torch
import transformers

from ....errors import ConfigError
from ....progress import is_hidden, say
from ....reasons import Reason
from ....records.model_spec import ModelSpec
from ...engine import LabelRequest, LabelResult, TextRequest, TextResult
from ..chat import render
from . import padded_replies, replies
from .choosing import Choice, Way, choose, pieces, try_pass, way_and_cost
from .devices import main_device
from .loading import load_model
from .memory import explaining, fitted
from .onednn import use_onednn
from .prefix_tree import Ids
from .reads import Gathering, Reader
from .replies import Prompt
from .rope import max_stable_length, split_by_length
from .sampling import seed_of
from .turns import Turns


class TransformersEngine:
    """The local engine. `way` is how it computes, and `why` says why not as a prefix tree."""

    def __init__(self, spec: ModelSpec) -> None:
        """Loads the model and tokenizer, and probes how the model can be batched."""
        if spec.pack_tokens < 1:
            raise ConfigError(f"pack_tokens is at least 1, not {spec.pack_tokens}")
        self._spec = spec
        self._model, self._tokenizer, self._identity = load_model(spec)
        self._device = main_device(self._model)
        self._reader = Reader(self._tokenizer, self._identity["context"])
        # tokenizers are not made for two threads at once
        self._reading, self._turns = Lock(), Turns(self._model, spec.model)
        # a reply ends where the checkpoint says, or else the tokenizer
        ends = self._model.generation_config.eos_token_id
        ends = self._tokenizer.eos_token_id if ends is None else ends
        self._ends = frozenset(ends if isinstance(ends, list) else {ends} - {None})
        # else what the checkpoint prefers (a repetition penalty, say) would mix with what is asked
        self._model.generation_config = transformers.GenerationConfig()
        self._identity["linear"] = use_onednn(self._model)
        with explaining(spec.pack_tokens):
            self.way, self.why = choose(self._model, pack_tokens=spec.pack_tokens)
        self._identity["batching"] = str(self.way)
        self._pack_tokens = spec.pack_tokens
        if _tells_when_full(self._device):
            self._pack_tokens = fitted(spec.pack_tokens, self._try)
        self._identity["pack_tokens"] = self._pack_tokens
        self._told = False

    @property
    def name(self) -> str:
        """The model's path or Hub id as the user gave it."""
        return self._spec.model

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that changes the engine's answers."""
        return dict(self._identity)

    @property
    def how(self) -> str:
        """Which way prompts go through the model, and why, in one line."""
        return self._how()

    @property
    def lanes(self) -> int:
        """How many units it takes at once: a GPU computes one while another is tokenised."""
        return 2 if self._device.type == "cuda" else 1

    def end(self) -> None:
        """No more units come: what is still in progress fails."""
        self._turns.end()

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """Log-probabilities of every label after every prompt, each shared token computed once."""
        begun = self._turns.begin()
        with self._reading:
            plan = self._reader.plan(requests)
        gathering = Gathering(plan)
        with self._turns.turn(begun), explaining(self._pack_tokens):
            for at, logits in pieces(
                self.way, self._model, plan.sequences, pack_tokens=self._pack_tokens
            ):
                gathering.add(at, logits)
            gathering.fetch()
            self._tell_once(sum(map(len, plan.sequences)), self._turns.passed)
        # another unit has its turn while this one's numbers are on their way
        with self._reading:
            gathering.give(self._reader.spell)
        return plan.results()

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """The replies. What a request draws follows from its prompt and its seed alone."""
        begun = self._turns.begin()
        with self._reading:
            prompts = self._reader.encode(
                [render(self._tokenizer, r.conversation, "") for r in requests]
            )
            # how long they get is not known
            self._tell_once()
        results: list[TextResult] = [TextResult(None, Reason.TEXT_TOO_LONG)] * len(requests)
        fitting = [
            i
            for i, (prompt, request) in enumerate(zip(prompts, requests, strict=True))
            if self._reader.fits(len(prompt) + request.max_new_tokens)
        ]
        # of no reply at all the tokenizer makes one
        if not fitting:
            return results
        with self._turns.turn(begun), explaining(self._pack_tokens):
            said = self._write(
                [
                    Prompt(
                        prompts[i],
                        requests[i].max_new_tokens,
                        requests[i].temperature,
                        seed_of(requests[i].seed, prompts[i]),
                    )
                    for i in fitting
                ]
            )
        with self._reading:
            texts = self._tokenizer.batch_decode(said, skip_special_tokens=True)
        for index, text in zip(fitting, texts, strict=True):
            results[index] = TextResult(text, None if text.strip() else Reason.NO_ANSWER)
        return results

    def _tell_once(self, total: int = 0, computed: int = 0) -> None:
        """Says how prompts go through the model, and after a unit of labels at what cost."""
        if not self._told and not is_hidden() and (computed or not total):
            self._told = True
            say(self._how(total, computed))

    def _how(self, total: int = 0, computed: int = 0) -> str:
        return way_and_cost(self.name, Choice(self.way, self.why), total, computed)

    def _try(self, pack_tokens: int) -> None:
        context = self._identity["context"]
        try_pass(self.way, self._model, pack_tokens=pack_tokens, context=context)

    def _write(self, prompts: list[Prompt]) -> list[Ids]:
        """The tokens of each reply."""
        plan: dict[str, Any] = {"ends": self._ends, "pack_tokens": self._pack_tokens}
        longest = max_stable_length(self._model)
        short, long = split_by_length([prompt.width for prompt in prompts], longest)
        write = replies.write if self.way is Way.TREE else padded_replies.write
        said = write(self._model, [prompts[i] for i in short], **plan)
        alone = [prompts[i] for i in long]
        said += padded_replies.write(self._model, alone, **plan, batch_size=1)
        by_number = dict(zip((*short, *long), said, strict=True))
        return [by_number[number] for number in range(len(prompts))]


def _tells_when_full(device: torch.device) -> bool:
    """Whether running out of memory is an error there; a CPU's system ends the process instead."""
    return device.type != "cpu"
