"""Which server gets the next piece of work: one that is free, and of those the one that knows it.

Rendezvous hashing (Thaler & Ravishankar 1998): every server draws a number from its address and
from what the prompts begin with, and the highest has them. So prompts that begin alike come to one
server, whose cache then has their beginning, also from another process or after a restart; a server
that goes leaves the others' prompts where they are. How much more work it may have than the others
is bounded (as in consistent hashing with bounded loads, Mirrokni et al. 2018).
"""

import hashlib
from collections.abc import Iterable, Mapping
from os.path import commonprefix

from ...engine import Conversation


def beginning(conversations: Iterable[Conversation]) -> str:
    """The lines that all conversations begin with; empty where they have not even one in common.

    >>> beginning([(("user", "Judge this.\\nWhat?"),), (("user", "Judge this.\\nWho?"),)])
    'Judge this.\\n'
    """
    texts = ["\n".join(content for _, content in turns) for turns in conversations]
    common = commonprefix(texts)  # noqa: RUF071 - of texts, not of paths
    return common[: common.rfind("\n") + 1]


def route(beginning: str, loads: Mapping[str, int]) -> str:
    """The server that gets the work, of those whose numbers of units in progress are `loads`.

    One that has nothing to do gets it before all others. Otherwise it is the beginning's own server
    unless that has two units more than another has; without a beginning the one with the fewest.

    >>> route("", {"a": 2, "b": 1})
    'b'
    """
    least = min(loads.values())
    most = least + 1 if least and beginning else least
    free = [server for server, load in loads.items() if load <= most]
    return max(free, key=lambda server: _draw(beginning, server))


def _draw(beginning: str, server: str) -> bytes:
    # with a hash that is the same in every process, unlike Python's own
    return hashlib.blake2b(f"{server}\n{beginning}".encode(), digest_size=8).digest()
