"""Rules that read a label out of a text: options, Likert answers, degrees of refusal.

Each rule is a table of patterns in its own module; the tests hold the tables of cases.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ...errors import UsageError, nearest
from .likert import LIKERT, read_likert
from .option import OPTION, read_option
from .refusal import REFUSAL, read_refusal
from .table import Rule, RuleResult
from .verdict import VERDICT, read_verdict, rule_of

RULES: Mapping[str, Rule] = MappingProxyType(
    {rule.name: rule for rule in (OPTION, LIKERT, REFUSAL, VERDICT)}
)

__all__ = [
    "RULES",
    "Rule",
    "RuleResult",
    "read_likert",
    "read_option",
    "read_refusal",
    "read_verdict",
    "rule_hash",
    "rule_of",
]


def rule_hash(name: str) -> str:
    """The content hash of the rule's table, which a judgement made by it records.

    >>> rule_hash("opton")
    Traceback (most recent call last):
    normscope.errors.UsageError: there is no rule 'opton'; did you mean 'option'?
    """
    if name not in RULES:
        raise UsageError(f"there is no rule {name!r}; {nearest(name, list(RULES))}")
    return RULES[name].hash
