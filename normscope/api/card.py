"""A judge's card in Python: how far one criterion of a judge agrees with people."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..judges.trust import card as trust
from ..judges.trust.cards import Difference, Use, differences
from ..metrics.estimate import Statistic
from ..report.blocks import Block, Bullets, Section
from ..report.exports import card_frame
from ..report.judge_caveats import summary
from ..report.notebook import Shown
from ..report.scores import Scores
from ..report.trust.card import page, title, write_card_files
from .judge import Judge


@dataclass(frozen=True, eq=False, repr=False)
class Card(Shown):
    """How far one criterion of a judge agrees with people's labels, and for what that holds.

    `data` is everything that was measured.
    """

    data: trust.Card

    def __getitem__(self, name: str) -> Statistic:
        """The judge's statistic of that name over all answers: `kappa`, `auc_harmful`, `bias` …."""
        return self.scores[name]

    @property
    def scores(self) -> Scores:
        """The judge's statistics over all answers; `to_frame` has those of groups, too."""
        return Scores.of(self.data.overall.statistics)

    def differences(self, judge: Judge, language: str | None = None) -> tuple[Difference, ...]:
        """In what the card does not fit the judge as it is asked; nothing where it holds.

        Compared are the model's files or revision, chat template, dtype, rubric, how it is asked,
        and the language; without one that of the card.
        """
        use = Use.of(
            judge.config,
            judge.identity,
            rubric_hash=judge.questions.hash,
            criterion=self.data.rubric.criterion,
            language=language or next(iter(self.data.languages), ""),
        )
        return differences(self.data, use)

    def holds_for(self, judge: Judge, language: str | None = None) -> bool:
        """Whether what was measured holds for the judge: under another rubric it says nothing."""
        is_judged = self.data.rubric.criterion in judge.questions.criteria
        return is_judged and not self.differences(judge, language)

    def to_frame(self) -> pd.DataFrame:
        """A tidy data frame: a row per statistic, group and predictor.

        `predictor` is the judge or one that reads nothing (the commonest label, keywords); a row
        with `over` is what the judge has over that one. The other columns are those of `Scores`.
        """
        return card_frame(self.data)

    def write(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Writes the card as a page and as JSON; returns the paths.

        A run's report finds it there.
        """
        return write_card_files(self.data, Path(folder))

    def _shown(self) -> Sequence[Block]:
        whole = page(self.data)
        return [Section(whole.title, whole.blocks)]

    def _brief(self) -> Sequence[Block]:
        return [Section(title(self.data), (Bullets(tuple(summary(self.data))),))]
