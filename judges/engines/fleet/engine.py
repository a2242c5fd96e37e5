"""Several servers of one model as one engine: each piece of work is done whole by one of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ....errors import UsageError
from ....messages import joined, message
from ....progress import is_hidden, say
from ....records.model_spec import ModelSpec, addresses_of
from ...engine import LabelRequest, LabelResult, TextRequest, TextResult
from ..endpoint import LANES, EndpointEngine, Purse, UnavailableError, Waiting
from ..endpoint.address import parse
from .roster import Roster
from .routing import beginning

R = TypeVar("R", LabelRequest, TextRequest)
A = TypeVar("A")


class FleetEngine:
    """Asks several servers; the budget, the key and the settings are those of all together.

    What is asked at once stays on one server, and its result is that server's alone: where it
    fails, the whole is asked of another. So nothing is put together of two answers, and every
    request is answered once.
    """

    def __init__(self, spec: ModelSpec, *, waiting: Waiting | None = None) -> None:
        """Greets the servers, each with one call of one token."""
        addresses = addresses_of(spec.model)
        bases = [parse(address).base for address in addresses]
        for base in bases:
            if bases.count(base) > 1:
                raise UsageError(message("{server} is named twice", server=base))
        purse, waiting = Purse(spec.endpoint), waiting or Waiting()
        self._roster = Roster(
            addresses,
            lambda address: EndpointEngine(
                replace(spec, model=address), waiting=waiting, purse=purse
            ),
            waiting.clock,
        )
        self._servers = len(addresses)
        self._said: dict[str, int] = {}

    @property
    def name(self) -> str:
        """What the servers call the model, so that a table is the same whichever did the work."""
        return self._roster.model.name

    @property
    def identity(self) -> dict[str, Any]:
        """That of a single server: all of them have the same."""
        return self._roster.model.identity

    @property
    def lanes(self) -> int:
        """How many units keep the servers busy."""
        return LANES * self._servers

    def labels(self, requests: Sequence[LabelRequest]) -> list[LabelResult]:
        """As a single server tells them (`EndpointEngine.labels`)."""
        return self._of_one(requests, lambda engine: engine.labels(requests))

    def texts(self, requests: Sequence[TextRequest]) -> list[TextResult]:
        """As a single server writes them (`EndpointEngine.texts`)."""
        return self._of_one(requests, lambda engine: engine.texts(requests))

    def served(self) -> tuple[str, ...]:
        """Which models have answered since this was last asked."""
        return self._roster.served()

    def shares(self) -> dict[str, int]:
        """How many requests each server has answered, by its address."""
        return self._roster.shares()

    def end(self) -> None:
        """Ends what is in progress, and says how many requests each server has answered since."""
        self._roster.end()
        shares = self.shares()
        since = {server: shares[server] - self._said.get(server, 0) for server in shares}
        self._said = shares
        if any(since.values()) and not is_hidden():
            each = (f"{server} {number:,}" for server, number in since.items())
            say(message("requests answered: {shares}", shares=joined(each)))

    def _of_one(
        self, requests: Sequence[R], answers: Callable[[EndpointEngine], list[A]]
    ) -> list[A]:
        """The answers of one server, or, where that becomes unwell, those of another."""
        if not requests:
            return []
        begin = beginning(request.conversation for request in requests)
        failed: list[UnavailableError] = []
        # bounded: what takes one server after the other down is no outage
        while len(failed) <= self._servers:
            with self._roster.at_work(begin) as (member, engine):
                try:
                    result = answers(engine)
                except UnavailableError as error:
                    failed.append(error)
                    self._roster.drop(member, engine, error)
                    continue
                self._roster.answered(member, len(requests))
                return result
        raise failed[-1]
