"""A commit, or a pull request, on the Hugging Face Hub, by its own client.

The token is the one of the environment or of `hf auth login`; it is never passed on or shown.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .errors import DataError, UsageError
from .yaml import front_matter

RepoType = Literal["dataset", "model", "space"]
Content = Path | bytes

_REMEDIES = {
    401: "the token is not accepted: run `hf auth login` again, or set HF_TOKEN to a valid one",
    403: "the token may not write there: take one with write access, or open a pull request "
    "(--pull-request)",
    404: "there is no such repository, or the token may not see it; check the name",
    **dict.fromkeys(
        (409, 412), "somebody else pushed meanwhile, and nothing of this push is there: push again"
    ),
}


@dataclass(frozen=True, slots=True)
class Publication:
    """What goes to the Hub: files by their path in the repository, from the disk or as bytes.

    `addressed` gives those whose content depends on the address that the repository has. Files
    there that fit a pattern of `stale`, and are not sent again, are deleted; all others stay.
    """

    repo_type: RepoType
    slug: str
    files: Mapping[str, Content]
    addressed: Callable[[str], Mapping[str, Content]] | None = None
    stale: tuple[str, ...] = ()

    def at(self, repo: str) -> dict[str, Content]:
        """The files for the repository of that name."""
        from huggingface_hub import HfApi

        address = f"{HfApi().endpoint}/{self.repo_type}s/{repo}"
        return {**self.files, **(self.addressed(address) if self.addressed else {})}


@dataclass(frozen=True, slots=True)
class Pushed:
    """The commit that holds the files, and its address or the pull request's, null if unchanged."""

    repo: str
    commit: str
    url: str | None


def push(
    publication: Publication, repo: str | None, *, private: bool = False, pull_request: bool = False
) -> Pushed:
    """Commits the publication to `repo` (`org/name`; null: the user's own, under its slug).

    The repository is made if it is missing. The commit's parent is the state that was read, so that
    it fails if somebody else commits in between. Files that are there already are not sent.
    """
    from huggingface_hub import HfApi, get_token

    api = HfApi()
    if get_token() is None:
        raise UsageError(
            "there is no Hugging Face token: run `hf auth login`, or set HF_TOKEN to one that may "
            "write. --dry-run needs none"
        )
    kind = publication.repo_type
    with _explained(api.endpoint), tempfile.TemporaryDirectory() as folder:
        repo = repo or f"{api.whoami()['name']}/{publication.slug}"
        if "/" not in repo:
            raise UsageError(f"{repo!r} names no owner; give org/name or user/name")
        for path, content in publication.at(repo).items():
            copy = Path(folder, path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                copy.write_bytes(content)
            else:
                shutil.copyfile(content, copy)
        if not pull_request and not api.repo_exists(repo, repo_type=kind):
            card = Path(folder, "README.md")
            sdk = str(front_matter(card)[0].get("sdk")) if kind == "space" else None
            api.create_repo(repo, repo_type=kind, private=private or None, space_sdk=sdk)
        parent = api.repo_info(repo, repo_type=kind).sha
        info = api.upload_folder(
            repo_id=repo,
            folder_path=folder,
            repo_type=kind,
            commit_message=f"{publication.slug}, built by normscope",
            create_pr=pull_request,
            parent_commit=parent,
            delete_patterns=[*publication.stale],
        )
    unchanged = info.oid == parent and info.pr_url is None
    return Pushed(repo, info.oid, None if unchanged else info.pr_url or info.commit_url)


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
        status = getattr(error.response, "status_code", 0)
        reply = error.server_message or f"status {status}"
        remedy = _REMEDIES.get(status, "try again later")
        raise DataError(f"{endpoint} refused ({status}: {reply}): {remedy}") from error
    except (transport, OSError) as error:
        raise DataError(
            f"{endpoint} cannot be reached ({error}); check the network. --dry-run needs none"
        ) from error
    # the Hub's word on a card whose front matter it does not accept
    except ValueError as error:
        raise DataError(f"the card (README.md) is not accepted: {error}") from error
