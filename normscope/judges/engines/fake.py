"""A scripted engine for tests and examples: it answers what it was told to answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..engine import LabelRequest, LabelResult, TextRequest, TextResult


@dataclass(slots=True)
class FakeEngine:
    """Answers by calling `on_labels` and `on_text`, and keeps the requests it was given."""

    on_labels: Callable[[LabelRequest], LabelResult]
    on_text: Callable[[TextRequest], TextResult]
    name: str = "fake"
    requests: list[LabelRequest | TextRequest] = field(default_factory=list)

    @property
    def identity(self) -> dict[str, Any]:
        """Only its name: a script has nothing else."""
        return {"engine": "fake", "model": self.name, "note": None}

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """One scripted result per request."""
        self.requests.extend(requests)
        return [self.on_labels(request) for request in requests]

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """One scripted reply per request."""
        self.requests.extend(requests)
        return [self.on_text(request) for request in requests]
