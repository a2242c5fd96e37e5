"""Answers that were got elsewhere: read as a tool wrote them, held against a benchmark, written."""
