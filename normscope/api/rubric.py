"""A rubric in Python: what a judge is asked, looked at before it is asked."""

import os
from collections.abc import Sequence

from ..judges.rubric_files import rubric, sample
from ..messages import joined, message
from ..report.blocks import Block, Facts, Listing, Section, Table
from ..report.names import name_of
from ..report.notebook import Shown


class Rubric(Shown):
    """A rubric or a guard: one that comes along, by its name, or a YAML file of one's own.

    It stands wherever a rubric is named: `ns.Judge(…, rubric=ns.Rubric("mine.yaml"))`. `criteria`
    are its questions by name, each with its scale and wording; `hash` is part of every judgement
    made with it; a rubric without `categories` takes any, and so does a guard without `languages`.
    A file is read at once; errors in it are a `ConfigError` that has all of them by line.

    >>> moral = Rubric("cfsafety").criteria["moral"]
    >>> moral.scale.labels, moral.scale.values
    (('0', '1'), (0.0, 1.0))
    """

    def __init__(self, name_or_file: str | os.PathLike[str]) -> None:
        """The rubric; a `UsageError` names the nearest of those that come along."""
        self._named = os.fspath(name_or_file)
        self._rubric = used = rubric(self._named)
        self.name, self.hash, self.criteria = used.name, used.hash, used.criteria
        self.categories = tuple(used.categories)
        self.languages = tuple((used.guard.languages or ()) if used.guard else used.languages)

    def __fspath__(self) -> str:
        """By what it was opened."""
        return self._named

    def text(
        self,
        criterion: str | None = None,
        *,
        category: str | None = None,
        language: str | None = None,
    ) -> str:
        """What a judge reads, with placeholders for question and response.

        Without a criterion the first one, without a category and a language what the rubric falls
        back on. A `UsageError` names what it has not.
        """
        return sample(self._rubric, criterion=criterion, category=category, language=language)

    def _shown(self) -> Sequence[Block]:
        """Its criteria with their labels, then the first one as a judge reads it."""
        used = self._rubric
        facts = Facts(
            (
                (message("version"), f"{used.version}"),
                (message("languages"), joined(self.languages) or message("any")),
                (message("categories"), joined(self.categories) or message("any")),
                ("SHA-256", used.hash),
            )
        )
        rows = (
            {
                message("criterion"): name_of(name),
                message("labels"): joined(map(_valued, of.scale.labels, of.scale.values), " · "),
                message("question"): of.instruction[used.fallback_language].ask.strip(),
            }
            for name, of in used.criteria.items()
        )
        return (Section(used.name, (facts, Table.of(rows, texts=3), Listing(self.text()))),)


def _valued(label: str, value: float) -> str:
    """The label, with its value where it does not say that itself."""
    return label if label == f"{value:g}" else f"{label} = {value:g}"
