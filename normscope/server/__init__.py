"""A judge that others call over HTTP: `serving.serve` runs it.

What waits at the same time is judged together (`judges.batching`), as one unit of the judge's work.
"""
