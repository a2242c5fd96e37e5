"""Contexts of one's own for tests: the head of one, and one of eight vignettes."""

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

LIBRARY = """\
name: mock_library
title: A library
language: en
population: readers of the example
instrument: written for this test
year: 2026
license: CC0-1.0
source: written for this test
contributors: [A. Reader]
constants:
  sender: the library
absent:
  subject: it is in the attribute
factors:
  attribute:
    levels: [the books a reader borrowed, the hours a reader came]
  recipient:
    levels:
      - the publisher
      - the reader's school
  transmission_principle:
    levels: [if the reader agrees, if names are left out]
practices:
  library:
    template: "The library tells {recipient} {attribute}, {transmission_principle}"
    null_control: "The library tells {recipient} {attribute}"
anchors:
  - {text: The library tells a reader its opening hours, expected: acceptable, reason: public}
  - {text: The library sells its readers' letters, expected: unacceptable, reason: private}
"""
