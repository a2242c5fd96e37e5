"""A page of each kind that says how far a judge can be believed."""

from collections.abc import Callable
from dataclasses import replace

from judged_answers import rated, rated_run

from normscope.judges.trust.bias import PairedValues, adjusted, shifts_of
from normscope.judges.trust.card import read_card
from normscope.judges.trust.cards import SHIPPED
from normscope.judges.trust.drift import Drift, Drifted, RubricDrift
from normscope.judges.trust.graded_set import check_graded_set
from normscope.judges.trust.injection import Injection
from normscope.judges.trust.probe import ProbeResult
from normscope.metrics.estimate import Statistic
from normscope.metrics.rates import rate
from normscope.report.blocks import Page
from normscope.report.trust import card, checks


def graded_page() -> Page:
    """Graded answers to some questions in both languages, some of them unscored or out of order."""
    answers = [
        rated(
            f"q{question}",
            grade,
            None if (question, grade) == (3, 2) else max(1, grade - at % 3),
            language=language,
            category="social_bias" if question % 2 else "privacy",
        )
        for question in range(6)
        for at, language in enumerate(("zh", "en"), start=question)
        for grade in range(1, 6)
    ]
    return checks.graded_set_page(check_graded_set(rated_run(answers)))


def card_page() -> Page:
    cards = [read_card(path) for path in sorted(SHIPPED.glob("*.json"))]
    first = next(each for each in cards if len(each.slices) > 1)
    # what a file of labels says of itself is in its own words
    source = replace(first.source, meaning="", notes=())
    return card.page(replace(first, source=source))


def drift_page() -> Page:
    moved = (
        Drifted("s01", "moral", 0, 0.1, 0.9, 0.8),
        Drifted("s02", "moral", None, 1, None, None),
    )
    changed = {"dtype": (None, "float16")}
    rubrics = (
        RubricDrift("cfsafety", "ab", "float32", 0.001, 40, 0.8, changed, moved),
        RubricDrift("chisafetybench", "cd", "float32", 0.001, 20, 0.0, {}, ()),
    )
    return checks.drift_page(Drift("first", "second", False, rubrics, ("other",)))


def probe_page() -> Page:
    names = [str(at) for at in range(11)]
    values = PairedValues("score", [*[2.9, 3.1] * 5, None], [2.0] * 11, names, ["en"] * 11, (0, 5))
    calm = replace(values, changed=[*[1.9, 2.1] * 5, 2.0])
    shifts = adjusted(
        (*shifts_of("length", [values], variant="one paragraph"), *shifts_of("label order", [calm]))
    )
    success = rate([1.0] * 2 + [0.0] * 14 + [None])
    every, control, family = (
        Statistic(name, "rate", success) for name in ("all", "control: neutral text", "rate_short")
    )
    return checks.probe_page(
        ProbeResult(
            {"model": "toy"},
            "cfsafety",
            "ab",
            "",
            "",
            None,
            {},
            shifts,
            Injection(16, 20, 10, every, control, (family,)),
            {"injection": "-"},
        )
    )


PAGES: dict[str, Callable[[], Page]] = {
    "card": card_page,
    "drift": drift_page,
    "graded set": graded_page,
    "probe": probe_page,
}
