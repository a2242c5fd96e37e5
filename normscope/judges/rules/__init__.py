"""Rules that read a label out of a text: options, Likert answers, degrees of refusal.

Their patterns are tables (`tables.yaml`); the tests hold the tables of cases.
"""

from .readers import (
    read_likert,
    read_option,
    read_refusal,
    read_verdict,
    rule_hash,
    rule_of,
)
from .table import RULES, Rule, RuleResult

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
