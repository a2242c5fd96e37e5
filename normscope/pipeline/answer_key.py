"""A user's key to the multiple-choice questions, before a model is asked them or afterwards.

The authors of CHiSafetyBench published none. With the user's own key the scores are agreement with
that key, by area and category as overall, and the silver key has no part in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..builders.chisafetybench.keys import number_of, read_user_key
from ..errors import UsageError
from ..files import hash_file, write_parquet
from ..judges.respondent import OPTION
from ..messages import message
from ..metrics.inputs import Floats
from ..reasons import Reason
from ..records.folder import RunFolder
from ..records.integrity import JUDGEMENTS
from ..records.item import Item
from ..records.judgements import Judgements, read_judgements
from .orders import turned_answer

_OF_SILVER = "silver_confidence"


def refuse_without_options(criteria: Mapping[str, Sequence[str]]) -> None:
    """A `UsageError` if no benchmark, with its criteria, has questions that a key could answer."""
    if not any(OPTION in names for names in criteria.values()):
        raise UsageError(
            message(
                "a key is of multiple-choice questions, and {names} has none: "
                "chisafetybench:mcq has",
                names=", ".join(criteria) or message("no benchmark"),
            )
        )


def keyed(items: Sequence[Item], path: Path, *, part: bool = False) -> list[Item]:
    """The items with the answers of the user's key, in the letters of each order of the options.

    `answer_source` is the key's file name; a question that it leaves out has no answer. With `part`
    the items are some of the benchmark's, and rows of others are passed over.
    """
    letters = {
        number_of(item.item_id): tuple(option.letter for option in item.options) for item in items
    }
    if not path.is_file():
        raise UsageError(
            f"there is no key {path}: a CSV file with the columns id and answer, a letter"
        )
    key = read_user_key(path, letters, part=part)
    result = []
    for item in items:
        letter = key.get(number_of(item.item_id))
        facets = {name: level for name, level in item.facets.items() if name != _OF_SILVER}
        result.append(
            replace(
                item,
                answer=turned_answer(item, letter),
                answer_source=None if letter is None else path.name,
                facets=facets,
            )
        )
    return result


def put_key(run: RunFolder, path: Path) -> None:
    """Holds the recorded choices of a judged run against the key: nobody is asked again.

    Items, judgements and provenance become those of a run that was requested with the key; the
    scores are to be made anew.
    """
    taken = run.config.provenance.benchmarks
    refuse_without_options({name: about.criteria for name, about in taken.items()})
    before = run.read().items
    table = run.read().table(JUDGEMENTS)
    answered = iter(keyed([item for item in before if item.options], path, part=True))
    items = [next(answered) if item.options else item for item in before]
    hashed = hash_file(path)
    run.reopen()
    run.config = replace(
        run.config,
        key=str(path),
        provenance=run.config.provenance.noted(
            "respond",
            benchmarks={
                name: replace(about, key=hashed) if OPTION in about.criteria else about
                for name, about in taken.items()
            },
        ),
    )
    run.write_items(items)
    run.seal("respond")
    write_parquet(run.path / JUDGEMENTS, _held_against(table, items))
    run.seal("judge")


def _held_against(table: pa.Table, items: Sequence[Item]) -> pa.Table:
    """The judgements with the value and the reason of each chosen option by the items' answers."""
    judgements = read_judgements(table, items)
    # an answer that was not given, or that we lost, stays what it was
    given = (judgements.reason.codes < 0) | judgements.reason.equals(Reason.NO_KEY)
    rows = np.flatnonzero(given & judgements.criterion.equals(OPTION))
    values, reasons = table["value"].to_pylist(), table["reason"].to_pylist()
    for row, agrees in zip(
        rows.tolist(), _agreement_with_key(judgements[rows]).tolist(), strict=True
    ):
        unknown = bool(np.isnan(agrees))
        values[row] = None if unknown else agrees
        reasons[row] = Reason.NO_KEY.value if unknown else None
    for name, column in (("value", values), ("reason", reasons)):
        at = table.schema.get_field_index(name)
        table = table.set_column(
            at, table.schema.field(name), pa.array(column, table.schema.field(name).type)
        )
    return table


def _agreement_with_key(judgements: Judgements) -> Floats:
    """Whether the chosen option is the key's; NaN without a key, and where none is chosen."""
    answers = judgements.of_items("answer")
    chosen = judgements.favourite
    places = {name: code for code, name in enumerate(answers.names)}
    as_answers = np.array([*(places.get(name, -1) for name in chosen.names), -1], dtype=np.int32)
    agrees = as_answers[chosen.codes] == answers.codes
    return np.where((answers.codes < 0) | (chosen.codes < 0), np.nan, agrees)
