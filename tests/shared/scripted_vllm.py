"""A stand-in for the `vllm` module: vLLM's offline interface, answered by a plain forward pass.

It refuses what vLLM would refuse, keeps what it was asked, and returns objects of vLLM's shape.
Where a test asks for longer replies they are the tokens that `script` names.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
import transformers

MAX_LOGPROB_TOKEN_IDS = 128


class VLLMError(Exception):
    """vLLM's own root of errors, which is no RuntimeError."""


@dataclass(slots=True)
class Asked:
    """What the engine gave to vLLM."""

    settings: dict[str, Any] = field(default_factory=dict)
    prompts: list[tuple[int, ...]] = field(default_factory=list)
    params: list[Any] = field(default_factory=list)
    ended: bool = False
    resets: int = 0


def stand_in(
    asked: Asked,
    *,
    context: int = 4096,
    script: Sequence[int] = (),
    left_out: int | None = None,
    dies: bool = False,
    old: bool = False,
) -> Any:
    """The module. `left_out` is a token whose log-probability is missing from every answer."""

    class OldParams:
        def __init__(self, **given: Any) -> None:
            self.__dict__.update(given)

    @dataclass
    class Params:
        max_tokens: int = 16
        temperature: float = 1.0
        top_p: float = 1.0
        top_k: int = 0
        seed: int | None = None
        logprobs: int | None = None
        prompt_logprobs: int | None = None
        logprob_token_ids: list[int] | None = None
        detokenize: bool = True

        def __post_init__(self) -> None:
            if self.logprob_token_ids and len(self.logprob_token_ids) > MAX_LOGPROB_TOKEN_IDS:
                raise VLLMError("too many logprob_token_ids")

    class LLM:
        def __init__(self, **settings: Any) -> None:
            asked.settings = settings
            self.model_config = SimpleNamespace(
                max_model_len=context, dtype=getattr(torch, settings["dtype"])
            )
            core = SimpleNamespace(shutdown=lambda: setattr(asked, "ended", True))
            self.llm_engine = SimpleNamespace(engine_core=core)
            self._model = transformers.AutoModelForCausalLM.from_pretrained(
                settings["model"], dtype=self.model_config.dtype
            ).eval()

        def reset_prefix_cache(self) -> bool:
            asked.resets += 1
            return True

        def generate(
            self, prompts: Sequence[Any], params: Sequence[Any], *, use_tqdm: bool
        ) -> list[Any]:
            if dies:
                raise VLLMError("EngineCore encountered an issue")
            assert not use_tqdm
            asked.prompts += [tuple(prompt["prompt_token_ids"]) for prompt in prompts]
            asked.params += params
            return [
                self._answer(prompt["prompt_token_ids"], how)
                for prompt, how in zip(prompts, params, strict=True)
            ]

        def _answer(self, prompt: list[int], how: Any) -> Any:
            if len(prompt) + how.max_tokens > context:
                raise VLLMError("longer than max_model_len")
            if how.max_tokens > 1:
                reply = list(script)[: how.max_tokens]
                return SimpleNamespace(outputs=[SimpleNamespace(token_ids=reply, logprobs=None)])
            with torch.no_grad():
                every = self._model(torch.tensor([prompt])).logits[0].log_softmax(-1)
            if how.prompt_logprobs is not None:
                after = zip(prompt[1:], every, strict=False)
                return SimpleNamespace(
                    prompt_logprobs=[
                        None,
                        *({t: SimpleNamespace(logprob=float(row[t]))} for t, row in after),
                    ]
                )
            logprobs = every[-1]
            likeliest = int(logprobs.argmax())
            chosen = how.logprob_token_ids or logprobs.topk(how.logprobs).indices.tolist()
            told = {
                token: SimpleNamespace(logprob=float(logprobs[token]))
                for token in (likeliest, *chosen)
                if token != left_out
            }
            assert all(math.isfinite(entry.logprob) for entry in told.values())
            return SimpleNamespace(
                outputs=[SimpleNamespace(token_ids=[likeliest], logprobs=[told])]
            )

    return SimpleNamespace(
        __version__="0.0.scripted",
        LLM=LLM,
        SamplingParams=OldParams if old else Params,
        exceptions=SimpleNamespace(VLLMError=VLLMError),
    )
