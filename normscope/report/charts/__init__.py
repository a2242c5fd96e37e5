"""Charts: data as frozen dataclasses that `draw` a figure, `save` it, or give its `svg`.

matplotlib is imported when one is drawn.
"""

from .agreement import ConfusionTables, Reliability
from .bars import Bars
from .canvas import Plot, save, svg
from .distribution import Histogram, Ridges
from .heatmap import Heatmap, Heatmaps
from .intervals import Intervals
from .levels import Levels
from .norms import NormsMap
from .prompts import PromptSpread
from .radar import Radar
from .scatter import Scatter
from .trend import Trend

__all__ = [
    "Bars",
    "ConfusionTables",
    "Heatmap",
    "Heatmaps",
    "Histogram",
    "Intervals",
    "Levels",
    "NormsMap",
    "Plot",
    "PromptSpread",
    "Radar",
    "Reliability",
    "Ridges",
    "Scatter",
    "Trend",
    "save",
    "svg",
]
