import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def sources() -> Path:
    """The folder with the full sources, or a skip that says what is missing."""
    named = os.environ.get("NORMSCOPE_SOURCES")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "sources"
    if not folder.is_dir():
        pytest.skip("needs the full sources: set NORMSCOPE_SOURCES to their folder")
    return folder
