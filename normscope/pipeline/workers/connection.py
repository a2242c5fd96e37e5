"""The connection to a Ray cluster, and what comes over it: each failure as an error of ours."""

import io
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

from ...errors import ConfigError, RunError
from .on_nodes import Answer
from .room import Node

_CLIENT = "ray://"
_CONNECT_S = 5.0
"""How long an address may take to answer."""


class LostError(RunError):
    """What ended a call of the cluster that was not an error of ours."""


def connect(ray: Any, address: str, *, cpus: int) -> None:
    """Connects this process to the cluster at the address; one that is begun here has the `cpus`.

    The address is one that `reached` gave: `auto` is one that was begun on this machine, else a new
    one. A `RunError` where the cluster cannot be used from here.
    """
    # what its workers print stays in its logs
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address == "auto":
            with suppress(ConnectionError):
                ray.init(address="auto", **options)
                return
        if address in {"auto", "local"}:
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, **options)
        else:
            ray.init(address=address, **options)
    except (OSError, RuntimeError, ValueError) as error:
        raise _unreachable(address, error) from error


def reached(address: str) -> str:
    """The address, `auto` with what RAY_ADDRESS says; Ray is not needed to see whether it answers.

    A `ConfigError` where it is none, a `RunError` within seconds where nothing answers: Ray itself
    tries for minutes.
    """
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or address
    if address in {"auto", "local"}:
        return address
    host, _, port = address.removeprefix(_CLIENT).rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S):
            return address
    except ValueError:
        raise ConfigError(
            f"--cluster {address} is no address: auto, local, ray://HOST:10001 or HOST:6379"
        ) from None
    except OSError as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> RunError:
    cause = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return RunError(
        f"the cluster at {address} cannot be used ({cause}): is it up (`ray status` there), is its "
        "port open from here, has it the same versions of Ray and Python?"
    )


def machines(ray: Any) -> dict[str, Node]:
    """What each machine that is up has, by its id."""
    return {node["NodeID"]: node["Resources"] for node in ray.nodes() if node["Alive"]}


def got(ray: Any, reference: Any, *, timeout: float | None = None) -> Answer:
    """What the call has answered; `LostError` where it did not come to its end."""
    try:
        answer: Answer = ray.get(reference, timeout=timeout)
    except ray.exceptions.GetTimeoutError:
        raise LostError("a machine of the cluster does not answer") from None
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", None) or error
        lines = str(cause).strip().splitlines() or [""]
        kind = type(cause).__name__
        raise LostError(f"cluster: {kind}: {lines[-1]}") from error
    return answer


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps what Ray writes to standard output from there: it is for results alone."""
    with redirect_stdout(io.StringIO()):
        yield
