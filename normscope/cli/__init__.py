"""The command `normscope`: one verb per arrow of the row, and `run` for the whole row."""

import socket
import sys

import click

from .. import __version__
from ..errors import NormscopeError
from ..launch import launched
from ..untrusted import visible
from .annotate import annotate
from .check import check, probe
from .commands import build, judge, plan, respond, run, score
from .compare import compare
from .context import context
from .demo import demo
from .exchange import export, import_
from .push import push
from .report import report, view
from .rubric import rubric
from .serve import serve
from .terminal import explained, to_stderr
from .validate import validate
from .verify import verify

INTERRUPTED = 130
VERBS = (
    *(build, respond, import_, export, judge, score, report, run, plan, verify, demo),
    *(compare, serve, view, validate, annotate, check, probe, rubric, context, push),
)
"""Every verb, in the order in which a user meets them."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="normscope")
def cli() -> None:
    """Measures the safety and privacy norms that a language model encodes.

    \b
    build ──▶ respond ──▶ judge ──▶ score ──▶ report
    `run` does all of it; `demo` shows it on published answers of real models, in minutes.
    Exit codes: 0 done, 1 error, 2 usage, 3 done but too much is unscored, 4 worse than a margin
    allows (compare --fail-if-worse), 5 too little to tell whether it is.
    """


for verb in VERBS:
    cli.add_command(verb)


def main() -> None:
    """Runs the command; every error that is foreseen is one message and an exit code."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):  # click makes an Abort of Ctrl-C
        if launched().drives:
            to_stderr("stopped; the same command goes on from here")
        code = INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except Exception as error:
        text = explained(error)
        if text is None:
            raise
        click.echo(visible(f"{_error()}: {text}"), err=True)
        code = error.exit_code if isinstance(error, NormscopeError) else NormscopeError.exit_code
    sys.exit(code if isinstance(code, int) else 0)


def _error() -> str:
    """What stands before an error: of a process that works for another, which it is."""
    launch = launched()
    if launch.drives:
        return "error"
    return f"error in process {launch.rank + 1} of {launch.count}, on {socket.gethostname()}"
