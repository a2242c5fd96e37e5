"""The model under test, if the Space has one: `NORMSCOPE_MODEL`, as `--model` takes it.

None is bundled. The bundled judge was made to read answers, and its own norms mean nothing.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ...judges.engine import Engine, LabelRequest, LabelResult
from ...judges.engines import load
from ...records.model_spec import ModelSpec
from .words import Told
from .worker import Worker


class ServedModel:
    """A model that is loaded when it is first asked, and asked by one thread at a time."""

    def __init__(
        self, model: str | None = None, *, loading: Callable[[ModelSpec], Engine] = load
    ) -> None:
        """`model` is what `--model` takes; empty for none, null for what the environment says."""
        asked = os.environ.get("NORMSCOPE_MODEL", "") if model is None else model
        self.name = asked.strip()
        self._loading = loading
        self._engine: Engine | None = None
        self._worker = Worker("under-test", too_slow="vignettes_too_slow")

    @property
    def shown(self) -> str:
        """What a visitor is told that it is called: of a folder here its own name only."""
        return Path(self.name).name if Path(self.name).is_dir() else self.name

    @property
    def note(self) -> str:
        """What the model says of itself, as that it is untrained; empty before it is loaded."""
        return "" if self._engine is None else str(self._engine.identity.get("note") or "")

    def labels(self, requests: Sequence[LabelRequest], *, timeout: float) -> list[LabelResult]:
        """A result per request; a `Told` if there is no model, or none within the time."""
        if not self.name:
            raise Told("vignettes_no_model")

        def ask() -> list[LabelResult]:
            if self._engine is None:
                self._engine = self._loading(ModelSpec(model=self.name))
            return self._engine.labels(list(requests))

        return self._worker.ask(ask, timeout=timeout)
