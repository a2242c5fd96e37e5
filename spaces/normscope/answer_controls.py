"""The lists from which a filter of answers is chosen, and the line of text that they write."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...messages import joined, message
from ...report.names import name_of
from ...viewer import Collection, Query, Sort
from ...viewer.query import Operator

MOST_CONTROLS = 16
"""Lists that the page has room for; what has none can be typed."""
MOST_CHOICES = 200
"""Of one list: of hundreds of benchmarks or variants nobody chooses by looking."""

CHANGED = "changed"

_TITLES = {
    "benchmark": message("benchmark"),
    "variant": message("prompt variant"),
    "order": message("order of the scale"),
    "criterion": message("judged by"),
    "source": message("who spoke"),
    "reason": message("reason why there is no value"),
    "is": message("answers that are"),
}
_AS_WRITTEN = {"benchmark", "variant", "order"}
_NUMBERS = {"change": message("movement between the runs"), "coverage": message("coverage")}
_FLAGS = {"disagreement": message("judged in two ways that disagree")}


@dataclass(frozen=True, slots=True)
class Control:
    """A list about a field, or with `=` about the labels of a criterion.

    A choice is what is shown, with how many answers have it, and the value.
    """

    name: str
    operator: Operator
    choices: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        """What the list is called."""
        return _TITLES.get(self.name) or name_of(self.name)


@dataclass(frozen=True, slots=True)
class Controls:
    """What a filter of these answers can be chosen from: lists, orders, and of two runs more."""

    lists: tuple[Control, ...]
    orders: tuple[tuple[str, str], ...]
    paired: bool

    @classmethod
    def of(cls, collection: Collection) -> "Controls":
        """Those in which there is something to choose."""
        criteria = [*collection.columns[0]]
        paired = len(collection.runs) > 1
        numbers = [*criteria, "coverage", *(["change"] if paired else [])]
        return cls(tuple(_lists(collection))[:MOST_CONTROLS], tuple(_orders(numbers)), paired)

    def written(
        self, query: Query, chosen: Sequence[Sequence[str]], sort: str, *, changed: bool
    ) -> Query:
        """The query with what the controls are set to, in the order of `lists`.

        Terms that no control shows stay as they are.
        """
        for control, values in zip(self.lists, chosen, strict=False):
            # a list has one term; that of who typed two stays as long as it is shown alike
            if set(values) != set(self.shown(query, control)):
                query = query.put(control.name, values, operator=control.operator)
        if self.paired:
            flags = [flag for flag in query.values("is") if flag != CHANGED]
            query = query.put("is", [*flags, *([CHANGED] if changed else [])])
        return replace(query, sort=Query.parse(f"sort:{sort}").sort if sort else None)

    def shown(self, query: Query, control: Control) -> list[str]:
        """What the list is set to by the query."""
        known = {value for _, value in control.choices}
        values = query.values(control.name, operator=control.operator)
        return [value for value in dict.fromkeys(values) if value in known]

    @staticmethod
    def changed(query: Query) -> bool:
        """Whether the query asks for what changed only."""
        return CHANGED in query.values("is")

    def sort(self, query: Query) -> str:
        """The order that the query asks for, as a choice; empty for that of the run."""
        sort = str(query.sort or Sort("")).removeprefix("sort:")
        return sort if sort in {value for _, value in self.orders} else ""


def _lists(collection: Collection) -> Iterator[Control]:
    for field, counted in collection.choices().items():
        name, operator = (field[:-1], "=") if field.endswith("=") else (field, ":")
        choices = tuple(
            (message("{value} ({n})", value=_shown(name, value), n=f"{n:,}"), value)
            for value, n in counted
            # two runs have a box for it
            if (name, value) != ("is", CHANGED)
        )
        if choices:
            yield Control(name, "=" if operator == "=" else ":", choices[:MOST_CHOICES])


def _shown(name: str, value: str) -> str:
    if name == "is":
        return _FLAGS.get(value) or name_of(value)
    return value if name in _AS_WRITTEN else name_of(value)


def _orders(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield message("as in the run"), ""
    for name in reversed(names):
        title = _NUMBERS.get(name) or name_of(name)
        yield joined((title, message("highest first")), ", "), f"-{name}"
        yield joined((title, message("lowest first")), ", "), name
