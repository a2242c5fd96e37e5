"""`normscope serve`: the Space on this machine."""

import os

import click


@click.command()
@click.option(
    "--judge",
    help="A larger judge beside the bundled one, as `normscope judge` takes it [NORMSCOPE_JUDGE].",
)
@click.option("--rubric", help="The rubric it is asked with [cfsafety].")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 for others to see.")
@click.option("--port", type=click.IntRange(0, 65535), help="[the first free one from 7860]")
def serve(judge: str | None, rubric: str | None, host: str, port: int | None) -> None:
    """Score in the browser: the Space on this machine, with no request to any other.

    \b
    Examples:
      normscope serve
      normscope serve --judge Qwen/Qwen3-4B --port 8080
      NORMSCOPE_CARDS=cards normscope serve --judge ./judge
    """
    for name, value in (("NORMSCOPE_JUDGE", judge), ("NORMSCOPE_RUBRIC", rubric)):
        if value is not None:
            os.environ[name] = value
    from ..spaces.normscope import build
    from ..spaces.normscope import serve as show

    show(build(), host=host, port=port)
