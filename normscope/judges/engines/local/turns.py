"""Several threads with one model: one computes while another tokenises."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from ....errors import ModelError


class Turns:
    """Who may compute: one thread at a time, and none whose unit was begun before the last `end`.

    A model's attention and the rows that it reads are set for a pass, and its allocator plans for
    one unit: two at once would meet.
    """

    def __init__(self, model: Any, name: str) -> None:
        """`name` is what the model is called where a unit fails because it was ended."""
        self._name = name
        self._lock = Lock()
        self._ends = 0
        self._begun: int | None = None
        self._passed = 0
        model.register_forward_pre_hook(self._before_pass, with_kwargs=True)

    @property
    def passed(self) -> int:
        """How many tokens have passed through the model in this turn, padding with them."""
        return self._passed

    def begin(self) -> int:
        """What tells a unit that begins now from those begun before the next `end`."""
        return self._ends

    @contextmanager
    def turn(self, begun: int) -> Iterator[None]:
        """Waits until the model is free, and has it for the block; a `ModelError` when ended."""
        with self._lock:
            self._begun, self._passed = begun, 0
            try:
                self._check()
                yield
            finally:
                self._begun = None

    def end(self) -> None:
        """Has all units that have begun fail before their next pass."""
        self._ends += 1

    def _before_pass(self, _: Any, inputs: tuple[Any, ...], settings: dict[str, Any]) -> None:
        self._check()
        self._passed += (inputs[0] if inputs else settings["input_ids"]).numel()

    def _check(self) -> None:
        if self._begun is not None and self._begun != self._ends:
            raise ModelError(f"{self._name} was ended before it had answered; ask again")
