"""From a contributed file to a dataset: the starter, a look at what it makes, the dataset."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np

from ...errors import UsageError
from ...files import replacing, write_text
from ...markdown import code
from ...messages import message
from ...records.integrity import SOURCES
from ...yaml import read_text
from ..builder import Builder, Card
from ..push import NO_LICENSE
from ..write import write_dataset
from .builder import Tables, context_configs, describe
from .check import NAME
from .context import Wording, bundled_contexts, read_prompts
from .context_file import ContextFile
from .prompts import Prompts, bundled_prompts
from .ratings import ratings_copy
from .vignettes import count_vignettes, vignette_table

_HERE = Path(__file__).parent
_LICENSES = ("apache-2.0", "cc-by-4.0", "cc-by-sa-4.0", "cc0-1.0", "mit", "odc-by", "pddl")
_PROMPTS = re.compile(r"^prompts\s*:.*$", re.MULTILINE)


def write_starter(name: str, path: Path, *, prompts: bool = False) -> None:
    """Writes a commented file with blanks to fill in; a file that is there is left alone."""
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} must be lower-case letters, digits and underscores")
    if not prompts and name in bundled_contexts():
        raise UsageError(f"there is a context {name!r} already; choose another name")
    if path.exists():
        raise UsageError(f"{path} exists; name another file with --out, or remove it first")
    write_text(path, starter(name, prompts=prompts))


def starter(name: str, *, prompts: bool = False) -> str:
    """A commented file of that name with blanks to fill in."""
    file = _HERE / ("starter_prompts.yaml" if prompts else "starter.yaml")
    return file.read_text(encoding="utf-8").replace("NAME", name)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file makes: counts by what is counted, and a few vignettes and prompts of it."""

    counts: Mapping[str, int]
    vignettes: tuple[str, ...]
    prompts: tuple[str, ...]


def preview(
    contributed: ContextFile | Prompts,
    *,
    asked_in: Prompts | None = None,
    size: int = 5,
) -> Preview:
    """Counts, and a sample spread evenly over what is made.

    A context is shown in the prompts `asked_in`, or in the published ones; prompts are shown with
    a vignette of the bundled `iot`.
    """
    if isinstance(contributed, Prompts):
        text = vignette_table(bundled_contexts()["iot"])["vignette"][0].as_py()
        ways = [(v, order) for order in contributed.scale_orders for v in contributed.variants]
        prompts = tuple(contributed.render(v, text, scale_order=order) for v, order in ways)
        return Preview(_counts(contributed), (), prompts)
    variants = asked_in or bundled_prompts()
    order = next(iter(variants.scale_orders))
    texts = vignette_table(contributed)["vignette"].to_pylist()
    counts = {"vignettes": len(texts)}
    if contributed.has_null_control:
        counts["in the null control"] = count_vignettes(contributed, null_control=True)
    counts["anchors"] = len(contributed.anchors)
    if asked_in is not None:
        counts |= _counts(asked_in)
    vignettes = tuple(texts[at] for at in _spread(len(texts), size))
    # each in the next variant
    pairs = zip(vignettes, cycle(variants.variants), strict=False)
    prompts = tuple(variants.render(variant, text, scale_order=order) for text, variant in pairs)
    return Preview(counts, vignettes, prompts)


def write_context(
    context: ContextFile, file: Path, folder: Path, *, prompts: Path | None = None
) -> dict[str, int]:
    """Writes the configs of the context in the file into the folder; returns each config's rows.

    `prompts` is a file whose variants take the place of those that the context names, or of the
    published ones. A copy of each file stands in `contexts/`, that of the context with the name of
    its prompts, so that a run asks what was built; of people's ratings the counts. A folder that
    holds another dataset, or another context's, is a `UsageError`.
    """
    copies = folder / SOURCES
    if (folder / "README.md").is_file() and not (copies / f"{context.name}.yaml").is_file():
        text = message("{folder} holds another dataset; name another folder", folder=folder)
        raise UsageError(text)
    if prompts is None and context.prompts is not None:
        prompts = file.with_name(context.prompts)
    contents = {f"{context.name}.yaml": _naming(file, prompts).encode()}
    asked_in: dict[str, Prompts] = {}
    if prompts is not None:
        asked_in[context.name] = read_prompts(prompts)
        contents[prompts.name] = read_text(prompts).encode()
    if context.ratings_file is not None:
        contents[context.ratings_file] = ratings_copy(context)
    configs = context_configs(context, Wording((context,), asked_in))
    tables = dict(Tables({config.name: config.make for config in configs}))
    builder = Builder(
        slug=folder.name or context.name,
        tables=lambda source, *, unpinned=False: tables,  # noqa: ARG005 - the file is its source
        card=_card(context, asked_in.get(context.name, bundled_prompts())),
        benchmarks=(),
    )
    write_dataset(builder, folder, tables)
    copies.mkdir(exist_ok=True)
    for name, content in contents.items():
        with replacing(copies / name) as part:
            part.write_bytes(content)
    return {config: len(table) for config, table in tables.items()}


def _naming(file: Path, prompts: Path | None) -> str:
    """The text of the context's file, naming these prompts beside it."""
    text = read_text(file)
    if prompts is None:
        return text
    line = f"prompts: {prompts.name}"
    if _PROMPTS.search(text):
        return _PROMPTS.sub(line, text, count=1)
    return f"{text.rstrip()}\n{line}\n"


def _counts(prompts: Prompts) -> dict[str, int]:
    return {
        "prompt variants": len(prompts.variants),
        "orders of the answers": len(prompts.scale_orders),
    }


def _spread(number: int, size: int) -> list[int]:
    """At most `size` of the indices below `number`, evenly spread from the first to the last.

    >>> _spread(10, 3), _spread(2, 5)
    ([0, 4, 9], [0, 1])
    """
    return [int(at) for at in np.linspace(0, number - 1, min(number, size))]


def _card(context: ContextFile, prompts: Prompts) -> Card:
    """The card of the folder of a context that is asked in these prompts."""
    about = (
        f"- {code(context.name)}: wording: {context.source}; by: "
        f"{', '.join(context.contributors)}; licence: {context.license or 'none stated'}; asked in "
        f"these prompts: {prompts.source} ({prompts.language})"
    )
    body = (
        f"{describe([context])}\n\n{about}\n\n"
        "The columns, and what such a dataset must not be used for, are explained in the card of "
        "`ci-vignettes`. Its vignettes are an enumerated product and no sample; a model's answer "
        "says nothing about what people find acceptable until it is compared with a survey of them."
    )
    # the Hub refuses a card with a licence that is not on its list, and takes `other` with a name
    license_ = context.license.lower()
    if license_ not in _LICENSES:
        license_ = "other" if license_ else NO_LICENSE
    return Card(
        title=context.title,
        summary="Vignettes that ask whether a flow of information is acceptable: one context, "
        "built from one file by Normscope.",
        languages=tuple(dict.fromkeys((context.language, prompts.language))),
        license=license_,
        license_name=context.license if license_ == "other" else None,
        tags=("privacy", "contextual-integrity", "norms", "vignettes"),
        tasks=("multiple-choice", "text-generation"),
        body=body,
        default_config=context.name,
        command="normscope build --context FILE",
    )
