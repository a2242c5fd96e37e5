"""The verb `push`: what was built goes to the Hugging Face Hub."""

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError, nearest
from ..progress import to_stderr
from .options import FOLDER
from .terminal import say

KINDS = ("dataset", "model", "space", "metric")


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
@click.option("--dry-run", is_flag=True, help="List the files; needs no network, no token.")
@click.option(
    "--i-have-the-right-to-publish",
    "granted",
    is_flag=True,
    help="For a dataset without a licence: you are its author, or have permission.",
)
def push(target: str, to: str | None, folder: Path | None, **options: Any) -> None:
    """Put what was built on the Hugging Face Hub: one commit, or a pull request.

    KIND is what is pushed: dataset, model (bundled is the only one), space (normscope is the only
    one) or metric. A dataset of your own needs no NAME: it is what stands in --folder. The token is
    that of `hf auth login` or HF_TOKEN. Of people's ratings only counts are sent. A file that is
    there already is not sent again, and nothing is committed if nothing changed.

    \b
    Examples:
      normscope push dataset:ci-vignettes --dry-run
      normscope push dataset:ci-vignettes --to my-lab/ci-vignettes
      normscope push dataset --folder data/library --to me/library
      normscope push model:bundled --to my-lab/small-judge
      normscope push metric:refusal_rates --to my-lab/refusal_rates
    """
    from ..space.publish import publication_of

    kind, colon, name = target.partition(":")
    if target == "dataset" and folder is None:
        raise UsageError("which dataset? name its folder with --folder, or say dataset:NAME")
    if target != "dataset" and not (colon and name):
        raise UsageError(f"{target!r} is not KIND:NAME; kinds: {', '.join(KINDS)}")
    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r} to push; {nearest(kind, KINDS)}")
    refusal, personal = None, []
    if kind == "dataset":
        from ..builders.push import missing_right, personal_data

        built = folder or Path("data") / name
        refusal = None if options["granted"] else missing_right(name or None, built)
        personal = [*personal_data(built)]
    if refusal is not None and not options["dry_run"]:
        raise UsageError(refusal)
    publication = publication_of(kind, name, folder=folder, private=options["private"])
    if options["dry_run"]:
        for path, content in sorted(publication.at(to or f"YOU/{publication.slug}").items()):
            size = len(content) if isinstance(content, bytes) else content.stat().st_size
            say(f"{size:>11,} bytes  {path}")
        for line in personal:
            say(f"personal: {line}")
        say("nothing was sent (--dry-run)")
        if refusal is not None:
            to_stderr(f"it would be refused: {refusal}")
        return
    from ..hub import push as push_to_hub

    how = {name: options[name] for name in ("private", "pull_request")}
    pushed = push_to_hub(publication, to, **how)
    if pushed.url is None:
        say(f"{pushed.repo} holds all of it already: nothing is committed")
    else:
        say(f"{pushed.url}\n{pushed.repo} at {pushed.commit}")
