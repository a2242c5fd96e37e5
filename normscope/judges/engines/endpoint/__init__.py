"""Any OpenAI-compatible server that tells log-probabilities."""

from .client import Waiting
from .engine import EndpointEngine

__all__ = ["EndpointEngine", "Waiting"]
