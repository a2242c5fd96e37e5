"""From a contributed file to a dataset: the starter, a look at what it makes, the dataset."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

import numpy as np

from ...errors import UsageError
from ...files import replacing, write_text
from ...markdown import code
from ...messages import message
from ...records.integrity import SOURCES
from ...yaml_loader import read_text
from ..builder import Builder, Card
from ..push import NO_LICENSE
from ..write import write_dataset
from .builder import Wording, context_makers, describe
from .check import NAME
from .context import CheckedContext, bundled_contexts, contexts_in, named_prompts
from .own import read_prompts
from .prompts import Prompts, bundled_prompts
from .ratings import rated_in, ratings_copy
from .tables import Tables
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
    contributed: CheckedContext | Prompts,
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
    asked = asked_in or bundled_prompts()
    order = next(iter(asked.scale_orders))
    texts = vignette_table(contributed)["vignette"].to_pylist()
    counts = {"vignettes": len(texts)}
    if contributed.has_null_control:
        counts["in the null control"] = count_vignettes(contributed, null_control=True)
    counts["anchors"] = len(contributed.anchors)
    if asked_in is not None:
        counts |= _counts(asked_in)
    vignettes = tuple(texts[at] for at in _spread(len(texts), size))
    # each in the next variant
    pairs = zip(vignettes, cycle(asked.variants), strict=False)
    prompts = tuple(asked.render(variant, text, scale_order=order) for text, variant in pairs)
    return Preview(counts, vignettes, prompts)


def write_context(
    context: CheckedContext, file: Path, folder: Path, *, prompts: Path | None = None
) -> dict[str, int]:
    """Writes the configs of the context in the file into the folder; returns each config's rows.

    `prompts` is a file whose variants take the place of those that the context names, or of the
    published ones. Contexts that were built into the folder before are built anew with it. A copy
    of each file stands in `contexts/`, that of the context with the name of its prompts, so that a
    run asks what was built; of people's ratings the counts.
    """
    copies = folder / SOURCES
    if (folder / "README.md").is_file() and not copies.is_dir():
        text = message("{folder} holds another dataset; name another folder", folder=folder)
        raise UsageError(text)
    known = contexts_in(copies) if copies.is_dir() else {}
    others = {name: other for name, other in known.items() if name != context.name}
    if prompts is None and context.prompts is not None:
        prompts = file.with_name(context.prompts)
    named = named_prompts(others, copies)
    kept = {f"{context.name}.yaml": _naming(file, prompts).encode()}
    if prompts is not None:
        named[context.name] = read_prompts(prompts)
        kept[prompts.name] = read_text(prompts).encode()
    if (rated := rated_in(context)) is not None:
        kept[rated] = ratings_copy(context)
    _refuse_same_names(copies, kept, others.values())
    wording = Wording((context, *others.values()), named=named)
    tables = Tables(context_makers(wording))
    builder = Builder(
        slug=folder.name or context.name,
        tables=lambda source, *, unpinned=False: dict(tables),  # noqa: ARG005 - the file is its source
        card=_card(wording),
        benchmarks=(),
    )
    write_dataset(builder, folder, tables)
    copies.mkdir(exist_ok=True)
    for name, content in kept.items():
        with replacing(copies / name) as part:
            part.write_bytes(content)
    mine = context_makers(replace(wording, contexts=(context,)))
    return {config: len(tables[config]) for config in mine}


def _naming(file: Path, prompts: Path | None) -> str:
    """The text of the context's file, naming these prompts beside it."""
    text = read_text(file)
    if prompts is None:
        return text
    line = f"prompts: {prompts.name}"
    if _PROMPTS.search(text):
        return _PROMPTS.sub(line, text, count=1)
    return f"{text.rstrip()}\n{line}\n"


def _refuse_same_names(
    copies: Path, kept: Mapping[str, bytes], others: Iterable[CheckedContext]
) -> None:
    """Refuses a copy that would take the place of another context's file with other content."""
    of_others = {
        name
        for other in others
        for name in (f"{other.name}.yaml", other.prompts, rated_in(other))
        if name is not None
    }
    for name in of_others & kept.keys():
        if (copies / name).read_bytes() != kept[name]:
            raise UsageError(
                message(
                    "{folder} would hold two files called {name}: give one of them another name",
                    folder=copies,
                    name=name,
                )
            )


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


def _card(wording: Wording) -> Card:
    """The card of a folder of contexts, of which the first is built now."""
    contexts = wording.contexts
    first = contexts[0]
    licenses = dict.fromkeys(context.license for context in contexts)
    asked_in = {c.name: wording.prompts_of(c.name) or bundled_prompts() for c in contexts}
    about = "\n".join(
        f"- {code(c.name)}: wording: {c.source}; by: {', '.join(c.contributors)}; licence: "
        f"{c.license or 'none stated'}; asked in these prompts: {asked_in[c.name].source} "
        f"({asked_in[c.name].language})"
        for c in contexts
    )
    number = f"{len(contexts)} contexts, each built" if len(contexts) > 1 else "one context, built"
    spoken_in = [prompts.language for prompts in asked_in.values()]
    body = (
        f"{describe(list(contexts))}\n\n{about}\n\n"
        "The columns, and what such a dataset must not be used for, are explained in the card of "
        "`ci-vignettes`. Its vignettes are an enumerated product and no sample; a model's answer "
        "says nothing about what people find acceptable until it is compared with a survey of them."
    )
    # the Hub refuses a card with a licence that is not on its list, and takes `other` with a name
    only = next(iter(licenses)).lower() if len(licenses) == 1 else ""
    license_ = only if only in _LICENSES else "other" if all(licenses) else NO_LICENSE
    return Card(
        title=first.title if len(contexts) == 1 else "Contextual-integrity vignettes",
        summary=f"Vignettes that ask whether a flow of information is acceptable: {number} from "
        "one file by Normscope.",
        languages=tuple(dict.fromkeys((*(c.language for c in contexts), *spoken_in))),
        license=license_,
        license_name="; ".join(licenses) if license_ == "other" else None,
        tags=("privacy", "contextual-integrity", "norms", "vignettes"),
        tasks=("multiple-choice", "text-generation"),
        body=body,
        default_config=first.name,
        command="normscope context build FILE --out SOURCES",
    )
