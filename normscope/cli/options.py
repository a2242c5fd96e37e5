"""The flags that several verbs share, and the configuration that they ask for."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import click

from ..files import named
from ..records.config import ALL, RunConfig, override, read
from ..records.model_spec import DATE, ModelSpec

F = TypeVar("F", bound=Callable[..., Any])


class NamedPath(click.Path):
    """A path that has a name of its own: `.` and `..` are resolved, since files go beside it."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Path:
        """The path, named."""
        return named(Path(str(super().convert(value, param, ctx))))


PATH = NamedPath(path_type=Path)
FOLDER = NamedPath(path_type=Path, file_okay=False)


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


def pairs(_: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE, several with commas or in several flags."""
    found = {}
    for given in value:
        parts = [part for part in given.split(",") if part.strip()]
        # a name may have commas in it: then it has a flag of its own
        for part in parts if all("=" in part for part in parts) else [given]:
            name, equals, told = part.rpartition("=")
            if not equals or not name.strip():
                raise click.BadParameter(f"{part!r} is not NAME=VALUE", param=parameter)
            found[name.strip()] = told.strip()
    return found


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


def _temperatures(
    _: click.Context, __: click.Parameter, value: tuple[str, ...]
) -> tuple[float, ...] | None:
    given = names(_, __, value)
    try:
        return tuple(map(float, given)) or None
    except ValueError:
        raise click.BadParameter(f"{', '.join(given)!r} is not a list of numbers") from None


_KINDS = get_type_hints(ModelSpec)
_MODEL = "MODEL"

RETRY = click.option(
    "--retry-failed", is_flag=True, help="Ask again where a call failed, also in a finished run."
)
ENGINE = together(
    click.option("--dtype", type=click.Choice(get_args(_KINDS["dtype"]))),
    click.option("--device", help="cpu, cuda, cuda:1 …; auto takes a GPU where there is one."),
    click.option(
        "--attention",
        type=click.Choice(get_args(_KINDS["attention"])),
        help="How attention is computed [sdpa].",
    ),
    click.option(
        "--date",
        metavar="YYYY-MM-DD",
        help=f"Today, for chat templates that write the date into prompts [{DATE}].",
    ),
    click.option("--pack-tokens", type=int, help="Tokens in one forward pass [1024]."),
    click.option("--max-requests", type=int, help="The most calls to a server [no bound]."),
)
RESPOND = together(
    click.option(
        "--model",
        metavar=_MODEL,
        help="The model under test: a folder, a Hub id, vllm:ID, or http://HOST/v1#NAME.",
    ),
    click.option("--revision", help="Branch, tag or commit of a model on the Hub."),
    click.option("--family", help="The model's family, to know its kin [told by its name]."),
    click.option(
        "--chat-template", metavar="FILE", help="A Jinja file in place of the model's own."
    ),
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
        metavar="labels|text|labels,text",
        help="How options and vignettes are answered: by label probabilities, in text [labels].",
    ),
    click.option(
        "--option-orders",
        type=click.Choice(["given", "cyclic"]),
        help="cyclic: a multiple-choice question once per rotation of its options, for about twice "
        "the time; recommended [given].",
    ),
    click.option("--max-new-tokens", type=int, help="Length of a reply [256]."),
    click.option(
        "--temperature",
        multiple=True,
        callback=_temperatures,
        metavar="T[,T…]",
        help="0 is greedy; several are asked one after the other [0].",
    ),
    click.option("--samples", type=int, help="Replies per prompt and temperature above 0 [1]."),
    click.option("--seed", type=int, help="Where sampling starts [0]."),
    SOURCE,
)
JUDGE = together(
    click.option("--judge", metavar=_MODEL, help="The model that judges, named like --model."),
    click.option("--judge-revision", help="Branch, tag or commit of a judge on the Hub."),
    click.option("--judge-family", help="The judge's family [told by its name]."),
    click.option("--judge-chat-template", metavar="FILE", help="--chat-template of the judge."),
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
    decoding = _given(flags, "max_new_tokens", "temperature", "samples", "seed")
    source = flags.get("source")
    return override(
        base,
        benchmark=flags.get("benchmark"),
        model=_spec(base.model, flags, ""),
        judge=_spec(base.judge, flags, "judge"),
        rubric=flags.get("rubric"),
        label_orders=flags.get("label_orders"),
        channels=flags.get("channels"),
        option_orders=flags.get("option_orders"),
        limit=flags.get("limit"),
        source=str(source) if source else None,
        unpinned=flags.get("unpinned") or None,
        decoding=replace(base.decoding, **decoding),
        min_coverage=flags.get("min_coverage"),
        max_unscored=flags.get("max_unscored"),
        unit_items=flags.get("unit_items"),
    )


OF_ONE_MODEL = ("revision", "family", "chat_template")
"""What is said of one model, and of no other that takes its place."""


def loading(flags: dict[str, Any], base: ModelSpec) -> ModelSpec:
    """The model with what the flags say about engines: they hold for every model that is loaded."""
    calls = _given(flags, "max_requests")
    return replace(
        base,
        **_given(flags, "dtype", "device", "attention", "date", "pack_tokens"),
        endpoint=replace(base.endpoint, **calls),
    )


def _spec(base: ModelSpec | None, flags: dict[str, Any], role: str) -> ModelSpec | None:
    """The model under test, or the one of the role, whose flags begin with its name."""
    model = flags.get(role or "model")
    if model is None and base is None:
        return None
    prefix = f"{role}_" if role else ""
    said = {name: flags.get(f"{prefix}{name}") for name in OF_ONE_MODEL}
    if model is not None and (base is None or model != base.model):
        other: dict[str, Any] = {} if base is None else dict.fromkeys(OF_ONE_MODEL)
        base = replace(base or ModelSpec(model), model=model, **other)
    assert base is not None  # noqa: S101 - a model is named, or stands in the file
    return loading(flags, replace(base, **{k: v for k, v in said.items() if v is not None}))


def _given(flags: dict[str, Any], *wanted: str) -> dict[str, Any]:
    return {name: flags[name] for name in wanted if flags.get(name) is not None}
