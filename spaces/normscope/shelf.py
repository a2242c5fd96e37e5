"""The runs that are looked at answer by answer: those of the server, and those of visitors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ...viewer import Answered, Collection, Query
from ...viewer.collection import Selection
from ...viewer.summary import Summary
from . import limits
from .answer_controls import Controls
from .answer_files import answered_in
from .held import Held
from .texts import VisitorError
from .upload import in_megabytes

_UPLOADED = 2
"""Of visitors' runs, or pairs of them, that are held at once."""
_FILTERED = 32


@dataclass(frozen=True)
class Filtered:
    """The answers that a filter leaves."""

    collection: Collection
    query: Query
    selection: Selection

    @cached_property
    def summary(self) -> Summary:
        """What they come to."""
        return self.collection.summary(self.selection)


@dataclass(frozen=True, eq=False)
class Shown:
    """One run or two beside each other, and what was filtered of them lately."""

    names: tuple[str, ...]
    collection: Collection
    _filtered: Held[Filtered] = field(default_factory=lambda: Held(_FILTERED), repr=False)

    @classmethod
    def of(cls, runs: Sequence[Answered]) -> "Shown":
        """The runs, paired if they are two."""
        return cls(tuple(run.name for run in runs), Collection.of(runs))

    @cached_property
    def controls(self) -> Controls:
        """What a filter of them can be chosen from."""
        return Controls.of(self.collection)

    def filtered(self, text: str) -> Filtered:
        """The answers that the filter leaves, looked for once for all pages of them.

        A `UsageError` names the term of the filter that says nothing here.
        """
        query = Query.parse(text)
        return self._filtered.get(
            query, lambda: Filtered(self.collection, query, self.collection.select(query))
        )


class Shelf:
    """The server's runs, read once for everybody, and a few of those that visitors brought."""

    def __init__(self, runs: Sequence[Answered] = ()) -> None:
        """`runs` are those of the server: none, one or two."""
        self._runs = {run.name: run for run in runs}
        self._served: Held[Shown] = Held(len(runs) + 1)
        self._uploaded: Held[Shown] = Held(_UPLOADED, limits.KEEP_S)

    @property
    def names(self) -> tuple[str, ...]:
        """The server's runs."""
        return tuple(self._runs)

    def served(self, names: Sequence[str] = ()) -> Shown:
        """Those of the server's runs that are named, all of them where none is."""
        for name in names:
            if name not in self._runs:
                raise VisitorError(
                    "There is no run {name} here; there is: {known}.",
                    name=name[:100],
                    known=", ".join(self._runs),
                )
        chosen = [name for name in self._runs if name in names] or list(self._runs)
        return self._served.get(
            tuple(chosen), lambda: Shown.of([self._runs[name] for name in chosen])
        )

    def uploaded(self, uploads: Sequence[Sequence[Path]]) -> Shown:
        """The runs of these files; forgotten when the files are deleted."""
        key = tuple(tuple(paths) for paths in uploads)
        return self._uploaded.get(key, lambda: _of_files(uploads))


def _of_files(uploads: Sequence[Sequence[Path]]) -> Shown:
    runs = answered_in(uploads)
    size = sum(run.responses.nbytes + run.judged.nbytes + run.items.table.nbytes for run in runs)
    if size > limits.MAX_LOOK_BYTES:
        raise VisitorError(
            "The runs take {size} once they are read; up to {most} are looked at here. Look at "
            "one of them, or use normscope view on your own machine.",
            size=in_megabytes(size),
            most=in_megabytes(limits.MAX_LOOK_BYTES),
        )
    return Shown.of(runs)
