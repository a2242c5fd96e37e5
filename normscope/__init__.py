"""Normscope measures the safety and privacy norms that a language model encodes.

The rooms of the house: `normscope.datasets_builders` (sources to datasets), `normscope.judges`
(text to judgements), `normscope.metrics` (judgements to numbers with intervals),
`normscope.spaces` (for people). The command `normscope` is the front door.
"""

__version__ = "0.1.0"
