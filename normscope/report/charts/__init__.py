"""Charts: data as frozen dataclasses that `draw` a figure, `save` it, or give it as an `image`.

matplotlib is imported when one is drawn.
"""

from .bars import Bars
from .canvas import Plot, image
from .distribution import Ridges
from .heatmap import Heatmap
from .intervals import Intervals
from .norms import NormsMap
from .radar import Radar
from .reliability import Reliability

__all__ = [
    "Bars",
    "Heatmap",
    "Intervals",
    "NormsMap",
    "Plot",
    "Radar",
    "Reliability",
    "Ridges",
    "image",
]
