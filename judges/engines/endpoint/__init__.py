"""Any OpenAI-compatible server that tells log-probabilities."""

from .client import LEFT, Purse, UnavailableError
from .engine import EndpointEngine
from .pace import Waiting

__all__ = ["LEFT", "EndpointEngine", "Purse", "UnavailableError", "Waiting"]
