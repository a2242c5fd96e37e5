"""A context of one's own for tests: what is said of it, before its factors and practices."""

HEAD = """\
name: mock_museum
title: A museum
language: en
population: visitors of the example
instrument: written for this test
year: 2026
license: CC0-1.0
source: written for this test
contributors: [A. Visitor]
constants: {sender: the museum, subject: a visitor}
absent: {transmission_principle: no condition is stated}
"""
