"""A context that names a file of ratings, and tables of what people said."""

from pathlib import Path

from mock_museum import HEAD as MOCK

MUSEUM = (
    MOCK
    + """\
factors:
  attribute: {levels: [the rooms a visitor saw, the length of a visit]}
  recipient: {levels: [a painter, a newspaper]}
practices:
  museum: {template: "The museum tells {recipient} {attribute}"}
ratings:
  question: Is it acceptable?
  low: 1
  high: 5
  source: written for this test
  file: people.csv
"""
)
WORDS = '  answers: {"no": 1, perhaps: 3, "yes": 5}\n  no_answer: [that makes no sense]\n'
HEAD = "attribute,recipient"
ROOMS, LENGTH = "the rooms a visitor saw", "the length of a visit"


def written(folder: Path, table: str, more: str = "", text: str = MUSEUM) -> Path:
    path = folder / "mock_museum.yaml"
    path.write_text(text + more, encoding="utf-8")
    (folder / "people.csv").write_text(table, encoding="utf-8")
    return path


ANSWERS = f"""{HEAD},answer
{ROOMS},a painter,yes
{LENGTH},a painter,no
{ROOMS},a painter,perhaps
{ROOMS},a painter,that makes no sense
{ROOMS},a painter,
{ROOMS},a painter,yes
"""
COUNTS = f"""{HEAD},answer,n
{ROOMS},a painter,perhaps,1
{ROOMS},a painter,yes,2
{ROOMS},a painter,,2
{LENGTH},a painter,no,1
{LENGTH},a painter,,0
"""
