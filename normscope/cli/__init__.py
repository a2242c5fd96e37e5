"""The command `normscope`: one verb per arrow of the row, and `run` for the whole row."""

import sys

import click

from .. import __version__
from ..errors import NormscopeError
from ..untrusted import visible
from .verbs import VERBS

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="normscope")
def cli() -> None:
    """Measures the safety and privacy norms that a language model encodes.

    \b
    build ──▶ respond ──▶ judge ──▶ score ──▶ report
    `run` does all of it; `demo` shows it on a small model, in minutes, without a download.
    Exit codes: 0 done, 1 error, 2 usage, 3 done but too much is unscored.
    """


for verb in VERBS:
    cli.add_command(verb)


def main() -> None:
    """Runs the command; every error of ours is one message and an exit code."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.Abort:
        code = INTERRUPTED
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on from here", err=True)
        code = INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except NormscopeError as error:
        click.echo(f"error: {visible(str(error))}", err=True)
        code = error.exit_code
    sys.exit(code if isinstance(code, int) else 0)
