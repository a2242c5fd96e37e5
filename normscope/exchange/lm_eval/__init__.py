"""Benchmarks as tasks of lm-evaluation-harness, whose samples `normscope import` reads."""
