"""The command `normscope`: one verb per arrow of the row, and `run` for the whole row."""

import socket
import sys
from typing import Any

import click

from .. import __version__
from ..errors import NormscopeError, nearest
from ..launch import launched
from ..progress import to_stderr
from ..untrusted import visible
from .annotate import annotate
from .build import build
from .commands import judge, plan, respond, run, score
from .compare import compare
from .context import context
from .demo import demo
from .import_ import import_
from .options import QUIET, STAGES
from .push import push
from .report import report, view
from .rubric import rubric
from .serve import serve
from .terminal import JSON, explained, print_json
from .validate import validate
from .verify import verify

INTERRUPTED = 130
VERBS = (
    *(build, run, respond, judge, score, report, compare, view, verify, validate, annotate),
    *(context, rubric, import_, plan, serve, push, demo),
)
"""Every verb, in the order in which a user meets them."""

FORMER = {
    "context build": "`build --context`",
    "context preview": "`context check`",
    "check": "`validate graded-set` and `validate drift`",
    "duplicates": "`build`",
    "export": "`build --as lm-eval`",
    "probe": "`validate probe`",
    "rules": "`rubric`",
}
"""What does the work of verbs that there were."""


class FrontDoor(click.Group):
    """The verbs in their order; a verb or a flag that there was is answered with the new one."""

    def list_commands(self, _: click.Context) -> list[str]:
        """The verbs in their order."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb of the arguments."""
        for verb in (args[0], " ".join(args[:2])):
            if verb in FORMER:
                raise click.UsageError(f"No such command {verb!r}; it is now {FORMER[verb]}", ctx)
        if args[0] not in self.commands:
            close = nearest(args[0], [*self.commands])
            raise click.UsageError(f"No such command {args[0]!r}; {close}", ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Notes --json first of all: what cannot be parsed is told in JSON, too."""
        if "--json" in args:
            ctx.meta[JSON] = ""
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb; with --json what is wrong is its object on standard output."""
        try:
            return self._invoke(ctx)
        except Exception as error:
            text = error.format_message() if isinstance(error, click.ClickException) else None
            text = text or explained(error)
            if JSON not in ctx.meta or text is None:
                raise
            command = ctx.meta[JSON] or ctx.invoked_subcommand or ""
            code = getattr(error, "exit_code", NormscopeError.exit_code)
            print_json(command, None, code=code, text=visible(text))
            ctx.exit(code)

    def _invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            key = error.option_name.lstrip("-").replace("-", "_")
            key = "judge_channels" if key == "judge_channel" else key
            options = error.ctx.command.params if error.ctx else []
            if key not in STAGES or not any("--set" in option.opts for option in options):
                raise
            text = f"{error.option_name} is a setting without a flag: --set {key}=VALUE"
            raise click.UsageError(text, error.ctx) from None


@click.group(
    cls=FrontDoor,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="normscope")
def cli() -> None:
    """Measures the safety and privacy norms that a language model encodes.

    \b
    build ──▶ respond ──▶ judge ──▶ score ──▶ report

    `run` does all of it; `demo` shows it on published answers of real models, in minutes. Exit
    codes: 0 done, 1 error, 2 usage, 3 done but too much is unscored, 4 worse than a margin allows
    (compare --fail-if-worse), 5 too little to tell whether it is.
    """


def _add_quiet(command: click.Command) -> None:
    """Every verb, and every command of one, may be quiet."""
    command.params.append(QUIET)
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _add_quiet(inner)


for verb in VERBS:
    cli.add_command(verb)
    _add_quiet(verb)


def main() -> None:
    """Runs the command; every error that is foreseen is one message and an exit code."""
    try:
        code = cli.main(prog_name="normscope", standalone_mode=False)
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
