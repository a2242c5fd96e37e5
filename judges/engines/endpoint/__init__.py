"""Any OpenAI-compatible server that tells log-probabilities."""

from .client import Purse, UnavailableError
from .engine import LANES, EndpointEngine
from .pace import Waiting

__all__ = ["LANES", "EndpointEngine", "Purse", "UnavailableError", "Waiting"]
