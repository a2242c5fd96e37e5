"""Answers that are absent because a call failed: an outage is not a result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..files import read_json, read_parquet
from ..reasons import Reason
from .integrity import JUDGEMENTS, JUDGING, RESPONSES
from .tables import KEYS

Key = tuple[object, ...]


def failed_calls(run: Path) -> dict[str, int]:
    """By stage, how many answers its files lack because a call failed; 0 where there are none.

    A judge is not asked about an answer that is absent itself: that one counts once, for the model.
    Of a judge's prompts, the fixed ones count too.
    """
    responses, judgements = _failed(run / RESPONSES), _failed(run / JUDGEMENTS)
    fixed = failed_facts(read_json(run / JUDGING)) if (run / JUDGING).is_file() else 0
    return {"respond": len(responses), "judge": len(judgements - responses) + fixed}


def failed_facts(facts: Mapping[str, Any]) -> int:
    """How many of the fixed prompts that a judge is asked are unanswered because a call failed."""
    said = [row for one in facts.get("fixed_answers") or () for row in one["rows"]]
    failed = len([row for row in said if row["reason"] == Reason.CALL_FAILED])
    # runs from before it was noted of priors have no such number
    return failed + sum(int(row.get("failed", 0)) for row in facts.get("priors") or ())


def _failed(path: Path) -> set[Key]:
    """The keys of the responses, or of those whose judgements, are absent by a call."""
    if not path.is_file():
        return set()
    rows = read_parquet(path, columns=[*KEYS, "reason"])
    mine: pa.Table = rows.filter(pc.equal(rows["reason"], str(Reason.CALL_FAILED))).select(KEYS)
    return {tuple(row.values()) for row in mine.to_pylist()}
