"""vLLM, offline: for large models on GPUs. It lives in an environment of its own.

Every read is one token asked of a prompt: vLLM computes what prompts have in common once (prefix
caching) and returns the log-probabilities of just the tokens that are asked for, of the whole
vocabulary and before any processing. Labels of several tokens are read the same way, after each of
their beginnings. vLLM's prompt log-probabilities would give the same numbers, but they switch its
cache off: every spelling would pay for its whole prompt.
"""

import math
import os
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...errors import ModelError
from ...extras import require
from ...records.judgement import RawToken
from ...records.model_spec import VLLM, ModelSpec
from ..engine import LabelRequest, LabelResult, TextRequest, TextResult
from .local.loading import Described, describe, explain
from .local.prefix_tree import Ids
from .local.reads import RAW_TOP, Reader

OLDEST = "0.28"
"""A version known to return the log-probabilities of chosen tokens."""


# Nine tenths of the GPUs' memory are one engine's. It does not end by itself when it is no longer
# used: modules that vLLM imports keep the frames of their importers, and the engine in them (seen
# with 0.32.0).
_RUNNING: list["weakref.finalize[..., Any]"] = []


class VllmEngine:
    """A model in vLLM's offline engine; tokens are ours, so that they are those of every engine.

    One runs at a time: starting another ends the one before.
    """

    def __init__(self, spec: ModelSpec) -> None:
        """Loads the model onto the GPUs that vLLM finds."""
        # vLLM tells its makers how it is used unless it is told not to
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        self._vllm = require("vllm", extra="vllm")
        if not hasattr(self._vllm.SamplingParams, "logprob_token_ids"):
            detail = f"vLLM {self._vllm.__version__} cannot read the probability of a chosen token"
            raise ModelError(f"{detail}: install vllm>={OLDEST}")
        self._name = spec.model
        plain_spec = replace(spec, model=spec.model.removeprefix(VLLM))
        described = describe(plain_spec)
        revision = described.identity["revision"] or (
            None if described.folder else plain_spec.revision
        )
        while _RUNNING:
            _RUNNING.pop()()
        try:
            self._llm = self._vllm.LLM(
                model=plain_spec.model,
                tokenizer=plain_spec.model,
                revision=revision,
                tokenizer_revision=revision,
                trust_remote_code=False,
                load_format="safetensors",
                dtype=_dtype(plain_spec, described),
                tensor_parallel_size=plain_spec.tensor_parallel,
                enable_prefix_caching=True,
                logprobs_mode="raw_logprobs",
                # the longest context for which there is memory
                max_model_len=-1,
                seed=0,
            )
        except (
            OSError,
            ValueError,
            ImportError,
            RuntimeError,
            AssertionError,
            self._error,
        ) as error:
            raise ModelError(explain(plain_spec, error, described.config)) from error
        self._end = weakref.finalize(self, self._llm.llm_engine.engine_core.shutdown)
        _RUNNING.append(self._end)
        config = self._llm.model_config
        self._identity = {
            "engine": "vllm",
            "vllm": self._vllm.__version__,
            **described.identity,
            "model": spec.model,
            "context": config.max_model_len,
            "dtype": str(config.dtype).removeprefix("torch."),
            "tensor_parallel": plain_spec.tensor_parallel,
            "batching": "prefix caching",
        }
        self._reader = Reader(described.tokenizer, config.max_model_len)

    @property
    def name(self) -> str:
        """The model as the user gave it, with `vllm:` in front."""
        return self._name

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that changes the engine's answers, except how vLLM forms its batches."""
        return dict(self._identity)

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """Log-probabilities of every label after every prompt."""
        plan = self._reader.plan(requests)
        # prompts that begin alike follow one another, while their beginning is in the cache
        order = sorted(range(len(plan.reads)), key=plan.sequences.__getitem__)
        # vLLM's own front end asks for chosen tokens or for the likeliest, never for both at once;
        # the likeliest are read right after the prompt alone, which is in its cache by then
        queries: list[tuple[int, tuple[int, ...]]] = []
        for index in order:
            read = plan.reads[index]
            queries += (
                [(index, read.tokens)] if read.prefix else [(index, read.tokens), (index, ())]
            )
        outputs = self._ask(
            [plan.sequences[index] for index, _ in queries],
            [self._one_token(tokens) for _, tokens in queries],
        )
        places = {
            query: _first_place(output) for query, output in zip(queries, outputs, strict=True)
        }
        for (index, tokens), place in places.items():
            if tokens:
                read, likeliest = plan.reads[index], places.get((index, ()))
                top = () if likeliest is None else self._top(likeliest)
                plan.record(read, [_logprob(place, token) for token in tokens], top)
        return plan.results()

    def _one_token(self, tokens: tuple[int, ...]) -> Any:
        """What is asked of vLLM for these tokens; for none of them, the likeliest."""
        how = {"logprob_token_ids": list(tokens)} if tokens else {"logprobs": RAW_TOP}
        return self._vllm.SamplingParams(max_tokens=1, temperature=0.0, detokenize=False, **how)

    def _top(self, place: Any) -> tuple[RawToken, ...]:
        """The likeliest tokens of a place; vLLM adds the one that it wrote."""
        ranked = sorted(place, key=lambda token: (-place[token].logprob, token))[:RAW_TOP]
        return tuple(
            RawToken(self._reader.spell(token), math.exp(_logprob(place, token)))
            for token in ranked
        )

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """The replies. What a request draws follows from its prompt and its seed alone."""
        prompts = self._reader.prompts(requests)
        params = [
            self._vllm.SamplingParams(
                max_tokens=prompt.max_new_tokens,
                temperature=prompt.temperature,
                seed=prompt.seed,
                detokenize=False,
            )
            for prompt in prompts.values()
        ]
        outputs = self._ask([prompt.ids for prompt in prompts.values()], params)
        tokens = [output.outputs[0].token_ids for output in outputs]
        return self._reader.replies(len(requests), dict(zip(prompts, tokens, strict=True)))

    def _ask(self, prompts: Sequence[Ids], params: Sequence[Any]) -> Any:
        if not prompts:
            return []
        if not self._end.alive:
            raise ModelError(f"{self._name} was ended when another vLLM was started: load it again")
        tokens = [{"prompt_token_ids": list(prompt)} for prompt in prompts]
        try:
            return self._llm.generate(tokens, list(params), use_tqdm=False)
        except (RuntimeError, self._error) as error:
            detail = " ".join(str(error).split())[:300]
            remedy = "its own log says why; finished units are kept, run the same again"
            raise ModelError(
                f"vLLM failed at {len(prompts)} prompts ({detail}): {remedy}"
            ) from error

    @property
    def _error(self) -> type[Exception]:
        """The root of vLLM's own errors."""
        root: type[Exception] = getattr(
            getattr(self._vllm, "exceptions", None), "VLLMError", RuntimeError
        )
        return root


def _first_place(output: Any) -> Any:
    """What was read at the one generated place, by token."""
    places = output.outputs[0].logprobs
    if not places:
        raise ModelError("vLLM returned no log-probabilities: it must not be patched to drop them")
    return places[0]


def _logprob(place: Any, token: int) -> float:
    if token not in place:
        raise ModelError(
            f"vLLM left out the log-probability of token {token}: the model's vocabulary is "
            "smaller than its tokenizer's"
        )
    return float(place[token].logprob)


def _dtype(spec: ModelSpec, described: Described) -> str:
    """The dtype asked for; the checkpoint's own, which vLLM would halve if it is float32."""
    if spec.dtype != "auto":
        return spec.dtype
    stored = getattr(described.config, "dtype", None)
    quantised = described.identity["quantisation"] is not None
    return "auto" if stored is None or quantised else str(stored).removeprefix("torch.")
