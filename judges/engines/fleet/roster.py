"""The servers of a fleet: which of them are well, what each is doing, and what each has done.

One that cannot answer is dropped, and greeted again after a pause that grows while it stays away.
It is used again when it answers and still serves the same model.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Thread

from ....errors import ModelError
from ....messages import joined, message
from ....progress import say
from ..endpoint import EndpointEngine, UnavailableError
from .routing import route

FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0


@dataclass(eq=False, slots=True)
class Member:
    """A server: its engine while it is well, else the reason why it is not.

    `working` is how many units it has in progress, `answered` how many requests it has answered;
    it is greeted `again` when the clock says so, and the next time after a longer `pause`.
    """

    address: str
    engine: EndpointEngine | None = None
    reason: str = ""
    working: int = 0
    answered: int = 0
    pause: float = FIRST_PAUSE
    again: float = 0.0
    is_greeted: bool = False

    @property
    def where(self) -> str:
        """The address without the model's name."""
        return self.address.partition("#")[0]


class Roster:
    """Who is there. Every method may be called from several threads."""

    def __init__(
        self,
        addresses: Sequence[str],
        greet: Callable[[str], EndpointEngine],
        clock: Callable[[], float],
    ) -> None:
        """Greets all servers at once; one at least must be there, the others may come later.

        `greet` makes the engine of a server or raises the error that it meets. An error where two
        of them do not serve the same model, or where one could never answer.
        """
        self._greet, self._clock = greet, clock
        self._members = [Member(address) for address in addresses]
        self._lock, self._last_call = Lock(), Lock()
        self._engines: list[EndpointEngine] = []
        first: EndpointEngine | None = None
        with ThreadPoolExecutor(len(addresses)) as pool:
            answers = list(pool.map(self._answer, self._members))
        for member, answer in zip(self._members, answers, strict=True):
            if isinstance(answer, UnavailableError):
                self._leave_out(member, answer.what)
                continue
            first = first or answer
            if unlike := _unlike(first, answer):
                raise ModelError(message("{unlike}: leave one of them out", unlike=unlike))
            self._join(member, answer)
        if first is None:
            raise self._nobody()
        self.model = first
        """One of the engines, to tell what all of them are."""
        for member in self._members:
            if member.engine is None:
                say(message("{reason}; the others do its work", reason=member.reason))

    def shares(self) -> dict[str, int]:
        """How many requests each server has answered."""
        return {member.where: member.answered for member in self._members}

    def served(self) -> tuple[str, ...]:
        """Which models have answered since this was last asked."""
        with self._lock:
            engines = list(self._engines)
        return tuple(dict.fromkeys(name for engine in engines for name in engine.served()))

    def end(self) -> None:
        """Ends what is in progress at any server, also at one that was dropped meanwhile."""
        with self._lock:
            engines = list(self._engines)
        for engine in engines:
            engine.end()

    @contextmanager
    def at_work(self, beginning: str) -> Iterator[tuple[Member, EndpointEngine]]:
        """The server that is to do a unit whose prompts begin so, at work until the block ends.

        An error where none answers, also when each is greeted once more.
        """
        self._greet_those_due()
        member, engine = self._chosen(beginning) or self._after_last_call(beginning)
        try:
            yield member, engine
        finally:
            with self._lock:
                member.working -= 1

    def answered(self, member: Member, requests: int) -> None:
        """Notes that the server has answered so many requests."""
        with self._lock:
            member.answered += requests
            # only now: one that answers greetings and nothing else is left alone longer and longer
            member.pause = FIRST_PAUSE

    def drop(self, member: Member, engine: EndpointEngine, error: UnavailableError) -> None:
        """Leaves the server out until it is well; another thread may have done so already."""
        with self._lock:
            if member.engine is not engine:
                return
            self._leave_out(member, error.what)
            others = any(other.engine is not None for other in self._members)
        if others:
            say(
                message(
                    "{reason}; its work goes to the others, and it is tried again in {pause} s",
                    reason=member.reason,
                    pause=f"{member.pause:g}",
                )
            )

    def _chosen(self, beginning: str) -> tuple[Member, EndpointEngine] | None:
        with self._lock:
            there = {m.address: (m, m.engine) for m in self._members if m.engine is not None}
            if not there:
                return None
            loads = {address: member.working for address, (member, _) in there.items()}
            member, engine = there[route(beginning, loads)]
            member.working += 1
            return member, engine

    def _after_last_call(self, beginning: str) -> tuple[Member, EndpointEngine]:
        """The same when all are away: one may have come back since it was last greeted."""
        with self._last_call:
            if (chosen := self._chosen(beginning)) is None:
                with ThreadPoolExecutor(len(self._members)) as pool:
                    pool.map(self._greet_again, self._members)
                chosen = self._chosen(beginning)
        if chosen is None:
            raise self._nobody()
        return chosen

    def _greet_those_due(self) -> None:
        with self._lock:
            due = [
                member
                for member in self._members
                if member.engine is None and not member.is_greeted and member.again <= self._clock()
            ]
            for member in due:
                member.is_greeted = True
        for member in due:
            # beside the work: a server that hangs must not hold up a unit
            Thread(target=self._greet_again, args=[member], daemon=True).start()

    def _greet_again(self, member: Member) -> None:
        try:
            answer = self._answer(member)
        except ModelError as error:
            answer = UnavailableError(str(error), "")
        if isinstance(answer, UnavailableError):
            engine, reason, text = None, answer.what, ""
        elif reason := _unlike(self.model, answer):
            engine, text = None, message("{reason}: it stays out", reason=reason)
        else:
            engine, text = answer, message("{server} is back", server=member.where)
        with self._lock:
            member.is_greeted = False
            if member.engine is not None:
                return  # another thread was faster
            is_new = reason != member.reason
            member.pause = min(LONGEST_PAUSE, 2 * member.pause)
            self._leave_out(member, reason)
            if engine is not None:
                self._join(member, engine)
        if text and is_new:
            say(text)

    def _answer(self, member: Member) -> EndpointEngine | UnavailableError:
        try:
            return self._greet(member.address)
        except UnavailableError as error:
            return error

    def _leave_out(self, member: Member, reason: str) -> None:
        member.engine, member.reason = None, reason
        member.again = self._clock() + member.pause

    def _join(self, member: Member, engine: EndpointEngine) -> None:
        member.engine = engine
        self._engines.append(engine)

    def _nobody(self) -> ModelError:
        return ModelError(
            message(
                "none of the servers answers ({reasons}): see to one of them and give the same "
                "command again; finished units are kept",
                reasons=joined((member.reason for member in self._members), "; "),
            )
        )


def _unlike(first: EndpointEngine, other: EndpointEngine) -> str:
    """In what the servers' models are not the same; empty where they are."""
    identity = other.identity
    for field, value in first.identity.items():
        if identity[field] != value:
            return message(
                "{first} and {other} do not serve the same model: {field} is {value} at the first "
                "and {another} at the other",
                first=first.where,
                other=other.where,
                field=field,
                value=repr(value),
                another=repr(identity[field]),
            )
    return ""
