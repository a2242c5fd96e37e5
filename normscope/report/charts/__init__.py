"""Figures from plain arrays, a function each; matplotlib is imported when one is drawn."""

from .answers import answers
from .canvas import caution, save
from .heatmap import heatmap
from .norms import norms_heatmap
from .prompts import prompt_spread
from .radar import radar
from .ridge import ridge
from .temperature import temperatures

__all__ = [
    "answers",
    "caution",
    "heatmap",
    "norms_heatmap",
    "prompt_spread",
    "radar",
    "ridge",
    "save",
    "temperatures",
]
