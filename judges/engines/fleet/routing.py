"""Which server gets the next piece of work: of those with the least to do the one that knows it.

Rendezvous hashing (Thaler & Ravishankar 1998): every server draws a number from its address and
from what the prompts begin with, and the highest has them. So prompts that begin alike come to one
server, whose cache then has their beginning, also from another process or after a restart; a server
that goes leaves the others' prompts where they are. None gets more work than another for it: what a
unit's prompts share among themselves is far more than what they share with other units'.
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

    It has the fewest; of several it is the one that has the beginning.

    >>> route("Judge this.", {"a": 2, "b": 1})
    'b'
    """
    least = min(loads.values())
    free = [server for server, load in loads.items() if load == least]
    return max(free, key=lambda server: _draw(beginning, server))


def _draw(beginning: str, server: str) -> bytes:
    # with a hash that is the same in every process, unlike Python's own
    return hashlib.blake2b(f"{server}\n{beginning}".encode(), digest_size=8).digest()
