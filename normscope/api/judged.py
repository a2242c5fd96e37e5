"""Responses that a judge has judged in Python: as rows, as tables, as numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from ..format import count, number
from ..judges.rubric import Questions
from ..judges.trust.cards import known_cards
from ..messages import message
from ..pipeline.judged_rows import asked_table, statistics, wide_table
from ..reasons import origin_of
from ..records.item import Item
from ..records.judgement import Judgement
from ..records.judgements import counted_verdicts
from ..records.response import Response
from ..records.settings import Settings
from ..records.tables import TEXT
from ..report.blocks import Block, Caveat, Details, Paragraph, Record, Section, Table, plain
from ..report.caveats import judged_section
from ..report.names import name_of
from ..report.scores import Scored, Scores

_FIRST = 10
"""So many rows are shown."""

_LONGEST = 40
"""So many characters of a response are shown."""

_UNSCORED = pa.schema([(name, TEXT) for name in ("id", "criterion", "reason", "origin")])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Judged(Scored):
    """Judged responses in their order.

    `judgements` are those of each row, one per channel and criterion; `caveats` say what was taken
    for granted, and what limits the numbers. `config` says with what they were judged; in the
    folder `cards` are those of judges, among which one may hold for this one.
    """

    questions: Questions
    config: Settings
    items: tuple[Item, ...]
    responses: tuple[Response, ...]
    judgements: tuple[tuple[Judgement, ...], ...]
    caveats: tuple[str, ...]
    cards: Path

    def to_arrow(self) -> pa.Table:
        """A row per answer, with the columns that `normscope judge FILE` adds.

        First stand id, question (messages where one is a conversation), response, category and
        language. A value that there is not is null, with its reason beside it.
        """
        table = asked_table(self.items, self.responses)
        wide = wide_table(
            self.judgements,
            criteria=self.questions.criteria,
            channels=self.config.judge_channels,
        )
        names = [*table.column_names, *wide.column_names]
        return pa.table([*table.columns, *wide.columns], names)

    def to_pandas(self) -> pd.DataFrame:
        """The same as a data frame."""
        return self.to_arrow().to_pandas()

    @property
    def scores(self) -> Scores:
        """The numbers over all responses, by category and language where they differ in them.

        CFSafety's score and the refusal rates where the rubric asks for them; of every other
        criterion the mean and the share of each label. Answers to one question are one cluster.
        """
        return Scores.of(statistics(self.questions, self.items, self.judgements))

    @property
    def unscored(self) -> pa.Table:
        """A row per answer and criterion without a value: id, criterion, reason, origin.

        The origin is whose doing it is: the respondent's (no answer), the judge's or the engine's.
        """
        rows = [
            {
                "id": item.item_id,
                "criterion": judgement.criterion,
                "reason": judgement.reason,
                "origin": origin_of(judgement.reason),
            }
            for item, several in zip(self.items, self.judgements, strict=True)
            for judgement in counted_verdicts(several)
            if judgement.value is None
        ]
        return pa.Table.from_pylist(rows, _UNSCORED)

    @property
    def limits(self) -> tuple[str, ...]:
        """Everything that limits the numbers: the judge's cards, `caveats`, what is unscored."""
        caveats = (block for block in self._limits.blocks if isinstance(block, Caveat))
        return tuple(plain(each.text) for each in caveats)

    def _shown(self) -> Sequence[Block]:
        """The first rows, the numbers over all, and folded away what limits them."""
        limits = self._limits
        folded = Details(message("What limits it"), limits.blocks, note=str(len(limits.blocks)))
        return [replace(limits, blocks=(*self._rows(), *self.scores._shown(), folded))]

    def _brief(self) -> Sequence[Block]:
        limits = self._limits
        text = message("{n} caveats limit these numbers: `.limits` has them", n=len(limits.blocks))
        line = (Paragraph(text),) if limits.blocks else ()
        return [replace(limits, blocks=(*self._rows(), *self.scores._shown(), *line))]

    @property
    def _limits(self) -> Section:
        cards = known_cards(self.cards)
        return judged_section(self.config, self.items, self.judgements, self.caveats, cards)

    def _rows(self) -> Iterator[Block]:
        """The first rows: of each criterion its value, or why there is none."""

        def record(row: Mapping[str, Any]) -> Record:
            values = {
                name: name_of(row[f"{name}_reason"]) if row[name] is None else number(row[name])
                for name in self.questions.criteria
            }
            text = " ".join((row["response"] or "").split())
            short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
            return {"id": row["id"], message("response"): short, **values}

        several = len(self.items)
        yield Table.of(map(record, self.to_arrow().slice(0, _FIRST).to_pylist()), texts=2)
        if several > _FIRST:
            yield Paragraph(message("The first {n} of {m}.", n=_FIRST, m=count(several)))
