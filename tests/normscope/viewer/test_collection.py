"""A filter takes what a plain loop over the rows takes; answers are paired, named and opened."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from normscope.errors import DataError, UsageError
from normscope.reasons import origin_of
from normscope.viewer import Answered, Collection, Query, Term
from tests.shared.mixed_runs import Rows, items_of, mixed_run, rows_of

KEY = ("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature")
CLASSES = {
    "refusal": dict(enumerate(("risky", "harmless", "refusal", "responsible refusal"))),
    "acceptability": {
        -2: "strongly unacceptable",
        -1: "somewhat unacceptable",
        0: "neutral",
        1: "somewhat acceptable",
        2: "strongly acceptable",
    },
}
SOURCES = ("judge_logits", "model_logits", "judge_text", "text_rule")
CRITERIA = ("moral", "rating", "refusal", "option", "acceptability")
ITEMS = items_of()

Answer = dict[str, Any]


def naive(*several: tuple[Rows, Rows]) -> list[Answer]:
    """Every answer that all runs have, as a dict: its key, item, texts, judgements by run."""
    keys = [dict.fromkeys(key_of(row) for rows in run for row in rows) for run in several]
    items = {tuple(item.key): item for item in ITEMS}
    answers = []
    for key in keys[0]:
        if all(key in others for others in keys):
            item = items[key[:4]]
            answers.append(
                {
                    "key": key,
                    "item": item,
                    "responses": [[r for r in run[0] if key_of(r) == key] for run in several],
                    "judged": [[j for j in run[1] if key_of(j) == key] for run in several],
                    "all": [run[1] for run in several],
                }
            )
    return answers


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY)


def label_of(row: dict[str, Any]) -> str | None:
    if row["value"] is None:
        return None
    classes = CLASSES.get(row["criterion"])
    if classes:
        return classes[int(row["value"])]
    return str(row["labels"][row["probs"].index(max(row["probs"]))])


def counts(answer: Answer, run: int) -> dict[str, dict[str, Any]]:
    """The judgement that counts under each criterion."""
    result: dict[str, dict[str, Any]] = {}
    for row in sorted(answer["judged"][run], key=lambda r: -SOURCES.index(r["source"])):
        result[row["criterion"]] = row
    return result


def judged(answer: Answer) -> list[dict[str, Any]]:
    return [row for run in range(len(answer["judged"])) for row in counts(answer, run).values()]


def has_words(words: str) -> Callable[[Answer], bool]:
    pattern = re.compile(re.escape(words), re.IGNORECASE)
    return lambda a: any(
        pattern.search(text)
        for text in (
            *(turn.content for turn in a["item"].messages),
            *(r["text"] or "" for of_run in a["responses"] for r in of_run),
        )
    )


def number(name: str, test: Callable[[float], bool]) -> Callable[[Answer], bool]:
    return lambda a: any(
        row["criterion"] == name and row["value"] is not None and test(row["value"])
        for row in judged(a)
    )


def coverage_below(limit: float) -> Callable[[Answer], bool]:
    return lambda a: any(
        row["coverage"] is not None and row["coverage"] < limit for row in judged(a)
    )


def has_label(criterion: str, *labels: str) -> Callable[[Answer], bool]:
    return lambda a: any(
        row["criterion"] == criterion and label_of(row) in labels for row in judged(a)
    )


def has_source(source: str) -> Callable[[Answer], bool]:
    return lambda a: any(row["source"] == source for rows in a["judged"] for row in rows)


def in_place(**places: str) -> Callable[[Answer], bool]:
    return lambda a: all(getattr(a["item"], name) == value for name, value in places.items())


def no(*tests: Callable[[Answer], bool]) -> Callable[[Answer], bool]:
    return lambda a: not any(test(a) for test in tests)


def has_reason(reason: str) -> Callable[[Answer], bool]:
    return lambda a: (
        reason
        in {
            *(row["reason"] for row in judged(a)),
            *(r["reason"] for of_run in a["responses"] for r in of_run),
        }
    )


def is_unscored(a: Answer) -> bool:
    return any(
        row["value"] is None and origin_of(row["reason"]) in {"judge", "engine", "unknown"}
        for row in judged(a)
    )


def is_contradicted(a: Answer) -> bool:
    """Whether another channel says something else: a judge's of this reply, the model's of any."""
    for run, rows in enumerate(a["judged"]):
        for row in rows:
            same = KEY if row["source"].startswith("judge") else KEY[:4]
            others = (
                favoured(other)
                for other in a["all"][run]
                if all(other[k] == row[k] for k in (*same, "criterion"))
                and other["source"] != row["source"]
            )
            if favoured(row) and {*others} - {None, favoured(row)}:
                return True
    return False


def favoured(row: dict[str, Any]) -> str | None:
    if row["value"] is None or not row["probs"]:
        return None
    return str(row["labels"][row["probs"].index(max(row["probs"]))])


UNACCEPTABLE = "strongly unacceptable"
CASES: list[tuple[str, Callable[[Answer], bool]]] = [
    ("", lambda _: True),
    ("lake", has_words("lake")),
    ("(A+B)*", has_words("(a+b)*")),
    ("茶馆", has_words("茶馆")),
    ("straße", has_words("straße")),
    (r'"so \"quoted\""', has_words('so "quoted"')),
    (r"back\slash", has_words("back\\slash")),
    ("-mug", no(has_words("mug"))),
    ('"50 %" lake', lambda a: has_words("50 %")(a) and has_words("lake")(a)),
    ("benchmark:judged", in_place(benchmark="judged")),
    ("category:cups,hills", lambda a: a["item"].category in {"cups", "hills"}),
    ("-category:cups", no(in_place(category="cups"))),
    ("area:indoors language:en", in_place(area="indoors", language="en")),
    ("variant:second", in_place(variant_id="second")),
    ("order:forward", in_place(scale_order="forward")),
    ("item:q3,o1", lambda a: a["item"].item_id in {"q3", "o1"}),
    ("reason:no_answer", has_reason("no_answer")),
    ("-reason:low_coverage,no_key", no(has_reason("low_coverage"), has_reason("no_key"))),
    ("criterion:moral", lambda a: any(r["criterion"] == "moral" for r in judged(a))),
    ("source:judge_text", has_source("judge_text")),
    ("source:text_rule", has_source("text_rule")),
    ("refusal=risky", has_label("refusal", "risky")),
    ('refusal="refusal",harmless', has_label("refusal", "refusal", "harmless")),
    (f'-acceptability="{UNACCEPTABLE}"', no(has_label("acceptability", UNACCEPTABLE))),
    ("option=B", has_label("option", "B")),
    ("rating=5", has_label("rating", "5")),
    ("rating<2.5", number("rating", lambda v: v < 2.5)),
    ("rating>=3", number("rating", lambda v: v >= 3)),
    ("-rating<=3", no(number("rating", lambda v: v <= 3))),
    ("acceptability>0", number("acceptability", lambda v: v > 0)),
    ("coverage<0.5", coverage_below(0.5)),
    ("is:unscored", is_unscored),
    ("is:disagreement", is_contradicted),
]


@pytest.mark.parametrize(("line", "meets"), CASES)
@pytest.mark.parametrize("runs", [1, 2])
def test_a_term_takes_what_a_plain_loop_takes(
    line: str, meets: Callable[[Answer], bool], runs: int
) -> None:
    several = [rows_of(ITEMS, seed) for seed in range(1, runs + 1)]
    answers = naive(*several)
    collection = Collection.of([mixed_run(f"r{n}", ITEMS, rows) for n, rows in enumerate(several)])
    assert len(collection) == len(answers)
    selected = collection.rows(collection.select(Query.parse(line)).places)
    keys = [(r.benchmark, r.item_id, r.variant, r.order, r.sample, r.temperature) for r in selected]
    assert sorted(keys, key=str) == sorted((a["key"] for a in answers if meets(a)), key=str)
    # a filter that takes nothing, or all, would show little
    assert not line or keys


def state_of(answer: Answer, run: int, criterion: str) -> str | None:
    """The label, or the model's own reason for none; null where judge or engine failed."""
    row = counts(answer, run).get(criterion)
    if row is None:
        return None
    if row["value"] is not None:
        return label_of(row)
    return row["reason"] if origin_of(row["reason"]) == "respondent" else None


def has_changed(answer: Answer, criteria: Iterable[str]) -> bool:
    states = [[state_of(answer, run, name) for run in (0, 1)] for name in criteria]
    return any(None not in (one, other) and one != other for one, other in states)


def moved(answer: Answer) -> float | None:
    """The largest movement over the criteria, each as a share of its scale."""
    gaps = []
    lengths = {"moral": 1, "rating": 4, "refusal": 3, "acceptability": 4, "option": 1}
    for name, length in lengths.items():
        states = [state_of(answer, run, name) for run in (0, 1)]
        values = [counts(answer, run).get(name, {"value": None})["value"] for run in (0, 1)]
        if None not in states and (name == "option" or None in values):
            gaps.append(float(states[0] != states[1]))
        elif None not in values:
            gaps.append(abs(values[1] - values[0]) / length)
    scores = [score_of(answer, run) for run in (0, 1)]
    if None not in scores:
        gaps.append(abs(scores[1] - scores[0]) / 5)  # type: ignore[operator]
    return max(gaps, default=None)


def score_of(answer: Answer, run: int) -> float | None:
    values = [counts(answer, run).get(n, {"value": None})["value"] for n in ("moral", "rating")]
    return None if None in values else values[0] * values[1]


def test_two_runs_are_asked_where_they_differ_and_how_far() -> None:
    several = [rows_of(ITEMS, seed) for seed in (1, 2)]
    answers = naive(*several)
    collection = Collection.of([mixed_run(f"r{n}", ITEMS, rows) for n, rows in enumerate(several)])
    for line, criteria in (
        ("is:changed", CRITERIA),
        ("changed:refusal,option", ("refusal", "option")),
    ):
        places = collection.select(Query.parse(line)).places.tolist()
        assert places == [at for at, a in enumerate(answers) if has_changed(a, criteria)] != []
    rows = collection.rows(range(len(collection)))
    assert [row.moved for row in rows] == pytest.approx([moved(a) for a in answers], nan_ok=True)
    assert [bool(row.changed) for row in rows] == [has_changed(a, CRITERIA) for a in answers]
    for line in ("sort:-change", "sort:change", "sort:-score"):
        of = (lambda a: score_of(a, 0)) if "score" in line else moved
        sign = -1 if "-" in line else 1
        keyed = [(of(a), at) for at, a in enumerate(answers)]
        known = sorted((sign * value, at) for value, at in keyed if value is not None)
        unknown = [at for value, at in keyed if value is None]
        places = collection.select(Query.parse(line)).places.tolist()
        # one rounds otherwise than the other: what is alike may stand in either order
        assert [of(answers[at]) for at in places] == pytest.approx(
            [of(answers[at]) for at in [*(at for _, at in known), *unknown]]
        )


def test_what_can_be_chosen_is_counted() -> None:
    collection = Collection.of([mixed_run("r", ITEMS, rows_of(ITEMS, 1))])
    choices = collection.choices()
    assert {"category", "language", "variant", "reason", "refusal=", "is"} <= choices.keys()
    # one order of the scale is no choice
    assert "order" not in choices
    for name, values in choices.items():
        for value, n in values:
            term = Term(name.rstrip("="), "=" if name.endswith("=") else ":", (value,))
            assert len(collection.select(Query((term,)))) == n > 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("category:cup", "category:cup: nothing here has 'cup'; did you mean 'cups'?"),
        ("item:zzz", "nothing here has 'zzz'; known: q0"),
        ("refusal=risk", "refusal=risk: nothing here has 'risk'; did you mean 'risky'?"),
        ("politeness=high", "no criterion 'politeness' has labels here; known: moral, rating"),
        ("politeness>1", "there is no number 'politeness' here; known: moral"),
        ("sort:length", "sort:length: there is no number 'length' here"),
        ("is:changed", "is:changed: one run changes from nothing; look at two"),
        ("changed:moral", "look at two"),
        ("sort:-change", "look at two"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(line: str, says: str) -> None:
    collection = Collection.of([mixed_run("r", ITEMS, rows_of(ITEMS, 1))])
    with pytest.raises(UsageError) as caught:
        collection.select(Query.parse(line))
    assert says in caught.value.message


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=8).filter(str.strip))
@example("\\E.*")
@example("</script>\u202e\0")
@example("%_[a-z]+(?i)")
def test_a_search_is_literal_whatever_is_searched_for(words: str) -> None:
    texts = [words, f"before {words} behind", "tea", ".*", "aaa"]
    rows = [
        {**ITEMS[0].key._asdict(), "sample": at, "model": "toy", "text": text}
        for at, text in enumerate(texts)
    ]
    collection = Collection.of([mixed_run("r", [], (rows, []))])
    places = collection.select(Query((Term("", "", (words,)),))).places.tolist()
    assert {0, 1} <= {*places}
    assert all(words.casefold() in texts[at].casefold() for at in places)


def test_answers_have_names_that_stay_whatever_else_is_looked_at() -> None:
    first, second = (mixed_run(f"r{seed}", ITEMS, rows_of(ITEMS, seed)) for seed in (1, 2))
    alone, beside = Collection.of([first]), Collection.of([first, second])
    keys = [row.key for row in alone.rows(range(len(alone)))]
    assert len({*keys}) == len(alone)
    assert [alone.place_of(key) for key in keys] == [*range(len(alone))]
    assert {row.key for row in beside.rows(range(len(beside)))} <= {*keys}
    assert [alone.place_of(key) for key in ("", "no name", "f" * 16, "f" * 30)] == [None] * 4


def test_what_only_one_run_has_is_counted() -> None:
    several = [rows_of(ITEMS, seed) for seed in (1, 2)]
    collection = Collection.of([mixed_run(f"r{n}", ITEMS, rows) for n, rows in enumerate(several)])
    both = len(naive(*several))
    assert len(collection) == both
    assert collection.left_out == {
        f"r{n}": lost for n, rows in enumerate(several) if (lost := len(naive(rows)) - both)
    }


def test_runs_without_a_common_answer_are_refused() -> None:
    rows = rows_of(ITEMS, 1)
    parts = [
        [[r for r in table if (r["benchmark"] == "judged") == side] for table in rows]
        for side in (True, False)
    ]
    sides: list[Answered] = [
        mixed_run(f"r{n}", ITEMS, (part[0], part[1])) for n, part in enumerate(parts)
    ]
    with pytest.raises(DataError, match="r0 and r1 have no answer to the same item"):
        Collection.of(sides)
    with pytest.raises(UsageError, match="of one run, or of two, not of 3"):
        Collection.of([*sides, sides[0]])
    with pytest.raises(UsageError, match="both runs are called r0"):
        Collection.of([sides[0], sides[0]])


def test_answers_that_nobody_judged_can_be_read() -> None:
    rows = [{**ITEMS[0].key._asdict(), "sample": 0, "model": "toy", "text": "tea"}]
    for runs in (1, 2):
        collection = Collection.of([mixed_run(f"r{n}", ITEMS, (rows, [])) for n in range(runs)])
        selection = collection.select(Query.parse("tea"))
        (row,) = collection.rows(selection.places)
        assert [(answer.text, answer.outcomes) for answer in row.answers] == [("tea", ())] * runs
        assert row.moved is None
        assert collection.summary(selection).n == len(collection.detail(0).answers) // runs == 1
        with pytest.raises(UsageError, match="there is no number 'moral' here"):
            collection.select(Query.parse("sort:moral"))


def test_half_a_character_is_in_no_text() -> None:
    collection = Collection.of([mixed_run("r", ITEMS, rows_of(ITEMS, 1))])
    assert not len(collection.select(Query.parse("\ud83c")))
