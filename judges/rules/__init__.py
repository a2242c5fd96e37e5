"""Rules that read a label out of a text: options, Likert answers, degrees of refusal.

Each rule is a table of patterns in its own module; the tests hold the tables of cases.
"""

from .reading import Reading

__all__ = ["Reading"]
