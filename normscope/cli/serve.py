"""`normscope serve`: the Space in a browser, or a judge that other programs call."""

import os
from pathlib import Path

import click

from ..errors import UsageError
from .options import HOST, PATH, PORT


@click.command()
@click.option(
    "--judge",
    help="A larger judge beside the bundled one, as `normscope judge` takes it [NORMSCOPE_JUDGE]; "
    "with --api the judge that is called.",
)
@click.option("--rubric", help="The rubric it is asked with [cfsafety].")
@click.option("--api", is_flag=True, help="Serve the judge to other programs (docs/judge_api.md).")
@click.option(
    "--key-file",
    type=PATH,
    metavar="FILE",
    help="With --api: the key that clients send [NORMSCOPE_SERVER_KEY].",
)
@click.option(
    "--max-waiting",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --api: the most answers that wait; more are told to come back [256].",
)
@HOST
@PORT
def serve(
    judge: str | None,
    rubric: str | None,
    *,
    api: bool,
    key_file: Path | None,
    max_waiting: int | None,
    host: str,
    port: int | None,
) -> None:
    """Score in the browser: the Space on this machine, with no request to any other.

    With --api other programs have answers judged over HTTP: POST /v1/judge, and as other guards are
    called, /v1/moderations and /v1/chat/completions. Only this machine can reach it, unless --host
    says otherwise and there is a key.

    \b
    Examples:
      normscope serve
      normscope serve --judge Qwen/Qwen3-4B --port 8080
      NORMSCOPE_CARDS=cards normscope serve --judge ./judge
      normscope serve --api --judge Qwen/Qwen3-4B --rubric cfsafety --port 8000
      normscope serve --api --judge bundled --host 0.0.0.0 --key-file key.txt --max-waiting 512
    """
    if api:
        _serve_api(judge, rubric, host=host, port=port, key_file=key_file, most=max_waiting)
        return
    for flag, value in (("--key-file", key_file), ("--max-waiting", max_waiting)):
        if value is not None:
            raise UsageError(f"{flag} belongs to --api: the Space is shown to whoever reaches it")
    # the Space reads its environment, here as on the Hub
    for name, text in (("NORMSCOPE_JUDGE", judge), ("NORMSCOPE_RUBRIC", rubric)):
        if text is not None:
            os.environ[name] = text
    from ..spaces.normscope import build
    from ..spaces.normscope import serve as show

    show(build(), host=host, port=port)


def _serve_api(
    judge: str | None,
    rubric: str | None,
    *,
    host: str,
    port: int | None,
    key_file: Path | None,
    most: int | None,
) -> None:
    from ..api.judge import Judge
    from ..judges.rubric import rubric as read_rubric
    from ..judges.rubric_choice import USUAL, fitting
    from ..records.model_spec import ModelSpec
    from ..server.limits import MAX_WAITING
    from ..server.serving import key_from, serve

    name = judge or os.environ.get("NORMSCOPE_JUDGE", "").strip()
    if not name:
        raise UsageError(
            "--api needs a judge: --judge MODEL (`bundled` is the small one for tests)"
        )
    named = rubric or os.environ.get("NORMSCOPE_RUBRIC", "").strip()
    used = fitting(ModelSpec(name), read_rubric(named) if named else None) or read_rubric(USUAL)
    serve(
        Judge(name, rubric=used),
        host=host,
        port=port,
        key=key_from(key_file),
        most_waiting=most or MAX_WAITING,
    )
