"""`normscope import`: a run of answers that were got elsewhere."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pyarrow.compute as pc

from ..api.settings import requested
from ..errors import DataError, UsageError
from ..format import count
from ..pipeline.importing.formats import AUTO, FORMATS
from ..records.config import RunConfig
from ..untrusted import excerpt, visible
from .options import FOLDER, PATH, SOURCE, flags, pairs
from .terminal import console

if TYPE_CHECKING:
    from ..pipeline.importing.columns import Layout
    from ..pipeline.importing.match import Matched
    from ..pipeline.importing.raw import RawAnswers
    from ..pipeline.importing.target import Target

_SHOWN, _NAMED, _WIDTH, _LOOKED_AT = 5, 20, 60, 1000


class _Repeatable(click.Command):
    """A command that knows the words it was given, to say what to type next."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the words, and keeps them."""
        ctx.meta[__name__] = ["normscope", "import", *args]
        return super().parse_args(ctx, args)


@click.command("import", cls=_Repeatable)
@click.argument("file", type=PATH)
@flags(RunConfig, "benchmark", "context", "prompts")
@SOURCE
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=AUTO,
    help="What wrote the file; by itself it is known by its first record and its ending.",
)
@click.option(
    "--requests",
    type=PATH,
    help="The input of the batch whose output FILE is: it knows the prompts.",
)
@click.option("--model", default="", help="Whose answers these are, if no column says so.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    callback=pairs,
    metavar="ROLE=NAME",
    help="The column of item_id, prompt, variant_id, scale_order, answer, model, sample, "
    "temperature, failed, a factor, or answer:VARIANT:ORDER.",
)
@click.option(
    "--where",
    multiple=True,
    callback=pairs,
    metavar="COLUMN=VALUE",
    help="Take the rows with this value only.",
)
@click.option("--variant", default="", metavar="ID", help="The prompt variant of every row.")
@click.option("--order", default="", metavar="NAME", help="The order of the labels in every row.")
@click.option("--yes", is_flag=True, help="Accept what columns were taken for.")
@click.option("--allow-unmatched", is_flag=True, help="Go on without rows that match no prompt.")
@click.option("--dry-run", is_flag=True, help="Show and check everything, write nothing.")
@click.option("--out", type=FOLDER, help="The run's folder.")
def import_(
    file: Path,
    *,
    out: Path | None,
    form: str,
    requests: Path | None,
    columns: dict[str, str],
    where: dict[str, str],
    yes: bool,
    allow_unmatched: bool,
    dry_run: bool,
    **given: Any,
) -> None:
    """Make a run of answers that were got elsewhere, to be judged and scored like any other.

    FILE is a CSV, JSONL or Parquet, with a row per answer or, wide, a column per prompt variant; or
    the output of a batch (OpenAI, Anthropic), conversations as JSONL, samples of
    lm-evaluation-harness, or a log of Inspect.
    Items are named by id, by their factors or by the words of their prompt. Columns with other
    names than those of --column are guessed and shown, and taken with --yes. Rows that match no
    prompt are listed and refused, or kept apart with --allow-unmatched (docs/import.md).

    \b
    Examples:
      normscope import answers.csv -b ci-vignettes:iot --model llama-3.1 --out runs/llama
      normscope import wide.csv.gz -b ci-vignettes:iot --where model=llama --yes --out runs/llama
      normscope import replies.jsonl -b cfsafety --source ~/sources --model gpt --out runs/gpt \\
          --column item_id=id --column answer=output
      normscope import output.jsonl --requests input.jsonl -b ci-vignettes:iot --out runs/gpt
      normscope import samples_flows_2026-11-22T12-00-00.jsonl -b ci-vignettes:iot --out runs/x
      normscope import 2026-11-22_flows.eval -b ci-vignettes:iot --out runs/y
      normscope import once.parquet -b ci-vignettes:coppa --variant 0 --model m --dry-run
    """
    from ..pipeline.importing.columns import layout_of
    from ..pipeline.importing.match import matched, model_of
    from ..pipeline.importing.read import read_answers, rows_where
    from ..pipeline.importing.target import Target

    if out is None and not dry_run:
        raise UsageError("name the run's folder with --out, or look first with --dry-run")
    model = given.pop("model")
    variant, order = given.pop("variant"), given.pop("order")
    target = Target.of(requested(given, RunConfig()))
    raw = rows_where(read_answers(file, form, requests), where)
    click.echo(f"{file}: {raw.format}, {count(len(raw.table))} rows", err=True)
    if raw.note:
        click.echo(f"note: {raw.note}", err=True)
    layout = layout_of(raw, target, columns)
    _show(raw, layout)
    if "model" not in layout.guessed:
        model = model_of(raw, layout, model)
    if layout.guessed and not yes and not dry_run:
        raise UsageError(_confirm(layout))
    result = matched(raw, layout, target, model=model, variant=variant, order=order)
    _tell(result, target)
    if len(result.unmatched):
        _list_unmatched(result)
        if not allow_unmatched:
            raise DataError(
                f"{count(len(result.unmatched))} of {count(len(raw.table))} rows match no prompt "
                f"of {target.name}, whose items are such as {target.ids[0]}: correct them or name "
                "other columns, or go on without them with --allow-unmatched (the run keeps their "
                "list)"
            )
    if not len(result.answers):
        raise DataError(f"no row of {file} answers a prompt of {target.name}: nothing to import")
    if out is None or dry_run:
        click.echo("nothing was written (--dry-run)")
        return
    _write(out, file, raw, result, target)


def _write(out: Path, file: Path, raw: "RawAnswers", result: "Matched", target: "Target") -> None:
    from ..pipeline.imported import import_into
    from ..records.folder import opened

    with opened(out, create=True) as run:
        import_into(
            run,
            result.answers,
            target,
            file=file.name,
            form=raw.format,
            note=raw.note,
            unmatched=result.unmatched,
            reworded=result.reworded,
        )
        if run.whole:
            click.echo(f"{out} is whole already, with the same answers: nothing was done")
            return
    judge = "" if target.bench.rubric is None else " --judge MODEL"
    click.echo(f"{out / 'responses.parquet'}; next: normscope judge {out}{judge}")


def _show(raw: "RawAnswers", layout: "Layout") -> None:
    """Prints what each column was taken for, with an example."""
    from rich.table import Table
    from rich.text import Text

    table = Table("column", "taken for", "example", box=None, header_style="bold", pad_edge=False)
    wide = [each.column for each in layout.wide]
    for column, meaning in layout.meanings.items():
        if column in wide[1:-1] and len(wide) > _SHOWN:
            if column == wide[1]:
                table.add_row("…", f"{len(wide) - 2} more, one per prompt variant and order", "")
            continue
        guess = " (a guess)" if column in layout.guessed else ""
        cells = (column, meaning + guess, _example(raw, column))
        # a file's words are no markup
        table.add_row(*(Text(visible(cell)) for cell in cells))
    console().print(table)
    if layout.unused:
        more = ", …" if len(layout.unused) > _NAMED else ""
        names = visible(", ".join(layout.unused[:_NAMED])) + more
        click.echo(f"not used: {names}")


def _example(raw: "RawAnswers", column: str) -> str:
    """The first value that says something, in one line."""
    from ..pipeline.importing.values import as_text, is_nothing

    texts = as_text(raw.table[column].slice(0, _LOOKED_AT))
    texts = texts.filter(pc.invert(is_nothing(texts)))
    return excerpt(texts[0].as_py(), limit=_WIDTH) if len(texts) else "–"


def _confirm(layout: "Layout") -> str:
    """What to type to confirm the guesses."""
    command = shlex.join(click.get_current_context().meta[__name__])
    wide = {each.column for each in layout.wide}
    named = [
        f"--column {shlex.quote(f'{meaning}={column}')}"
        for column, meaning in layout.meanings.items()
        if column in layout.guessed and column not in wide
    ]
    text = (
        f"{len(layout.guessed)} of the columns above were taken for what they may not be; nothing "
        f"was written. If it is right:\n  {command} --yes"
    )
    if named:
        text += f"\nor say what they hold, such as\n  {command} {' '.join(named)}"
    return text


def _tell(result: "Matched", target: "Target") -> None:
    """Prints what was matched, and what is not the benchmark's."""
    from ..pipeline.importing.summary import summary

    for line in summary(result, target):
        click.echo(line)


def _list_unmatched(result: "Matched") -> None:
    """Prints the first rows that match nothing, and how many there are for which reason."""
    rows = result.unmatched
    for each in rows["why"].combine_chunks().value_counts().to_pylist():
        click.echo(f"match nothing: {count(each['counts'])} rows ({each['values']})", err=True)
    for row in rows.slice(0, _SHOWN).to_pylist():
        place, why, *names = (str(value or "–") for value in row.values())
        short = " | ".join(excerpt(name, limit=_WIDTH) for name in names)
        click.echo(f"  {place}: {why}: {short}", err=True)
    if len(rows) > _SHOWN:
        click.echo("  …", err=True)
