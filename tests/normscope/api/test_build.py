"""`ns.build`: a dataset as a folder, its paths as text."""

from pathlib import Path

import normscope as ns


def test_a_dataset_is_built_into_a_folder_that_is_given_as_text(tmp_path: Path) -> None:
    rows = ns.build("safety-gradient", str(tmp_path))
    assert rows["default"] == 1000
    assert (tmp_path / "safety-gradient" / "default" / "test.parquet").is_file()
