"""Connections that nobody can hold open for nothing: uvicorn waits for ever for a header's rest."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from . import limits


class Bounded(H11Protocol):
    """A connection whose header has to come in time, and of which there are not too many."""

    bounds: Any = limits
    """What has `HEADER_S` and `CONNECTIONS`, and for `PerPeer` `CONNECTIONS_PER_USER`."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Waits for a header, or closes at once."""
        super().connection_made(transport)
        if self._too_many():
            transport.abort()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Goes on waiting while the header is not whole."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops waiting."""
        self._stop()
        super().connection_lost(exc)

    def _too_many(self) -> bool:
        return bool(len(self.connections) > self.bounds.CONNECTIONS)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.bounds.HEADER_S, self.transport.abort)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class PerPeer(Bounded):
    """The same where no proxy stands before the server: nobody may hold too many of them."""

    def _too_many(self) -> bool:
        peers = [_peer(connection) for connection in self.connections]
        most = self.bounds.CONNECTIONS_PER_USER
        return super()._too_many() or bool(peers.count(_peer(self)) > most)


def _peer(connection: Any) -> str | None:
    return connection.client[0] if connection.client else None
