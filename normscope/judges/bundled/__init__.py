"""A small bilingual judge that comes with Normscope and needs no download.

It is for demos, the Space and tests: no replacement for a large judge in an audit. Its card,
`judges/bundled/README.md`, says how good it is and how it was made.
"""

from pathlib import Path

from ...hub_folders import hub_folder
from ...messages import message

NAME = "bundled"
"""By which it is asked for: `--judge bundled`. Its rubric has the same name."""

RUBRIC = "rubric.yaml"
"""The file in a model's folder with the only rubric that the model can be asked under."""

FIGURES = "evaluation.json"
"""What was measured of it: its card is written from this file."""

LANGUAGES = ("en", "zh")
"""What it was trained on. Answers in any other language it leaves unscored."""

NOTE = message(
    "the small bundled judge, no replacement for a large one in an audit; how good it is stands on "
    "its card, judges/bundled/README.md"
)
"""What every place that shows its scores says."""


def path() -> Path:
    """The folder of the saved model, in transformers' own format."""
    return hub_folder("judges") / NAME


def rubric_path() -> Path:
    """The rubric in whose wording it was trained."""
    return path() / RUBRIC
