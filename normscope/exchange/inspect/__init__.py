"""Inspect (`inspect-ai`): its logs judged in place, runs as its logs, our tasks and judge in it."""
