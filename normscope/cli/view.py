"""`normscope view`: every answer of a run, or of two side by side, in the browser."""

from pathlib import Path
from urllib.parse import urlencode

import click

from ..errors import UsageError
from ..messages import message
from .options import FOLDER, HOST, PEOPLE, PORT

_MOST = 2


@click.command()
@click.argument("runs", nargs=-1, required=True, type=FOLDER, metavar="RUN [RUN]")
@click.option("--filter", "line", default="", help="What is looked for, as in the page's filter.")
@PEOPLE
@HOST
@PORT
@click.option("--open/--no-open", "opens", default=True, help="Open a browser on it [yes].")
def view(
    *,
    runs: tuple[Path, ...],
    line: str,
    labels: tuple[Path, ...],
    host: str,
    port: int | None,
    opens: bool,
) -> None:
    """Look at every answer of a run in the browser, or of two runs side by side.

    Search, filter, sort, open: an answer has its conversation, its response, every judgement with
    its probabilities, and what the judge was asked. The runs are read, never written; one that is
    unfinished or was changed is refused. Nothing is asked of any other host (docs/view.md).

    \b
    Examples:
      normscope view runs/qwen
      normscope view runs/qwen --filter 'category:social_bias refusal=risky'
      normscope view runs/base runs/aligned --filter 'is:changed sort:-change'
      normscope view runs/qwen --labels labels --filter is:disagreement
      normscope view runs/base runs/aligned --host 0.0.0.0 --port 8080 --no-open
    """
    if len(runs) > _MOST:
        raise UsageError(
            message("answers are looked at of one run, or of two, not of {n}", n=len(runs))
        )
    from ..spaces.normscope import Space, build, serve
    from ..spaces.normscope.shelf import Shelf
    from ..viewer import read_beside

    shelf = Shelf(read_beside(runs, labels=labels))
    # a filter that says nothing here is refused before a browser opens on it, and what the first
    # page says is there when it asks
    left = shelf.served().filtered(line)
    _ = left.summary, shelf.served().controls
    click.echo(
        message(
            "{n} of {all} answers",
            n=f"{len(left.selection):,}",
            all=f"{len(left.collection):,}",
        )
    )
    address = urlencode({"tab": "answers", **({"filter": line} if line else {})})
    serve(build(Space(shelf=shelf)), host=host, port=port, address=f"/?{address}", opens=opens)
