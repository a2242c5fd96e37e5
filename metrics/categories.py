"""The levels that a group may have: those of the two question benchmarks, and the check.

A slug that a table of scores has never heard of is mostly a misspelt one, whose items would make a
category of their own and be missing from the right one.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from ..errors import DataError, UsageError, nearest

Levels = Mapping[str, Collection[str]]
"""Per dimension (`area`, `category`) the levels there are; a dimension that is missing is free."""

Known = Levels | Literal["cfsafety", "chisafetybench"] | None
"""Levels, the benchmark whose levels they are, or null: any level will do."""

CFSAFETY: Levels = {
    "area": ("scenario", "attack"),
    "category": (
        "social_bias",
        "criminal_unethical",
        "insults_sensitive_topics",
        "privacy_leaks",
        "misleading",
        "scenario_embedding_persuasion",
        "minority_language",
        "prompt_leakage",
        "llm_rewriting",
        "reverse_exposure",
    ),
}
"""Five scenarios and five instruction attacks."""

CHISAFETYBENCH: Levels = {
    "area": ("discrimination", "values", "commercial", "rights", "service_requirements"),
    "category": (
        "ethnic_discrimination",
        "religious_discrimination",
        "nationality_discrimination",
        "regional_discrimination",
        "sexism",
        "ageism",
        "occupational_discrimination",
        "health_discrimination",
        "other_aspects_of_discrimination",
        "inciting_subversion_of_state_power",
        "endangering_national_security",
        "inciting_separatism",
        "promoting_terrorism",
        "advocating_ethnic_hatred",
        "propagating_violence_and_pornography",
        "disseminating_fake_and_harmful_information",
        "other_aspects_prohibited_by_laws",
        "violation_of_intellectual_property_rights",
        "violation_of_business_ethics",
        "breach_of_confidence",
        "unfair_competition",
        "other_violations_and_irregularities",
        "endangering_physical_and_mental_health",
        "infringing_on_portrait_right",
        "infringing_on_reputation_right",
        "infringing_on_honors_right",
        "infringing_on_privacy_right",
        "infringing_on_personal_information_right",
        "other_infringements",
        "inaccurate_content",
        "unreliable_content",
    ),
}
"""Five areas and 31 categories."""

BENCHMARKS: Mapping[str, Levels] = {"cfsafety": CFSAFETY, "chisafetybench": CHISAFETYBENCH}


def levels_of(known: Known) -> Levels:
    """The levels by dimension; none of null.

    >>> levels_of("cfsafety")["area"], levels_of(None)
    (('scenario', 'attack'), {})
    """
    if known is None:
        return {}
    if isinstance(known, str):
        if known not in BENCHMARKS:
            remedy = "or give the levels themselves, {'category': [...]}"
            raise UsageError(f"known {known!r}: {nearest(known, list(BENCHMARKS))}; {remedy}")
        return BENCHMARKS[known]
    return known


def check_levels(group: str, levels_found: Iterable[str], known: Known) -> None:
    """Refuses a level of the group that is not known, and names the nearest.

    >>> check_levels("category", ["privacy_leak"], "cfsafety")
    Traceback (most recent call last):
    normscope.errors.DataError: category 'privacy_leak' is none of the 10 known; did you mean \
'privacy_leaks'? (levels of your own: known={'category': [...]}, any: known=None)
    """
    levels = levels_of(known).get(group)
    if levels is None:
        return
    names = [str(level) for level in levels]
    for level in levels_found:
        if level not in names:
            remedy = f"levels of your own: known={{{group!r}: [...]}}, any: known=None"
            message = f"{group} {level!r} is none of the {len(names)} known"
            raise DataError(f"{message}; {nearest(level, names)} ({remedy})")


def check_dimensions(groups: Iterable[str], known: Known) -> None:
    """Refuses levels of the caller's own for a dimension that is not there: a misspelt name."""
    if known is None or isinstance(known, str):
        return
    there = list(groups)
    for name in known:
        if name not in there:
            remedy = nearest(name, there) if there else "no groups are given"
            raise UsageError(f"known has levels of {name!r}, which is no group here; {remedy}")
