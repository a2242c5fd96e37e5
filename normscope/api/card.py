"""A judge's card in Python: how far one criterion of a judge agrees with people."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, nearest
from ..frames import tidy_frame
from ..judges.trust import card as trust
from ..judges.trust.cards import Difference, KnownCards, Use, differences, find_cards
from ..metrics.estimate import Statistic
from ..report.exports import tidy_row
from .shown import Shown

if TYPE_CHECKING:
    import pandas as pd

    from ..judges.judge import Questions
    from ..records.config import RunConfig
    from ..report.blocks import Block
    from .judge import Judge

_FIRST = ("model", "benchmark", "criterion", "predictor", "over")


@dataclass(frozen=True, eq=False, repr=False)
class Card(Shown):
    """How far one criterion of a judge agrees with people's labels, and for what that holds.

    `data` is everything that was measured.
    """

    data: trust.Card

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Card":
        """The card in a JSON file that `normscope validate` or `write` wrote."""
        return cls(trust.read_card(Path(path)))

    @property
    def criterion(self) -> str:
        """The rubric's criterion that it is of."""
        return self.data.rubric.criterion

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in which the judge was measured."""
        return self.data.languages

    def __getitem__(self, name: str) -> Statistic:
        """The judge's statistic of that name over all answers: `kappa`, `auc_harmful`, `bias` …."""
        known = {each.name: each for each in self.data.overall.statistics}
        if name not in known:
            text = nearest(name, list(known))
            raise UsageError(f"there is no statistic {name!r}; {text}")
        return known[name]

    def differences(self, judge: "Judge", language: str | None = None) -> tuple[Difference, ...]:
        """In what the card does not fit the judge as it is asked; nothing where it holds.

        Compared are the model's files or revision, chat template, dtype, rubric, how it is asked,
        and the language; without one that of the card.
        """
        spoken = language or next(iter(self.languages), "")
        use = Use.of(
            judge.config,
            judge.identity,
            rubric_hash=judge.questions.hash,
            criterion=self.criterion,
            language=spoken,
        )
        return differences(self.data, use)

    def holds_for(self, judge: "Judge", language: str | None = None) -> bool:
        """Whether what was measured holds for the judge: under another rubric it says nothing."""
        asked = self.criterion in judge.questions.criteria
        return asked and not self.differences(judge, language)

    def to_frame(self) -> "pd.DataFrame":
        """A tidy data frame: a row per statistic, group and predictor.

        `predictor` is the judge or one that reads nothing (the commonest label, keywords); a row
        with `over` is what the judge has over that one. The other columns are those of `Scores`.
        """
        rows = [*self._rows()]
        return tidy_frame(rows, [*rows[0]])

    def write(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Writes the card as a page and as JSON; returns the paths.

        A run's report, and `Judge.cards`, find it there.
        """
        from ..report.trust.card import write_card_files

        return write_card_files(self.data, Path(folder))

    def _rows(self) -> Iterator[dict[str, Any]]:
        for part in self.data.slices:
            tables = [("judge", "", part.statistics)]
            tables += [(name, "", each) for name, each in part.baselines.items()]
            tables += [("judge", name, each) for name, each in part.gains.items()]
            for predictor, over, statistics in tables:
                for statistic in statistics:
                    row = tidy_row(
                        statistic,
                        model=self.data.judge.model,
                        benchmark=self.data.source.benchmark,
                    )
                    row |= {
                        "criterion": self.criterion,
                        "predictor": predictor,
                        "over": over,
                        "group": part.group,
                        "member": part.member,
                    }
                    rest = {name: row[name] for name in row if name not in {*_FIRST, "run"}}
                    yield {name: row[name] for name in _FIRST} | rest

    def _shown(self) -> "Sequence[Block]":
        from ..report.blocks import Section
        from ..report.trust.card import page

        whole = page(self.data)
        return [Section(whole.title, whole.blocks)]

    def _brief(self) -> "Sequence[Block]":
        from ..report.blocks import Bullets, Section
        from ..report.trust.card import title
        from ..report.trust.card_summary import summary

        return [Section(title(self.data), (Bullets(tuple(summary(self.data))),))]


def cards_holding(
    identity: Mapping[str, Any], config: "RunConfig", questions: "Questions", known: KnownCards
) -> tuple[Card, ...]:
    """The cards that hold for a judge as it is asked, in any language that its rubric speaks."""
    holding: dict[str, trust.Card] = {}
    for criterion in questions.criteria:
        for language in questions.rubric.languages:
            use = Use.of(
                config,
                identity,
                rubric_hash=questions.hash,
                criterion=criterion,
                language=language,
            )
            for match in find_cards(known.cards, use):
                if not match.differences:
                    holding[match.card.hash] = match.card
    return tuple(map(Card, holding.values()))
