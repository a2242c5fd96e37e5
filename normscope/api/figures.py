"""The figures of a run or of a comparison by their names, each a chart that shows itself.

>>> import normscope as ns
>>> run = ns.Run("runs/x")  # doctest: +SKIP
>>> run.figures  # doctest: +SKIP
norms(by=label) prompts() acceptability(by=sender|recipient) scores()
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from ..errors import UsageError, nearest
from ..messages import message, translate
from ..report.charts import Plot

Kinds = Mapping[tuple[str, str], Plot]
"""Charts by their benchmark and kind, as `report.comparison.figures.each_figure` makes them."""

_KIND = re.compile(
    r"(?P<name>.+?)(?:-by-(?P<by>.+?))?(?:-(?P<look>heatmap|radar|ridge))?(?:-(?P<number>\d\d))?"
)
_CALLED = {"acceptability-answers": "acceptability", "option-answers": "options"}
_CALLED |= {"refusal-answers": "refusals"}


class _Figure(NamedTuple):
    benchmark: str
    name: str
    by: str
    look: str
    number: int
    plot: Plot

    @classmethod
    def of(cls, benchmark: str, kind: str, plot: Plot) -> "_Figure":
        """The parts of a kind, as of `score-by-category-radar` or `norms-02`."""
        parts = _KIND.fullmatch(_CALLED.get(kind, kind))
        assert parts is not None  # noqa: S101 - any text has a name
        name, by = (_word(parts[of] or "") for of in ("name", "by"))
        return cls(benchmark, name, by, parts["look"] or "", int(parts["number"] or 1), plot)


class Figures:
    """Charts by name, made when one is first asked for: `figures.norms()`, `dir(figures)`.

    A call chooses by `benchmark`, by what it is broken down `by` (`acceptability(by="sender")`),
    by its `look` (`score(by="category", look="radar")`) and, where a context needs several maps,
    by `number`. What there is not is refused with what there is.
    """

    def __init__(self, make: Callable[[], Kinds]) -> None:
        """Keeps how the charts are made."""
        self._make = make

    @cached_property
    def _all(self) -> list[_Figure]:
        return [_Figure.of(*place, plot) for place, plot in self._make().items()]

    def __dir__(self) -> list[str]:
        """The names of the charts that there are."""
        return [*dict.fromkeys(each.name for each in self._all), "save"]

    def __getattr__(self, name: str) -> Callable[..., Plot]:
        """The chart of the name, to be called; an `AttributeError` says which there are."""
        if name.startswith("_"):
            raise AttributeError(name)
        names = list(dict.fromkeys(each.name for each in self._all))
        if name not in names:
            known = nearest(name, names) if names else message("there is none")
            raise AttributeError(message("no figure {name!r}; {known}", name=name, known=known))
        return partial(self._chosen, name)

    def __repr__(self) -> str:
        """Each name as it is called, with what it can be broken down by."""
        return "\n".join(
            f"{name}({'by=' + '|'.join(bys) if bys else ''})" for name, bys in self._called.items()
        )

    def save(self, folder: str | Path, formats: str | tuple[str, ...] = ()) -> tuple[Path, ...]:
        """Draws all charts into the folder, named by benchmark and kind; returns the files."""
        return tuple(
            path
            for (benchmark, kind), plot in self._make().items()
            for path in plot.save(Path(folder) / f"{benchmark.replace(':', '-')}-{kind}", formats)
        )

    @property
    def _called(self) -> dict[str, list[str]]:
        called: dict[str, list[str]] = {}
        for each in self._all:
            bys = called.setdefault(each.name, [])
            if each.by and each.by not in bys:
                bys.append(each.by)
        return called

    def _chosen(
        self,
        name: str,
        *,
        benchmark: str | None = None,
        by: str = "",
        look: str = "",
        number: int | None = None,
    ) -> Plot:
        of_name = [each for each in self._all if each.name == name]
        chosen = of_name
        wanted = {"benchmark": benchmark, "by": _word(by), "look": look or None}
        for field, value in wanted.items():
            known = list(dict.fromkeys(getattr(each, field) for each in chosen))
            if value is None and (field == "look" or len(known) == 1):
                continue
            if value not in known:
                raise UsageError(_choose(name, field, value, known))
            chosen = [each for each in chosen if getattr(each, field) == value]
        looks = [each for each in chosen if each.look == chosen[0].look]
        if number is None and len(looks) > 1:
            titles = ", ".join(
                f"{each.number} ({translate(each.plot.title, 'en')})" for each in looks
            )
            raise UsageError(
                message("of {name} there are several: number= {titles}", name=name, titles=titles)
            )
        for each in looks:
            if number in (None, each.number):
                return each.plot
        raise UsageError(
            message(
                "of {name} there is no number {number}, but {n}",
                name=name,
                number=number,
                n=len(looks),
            )
        )


def _choose(name: str, field: str, value: object, known: list[str]) -> str:
    """What can be chosen, where something has to be or was that there is not."""
    there = ", ".join(map(repr, filter(None, known))) or message("none")
    if not value:
        return message("{name} needs {field}=, one of {there}", name=name, field=field, there=there)
    return message(
        "{name} has no {field}={value!r}; it has {there}",
        name=name,
        field=field,
        value=value,
        there=there,
    )


def _word(text: str) -> str:
    """A part of a file's name as a word of Python."""
    return text.replace("-", "_")
