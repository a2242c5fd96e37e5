"""Any causal model that transformers can load, read at the labels of a scale.

Requests that share a beginning share its computation: the prompts and label branches of a unit are
laid out as a prefix tree (`prefix_tree`), and one forward pass reads a whole piece of it. A model
that cannot read one carries its states, or takes plain rows; which way it is, is tried when the
model is loaded (`choosing`) and stands in `identity`.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import transformers

from ....errors import ConfigError
from ....progress import is_hidden, say
from ....records.model_spec import ModelSpec
from ...engine import LabelRequest, LabelResult, TextRequest, TextResult
from . import padded_replies, replies
from .choosing import Choice, Way, choose, pieces, way_and_cost
from .loading import load_model
from .memory import out_of_memory_explained
from .onednn import use_onednn
from .prefix_tree import Ids
from .reads import LogprobCollector, Reader
from .rope import max_stable_length, split_by_length
from .sampling import Prompt


class TokenCounter:
    """Counts the tokens that pass through a model, padding with them."""

    def __init__(self, model: Any) -> None:
        """The model holds the counter, not the counter the model."""
        self.tokens = 0
        model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, _: Any, inputs: tuple[Any, ...], settings: dict[str, Any]) -> None:
        self.tokens += (inputs[0] if inputs else settings["input_ids"]).numel()


class TransformersEngine:
    """The local engine. `way` is how it computes, and `why` says why not as a prefix tree."""

    def __init__(self, spec: ModelSpec) -> None:
        """Loads the model and tokenizer, and probes how the model can be batched."""
        if spec.pack_tokens < 1:
            raise ConfigError(f"pack_tokens is at least 1, not {spec.pack_tokens}")
        self._spec = spec
        self._model, self._tokenizer, self._identity = load_model(spec)
        self._reader = Reader(self._tokenizer, self._identity["context"])
        # a model's attention is set for a pass, and a tokenizer is not made for several threads
        self._lock = Lock()
        self._counter = TokenCounter(self._model)
        # a reply ends where the checkpoint says, or else the tokenizer
        ends = self._model.generation_config.eos_token_id
        ends = self._tokenizer.eos_token_id if ends is None else ends
        self._ends = frozenset(ends if isinstance(ends, list) else {ends} - {None})
        # else what the checkpoint prefers (a repetition penalty, say) would mix with what is asked
        self._model.generation_config = transformers.GenerationConfig()
        with out_of_memory_explained(spec.pack_tokens):
            self._identity["linear"] = use_onednn(self._model)
            self.way, self.why = choose(self._model, pack_tokens=spec.pack_tokens)
        self._identity["batching"] = str(self.way)
        self._identity["pack_tokens"] = spec.pack_tokens
        self._announced = False

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
        return way_and_cost(self.name, Choice(self.way, self.why))

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """Log-probabilities of every label after every prompt, each shared token computed once."""
        with self._lock, out_of_memory_explained(self._spec.pack_tokens):
            plan = self._reader.plan(requests)
            collector, self._counter.tokens = LogprobCollector(plan), 0
            for at, logits in pieces(
                self.way, self._model, plan.sequences, pack_tokens=self._spec.pack_tokens
            ):
                collector.add(at, logits)
            self._announce(sum(map(len, plan.sequences)), self._counter.tokens)
            collector.fill_plan(self._reader.spell)
        return plan.results()

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """The replies. What a request draws follows from its prompt and its seed alone."""
        with self._lock, out_of_memory_explained(self._spec.pack_tokens):
            # how long they get is not known
            self._announce()
            prompts = self._reader.prompts(requests)
            written = zip(prompts, self._write([*prompts.values()]), strict=True)
            return self._reader.replies(len(requests), dict(written))

    def _announce(self, total: int = 0, computed: int = 0) -> None:
        """Says how prompts go through the model, and after a unit of labels at what cost."""
        if not self._announced and not is_hidden() and (computed or not total):
            self._announced = True
            say(way_and_cost(self.name, Choice(self.way, self.why), total, computed))

    def _write(self, prompts: list[Prompt]) -> list[Ids]:
        """The tokens of each reply."""
        plan: dict[str, Any] = {"ends": self._ends, "pack_tokens": self._spec.pack_tokens}
        longest = max_stable_length(self._model)
        short, long = split_by_length([prompt.width for prompt in prompts], longest)
        write = replies.write if self.way is Way.TREE else padded_replies.write
        said = write(self._model, [prompts[i] for i in short], **plan)
        alone = [prompts[i] for i in long]
        said += padded_replies.write(self._model, alone, **plan, batch_size=1)
        return [tokens for _, tokens in sorted(zip((*short, *long), said, strict=True))]
