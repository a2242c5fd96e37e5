"""Answers that were got elsewhere: a table or a tool's log, held against a benchmark's prompts."""
