"""The flags that several verbs share, and the configuration that they ask for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..config import ALL, Decoding, RunConfig, override, read
from ..judges.engines import ModelSpec

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, file_okay=False)


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, in their order."""

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def names(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Several values, given in several flags or with commas."""
    return tuple(name.strip() for given in value for name in given.split(",") if name.strip())


def _limits(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> dict[str, int]:
    limits = {}
    for given in value:
        name, equals, count = given.rpartition("=")
        if not count.isdecimal() or (equals and not name):
            raise click.BadParameter(f"{given!r} is neither N nor BENCHMARK=N")
        limits[name or ALL] = int(count)
    return limits


SOURCE = together(
    click.option(
        "--source",
        type=FOLDER,
        help="Folder with the benchmarks' own files (else they are fetched from their authors).",
    ),
    click.option(
        "--unpinned",
        is_flag=True,
        help="Accept source files that are not the pinned ones, if their shape is right.",
    ),
)
ENGINE = together(
    click.option("--dtype", type=click.Choice(["auto", "float32", "bfloat16", "float16"])),
    click.option("--device", help="cpu, cuda, cuda:1 …; auto takes a GPU where there is one."),
    click.option("--pack-tokens", type=int, help="Tokens in one forward pass [1024]."),
)
RESPOND = together(
    click.option("--model", metavar="PATH_OR_HUB_ID", help="The model under test."),
    click.option("--revision", help="Branch, tag or commit of a model on the Hub."),
    click.option(
        "--benchmark",
        "-b",
        multiple=True,
        callback=names,
        help="cfsafety, chisafetybench:qa, chisafetybench:mcq, ci-vignettes:coppa, …",
    ),
    click.option(
        "--limit",
        multiple=True,
        callback=_limits,
        metavar="N|BENCHMARK=N",
        help="At most N items, balanced over categories and factors.",
    ),
    click.option(
        "--channels",
        multiple=True,
        callback=names,
        help="How options and vignettes are answered: labels, text or both [labels].",
    ),
    click.option(
        "--option-orders",
        type=click.Choice(["given", "cyclic"]),
        help="Ask a multiple-choice question once per rotation of its options [given].",
    ),
    click.option("--max-new-tokens", type=int, help="Length of a reply [256]."),
    click.option("--temperature", type=float, help="0 is greedy [0]."),
    click.option("--samples", type=int, help="Replies per prompt [1]."),
    click.option("--seed", type=int, help="Where sampling starts [0]."),
    SOURCE,
)
JUDGE = together(
    click.option("--judge", metavar="PATH_OR_HUB_ID", help="The model that judges."),
    click.option("--judge-revision", help="Branch, tag or commit of a judge on the Hub."),
    click.option("--min-coverage", type=float, help="Mass that must lie on the scale [0.5]."),
    click.option("--rubric", help="A bundled rubric's name or a YAML file [the benchmark's own]."),
    click.option(
        "--label-orders",
        type=click.Choice(["given", "both"]),
        help="Ask with the labels in both orders and average [given].",
    ),
)
CONFIG = click.option(
    "--config", type=PATH, help="YAML file with any of these settings; a flag overrides it."
)


def asked(flags: dict[str, Any], base: RunConfig) -> RunConfig:
    """The configuration that the flags (and the file they name) ask for."""
    base = read(flags["config"]) if flags.get("config") else base
    loading = {name: flags.get(name) for name in ("dtype", "device", "pack_tokens")}
    decoding = {
        name: flags[name]
        for name in ("max_new_tokens", "temperature", "samples", "seed")
        if flags.get(name) is not None
    }
    source = flags.get("source")
    return override(
        base,
        benchmark=flags.get("benchmark"),
        model=_spec(base.model, flags.get("model"), flags.get("revision"), loading),
        judge=_spec(base.judge, flags.get("judge"), flags.get("judge_revision"), loading),
        rubric=flags.get("rubric"),
        label_orders=flags.get("label_orders"),
        channels=flags.get("channels"),
        option_orders=flags.get("option_orders"),
        limit=flags.get("limit"),
        source=str(source) if source else None,
        unpinned=flags.get("unpinned") or None,
        decoding=Decoding(**{**_fields(base.decoding), **decoding}),
        min_coverage=flags.get("min_coverage"),
        max_unscored=flags.get("max_unscored"),
        unit_items=flags.get("unit_items"),
    )


def _spec(
    base: ModelSpec | None, model: str | None, revision: str | None, loading: dict[str, Any]
) -> ModelSpec | None:
    if base is None and model is None:
        return None
    known = {} if base is None else _fields(base)
    if model is not None and base is not None and model != base.model:
        known["revision"] = None
    given = {"model": model, "revision": revision, **loading}
    return ModelSpec(**{**known, **{k: v for k, v in given.items() if v is not None}})


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}
