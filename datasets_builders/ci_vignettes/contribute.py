"""From a contributed file to a dataset: the starter, a look at what it makes, the dataset."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import UsageError
from ...extras import require
from ...files import write_text
from ..builder import Builder, Card
from ..write import write_dataset
from .builder import context_makers, describe
from .check import NAME
from .context import Context, bundled_contexts
from .prompts import Prompts, bundled_prompts
from .tables import Tables
from .vignettes import vignette_table

_HERE = Path(__file__).parent
_LICENSES = ("apache-2.0", "cc-by-4.0", "cc-by-sa-4.0", "cc0-1.0", "mit", "odc-by", "pddl")
_MOST_COUNTED = 2_000


def write_starter(name: str, path: Path, *, prompts: bool = False) -> None:
    """Writes a commented file with blanks to fill in; a file that is there is left alone."""
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} must be lower-case letters, digits and underscores")
    if not prompts and name in bundled_contexts():
        raise UsageError(f"there is a context {name!r} already; choose another name")
    if path.exists():
        raise UsageError(f"{path} exists; name another file with --out, or remove it first")
    starter = _HERE / ("starter_prompts.yaml" if prompts else "starter.yaml")
    write_text(path, starter.read_text(encoding="utf-8").replace("NAME", name))


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file makes: counts by what is counted, and a few vignettes and prompts of it."""

    counts: Mapping[str, int]
    vignettes: tuple[str, ...]
    prompts: tuple[str, ...]
    tokens: tuple[int, int, int] | None


def preview(
    made: Context | Prompts, *, prompts: Prompts | None = None, size: int, tokenizer: str | None
) -> Preview:
    """Counts, a sample spread evenly over what is made, and the prompts' lengths in tokens.

    Prompts are shown with vignettes of the bundled `iot`. The lengths (least, median, most) are
    those of at most 2,000 prompts.
    """
    if isinstance(made, Prompts):
        context, asked = bundled_contexts()["iot"], made
    else:
        context, asked = made, prompts or bundled_prompts()
    table = vignette_table(context)
    ways = [(variant, order) for order in asked.scale_orders for variant in asked.variants]
    texts = table["vignette"].to_pylist()
    every = range(len(texts) * len(asked.variants))
    forward = next(iter(asked.scale_orders))

    def prompt(at: int) -> str:
        item, variant = divmod(at, len(asked.variants))
        return asked.render(list(asked.variants)[variant], texts[item], scale_order=forward)

    lengths = None
    if tokenizer is not None:
        count = _counter(tokenizer)
        lengths = np.array([count(prompt(at)) for at in _spread(every, _MOST_COUNTED)])
    shown = ways if isinstance(made, Prompts) else []
    return Preview(
        counts=_counts(made),
        vignettes=() if shown else tuple(texts[at] for at in _spread(range(len(texts)), size)),
        prompts=tuple(asked.render(v, texts[0], scale_order=order) for v, order in shown)
        or tuple(prompt(at) for at in _spread(every, size)),
        tokens=None
        if lengths is None
        else (int(lengths.min()), int(np.median(lengths)), int(lengths.max())),
    )


def write_context(
    context: Context, folder: Path, *, prompts: Prompts | None = None
) -> dict[str, int]:
    """Writes the context's configs and a card into the folder; returns each config's rows."""
    tables = Tables(context_makers([context], prompts=prompts))
    made = Builder(
        slug=folder.name or context.name,
        tables=lambda source, *, unpinned=False: tables,  # noqa: ARG005 - the file is its source
        card=_card(context, prompts or bundled_prompts()),
        benchmarks=(),
    )
    write_dataset(made, folder, tables)
    return {config: len(table) for config, table in tables.items()}


def _counts(made: Context | Prompts) -> dict[str, int]:
    if isinstance(made, Prompts):
        return {"variants": len(made.variants), "orders of the answers": len(made.scale_orders)}
    counts = {"vignettes": len(vignette_table(made))}
    if made.has_null_control:
        counts["in the null control"] = len(vignette_table(made, null_control=True))
    return counts | {"anchors": len(made.anchors)}


def _spread(every: range, size: int) -> list[int]:
    """At most `size` of them, evenly spread from the first to the last.

    >>> _spread(range(10), 3), _spread(range(2), 5)
    ([0, 4, 9], [0, 1])
    """
    if size >= len(every):
        return list(every)
    return [int(at) for at in np.linspace(0, len(every) - 1, size)]


def _counter(tokenizer: str) -> Callable[[str], int]:
    transformers = require("transformers", extra="judge")
    try:
        encode = transformers.AutoTokenizer.from_pretrained(tokenizer)
    except (OSError, ValueError) as error:
        told = str(error).splitlines()[0]
        raise UsageError(f"no tokenizer can be loaded from {tokenizer!r}: {told}") from error
    return lambda text: len(encode(text)["input_ids"])


def _card(context: Context, prompts: Prompts) -> Card:
    known = context.license.lower() in _LICENSES
    body = (
        f"{describe([context])}\n\n"
        f"- wording: {context.source}\n- by: {', '.join(context.contributors)}\n"
        f"- licence: {context.license or 'none stated'}\n"
        f"- prompts: {prompts.source}\n\n"
        "The columns, and what such a dataset must not be used for, are explained in the card of "
        "`ci-vignettes`. Its vignettes are an enumerated product and no sample; a model's answer "
        "says nothing about what people find acceptable until it is compared with a survey of them."
    )
    return Card(
        title=context.title,
        summary="Vignettes that ask whether a flow of information is acceptable, built from one "
        "file by Normscope.",
        languages=(context.language,),
        license=context.license.lower() if known else "other" if context.license else "unknown",
        license_name=None if known or not context.license else context.license,
        tags=("privacy", "contextual-integrity", "norms", "vignettes"),
        body=body,
        default_config=context.name,
    )
