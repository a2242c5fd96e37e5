"""Reports without their pictures, for tests that look at what a run's files say.

Drawing takes longer than everything else that a small run does; charts have tests of their own.
"""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest


def no_charts() -> Any:
    """Every chart of a page is an empty picture while the block lasts."""
    return mock.patch("normscope.report.writers.html.image", return_value="<img>")


@pytest.fixture(scope="module", autouse=True)
def undrawn() -> Iterator[None]:
    """No charts while the tests of the module run."""
    with no_charts():
        yield
