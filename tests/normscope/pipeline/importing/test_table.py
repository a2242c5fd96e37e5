"""A table of recorded answers as it stands in its file."""

from pathlib import Path

import pytest
from normscope.pipeline.importing.table import read_table


@pytest.mark.parametrize("answer", ["x" * 3_000_000, "x\n" * 1_500_000], ids=["line", "lines"])
def test_an_answer_in_a_csv_may_be_longer_than_a_block_of_its_reader(
    tmp_path: Path, answer: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'id,answer\n007,"{answer}"\n008,short\n')
    assert read_table(path).table.to_pydict() == {"id": ["007", "008"], "answer": [answer, "short"]}
