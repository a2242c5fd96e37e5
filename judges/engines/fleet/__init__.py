"""Several servers of one model, asked as one engine."""

from .engine import FleetEngine

__all__ = ["FleetEngine"]
