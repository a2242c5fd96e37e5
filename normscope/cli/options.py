"""The flags that several verbs share, and the configuration that they ask for."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import click

from ..api.settings import OF_DECODING, OF_ENGINES, PER_MODEL
from ..files import named
from ..messages import LANGUAGES, Language
from ..records.cluster import ClusterSettings
from ..records.config import ALL, Decoding, RunConfig
from ..records.model_spec import EndpointSettings, ModelSpec

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
    result = {}
    for given in value:
        given_pairs = [pair for pair in given.split(",") if pair.strip()]
        # a name may have commas in it: then it has a flag of its own
        for pair in given_pairs if all("=" in pair for pair in given_pairs) else [given]:
            name, equals, value_of = pair.rpartition("=")
            if not equals or not name.strip():
                raise click.BadParameter(f"{pair!r} is not NAME=VALUE", param=parameter)
            result[name.strip()] = value_of.strip()
    return result


def _limits(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> dict[str, int]:
    limits = {}
    for given in value:
        name, equals, count = given.rpartition("=")
        if not count.isdecimal() or (equals and not name):
            raise click.BadParameter(f"{given!r} is neither N nor BENCHMARK=N")
        limits[name or ALL] = int(count)
    return limits


def _numbers(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[float, ...]:
    given = names(_, __, value)
    try:
        return tuple(map(float, given))
    except ValueError:
        raise click.BadParameter(f"{', '.join(given)!r} is not a list of numbers") from None


_SEVERAL: dict[Any, Callable[..., Any]] = {
    Mapping[str, int]: _limits,
    float | tuple[float, ...]: _numbers,
}
"""How the values of a field are read that may be given several times, by its type."""


def flags(kind: type, *fields_of: str, role: str = "") -> Callable[[F], F]:
    """The flags of a configuration's fields, made of each field's name, type, default and text.

    With a `role` they are those of another model than the one under test, and its name begins them:
    `--judge-revision`.
    """
    types = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}
    return together(*(_flag(known[name], types[name], role) for name in fields_of))


def _flag(field: Field[Any], kind: Any, role: str) -> Callable[[F], F]:
    name = f"--{role}-{field.name}" if role else _FLAGS.get(field.name, f"--{field.name}")
    text = field.metadata["help"]
    if role:
        text = f"--{field.name.replace('_', '-')} of the {role}."
    elif default := _shown(field.default):
        text = f"{text[:-1]} [{default}]."
    more: dict[str, Any] = {"help": text, "metavar": field.metadata["metavar"]}
    plain = next((member for member in get_args(kind) if member is not type(None)), kind)
    if kind in _SEVERAL or get_origin(kind) is tuple:
        more |= {"multiple": True, "callback": _SEVERAL.get(kind, names)}
    elif kind is bool:
        more |= {"is_flag": True, "default": None, "metavar": None}
    elif field.metadata["metavar"] == "FOLDER":
        more |= {"type": FOLDER, "callback": _as_text}
    elif get_origin(kind) is Literal:
        more |= {"type": click.Choice(get_args(kind))}
    else:
        more |= {"type": plain}
    parameter = () if role else (field.name,)
    return click.option(name.replace("_", "-"), *_SHORT.get(field.name, ()), *parameter, **more)


def _as_text(_: click.Context, __: click.Parameter, value: Path | None) -> str | None:
    """The path as a configuration keeps it."""
    return None if value is None else str(value)


def _shown(default: Any) -> str:
    """The default as help names it; nothing where a flag left out says enough by itself."""
    if default is None or default is False or default is MISSING:
        return ""
    return ",".join(default) if isinstance(default, tuple) else str(default).removesuffix(".0")


_SHORT = {"benchmark": ("-b",)}
_FLAGS = {"judge_channels": "--judge-channel"}
"""The flag of a field that is not called like it."""

_MODEL = "A folder, a Hub id, bundled, vllm:ID, or http://HOST/v1#NAME: "

RETRY = click.option(
    "--retry-failed", is_flag=True, help="Ask again where a call failed, also in a finished run."
)
SOURCE = flags(RunConfig, "source", "unpinned")
UNIT_ITEMS = flags(RunConfig, "unit_items")
KEY = flags(RunConfig, "key")
MAX_UNSCORED = flags(RunConfig, "max_unscored")
ENGINE = together(flags(ModelSpec, *OF_ENGINES), flags(EndpointSettings, "max_requests"))
CLUSTER = flags(ClusterSettings, *(field.name for field in fields(ClusterSettings)))
RESPOND = together(
    click.option("--model", metavar="MODEL", help=f"{_MODEL}the model under test."),
    flags(ModelSpec, *PER_MODEL),
    flags(RunConfig, "benchmark", "context", "prompts", "variants"),
    flags(RunConfig, "limit", "channels", "option_orders"),
    KEY,
    flags(Decoding, *OF_DECODING),
    SOURCE,
)
JUDGE = together(
    click.option("--judge", metavar="MODEL", help=f"{_MODEL}the model that judges."),
    flags(ModelSpec, *PER_MODEL, role="judge"),
    flags(RunConfig, "min_coverage", "rubric", "label_orders"),
)
SCORE = flags(RunConfig, "rule", "threshold")
JUDGE_CHANNEL = flags(RunConfig, "judge_channels")
CONFIG = click.option(
    "--config", type=PATH, help="YAML file with any of these settings; a flag overrides it."
)


def _speak(context: click.Context, _parameter: click.Parameter, value: Language) -> Language:
    """Notes in which language the command speaks: `main` says an error in it, too."""
    context.find_root().ensure_object(dict)["language"] = value
    return value


LANGUAGE = click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    callback=_speak,
    # before the others, so that what is wrong with them is said in it
    is_eager=True,
    help="Of what is written and shown [en].",
)


def column(of: str) -> Callable[[F], F]:
    """The flag that names the columns of these roles, where they are called otherwise."""
    return click.option(
        "--column",
        "columns",
        multiple=True,
        callback=pairs,
        metavar="ROLE=NAME",
        help=f"The column of {of}.",
    )


COLUMN = column(
    "question, response, messages, language, category, failed, turns or cluster; category= takes "
    "none"
)
HOST = click.option(
    "--host", default="127.0.0.1", show_default=True, help="0.0.0.0 for others to see."
)
PORT = click.option("--port", type=click.IntRange(0, 65535), help="[the first free one from 7860]")
