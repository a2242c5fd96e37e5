"""Charts: data as frozen dataclasses that `draw` a figure, `save` it, or give it as an `image`.

matplotlib is imported when one is drawn.
"""

from .canvas import Plot, image
from .distribution import Bars, Ridges
from .heatmap import Heatmap
from .lines import Intervals, Reliability
from .norms import NormsMap

__all__ = [
    "Bars",
    "Heatmap",
    "Intervals",
    "NormsMap",
    "Plot",
    "Reliability",
    "Ridges",
    "image",
]
