"""The flags that several verbs share, most of them read off the fields of `Settings`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import click

from ..files import named
from ..messages import LANGUAGES
from ..records.cluster import WorkSettings
from ..records.model_spec import Numbers
from ..records.settings import FIELDS, PER_MODEL, TYPES

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


def names_option(*flags: str, **about: Any) -> Callable[[F], F]:
    """An option that takes several names, in several flags or with commas."""
    return click.option(*flags, multiple=True, callback=names, **about)


def flags(*names: str) -> Callable[[F], F]:
    """The flags of these settings, made of each field's name, type, default and text.

    Beside `--model` stand those that are said of one model, beside `--judge` those of the judge:
    `--judge-revision`.
    """
    options = []
    for name in names:
        options.append(_flag(FIELDS[name], TYPES[name]))
        if name in {"model", "judge"}:
            role = "" if name == "model" else name
            of_model = (each for each in PER_MODEL if FIELDS[each].metadata["help"])
            options += [_flag(FIELDS[each], TYPES[each], role) for each in of_model]
    return together(*options)


def stage_flags(*stages: str, without: Sequence[str] = ()) -> Callable[[F], F]:
    """The flags of all settings of these stages."""
    of_stages = [
        name
        for name, field in FIELDS.items()
        if field.metadata.get("help") and not {*stages}.isdisjoint(field.metadata["stages"])
    ]
    return flags(*(name for name in of_stages if name not in without))


def _flag(field: Field[Any], kind: Any, role: str = "") -> Callable[[F], F]:
    about, name = field.metadata, f"{role}_{field.name}".lstrip("_")
    text = about["help"]
    if role:
        text = f"--{field.name.replace('_', '-')} of the {role}."
    elif default := _shown(field.default):
        text = f"{text[:-1]} [{default}]."
    more: dict[str, Any] = {"help": text, "metavar": about["metavar"]}
    plain = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    members = [each for each in get_args(plain) if each is not type(None)]
    if kind == Numbers or get_origin(plain) in {tuple, Mapping}:
        more |= {"multiple": True, "callback": names}
    elif plain is bool:
        more |= {"is_flag": True, "default": None, "metavar": None}
    elif about["metavar"] == "FOLDER":
        more |= {"type": FOLDER}
    elif get_origin(plain) is Literal:
        more |= {"type": click.Choice(members)}
    else:
        kinds = {int, float} & {plain, *members}
        more |= {"type": next(iter(kinds), str)}
    written = about["flags"] or (f"--{name.replace('_', '-')}",)
    return click.option(*written, name, **more)


def _shown(default: Any) -> str:
    """The default as help names it; nothing where a flag left out says enough by itself."""
    if default is None or default is False or default is MISSING:
        return ""
    return ",".join(default) if isinstance(default, tuple) else str(default).removesuffix(".0")


CLUSTER = together(
    *(_flag(each, get_type_hints(WorkSettings)[each.name]) for each in fields(WorkSettings))
)
RETRY = click.option(
    "--retry-failed", is_flag=True, help="Ask again where a call failed, also in a finished run."
)
SOURCE = flags("source", "unpinned")
CONFIG = click.option(
    "--config", type=PATH, help="YAML file with any of these settings; a flag overrides it."
)


LANGUAGE = click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    help="Of what is written and shown [en].",
)
ALTHOUGH = click.option(
    "--although", is_flag=True, help="Go on although the runs were not measured alike."
)


def column(of: str) -> Callable[[F], F]:
    """The flag that names the columns of these roles, where they are called otherwise."""
    about: dict[str, Any] = {"metavar": "ROLE=NAME", "help": f"The column of {of}."}
    return click.option("--column", "columns", multiple=True, callback=pairs, **about)


COLUMN = column(
    "question, response, messages, language, category, failed, turns or cluster; category= takes "
    "none"
)
