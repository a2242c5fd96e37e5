"""The socket at which a server of ours listens, and the address that leads there."""

import socket
from urllib.parse import urlsplit

from ...errors import UsageError

THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
"""What a server that only this machine can reach may be called."""

_FIRST_PORT, _PORTS = 7860, 100
_REACHED_AT = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is listened to


def link(listening: socket.socket, address: str) -> str:
    """Where a browser on this machine finds the address."""
    host, port = listening.getsockname()[:2]
    name = _REACHED_AT.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{address.removesuffix('/')}"


def listening(host: str, port: int | None) -> socket.socket:
    """The socket at the port, or at the first free one; a `UsageError` if there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = range(_FIRST_PORT, _FIRST_PORT + _PORTS) if port is None else [port]
    reason = ""
    for number in ports:
        try:
            return socket.create_server((host.strip("[]"), number), family=family, backlog=128)
        except OSError as error:
            reason = str(error)
    places = f"port {port}" if port is not None else f"any port from {ports[0]} to {ports[-1]}"
    raise UsageError(f"cannot listen at {host}, {places} ({reason}): choose another with --port")


def names_of(host: str) -> frozenset[str] | None:
    """What a server that listens at the host may be called; null for anything.

    A page in a browser of this machine can have its own name lead here (DNS rebinding), and would
    read all that is shown: its requests name that, by which they are known.
    """
    return THIS_MACHINE if host.strip("[]") in THIS_MACHINE else None


def name_in(header: bytes) -> str:
    """The name in a Host header, without its port.

    >>> name_in(b"127.0.0.1:8000"), name_in(b"[::1]:8000"), name_in(b"evil.example")
    ('127.0.0.1', '::1', 'evil.example')
    """
    try:
        return urlsplit(f"//{header.decode('latin-1')}").hostname or ""
    except ValueError:
        return ""
