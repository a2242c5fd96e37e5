"""`normscope serve`: the Space in a browser, or a judge that other programs call."""

import os

import click

from ..errors import UsageError


@click.command()
@click.option(
    "--judge",
    envvar="NORMSCOPE_JUDGE",
    help="A judge beside the bundled one, or several with commas [NORMSCOPE_JUDGE]; "
    "with --api the judge that is called.",
)
@click.option("--rubric", envvar="NORMSCOPE_RUBRIC", help="The rubric it is asked with [cfsafety].")
@click.option("--api", is_flag=True, help="Serve the judge to other programs (docs/judge_api.md).")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 for others to see.")
@click.option("--port", type=click.IntRange(0, 65535), help="[the first free one from 7860]")
def serve(judge: str | None, rubric: str | None, *, api: bool, host: str, port: int | None) -> None:
    """Score in the browser: the Space on this machine, with no request to any other.

    With --api other programs have answers judged over HTTP: POST /v1/judge, and as other guards are
    called, /v1/moderations and /v1/chat/completions. Only this machine can reach it, unless --host
    says otherwise and NORMSCOPE_SERVER_KEY holds the key that clients send.

    \b
    Examples:
      normscope serve
      normscope serve --judge Qwen/Qwen3-4B --port 8080
      normscope serve --api --judge Qwen/Qwen3-4B --rubric cfsafety --port 8000
    """
    if api:
        _serve_api(judge, rubric, host=host, port=port)
        return
    # the Space reads its environment, here as on the Hub
    for name, text in (("NORMSCOPE_JUDGE", judge), ("NORMSCOPE_RUBRIC", rubric)):
        if text is not None:
            os.environ[name] = text
    from ..space import build
    from ..space import serve as show

    show(build(), host=host, port=port)


def _serve_api(judge: str | None, rubric: str | None, *, host: str, port: int | None) -> None:
    from ..api.judge import Judge
    from ..judges.rubric_choice import USUAL, brought_rubric
    from ..records.model_spec import ModelSpec
    from ..server import serve

    if not judge:
        raise UsageError(
            "--api needs a judge: --judge MODEL (`bundled` is the small one for tests)"
        )
    usual = None if brought_rubric(ModelSpec(judge)) else USUAL
    serve(Judge(judge, rubric=rubric or usual), host=host, port=port)
