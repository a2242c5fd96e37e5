"""ConfAIde's 98 flows of information and what people on average said of them (tier 2a).

"Can LLMs Keep a Secret? Testing Privacy Implications of Language Models via Contextual Integrity
Theory", Niloofar Mireshghallah and others, 2023, arXiv 2310.17884. The flows are read from the
authors' files and not kept in this project.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from ...errors import SourceError
from ..sources import SourceFile, locate, source_files, source_folder
from .vignettes import RATING_FIELDS, item_id

NAME = "confaide"
SIZE = 98
FACETS = ("recipient", "attribute", "transmission_principle")

_FOLDER = "human-labels/confaide"
_FILES = source_files("ci_vignettes")
FLOWS, RATINGS = _FILES["flows"], _FILES["ratings"]
FLOWS_ALONE = _FILES["flows_alone"]
"""The same flows without the question around them; read where a folder has it, never fetched."""

LOW, HIGH = -100.0, 100.0
QUESTION = "How far does this flow meet your privacy expectations?"
"""What people agreed or disagreed with, in our words; it is not what the prompts ask."""

_FLOW = re.compile(
    r"Information about (?P<attribute>.+?) is collected by (?P<recipient>.+?) "
    r"in order to (?P<purpose>.+?)\.*\s*$"
)
_HEADER = "idx,scenario"


def confaide_table(source: Path | None, *, unpinned: bool = False) -> pa.Table:
    """A row per flow: the text, and what varies in it."""
    return _flows(source, unpinned=unpinned)[0]


def ratings_table(source: Path | None, *, unpinned: bool = False) -> pa.Table:
    """A row per flow with the mean rating of people, which is all that the authors published."""
    flows, means = _flows(source, unpinned=unpinned)
    ids = flows["item_id"].to_pylist()
    n = len(ids)
    values = {
        "item_ids": [[each] for each in ids],
        "mean": means,
        "low": [LOW] * n,
        "high": [HIGH] * n,
        "question": [QUESTION] * n,
        "source": [f"{RATINGS.url}"] * n,
    }
    columns = {name: pa.array(values.get(name, [None] * n), kind) for name, kind in RATING_FIELDS}
    return pa.table({"item_id": flows["item_id"], **columns})


def _flows(source: Path | None, *, unpinned: bool) -> tuple[pa.Table, list[float]]:
    """The flows and their mean ratings, in the same order.

    The two files spell a few words differently (a capital after "in order to", "Offers to", a
    doubled full stop): the plainer spelling is taken, so that either gives the same rows.
    """
    file = FLOWS_ALONE if _lies_in_folder(source, FLOWS_ALONE) else FLOWS
    paths = locate(_FOLDER, [file, RATINGS], source, unpinned=unpinned)
    lines = paths[file.path].read_text(encoding="utf-8").splitlines()
    flow_parts = [_take_apart(line) for line in lines if line.strip() and line != _HEADER]
    path = paths[RATINGS.path]
    try:
        ratings = [float(line) for line in path.read_text(encoding="utf-8").split()]
    except ValueError as error:
        raise SourceError(f"{path} is not a file of numbers: {error}") from error
    if len(flow_parts) != len(ratings):
        raise SourceError(
            f"ConfAIde has {len(flow_parts)} flows and {len(ratings)} ratings, not as "
            "many; take the files from their source again"
        )
    texts = [
        f"Information about {attribute} is collected by {recipient} in order to {purpose}."
        for attribute, recipient, purpose in flow_parts
    ]
    attributes, recipients, purposes = zip(*flow_parts, strict=True)
    columns: dict[str, Sequence[str | None]] = {
        "item_id": [item_id(NAME, text) for text in texts],
        "vignette": texts,
        "sender": [None] * len(texts),
        "recipient": recipients,
        "subject": ["you"] * len(texts),
        "attribute": attributes,
        "transmission_principle": purposes,
    }
    arrays = {name: pa.array(cells, pa.string()) for name, cells in columns.items()}
    return pa.table(arrays), ratings


def without_full_stop(flows: pa.Table) -> pa.Table:
    """The flows without their full stop, since every prompt goes on after the scenario."""
    texts = [text.removesuffix(".") for text in flows["vignette"].to_pylist()]
    at = flows.column_names.index("vignette")
    return flows.set_column(at, "vignette", pa.array(texts, pa.string()))


def _lies_in_folder(source: Path | None, file: SourceFile) -> bool:
    folder = source_folder(source)
    return folder is not None and any(
        (place / file.path).is_file() for place in (folder / _FOLDER, folder)
    )


def _take_apart(line: str) -> tuple[str, str, str]:
    """The attribute, the recipient and the purpose of a flow, with its number or question before.

    >>> _take_apart("7,Information about hats is collected by a shop in order to Offers to sell..")
    ('hats', 'a shop', 'offer to sell')
    """
    match = _FLOW.search(line)
    if match is None:
        raise SourceError(f"{line!r} has not the form of ConfAIde's flows; is it the right file?")
    purpose = match["purpose"][0].lower() + match["purpose"][1:]
    # one of the two files writes it so: either is to give the same rows
    if purpose.startswith("offers to "):
        purpose = purpose.replace("offers", "offer", 1)
    return match["attribute"], match["recipient"], purpose
