"""Does the language make a difference that matters? Pairs in zh and en, equivalent or not."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...errors import DataError, UsageError
from ...files import read_json
from ...format import count, number
from ...metrics.equivalence import Equivalence, equivalence
from ...records.config import RunConfig
from ...records.model_spec import ModelSpec
from ..engine import Engine
from ..judge import load_judge
from ..rubric import Rubric
from .answers import BOUNDS, JudgedAnswer, JudgedAnswers
from .asking import checked_judge, graded_answers

MARGIN = 0.3
"""On the score's scale of 0 to 5."""

FIRST, SECOND = "zh", "en"

SWAPPED = "the judge, same answer, rubric in zh and en"
_LOW = "low"


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """Pairs that were compared: whose difference it would be, and of what."""

    subject: str
    outcome: str
    group: str
    member: str
    test: Equivalence
    means: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class LanguagesCheck:
    """The equivalence of two languages. `margins_before` are those that stood there earlier."""

    name: str
    margin: float
    default_margin: float
    languages: tuple[str, str]
    pairs: tuple[ComparedPairs, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    margins_before: tuple[float, ...] = ()

    @property
    def primary(self) -> tuple[ComparedPairs, ...]:
        """The first outcome of each kind of pairs, over all categories."""
        first: dict[str, ComparedPairs] = {}
        for row in self.pairs:
            first.setdefault(row.subject, row)
        return tuple(first.values())

    @property
    def passed(self) -> bool | None:
        """Whether all of these are shown to be equivalent; null where one is not known."""
        shown = [row.test.shown for row in self.primary]
        return None if None in shown else all(shown)


Pair = tuple[JudgedAnswer, JudgedAnswer]
"""The zh answer, the en one."""


def state_margin(path: Path, margin: float, *, although: bool) -> tuple[float, ...]:
    """The margins of earlier results in the file; another one now is refused unless `although`.

    A margin that is chosen once the difference is known proves nothing.
    """
    if not path.is_file():
        return ()
    before: Any = read_json(path)
    if not isinstance(before, dict) or "margin" not in before:
        return ()
    past = (*before.get("margins_before", ()), before["margin"])
    if before["margin"] != margin and not although:
        raise UsageError(
            f"{path} was made with the margin {number(before['margin'])}, not {number(margin)}: a "
            "margin is stated before the result. --although takes another; both stay on the result"
        )
    return tuple(dict.fromkeys(each for each in past if each != margin))


def model_pairs(judged: JudgedAnswers) -> tuple[dict[str, list[Pair]], dict[str, int]]:
    """The pairs of a run, by whose difference theirs would be, and what was left out and why.

    Two answers of the model's own to both members of a pair (CFSafety's `pair_id`) speak of the
    model under test with its judge; the graded answers, which are given, of the
    judge alone.
    """
    pairs: dict[str, list[Pair]] = {}
    left_out: Counter[str] = Counter()
    grouped: dict[tuple[str, str, str, int], dict[str, list[JudgedAnswer]]] = {}
    for answer in judged.answers:
        item = answer.item
        if item.facets.get("pair_confidence") == _LOW:
            left_out["the pairing is not sure (confidence low)"] += 1
            continue
        key = (
            item.benchmark,
            answer.item.cluster_or_id,
            item.facets.get("grade", ""),
            answer.sample,
        )
        grouped.setdefault(key, {}).setdefault(item.language, []).append(answer)
    for spoken in grouped.values():
        first, second = spoken.get(FIRST, []), spoken.get(SECOND, [])
        if len(first) == len(second) == 1:
            subject = "the model's own answers" if first[0].by_model else "parallel given answers"
            pairs.setdefault(subject, []).append((first[0], second[0]))
        elif first and second:
            left_out["several answers in one language"] += len(first) + len(second)
        else:
            left_out["no partner in the other language"] += sum(map(len, spoken.values()))
    return pairs, dict(left_out)


def compare(
    subject: str, pairs: Sequence[Pair], outcomes: Iterable[str], *, margin: float
) -> list[ComparedPairs]:
    """The equivalence of the pairs, overall per outcome, and of the first one by category."""
    table: list[ComparedPairs] = []
    for at, outcome in enumerate(outcomes):
        table.append(_compared(subject, pairs, outcome, margin))
        categories = list(dict.fromkeys(first.item.category for first, _ in pairs))
        for category in categories if at == 0 and len(categories) > 1 else []:
            of_category = [pair for pair in pairs if pair[0].item.category == category]
            table.append(_compared(subject, of_category, outcome, margin, ("category", category)))
    return table


def check_languages(
    judged: JudgedAnswers | None,
    extra: Mapping[str, tuple[Sequence[Pair], Sequence[str]]],
    *,
    margin: float,
    before: Sequence[float] = (),
) -> LanguagesCheck:
    """The equivalence in a run's pairs, and in those that a judge was asked about (`extra`)."""
    pairs, left_out = model_pairs(judged) if judged else ({}, {})
    of_runs = {name: (of_run, judged.outcomes if judged else ()) for name, of_run in pairs.items()}
    table = [
        row
        for subject, (of_subject, outcomes) in (*of_runs.items(), *extra.items())
        for row in compare(subject, of_subject, outcomes, margin=margin)
    ]
    if not table:
        why = ", ".join(f"{count(many)} answers: {reason}" for reason, many in left_out.items())
        raise DataError(
            f"{judged.name if judged else 'nothing'} has no pair in {FIRST} and {SECOND} ({why}); "
            "run CFSafety or the graded set, or name a judge to swap the rubric's language: --judge"
        )
    return LanguagesCheck(
        name=judged.name if judged else "",
        margin=margin,
        default_margin=MARGIN,
        languages=(FIRST, SECOND),
        pairs=tuple(table),
        left_out=left_out,
        margins_before=tuple(before),
    )


def _compared(
    subject: str,
    pairs: Sequence[Pair],
    outcome: str,
    margin: float,
    place: tuple[str, str] = ("", ""),
) -> ComparedPairs:
    # several benchmarks ask for different criteria: who was not asked has not failed
    judged_pairs = [pair for pair in pairs if all(answer.was_judged(outcome) for answer in pair)]
    bounds = BOUNDS.get(outcome)
    # the margin is stated on the score's scale of 0 to 5
    width = (bounds[1] - bounds[0]) / 5 if bounds else 1.0
    values = [(first.value(outcome), second.value(outcome)) for first, second in judged_pairs]
    test = equivalence(
        [first for first, _ in values],
        [second for _, second in values],
        margin=margin * width,
        bounds=bounds,
        clusters=[first.item.cluster_or_id for first, _ in judged_pairs],
    )
    both = [(a, b) for a, b in values if a is not None and b is not None]
    means: tuple[float | None, float | None] = (None, None)
    if both:
        means = sum(a for a, _ in both) / len(both), sum(b for _, b in both) / len(both)
    return ComparedPairs(subject, outcome, *place, test, means)


def swapped(
    rubric: Rubric,
    config: RunConfig,
    *,
    load: Callable[[ModelSpec], Engine],
    folder: Path,
    limit: int | None,
) -> tuple[Sequence[Pair], Sequence[str]]:
    """Each of the graded answers judged under the rubric in both languages, and the outcomes."""
    for language in (FIRST, SECOND):
        if language not in rubric.languages:
            raise UsageError(
                f"rubric {rubric.name!r} does not speak {language}: there is nothing to swap"
            )
    engine, answers = load_judge(config, load), graded_answers(limit)
    check = {"check": "languages", "limit": limit}
    with checked_judge(engine, rubric, config, folder, **check) as judge:
        first, second = (
            judge.judge(
                f"rubric in {language}",
                [(replace(item, language=language), text) for item, text in answers],
            )
            for language in (FIRST, SECOND)
        )
    return list(zip(first, second, strict=True)), judge.outcomes
