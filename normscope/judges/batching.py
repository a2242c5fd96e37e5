"""What waits at the same time is judged together: one unit of the judge's work after another."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Condition, Thread
from typing import NamedTuple

from ..errors import NormscopeError
from ..reasons import Reason
from ..records.judgement import Judgement
from ..records.response import Response
from .judge import Pair

Judgements = tuple[Judgement, ...]
"""What a judge says of one answer: a judgement per channel and criterion."""

BATCH, GATHER_S = 64, 0.005
"""The most answers that are judged together, and how long an idle judge waits for a second one."""

_LOG = logging.getLogger(__name__)


class OverloadedError(Exception):
    """More would wait than may."""

    def __init__(self, waiting: int) -> None:
        """`waiting` is how many answers wait already."""
        super().__init__(f"{waiting} answers wait to be judged")
        self.waiting = waiting


class ClosedError(Exception):
    """The queue is ending and takes nothing new."""


class _Entry(NamedTuple):
    pair: Pair
    future: "Future[Judgements]"


class Batcher:
    """A queue of answers and the one thread that has them judged.

    `judge` is called with up to `batch` answers, by one thread, one call after another. Whether an
    answer waits alone or with others changes its result by rounding only, which is the engine's
    promise. Where a call raises, its halves are judged instead, so that one answer that cannot be
    judged fails alone, as an unscored one whose call failed. An error that the engine raises on
    purpose (its server is gone) is that of all of them.
    """

    def __init__(
        self,
        judge: Callable[[Sequence[Pair]], Sequence[Judgements]],
        *,
        most_waiting: int,
        batch: int = BATCH,
        gather_s: float = GATHER_S,
    ) -> None:
        """Begins to work; no more than `most_waiting` answers may wait."""
        self._judge, self._most, self._batch = judge, most_waiting, batch
        self._gather_s = gather_s
        self._waiting: deque[_Entry] = deque()
        self._changed = Condition()
        self._closed = False
        self._thread = Thread(target=self._work, name="judge", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many answers wait; those that are being judged are not among them."""
        return len(self._waiting)

    def submit(self, pairs: Sequence[Pair]) -> list["Future[Judgements]"]:
        """The judgements to come of each, all accepted or none.

        Raises `OverloadedError` where there is no room for all of them, and `ClosedError` at the
        end. What is cancelled before it is begun is never judged.
        """
        entries = [_Entry(pair, Future()) for pair in pairs]
        with self._changed:
            if self._closed:
                raise ClosedError
            if len(self._waiting) + len(entries) > self._most:
                # clients that have gone away hold no place
                self._waiting = deque(e for e in self._waiting if not e.future.cancelled())
            if len(self._waiting) + len(entries) > self._most:
                raise OverloadedError(len(self._waiting))
            self._waiting.extend(entries)
            self._changed.notify_all()
        return [entry.future for entry in entries]

    def close(self) -> None:
        """Takes nothing new, and returns when all that was accepted is judged."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while (entries := self._next()) is not None:
            if not entries:
                continue
            try:
                results = self._judged([entry.pair for entry in entries])
                judged = list(zip(entries, results, strict=True))
            # a fault of ours: without this thread everybody would wait for ever
            except Exception as error:  # noqa: BLE001
                for entry in entries:
                    entry.future.set_exception(error)
                continue
            for entry, result in judged:
                entry.future.set_result(result)

    def _next(self) -> list[_Entry] | None:
        """Those to be judged next, none of which is cancelled; null when all is done."""
        with self._changed:
            if not self._waiting:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                # while the judge was busy others have gathered; an idle one waits a moment for them
                self._changed.wait_for(
                    lambda: len(self._waiting) >= self._batch or self._closed, self._gather_s
                )
            if not self._waiting:
                return None if self._closed else []
            batch = [self._waiting.popleft() for _ in range(min(self._batch, len(self._waiting)))]
        return [entry for entry in batch if entry.future.set_running_or_notify_cancel()]

    def _judged(self, pairs: Sequence[Pair]) -> list[Judgements]:
        try:
            return list(self._judge(pairs))
        except NormscopeError as error:
            return self._failed(pairs, error)
        # the worker's boundary: whatever an engine raises is this answer's reason, and no other's
        except Exception as error:  # noqa: BLE001
            if len(pairs) == 1:
                return self._failed(pairs, error)
            middle = len(pairs) // 2
            return [*self._judged(pairs[:middle]), *self._judged(pairs[middle:])]

    def _failed(self, pairs: Sequence[Pair], error: Exception) -> list[Judgements]:
        """Unscored, which the judge is not asked for."""
        # its message may quote an answer
        _LOG.error("answers that could not be judged: %d (%s)", len(pairs), type(error).__name__)
        failed = [
            (item, Response(response.key, reason=Reason.CALL_FAILED)) for item, response in pairs
        ]
        return list(self._judge(failed))
