"""Any OpenAI-compatible server that tells log-probabilities."""

from .engine import EndpointEngine
from .pace import Waiting

__all__ = ["EndpointEngine", "Waiting"]
