"""Charts: data as frozen dataclasses that `draw` a figure, `save` it, or give its `svg`.

matplotlib is imported when one is drawn.
"""

from .agreement import ConfusionTables, Reliability
from .bars import Bars
from .canvas import Plot, note_above, save, svg
from .distribution import Histogram, Ridges
from .heatmap import Heatmap
from .intervals import Forest, Trend
from .norms import NormsMap
from .prompts import PromptSpread
from .radar import Radar

__all__ = [
    "Bars",
    "ConfusionTables",
    "Forest",
    "Heatmap",
    "Histogram",
    "NormsMap",
    "Plot",
    "PromptSpread",
    "Radar",
    "Reliability",
    "Ridges",
    "Trend",
    "note_above",
    "save",
    "svg",
]
