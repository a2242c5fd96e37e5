"""A judge that others call: over HTTP, in Normscope's own words and in those of other tools.

`routes.app` makes the application, `serving.serve` runs it. What waits at the same time is judged
together (`judges.batching`), as one unit of the judge's work.
"""
