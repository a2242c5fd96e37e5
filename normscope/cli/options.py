"""The options that several verbs share: the settings of a run, by flags, by --set and in a file."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from ..errors import nearest
from ..files import named
from ..messages import LANGUAGES
from ..progress import quiet
from ..records.cluster import WorkSettings
from ..records.model_spec import PER_MODEL, Decoding, EndpointSettings, ModelSpec
from ..records.settings import FIELDS, TYPES, Settings
from .terminal import JSON

F = TypeVar("F", bound=Callable[..., Any])

FRONT = (
    *("model", "judge", "benchmark", "context", "prompts", "limit", "source", "samples"),
    *("temperature", "channels", "rubric", "device"),
)
"""The settings with a flag in every verb that takes them."""

_LISTS = {"benchmark", "context", "limit", "temperature", "channels"}
"""Those that take several values."""

_SECTIONS = {
    "What is asked, judged and scored": Settings,
    "How the model under test replies (in a file under decoding:)": Decoding,
    "Models (in a file under model: and judge:; judge_revision is the judge's)": ModelSpec,
    "Servers (in a file under endpoint: of model: or judge:)": EndpointSettings,
    "Where it is done (in no file)": WorkSettings,
}
_FIELDS = {**FIELDS, **{field.name: field for field in fields(WorkSettings)}}
STAGES: Mapping[str, tuple[str, ...]] = {
    **{name: f.metadata["stages"] for name, f in _FIELDS.items() if f.metadata.get("help")},
    **dict.fromkeys(PER_MODEL, ("respond",)),
    **{f"judge_{name}": ("judge",) for name in PER_MODEL},
}
"""Every key of --set, with the stages that it is requested of."""


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
    """The flags of these settings, made of each field's name, type, default and text."""
    return together(*map(_flag, names))


def stage_options(*stages: str) -> Callable[[F], F]:
    """The flags of these stages' settings, --config for a file, and --set for the others."""
    keys = [key for key in STAGES if not {*stages}.isdisjoint(STAGES[key])]
    return together(flags(*(name for name in FRONT if name in keys)), CONFIG, set_option(*keys))


def set_option(*keys: str) -> Callable[[F], F]:
    """--set KEY=VALUE for these settings, which `requested` takes as it takes those with flags."""

    def read(
        context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
    ) -> dict[str, str]:
        result = pairs(context, parameter, value)
        for key in result:
            if key not in keys:
                text = f"{context.info_name} has no setting {key!r}; {nearest(key, keys)}"
                raise click.BadParameter(text, param=parameter)
        return result

    about: dict[str, Any] = {"multiple": True, "callback": read, "metavar": "KEY=VALUE"}
    about["help"] = "Any other setting: see `run --help-all`."
    return click.option("--set", "settings", **about)


def _flag(name: str) -> Callable[[F], F]:
    more: dict[str, Any] = {"help": _text(name), "metavar": FIELDS[name].metadata["metavar"]}
    if name in _LISTS:
        more |= {"multiple": True, "callback": names}
    elif TYPES[name] is bool:
        more |= {"is_flag": True, "default": None}
    short = ("-b",) if name == "benchmark" else ()
    return click.option(*short, f"--{name.replace('_', '-')}", name, **more)


def _text(name: str) -> str:
    """What help says of the setting, with its default unless leaving it out says enough."""
    text, default = _FIELDS[name].metadata["help"], _FIELDS[name].default
    if not isinstance(default, str | int | float | tuple) or default is False or default == ():
        return str(text)
    shown = ",".join(default) if isinstance(default, tuple) else str(default).removesuffix(".0")
    return f"{text[:-1]} [{shown}]."


def _show_all(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Prints every setting with its stages and its default, and ends."""
    if not value:
        return
    formatter = context.make_formatter()
    formatter.write_text(
        "Every setting of a run, with the stages that it is requested of: by its flag, by --set "
        "KEY=VALUE, or as a key of the file of --config."
    )
    for title, kind in _SECTIONS.items():
        keys = [field.name for field in fields(kind) if field.metadata.get("help")]
        written = [f"--{key}" if key in FRONT else key for key in keys]
        texts = [f"({', '.join(STAGES[key])}) {_text(key)}" for key in keys]
        with formatter.section(title):
            formatter.write_dl([*zip(written, texts, strict=True)])
    click.echo(formatter.getvalue().rstrip())
    context.exit()


_AT_ONCE: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
"""Of a flag that its callback does all of, before other options are looked at."""

HELP_ALL = click.option(
    "--help-all",
    **_AT_ONCE,
    callback=_show_all,
    help="Every setting with stages and default.",
)
SOURCE = flags("source", "unpinned")
CONFIG = click.option("--config", type=PATH, help="YAML file of settings; an option overrides it.")
LANGUAGE = click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    help="Of what is written and shown [en].",
)


def _quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.with_resource(quiet())


def _as_json(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        words = context.command_path.split()
        context.meta[JSON] = " ".join(words[1:] or words)


QUIET = click.Option(
    ["--quiet"],
    **_AT_ONCE,
    callback=_quiet,
    help="Show results and errors only: no bars, no notes.",
)
"""An option of every verb."""

AS_JSON = click.option(
    "--json",
    **_AT_ONCE,
    callback=_as_json,
    help="Print the result as one JSON object and nothing else (docs/gate.md).",
)
ALTHOUGH = click.option(
    "--although", is_flag=True, help="Go on although the runs were not measured alike."
)


def column(of: str) -> Callable[[F], F]:
    """The flag that names the columns of these roles, where they are called otherwise."""
    about: dict[str, Any] = {"metavar": "ROLE=NAME", "help": f"The column of {of}."}
    return click.option("--column", "columns", multiple=True, callback=pairs, **about)


COLUMN = column(
    "question, response, label, messages, language, category, failed, turns or cluster; category= "
    "takes none"
)
