"""docs/metrics.md names every module and every public function of the metrics, as they are."""

import doctest
import runpy
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"

_SCRIPT = runpy.run_path(str(PAGE.with_name("metrics_page.py")))


def test_modules_statistics_and_functions_stand_on_the_page_as_they_are() -> None:
    # `python docs/metrics_page.py` writes them there
    assert PAGE.read_text(encoding="utf-8").endswith(_SCRIPT["page"]())


@pytest.mark.parametrize("name", ["metrics.md", "statistics.md", "rubrics.md"])
def test_the_pages_examples_are_true(name: str, load: object) -> None:
    text = PAGE.with_name(name).read_text(encoding="utf-8")
    blocks = text.split("```python\n")[1:]
    example = "\n".join(block.split("```")[0] for block in blocks)
    test = doctest.DocTestParser().get_doctest(example, {}, name, name, 0)
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert (results.failed, results.attempted > 0) == (0, True), "".join(told)
