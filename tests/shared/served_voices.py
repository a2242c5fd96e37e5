"""Who answers at a scripted server: a script, or a real tiny model."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Top = dict[str, float]
"""Tokens and their log-probabilities."""


@dataclass(frozen=True)
class Echo:
    """The tokens of a text, each with its log-probability and the best at its place."""

    tokens: list[str]
    logprobs: list[float | None]
    tops: list[Top | None]


class Voice(Protocol):
    """What a server needs of a model."""

    def chat_prompt(self, messages: list[dict[str, str]]) -> str:
        """The conversation as the model reads it."""

    def next_top(self, prompt: str, most: int) -> Top:
        """The most probable next tokens."""

    def echo(self, prompt: str, most: int) -> Echo:
        """What the model thinks of the prompt itself."""

    def write(self, prompt: str, body: Mapping[str, Any]) -> str:
        """A reply."""


@dataclass
class Script:
    """A voice without a model: the best next tokens by prompt, replies by body, words as tokens."""

    top: Callable[[str], Top] = lambda _prompt: {"1": -0.1, "0": -2.5}
    text: Callable[[Mapping[str, Any]], str] = lambda _body: "a reply"

    def chat_prompt(self, messages: list[dict[str, str]]) -> str:
        return "\n".join(f"{turn['role']}: {turn['content']}" for turn in messages)

    def next_top(self, prompt: str, most: int) -> Top:
        ranked = sorted(self.top(prompt).items(), key=lambda pair: -pair[1])
        return dict(ranked[:most])

    def echo(self, prompt: str, most: int) -> Echo:
        words = [f" {word}" if at else word for at, word in enumerate(prompt.split(" "))]
        tops: list[Top | None] = [None]
        every = [self.top("".join(words[:at])) for at in range(1, len(words))]
        told = [top.get(word, -20.0) for word, top in zip(words[1:], every, strict=True)]
        tops += [dict(list(top.items())[:most]) for top in every]
        return Echo(words, [None, *told], tops)

    def write(self, prompt: str, body: Mapping[str, Any]) -> str:
        return self.text({"read": prompt, **body})


class TinyVoice:
    """A real causal model in float32, one plain forward pass per question."""

    def __init__(self, folder: Path) -> None:
        import torch
        import transformers

        self._torch = torch
        self._lock = threading.Lock()
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        self._model = model.eval()

    def chat_prompt(self, messages: list[dict[str, str]]) -> str:
        text: str = self._tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
        return text

    def next_top(self, prompt: str, most: int) -> Top:
        return self._best(self._logprobs(self._ids(prompt))[-1], most)

    def echo(self, prompt: str, most: int) -> Echo:
        ids = self._ids(prompt)
        rows = self._logprobs(ids)
        told = [rows[at - 1, token].item() for at, token in enumerate(ids) if at]
        tops = [self._best(row, most) for row in rows[:-1]]
        return Echo([self._spell(token) for token in ids], [None, *told], [None, *tops])

    def write(self, prompt: str, body: Mapping[str, Any]) -> str:
        torch, ids = self._torch, self._ids(prompt)
        sampled = body["temperature"] > 0
        with self._lock, torch.inference_mode():
            torch.manual_seed(body["seed"])
            written = self._model.generate(
                torch.tensor([ids]),
                attention_mask=torch.ones(1, len(ids), dtype=torch.long),
                max_new_tokens=body["max_tokens"],
                do_sample=sampled,
                pad_token_id=self._tokenizer.pad_token_id,
                **({"temperature": body["temperature"], "top_k": 0} if sampled else {}),
            )
        text: str = self._tokenizer.decode(written[0, len(ids) :], skip_special_tokens=True)
        return text

    def _ids(self, prompt: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(prompt, add_special_tokens=False)
        return ids

    def _logprobs(self, ids: list[int]) -> Any:
        with self._lock, self._torch.inference_mode():
            logits = self._model(self._torch.tensor([ids])).logits[0]
        return logits.double().log_softmax(-1)

    def _best(self, row: Any, most: int) -> Top:
        values, places = row.topk(most)
        pairs = zip(places.tolist(), values.tolist(), strict=True)
        return {self._spell(token): value for token, value in pairs}

    def _spell(self, token: int) -> str:
        text: str = self._tokenizer.decode([token])
        return text
