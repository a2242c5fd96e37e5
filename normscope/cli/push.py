"""The verb `push`: what was built goes to the Hugging Face Hub."""

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError, nearest
from .options import FOLDER

if TYPE_CHECKING:
    from ..publication import Plan, Publication

KINDS = ("dataset", "model", "space", "metric")
_SPACES = ("space", "metric")
"""The kinds that are published as a Space, which needs the package."""


@click.command()
@click.argument("target", metavar="KIND[:NAME]")
@click.option("--to", metavar="ORG/NAME", help="The repository [yours, under the same name].")
@click.option(
    "--folder",
    type=FOLDER,
    help="What `normscope build` wrote [data/NAME], a saved judge, or a Space of one's own.",
)
@click.option("--pull-request", is_flag=True, help="Propose it to a repository that exists.")
@click.option("--private", is_flag=True, help="If the repository is new, only you may see it.")
@click.option("--prune", is_flag=True, help="Delete configs that others pushed, too.")
@click.option(
    "--package",
    metavar="URL|index",
    help="Where a Space gets normscope from [a wheel of this one, sent along].",
)
@click.option("--message", metavar="TEXT", help="The commit's first line.")
@click.option("--dry-run", is_flag=True, help="Show files and card; needs no network, no token.")
@click.option(
    "--i-have-the-right-to-publish",
    "granted",
    is_flag=True,
    help="For a dataset without a licence: you are its author, or have permission.",
)
def push(
    target: str,
    to: str | None,
    folder: Path | None,
    package: str | None,
    message: str | None,
    *,
    pull_request: bool,
    private: bool,
    prune: bool,
    dry_run: bool,
    granted: bool,
) -> None:
    """Put what was built on the Hugging Face Hub: one commit, or a pull request.

    KIND is what is pushed: dataset, model (bundled is the only one), space (normscope is the only
    one) or metric. A dataset of your own needs no NAME: it is what stands in --folder. The token is
    that of `hf auth login` or HF_TOKEN.
    Of people's ratings only counts are sent. A file that is there already is not sent again, and
    nothing is committed if nothing changed. Of what is there and not in the folder only that is
    deleted which was pushed from this folder.

    \b
    Examples:
      normscope push dataset:ci-vignettes --dry-run
      normscope push dataset:ci-vignettes --to my-lab/ci-vignettes
      normscope push dataset --folder data/library --to me/library
      normscope push dataset:ci-vignettes --to their-lab/ci-vignettes --pull-request
      normscope push model:bundled --to my-lab/small-judge
      normscope push space:normscope --to my-lab/normscope
      normscope push metric:refusal_rates --to my-lab/refusal_rates
    """
    kind, colon, name = target.partition(":")
    if target == "dataset" and folder is None:
        raise UsageError("which dataset? name its folder with --folder, or say dataset:NAME")
    if target != "dataset" and not (colon and name):
        raise UsageError(f"{target!r} is not KIND:NAME; kinds: {', '.join(KINDS)}")
    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r} to push; {nearest(kind, KINDS)}")
    _check_package(kind, package, private=private)
    refusal = None
    if kind == "dataset" and not granted:
        from ..datasets_builders.push import missing_right

        refusal = missing_right(name or None, folder or Path("data") / name)
    if refusal is not None and not dry_run:
        raise UsageError(refusal)
    publication = _publication(kind, name, folder, package)
    if dry_run:
        _rehearse(publication, to, refusal)
        if kind == "dataset":
            from ..datasets_builders.push import personal_data

            for line in personal_data(publication.folder):
                click.echo(f"personal: {line}")
        return
    from ..hub import push as push_to_hub

    pushed = push_to_hub(
        publication,
        to,
        message=message or f"{publication.slug}, built by normscope",
        private=private,
        pull_request=pull_request,
        prune=prune,
    )
    _show(pushed.plan)
    if pushed.conflicts:
        times = "once" if pushed.conflicts == 1 else f"{pushed.conflicts} times"
        click.echo(f"begun anew {times}, since somebody else pushed meanwhile")
    if pushed.url is None:
        click.echo(f"{pushed.repo} holds all of it already: nothing is committed")
    else:
        click.echo(f"{pushed.url}\n{pushed.repo} at {pushed.commit}")


def _publication(kind: str, name: str, folder: Path | None, package: str | None) -> "Publication":
    """What is published of a name, from a folder; each kind refuses a name that does not exist."""
    from ..publication import Publication

    # what was pushed is remembered beside the user's data, never in the package
    memory = folder or Path("data") / name
    if kind == "dataset":
        from ..datasets_builders.push import built_files

        files = {path: memory / path for path in built_files(name or None, memory)}
        return Publication("dataset", name or memory.resolve().name, memory, files)
    if kind == "model":
        from ..judges.bundled.publish import SLUG, check_name, model_files

        check_name(name)
        return Publication("model", SLUG, memory, model_files(folder))
    from ..spaces.publish import REQUIREMENTS, addressed, metric_files, space_files

    sent = metric_files(name, folder) if kind == "metric" else space_files(name, folder)
    repo = name if kind == "metric" else None
    at_address = addressed(sent[REQUIREMENTS], package, repo=repo)
    return Publication("space", name, memory, sent, addressed=at_address)


def _check_package(kind: str, package: str | None, *, private: bool) -> None:
    """Refuses what could never be built."""
    if package is not None and kind not in _SPACES:
        raise UsageError(f"--package says where a Space gets normscope from; a {kind} needs none")
    if private and package is None and kind in _SPACES:
        raise UsageError(
            "the Hub builds a Space without a token, so that a private one could not fetch the "
            "wheel that is sent along: push without --private, or name a public place with "
            "--package"
        )


def _rehearse(publication: "Publication", to: str | None, refusal: str | None) -> None:
    from ..hub import rehearse

    repo, last, plan = rehearse(publication, to)
    _show(plan)
    there = f"{repo} at {last.commit[:12]}" if last.commit else "/dev/null"
    diff = difflib.unified_diff(
        last.card.splitlines(), plan.card.splitlines(), there, "README.md", lineterm="", n=2
    )
    click.echo("\n".join(["", *diff]) if last.card != plan.card else "\nthe card is unchanged")
    known = "compared with the last push from this folder" if last.commit else "never pushed"
    click.echo(f"\n{repo}: {known}; nothing was sent, and what others did there is not known")
    if refusal is not None:
        click.echo(f"it would be refused: {refusal}", err=True)


def _show(plan: "Plan") -> None:
    """A line per file: what becomes of it, its size and hash."""
    fates = {
        "add": plan.added,
        "change": plan.changed,
        "delete": plan.deleted,
        "same": plan.unchanged,
        "theirs": plan.staying,
    }
    for fate, paths in fates.items():
        for path in paths:
            about = ""
            if hashes := plan.hashes.get(path):
                about = f"{hashes.size:>11,} bytes  sha256 {hashes.sha256[:16]}"
            click.echo(f"{fate:<7} {path:<44} {about}".rstrip())
