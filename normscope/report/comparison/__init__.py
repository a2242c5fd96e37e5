"""Comparisons of runs as tables, charts and files."""
