"""One atomic commit, or a pull request, on the Hugging Face Hub; begun anew on a conflict.

The token is the one of the environment or of `hf auth login`; it is never passed on or shown.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import DataError, UsageError
from .publication import (
    CARD,
    Last,
    Plan,
    Publication,
    RepoType,
    State,
    known_addresses,
    last_pushed,
    make_plan,
    remember,
)

if TYPE_CHECKING:
    from huggingface_hub import HfApi

ATTEMPTS = 8
CONFLICTS = frozenset({409, 412})
_FIRST_WAIT_SECONDS = 0.2
_LONGEST_WAIT_SECONDS = 5.0
_REMEDIES = {
    400: "what it says is wrong has to be changed in what is pushed",
    401: "the token is not accepted: run `hf auth login` again, or set HF_TOKEN to a valid one",
    403: "the token may not write there: take one with write access, or open a pull request "
    "(--pull-request)",
    404: "there is no such repository, or the token may not see it; check the name",
    413: "it is too large for the Hub",
    429: "too many requests: wait and try again",
}
_ANY_REMEDY = "try again later; nothing of this push is in the repository"


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did: the commit that holds the files, its address, how often it was begun anew.

    `url` is the pull request's address if one was opened, and null if nothing was committed.
    """

    repo: str
    commit: str
    url: str | None
    plan: Plan
    conflicts: int


def push(
    publication: Publication,
    repo: str | None,
    *,
    message: str,
    private: bool = False,
    pull_request: bool = False,
    prune: bool = False,
) -> Pushed:
    """Commits the publication to `repo` (`org/name`; null: the user's own, under its slug).

    The repository is made if it is missing. The commit's parent is the state that was read, so that
    it fails if somebody else commits in between (409, 412): then the state is read again and the
    commit made anew, at most `ATTEMPTS` times.
    """
    from huggingface_hub import HfApi

    api = HfApi()
    with _explained(api.endpoint):
        repo = _full_name(api, repo, publication.slug)
        address = _address(api, repo, publication.repo_type)
        publication = publication.at(address)
        if not pull_request and publication.may_create:
            _create(api, repo, publication.repo_type, private=private)
        last = last_pushed(publication.folder, address)
        for conflicts in range(ATTEMPTS):
            if conflicts:
                # twice as long each time, and at random, so that two who push part
                longest = min(_FIRST_WAIT_SECONDS * 2**conflicts, _LONGEST_WAIT_SECONDS)
                time.sleep(longest * random.random())  # noqa: S311
            there = _read(api, repo, publication.repo_type)
            plan = make_plan(publication, there, last, prune=prune)
            if plan.empty:
                pushed = Pushed(repo, there.commit, None, plan, conflicts)
                break
            info = _commit(
                api, repo, publication, there, plan, message=message, pull_request=pull_request
            )
            if info is not None:
                pushed = Pushed(repo, info.oid, info.pr_url or info.commit_url, plan, conflicts)
                break
        else:
            raise DataError(
                f"{repo} was changed by somebody else during each of {ATTEMPTS} attempts; nothing "
                "of this push is in it. Try again later, or with --pull-request"
            )
    if pushed.url is None or not pull_request:
        done = Last(pushed.commit, pushed.plan.hashes, pushed.plan.card)
        remember(publication.folder, address, done)
    return pushed


def rehearse(publication: Publication, repo: str | None) -> tuple[str, Last, Plan]:
    """Where a push would go, what was last pushed there, and what would change; without a network.

    What others did there since the last push from this folder is not known.
    """
    from huggingface_hub import HfApi

    api = HfApi()
    if repo is None:
        prefix = _address(api, "", publication.repo_type)
        known = [a for a in known_addresses(publication.folder) if a.startswith(prefix)]
        repo = known[0].removeprefix(prefix) if len(known) == 1 else f"YOU/{publication.slug}"
    address = _address(api, repo, publication.repo_type)
    last = last_pushed(publication.folder, address)
    return repo, last, make_plan(publication.at(address), last.state(), last)


def _full_name(api: "HfApi", repo: str | None, slug: str) -> str:
    from huggingface_hub import get_token

    if get_token() is None:
        raise UsageError(
            "there is no Hugging Face token: run `hf auth login`, or set HF_TOKEN to one that may "
            "write. --dry-run needs none"
        )
    if repo is None:
        return f"{api.whoami()['name']}/{slug}"
    if "/" not in repo:
        raise UsageError(f"{repo!r} names no owner; give org/name or user/name")
    return repo


def _create(api: "HfApi", repo: str, repo_type: RepoType, *, private: bool) -> None:
    """Makes the repository if it is missing; one that exists is left as it is."""
    if not api.repo_exists(repo, repo_type=repo_type):
        sdk = "gradio" if repo_type == "space" else None
        api.create_repo(
            repo, repo_type=repo_type, private=private or None, exist_ok=True, space_sdk=sdk
        )


def _read(api: "HfApi", repo: str, repo_type: RepoType) -> State:
    # one request: the commit and its files belong together
    info: Any = api.repo_info(repo, repo_type=repo_type, files_metadata=True)
    files = {
        file.rfilename: file.lfs.sha256 if file.lfs is not None else file.blob_id
        for file in info.siblings or []
    }
    card = ""
    if CARD in files:
        path = api.hf_hub_download(repo, CARD, repo_type=repo_type, revision=info.sha)
        card = Path(path).read_text(encoding="utf-8", errors="replace")
    return State(info.sha, files, card)


def _commit(
    api: "HfApi",
    repo: str,
    publication: Publication,
    there: State,
    plan: Plan,
    *,
    message: str,
    pull_request: bool,
) -> Any:
    """The commit's info, or null if the repository is no longer in the state `there`."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete
    from huggingface_hub.errors import HfHubHTTPError

    operations: list[Any] = [CommitOperationDelete(path, is_folder=False) for path in plan.deleted]
    for path in (*plan.added, *plan.changed):
        content = plan.card.encode() if path == CARD else publication.files[path]
        operations.append(CommitOperationAdd(path, content))
    try:
        return api.create_commit(
            repo,
            operations,
            commit_message=message,
            repo_type=publication.repo_type,
            parent_commit=there.commit,
            create_pr=pull_request,
        )
    except HfHubHTTPError as error:
        if _status(error) in CONFLICTS:
            return None
        raise
    except ValueError as error:
        # the Hub's word on a card whose front matter it does not accept
        card = publication.files.get(CARD, b"")
        place = CARD if isinstance(card, bytes) else card
        raise DataError(f"{place} is not accepted: {error}") from error


def _address(api: "HfApi", repo: str, repo_type: RepoType) -> str:
    return f"{api.endpoint}/{repo_type}s/{repo}"


def _status(error: Any) -> int | None:
    status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


@contextmanager
def _explained(endpoint: str) -> Iterator[None]:
    """Turns the hub client's errors into ours, each with its remedy."""
    from huggingface_hub import errors

    # the root of the errors of whichever HTTP library the client uses; not all are OSErrors
    transport: Any = errors.HfHubHTTPError.__bases__[0]
    try:
        yield
    except errors.OfflineModeIsEnabled as error:
        raise DataError(
            "HF_HUB_OFFLINE is set, so that nothing can be pushed; unset it. --dry-run needs no "
            "network"
        ) from error
    except errors.HFValidationError as error:
        raise UsageError(str(error)) from error
    except errors.HfHubHTTPError as error:
        status = _status(error)
        reply = error.server_message or f"status {status}"
        remedy = _REMEDIES.get(status or 0, _ANY_REMEDY)
        raise DataError(f"{endpoint} refused ({status}: {reply}): {remedy}") from error
    except (transport, OSError) as error:
        raise DataError(
            f"{endpoint} cannot be reached ({error}); check the network. --dry-run needs none"
        ) from error
