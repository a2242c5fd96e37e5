"""What is to be published, and what has to change where it goes; no network here.

What is pushed is compared with what is there and with what was last pushed from the folder:

- a file that is there already is not sent, and if all are, nothing is committed;
- a file is deleted if it was pushed from here, nobody changed it since, and it is no longer part of
  what is published;
- anything else in the repository is somebody's own and stays.
"""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from .files import typed_json, write_json

RepoType = Literal["dataset", "model", "space"]
Content = Path | bytes

CARD = "README.md"
MEMORY = ".published.json"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Hashes:
    """A content's size in bytes and the two names that the Hub may have for it.

    A large file goes by its SHA-256, a small one by git's hash of a blob.
    """

    size: int
    sha256: str
    git: str

    def __contains__(self, oid: str | None) -> bool:
        """Whether the Hub's name for a file is one of this content's."""
        return oid in {self.sha256, self.git}


@dataclass(frozen=True, slots=True)
class Publication:
    """What is to be published: the files by their path in the repository, mostly with its card.

    `listed` names the files that a card claims as its own, `merge` makes the card for the case that
    listed files of others stay: of our card, theirs, and the paths of those files. `addressed`
    gives those files whose content depends on the address that the repository has. Where it may not
    be made (`may_create`), the repository is somebody's already.
    """

    repo_type: RepoType
    slug: str
    folder: Path
    files: Mapping[str, Content]
    listed: Callable[[str], frozenset[str]] = lambda _: frozenset()
    merge: Callable[[str, str, frozenset[str]], str] = lambda ours, *_: ours
    addressed: Callable[[str], Mapping[str, Content]] | None = None
    may_create: bool = True

    def at(self, address: str) -> "Publication":
        """The publication for the repository with that address."""
        if self.addressed is None:
            return self
        return replace(self, files={**self.files, **self.addressed(address)})

    @property
    def card(self) -> str:
        """The card's text; empty where the repository's own stays."""
        return read_content(self.files[CARD]).decode() if CARD in self.files else ""


@dataclass(frozen=True, slots=True)
class State:
    """A repository at a commit: the Hub's name for each file's content, and the card's text."""

    commit: str = ""
    files: dict[str, str] = field(default_factory=dict)
    card: str = ""


@dataclass(frozen=True, slots=True)
class Last:
    """What was last pushed from a folder: the commit that held it, the contents, the card."""

    commit: str = ""
    files: dict[str, Hashes] = field(default_factory=dict)
    card: str = ""

    def state(self) -> State:
        """The repository as it was then, as far as it was pushed from here."""
        files = {path: hashes.sha256 for path, hashes in self.files.items()}
        return State(self.commit, files, self.card)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a push changes: paths by what becomes of them, the card and the hashes that it leaves.

    `staying` are files of others that the card in the repository lists and will go on listing.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    unchanged: tuple[str, ...]
    staying: tuple[str, ...]
    card: str
    hashes: dict[str, Hashes]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to commit."""
        return not (self.added or self.changed or self.deleted)


def make_plan(publication: Publication, there: State, last: Last, *, prune: bool = False) -> Plan:
    """What has to change for the repository in the state `there` to hold the publication.

    With `prune`, files that the card in the repository lists are deleted whoever pushed them.
    """
    card = publication.card
    listed = publication.listed(there.card) & there.files.keys()
    others = there.files.keys() - publication.files.keys()
    # only what was pushed from here and nobody has changed since
    deleted = {path for path in others if there.files[path] in last.files.get(path, ())}
    deleted |= listed & others if prune else set()
    staying = frozenset(listed & (others - deleted))
    if staying:
        card = publication.merge(card, there.card, staying)
    hashes = {path: hash_content(local) for path, local in publication.files.items()}
    if CARD in publication.files:
        hashes[CARD] = hash_content(card.encode())
    # the Hub names a large file by its SHA-256 and a small one as git does: either will do
    unchanged = {path for path in hashes if there.files.get(path) in hashes[path]}
    return Plan(
        added=tuple(sorted(hashes.keys() - there.files.keys())),
        changed=tuple(sorted((hashes.keys() & there.files.keys()) - unchanged)),
        deleted=tuple(sorted(deleted)),
        unchanged=tuple(sorted(unchanged)),
        staying=tuple(sorted(staying)),
        card=card,
        hashes=hashes,
    )


def read_content(content: Content) -> bytes:
    """The bytes, those of the file if it is one."""
    return content if isinstance(content, bytes) else content.read_bytes()


def hash_content(content: Content) -> Hashes:
    """The size and the hashes of a file's bytes, or of the bytes given.

    >>> hash_content(b"").git  # git hash-object /dev/null
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    sha256 = hashlib.sha256()
    git = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    if isinstance(content, bytes):
        sha256.update(content)
        git.update(content)
    else:
        with content.open("rb") as file:
            while chunk := file.read(_CHUNK):
                sha256.update(chunk)
                git.update(chunk)
    return Hashes(size, sha256.hexdigest(), git.hexdigest())


def remember(folder: Path, address: str, last: Last) -> None:
    """Writes down, in the folder, what was pushed from it to the address."""
    known = {**_read_memory(folder), address: last}
    # from a folder that cannot be written to, a later push deletes nothing: the careful side
    with suppress(OSError):
        write_json(folder / MEMORY, {to: asdict(what) for to, what in known.items()})


def last_pushed(folder: Path, address: str) -> Last:
    """What was last pushed from the folder to the address; empty if nothing is known."""
    return _read_memory(folder).get(address, Last())


def known_addresses(folder: Path) -> tuple[str, ...]:
    """The addresses that were pushed to from the folder."""
    return tuple(_read_memory(folder))


def _read_memory(folder: Path) -> dict[str, Last]:
    try:
        text = (folder / MEMORY).read_bytes()
        return typed_json(dict[str, Last], text)
    except (OSError, ValidationError):
        # nothing is known then, and nothing will be deleted
        return {}
