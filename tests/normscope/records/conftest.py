"""Runs of these tests are written without their pictures."""

from undrawn import undrawn

__all__ = ["undrawn"]
