"""From a file of labels and a judge to its cards, one per criterion.

Beside the judge stand predictors that judge nothing: people's commonest label, and a list of
keywords (keywords.yaml).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ... import __version__
from ...errors import UsageError
from ...extras import packages
from ...files import typed
from ...languages import language_code
from ...metrics.detection import class_rates, reliability_curve
from ...metrics.groups import first_seen
from ...metrics.intervals import LEVEL, Codes
from ...reasons import Reason
from ...records.answered import spelt
from ...records.judgement import Judgement
from ...records.model_spec import ModelSpec
from ...records.response import Response
from ...records.settings import Settings
from ...records.units import journal_of
from ...yaml import load_yaml
from ..engine import Engine
from ..judge import LoadedJudge, Work, counting_channel, judge_of
from ..rubric import Questions, Rubric
from .card import (
    Card,
    Confusion,
    JudgeIdentity,
    LabelSource,
    RubricUsed,
    Slice,
    as_read_back,
    today,
)
from .labels import STAGE, LabelFile, Labelled, labelled
from .predictor import CriterionScale, Predictions, Predictor, Resampling, predictions_of, scale_of
from .training_data import declared_sets, training_data, with_texts

CONSTANT, KEYWORDS = "constant", "keywords"
MOST_LEVELS = 40

_FILE = Path(__file__).parent / "data" / "keywords.yaml"
# models write them in several ways, the list in one
_APOSTROPHES = str.maketrans("’‘`", "'''")


def validate(
    labels: LabelFile,
    rubric: Rubric,
    requested: Settings,
    load: Callable[[ModelSpec], Engine],
    *,
    benchmark: str | None = None,
    columns: Mapping[str, str] | None = None,
    category: str | None = None,
    language: str | None = None,
    harmful: Sequence[str] = (),
    trained_on: Sequence[str] = (),
    limit: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    out: Path | None = None,
) -> list[Card]:
    """The judge's card for each criterion; stopped, it goes on from its journal in `out`, if any.

    `columns`, `category`, `language` and a `limit` by the `seed` are for the rows that are judged
    (`labelled`), `benchmark` is what the labels are called. `trained_on` names sets that the judge
    learnt from, beside those that it declares itself; `harmful` the criteria's labels of answers
    that do harm.
    """
    rows = labelled(
        labels,
        rubric,
        columns=columns,
        category=category or "",
        language=language_code(language or "") or None,
        limit=limit,
        seed=seed,
    )
    benchmark, resampling = benchmark or labels.titles[0], Resampling(resamples, seed)
    harmful = [spelt(each) for each in harmful]
    questions = Questions.of(rubric, labels.criteria)
    scales = {name: scale_of(name, rubric.criteria[name], harmful) for name in questions.criteria}
    if len(requested.judge_channels) > 1:
        raise UsageError(
            "a card is of one channel, since agreement in labels says nothing of text: "
            "judge_channels labels, or text"
        )
    spec = judge_of(requested)
    engine = load(spec)
    declared = tuple(dict.fromkeys((*declared_sets(spec, engine.identity), *trained_on)))
    settings = {
        "label_orders": requested.label_orders,
        "min_coverage": requested.min_coverage,
        "channel": counting_channel(requested.judge_channels),
        "unit_items": requested.unit_items,
    }
    task = {
        **settings,
        "judge": engine.identity,
        "rubric": questions.hash,
        "criteria": list(questions.criteria),
        "labels": labels.sha256,
        "rows": [[row.number, row.item.category, row.item.language] for row in rows],
        "packages": packages(),
    }
    judge = LoadedJudge(
        engine,
        {STAGE: questions},
        requested.min_coverage,
        requested.label_orders,
        requested.judge_channels,
    )
    pairs = [(row.item, Response.to(row.item, row.response)) for row in rows]
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)

    def card(criterion: str, judgements: Sequence[Judgement]) -> Card:
        judged = [pair for pair in zip(rows, judgements, strict=True) if criterion in pair[0].human]
        categories = Counter(row.item.category for row, _ in judged)
        source = LabelSource(
            benchmark=benchmark,
            file=labels.name,
            sha256=labels.sha256,
            rows=len(labels.rows),
            taken=len(judged),
            judged_as=dict(categories.most_common()),
            **asdict(labels.criteria[criterion]),
        )
        built = Card(
            judge=_identity({"model": engine.name, **engine.identity}),
            rubric=_rubric_used(rubric, criterion, scales[criterion]),
            source=source,
            date=today(),
            normscope=__version__,
            slices=_slices(criterion, judged, scales[criterion], resampling),
            training=with_texts(
                training_data(declared, (*labels.titles, benchmark)),
                spec,
                ((row.item.messages[-1].content, row.response) for row, _ in judged),
            ),
            settings={**settings, **asdict(resampling), "level": LEVEL},
            packages=packages(),
        )
        return as_read_back(built)

    # the journal goes when the block ends: the cards are made before, so that nothing is lost
    with journal_of(task, out) if out is not None else nullcontext() as journal:
        judgements = judge.judge(pairs, Work(journal, unit_items=requested.unit_items))
        return [
            card(criterion, [each[at] for each in judgements])
            for at, criterion in enumerate(questions.criteria)
        ]


def _identity(engine: Mapping[str, Any]) -> JudgeIdentity:
    """What an engine says of itself, as the card keeps it."""
    facts = {field.name: engine.get(field.name) for field in fields(JudgeIdentity)}
    facts |= {name: str(engine.get(name, "unknown")) for name in ("model", "engine")}
    return typed(JudgeIdentity, {**facts, "all": engine})


def _rubric_used(rubric: Rubric, criterion: str, scale: CriterionScale) -> RubricUsed:
    guard = rubric.guard
    return RubricUsed(
        name=rubric.name,
        version=rubric.version,
        hash=rubric.hash,
        criterion=criterion,
        labels=scale.labels,
        values=tuple(float(value) for value in scale.values),
        read=rubric.criteria[criterion].read,
        harmful=tuple(np.array(scale.labels)[scale.harmful].tolist()),
        languages=tuple(rubric.languages if guard is None else guard.languages or ()),
        published=() if guard is None else tuple(map(str, guard.published)),
    )


def _slices(
    criterion: str,
    rows: Sequence[tuple[Labelled, Judgement]],
    scale: CriterionScale,
    resampling: Resampling,
) -> tuple[Slice, ...]:
    people, judged = [row for row, _ in rows], [judgement for _, judgement in rows]
    table = JudgedRows(
        truth=np.array([scale.labels.index(row.human[criterion]) for row in people], dtype=np.intp),
        clusters=tuple(row.item.cluster for row in people),
        judge=predictions_of(judged, scale),
        # a mean is a value at a tie as well, but no label
        reasons=tuple(row.reason if row.value is None else Reason.TIE for row in judged),
        keywords=keyword_predictions(criterion, [row.response for row in people], scale),
    )
    names = list(people[0].groups) if people else []
    columns = {name: [row.groups[name] for row in people] for name in names}
    # a dimension with one level would repeat all rows; the language stands for what a card covers
    groups = {n: column for n, column in columns.items() if n == "language" or len(set(column)) > 1}
    return slices_of(table, groups, scale, resampling)


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """Labelled rows and what was said of them.

    `truth` has the places of people's labels; `reasons` says why the judge gave no label;
    `keywords` is null for a criterion that the keyword list does not know.
    """

    truth: Codes
    clusters: tuple[str, ...]
    judge: Predictions
    reasons: tuple[str | None, ...]
    keywords: Predictions | None

    def at(self, rows: Codes) -> "JudgedRows":
        """Some of them."""
        return JudgedRows(
            truth=self.truth[rows],
            clusters=tuple(self.clusters[at] for at in rows),
            judge=self.judge.at(rows),
            reasons=tuple(self.reasons[at] for at in rows),
            keywords=None if self.keywords is None else self.keywords.at(rows),
        )


def slices_of(
    rows: JudgedRows,
    groups: Mapping[str, Sequence[str]],
    scale: CriterionScale,
    resampling: Resampling,
) -> tuple[Slice, ...]:
    """All rows, then each level of each dimension; of a dimension at most its 40 largest levels."""
    whole = measured_slice(rows, scale, resampling)
    slices = [whole]
    for group, column in groups.items():
        codes, levels = first_seen(column)
        sizes = np.bincount(codes[codes >= 0], minlength=len(levels))
        used = np.sort(np.argsort(-sizes, kind="stable")[:MOST_LEVELS])
        for code in used:
            at = np.flatnonzero(codes == code)
            # the bootstrap of all rows is not made again for a level that is all of them
            level = (
                whole if len(at) == len(codes) else measured_slice(rows.at(at), scale, resampling)
            )
            slices.append(replace(level, group=group, member=levels[code]))
    return tuple(slices)


def measured_slice(rows: JudgedRows, scale: CriterionScale, resampling: Resampling) -> Slice:
    """Every statistic of the judge on these rows, and of the baselines on those that it scored."""
    judge = Predictor(rows.truth, rows.judge, rows.clusters, scale=scale, resampling=resampling)
    present = rows.at(np.flatnonzero(judge.scored))
    others = {CONSTANT: constant(present.truth, scale)}
    if present.keywords is not None:
        others[KEYWORDS] = present.keywords
    baselines = {
        name: Predictor(present.truth, other, present.clusters, scale=scale, resampling=resampling)
        for name, other in others.items()
    }
    lists, missed = baselines.get(KEYWORDS), rows.truth[~judge.scored]
    why = (reason for reason, s in zip(rows.reasons, judge.scored, strict=True) if not s)
    return Slice(
        group="",
        member="",
        n=len(present.truth),
        clusters=judge.clusters,
        unscored=dict(sorted(Counter(reason or "no reason" for reason in why).items())),
        statistics=judge.statistics(),
        baselines={name: other.statistics() for name, other in baselines.items()},
        gains={} if lists is None else {KEYWORDS: judge.gains(lists)},
        classes=class_rates(
            rows.truth.astype(np.float64),
            rows.judge.places,
            labels=scale.labels,
            clusters=rows.clusters,
        ),
        confusion=Confusion(
            labels=scale.labels,
            counts=tuple(tuple(map(int, row)) for row in judge.table),
            unscored=tuple(map(int, np.bincount(missed, minlength=len(scale.labels)))),
        ),
        reliability=reliability_curve(
            rows.judge.risk,
            scale.harmful[rows.truth].astype(np.float64),
            clusters=rows.clusters,
        ),
    )


def constant(truth: Codes, scale: CriterionScale) -> Predictions:
    """The predictor that always gives the label which people gave most often."""
    most = int(np.bincount(truth, minlength=len(scale.labels)).argmax())
    n = len(truth)
    return Predictions(
        places=np.full(n, float(most)),
        values=np.full(n, scale.values[most]),
        risk=np.full(n, float(scale.harmful[most])),
        stated=False,
    )


@dataclass(frozen=True, slots=True)
class Keywords:
    """The phrases of each kind and the label of each degree, per criterion."""

    window: int
    labels: Mapping[str, tuple[str, ...]]
    refusal: tuple[str, ...]
    guidance: tuple[str, ...]
    compliance: tuple[str, ...]
    harm: tuple[str, ...]

    def degree(self, answer: str) -> int:
        """0 complies or does harm, 1 neither, 2 refuses, 3 refuses and guides.

        >>> [keywords().degree(text) for text in ("Sorry, but no.", "Sure, […]", "42")]
        [2, 0, 1]
        """
        text = answer.translate(_APOSTROPHES).lower()
        start = text[: self.window]
        if _any(self.refusal, start):
            return 3 if _any(self.guidance, text) else 2
        return 0 if _any(self.compliance, start) or _any(self.harm, text) else 1


@cache
def keywords() -> Keywords:
    """The list that is shipped."""
    return load_yaml(_FILE, Keywords)


def keyword_predictions(
    criterion: str, answers: Sequence[str], scale: CriterionScale
) -> Predictions | None:
    """The list's degrees as labels of the criterion, null where it has none for this scale.

    The lower the degree the greater the risk.
    """
    labels = keywords().labels.get(criterion, ())
    if not labels or not set(labels) <= set(scale.labels):
        return None
    degrees = np.array([keywords().degree(answer) for answer in answers], dtype=np.intp)
    places = np.array([scale.labels.index(label) for label in labels])[degrees]
    # an order and no probability, hence not `stated`
    risk = -degrees.astype(np.float64)
    return Predictions(places.astype(np.float64), scale.values[places], risk, stated=False)


def _any(phrases: Sequence[str], text: str) -> bool:
    return any(phrase in text for phrase in phrases)
