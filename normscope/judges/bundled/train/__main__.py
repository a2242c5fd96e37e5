"""`python -m normscope.judges.bundled.train --source FOLDER`: from sources to a judge."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import click

from . import fit
from .leave_out import FOLDS
from .making import LOG, finish, leave_out_one, train_one


@click.command()
@click.option(
    "--source",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="The folder that holds `human-labels`.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("bundled-judge"),
    show_default=True,
    help="Where the model, its tokenizer, the reports and the card go.",
)
@click.option(
    "--pooled-tokens",
    default=fit.Recipe().pooled.tokens,
    show_default=True,
    help="To train each judge's last layer on means of.",
)
@click.option(
    "--tokens", default=fit.Recipe().whole.tokens, show_default=True, help="To train on as a whole."
)
@click.option("--seed", default=0, show_default=True)
@click.option("--processes", default=2, show_default=True, help="Judges trained side by side.")
@click.option("--limit", type=int, help="So many rows of each set only, for a trial.")
def main(
    *,
    source: Path,
    out: Path,
    pooled_tokens: int,
    tokens: int,
    seed: int,
    processes: int,
    limit: int | None,
) -> None:
    """Train the bundled judge and those without a set, measure them, and write the card.

    A judge takes one thread. What has been done is kept in the folder: run again, the command goes
    on. scikit-learn is needed for the teachers (pip install scikit-learn).
    """
    recipe = fit.Recipe(seed=seed)
    recipe = replace(
        recipe,
        pooled=replace(recipe.pooled, tokens=pooled_tokens),
        whole=replace(recipe.whole, tokens=tokens),
    )
    if limit is not None:
        recipe = replace(recipe, vocabulary=2000, width=128, feedforward=128)
    left_out = out / "left_out"
    left_out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        work = [] if (out / LOG).is_file() else [pool.submit(train_one, source, recipe, out, limit)]
        work += [
            pool.submit(leave_out_one, source, fold, recipe, left_out, limit)
            for fold in FOLDS
            if not (left_out / f"{fold}.json").is_file()
        ]
        for done in work:
            click.echo(done.result())
    finish(source, out, limit=limit)


if __name__ == "__main__":
    main()
