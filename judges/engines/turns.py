"""Several threads with one model: one computes while another tokenises."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from ...errors import ModelError
from ...messages import message


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
        model.register_forward_pre_hook(self._before_pass)

    def begin(self) -> int:
        """What tells a unit that begins now from those begun before the next `end`."""
        return self._ends

    @contextmanager
    def turn(self, begun: int) -> Iterator[None]:
        """Waits until the model is free, and has it for the block; a `ModelError` when ended."""
        with self._lock:
            self._begun = begun
            try:
                self._check()
                yield
            finally:
                self._begun = None

    def end(self) -> None:
        """Has all units that have begun fail before their next pass."""
        self._ends += 1

    def _before_pass(self, *_: Any) -> None:
        self._check()

    def _check(self) -> None:
        if self._begun is not None and self._begun != self._ends:
            raise ModelError(
                message("{model} was ended before it had answered; ask again", model=self._name)
            )
