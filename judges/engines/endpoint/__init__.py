"""Any OpenAI-compatible server that tells log-probabilities."""

from .engine import EndpointEngine

__all__ = ["EndpointEngine"]
