"""The tab *Score*: an answer, or a file of them."""

from typing import TYPE_CHECKING

from . import answer, file

if TYPE_CHECKING:
    from ..served import Judges


def build(judges: "Judges") -> None:
    """Draws the tab and names its endpoints."""
    answer.build(judges)
    file.build(judges)
