"""The command `normscope`: one verb per arrow of the row, and `run` for the whole row."""

import errno
import socket
import sys

import click

from .. import __version__
from ..errors import NormscopeError
from ..launch import launched
from ..messages import message, translate
from ..untrusted import visible
from .annotate import annotate
from .check import check
from .commands import build, judge, respond, run, score
from .compare import compare
from .context import context
from .demo import demo
from .duplicates import duplicates
from .export import export
from .import_ import import_
from .plan import plan
from .probe import probe
from .push import push
from .report import report
from .rubric import rubric
from .rules import rules
from .serve import serve
from .validate import validate
from .verify import verify
from .view import view

INTERRUPTED = 130
VERBS = (
    build,
    respond,
    import_,
    export,
    judge,
    score,
    report,
    run,
    plan,
    verify,
    demo,
    compare,
    serve,
    view,
    validate,
    annotate,
    check,
    probe,
    rubric,
    rules,
    context,
    duplicates,
    push,
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
    """Runs the command; every error of ours is one message and an exit code."""
    spoken: dict[str, str] = {}
    try:
        code = cli.main(standalone_mode=False, obj=spoken)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):  # click makes an Abort of Ctrl-C
        if launched().drives:
            click.echo("stopped; the same command goes on from here", err=True)
        code = INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except NormscopeError as error:
        text = message("{error}: {text}", error=_error(), text=error.message)
        click.echo(visible(translate(text, spoken.get("language", "en"))), err=True)
        code = error.exit_code
    except OSError as error:
        click.echo(f"{_error()}: {_of_the_system(error)}", err=True)
        code = NormscopeError.exit_code
    sys.exit(code if isinstance(code, int) else 0)


_REMEDIES = {
    errno.ENOSPC: "make room, and give the same command again",
    errno.EDQUOT: "make room, and give the same command again",
    errno.EROFS: "name another --out: this place can only be read",
    errno.EACCES: "see to the rights of the file or its folder, or name another --out",
    errno.EPERM: "see to the rights of the file or its folder, or name another --out",
    errno.EISDIR: "a folder stands where a file belongs: move it away",
}


def _error() -> str:
    """What stands before an error: of a process that works for another, which it is."""
    launch = launched()
    if launch.drives:
        return message("error")
    return message(
        "error in process {rank} of {count}, on {host}",
        rank=launch.rank + 1,
        count=launch.count,
        host=socket.gethostname(),
    )


def _of_the_system(error: OSError) -> str:
    """What the system refused, of which file, and what to do; a network's error in its own words.

    >>> _of_the_system(OSError(errno.ENOSPC, "No space left on device", "runs/x/items.parquet"))
    'runs/x/items.parquet: No space left on device: make room, and give the same command again'
    """
    words = (
        error.filename2 or error.filename,
        error.strerror or error,
        _REMEDIES.get(error.errno or 0),
    )
    return ": ".join(str(word) for word in words if word)
