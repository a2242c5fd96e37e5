"""A model with a classification head: the probabilities of its classes are those of the labels.

How a conversation becomes its text, and which class is which label, is said by a guard's file.
"""

from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

import torch

from ....errors import ModelError
from ....reasons import Reason
from ....records.judgement import RawToken
from ....records.model_spec import ModelSpec
from ...engine import LabelRequest, LabelResult, TextRequest, TextResult
from ...scale import Scale
from ..chat import render
from .devices import main_device, out_of_memory_explained
from .loading import Described, load_model
from .reads import RAW_TOP

_PADDED = 8
"""How many times `pack_tokens` a padded batch may have."""


class ClassifierEngine:
    """A classifier from the local disk or the Hub, asked in batches of texts of like length."""

    def __init__(self, spec: ModelSpec, described: Described) -> None:
        """Loads the model and its tokenizer; one whose classes do not exclude one another is none.

        Several labels that may hold at once (a sigmoid for each) are no distribution.
        """
        self._spec = spec
        self._model, self._tokenizer, self._identity = load_model(spec, described)
        if self._model.config.problem_type == "multi_label_classification":
            raise ModelError(
                f"{spec.model!r} gives each of its labels a probability of its own, which make no "
                "distribution: take a classifier of one label"
            )
        # some count places from their padding on, and have fewer than their config says
        context = self._identity["context"]
        self._context = min(context or 512, self._tokenizer.model_max_length)
        self._lock = Lock()
        self._names: Mapping[int, str] = self._model.config.id2label
        self._identity |= {"engine": "classifier", "classes": [*self._names.values()]}

    @property
    def name(self) -> str:
        """The model's path or Hub id as the user gave it."""
        return self._spec.model

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that changes the engine's answers."""
        return dict(self._identity)

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """The log-probability of the class of each label; a text that is too long has none."""
        if any(request.form is None for request in requests):
            raise ModelError(
                f"{self.name!r} is a classifier, which is asked by a guard's file only: name one "
                "(--rubric FILE), or lay it into the model's folder as guard.yaml"
            )
        results = [LabelResult(None, reason=Reason.TEXT_TOO_LONG)] * len(requests)
        with self._lock, out_of_memory_explained(self._spec.pack_tokens):
            texts = [render(self._tokenizer, r.conversation, "", r.form) for r in requests]
            for at, logprobs in self._batches(texts):
                classes = self._classes(requests[at].scale)
                top = logprobs.exp().topk(min(RAW_TOP, len(logprobs)))
                tokens = zip(top.indices.tolist(), top.values.tolist(), strict=True)
                results[at] = LabelResult(
                    tuple(logprobs[classes].tolist()),
                    raw_top=tuple(RawToken(self._names[index], p) for index, p in tokens),
                )
        return results

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:  # noqa: ARG002
        """A classifier writes nothing."""
        raise ModelError(
            f"{self.name!r} is a classifier and writes no text: --set judge_channels=labels"
        )

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[int, torch.Tensor]]:
        """The numbers of the texts that fit, each with the log-probabilities of the classes."""
        encoded = self._tokenizer([*texts], truncation=False, verbose=False) if texts else None
        first = self._tokenizer.bos_token_id or self._tokenizer.eos_token_id or 0
        rows = [ids or [first] for ids in encoded["input_ids"]] if encoded else []
        order = [at for at in range(len(rows)) if len(rows[at]) <= self._context]
        order.sort(key=lambda at: len(rows[at]))
        while order:
            # the last is the longest, to which the others are padded
            size = max(1, _PADDED * self._spec.pack_tokens // max(1, len(rows[order[-1]])))
            some, order = order[-size:], order[:-size]
            batch = self._tokenizer.pad(
                {"input_ids": [rows[at] for at in some]}, return_tensors="pt"
            )
            with torch.inference_mode():
                logits = self._model(**batch.to(main_device(self._model))).logits
            yield from zip(some, logits.double().log_softmax(-1).cpu(), strict=True)

    def _classes(self, scale: Scale) -> list[int]:
        """The class of each label, which is written as the class's name or its number."""
        by_name = {str(index): index for index in self._names}
        by_name |= {name: index for index, name in self._names.items()}
        if missing := [label for label in scale.labels if label not in by_name]:
            known = ", ".join(f"{index} = {name}" for index, name in self._names.items())
            raise ModelError(f"{self.name!r} has no class {missing[0]!r}; it has {known}")
        return [by_name[label] for label in scale.labels]
