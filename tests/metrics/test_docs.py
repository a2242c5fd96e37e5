"""docs/metrics.md names every module and every public function of the metrics, as they are."""

import doctest
import importlib
import inspect
from pathlib import Path
from types import FunctionType

import pytest

import normscope.metrics

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
FOLDER = Path(normscope.metrics.__file__).parent

# what the statistics are made with
MACHINERY = {
    "alike",
    "estimate",
    "groups",
    "inputs",
    "jackknife",
    "module",
    "results",
    "squares",
    "tails",
    "widget",
}
HELPERS = {
    "agreement_of",
    "alpha_of",
    "check_level",
    "equal_pairs",
    "flips_of",
    "label_counts",
    "normal",
    "opposite_pairs",
    "paired",
    "score_limits",
    "square_and_add",
    "student",
    "tested",
    "unscored_cells",
    "untested",
    "variance_of",
}
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in MACHINERY)
MODULES.remove("__init__")


def public(name: str) -> list[FunctionType]:
    module = importlib.import_module(f"normscope.metrics.{name}")
    return [
        found
        for found in vars(module).values()
        if inspect.isfunction(found)
        and found.__module__ == module.__name__
        and not found.__name__.startswith("_")
        and found.__name__ not in HELPERS
    ]


def signature(function: FunctionType) -> str:
    """As the page writes it: names and defaults, no types."""
    told: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in told:
            told.append("*")
        default = parameter.default
        told.append(parameter.name + ("" if default is parameter.empty else f"={default!r}"))
    return f"{function.__name__}({', '.join(told)})"


@pytest.mark.parametrize("module", MODULES)
def test_every_public_function_stands_on_the_page(module: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    missing = [signature(one) for one in public(module) if f"`{signature(one)}`" not in page]
    assert public(module)
    assert not missing


def test_every_module_of_evaluate_stands_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in normscope.metrics.names())


@pytest.mark.parametrize("name", ["metrics.md", "statistics.md"])
def test_the_pages_examples_are_true(name: str, load: object) -> None:
    text = PAGE.with_name(name).read_text(encoding="utf-8")
    blocks = text.split("```python\n")[1:]
    example = "\n".join(block.split("```")[0] for block in blocks)
    test = doctest.DocTestParser().get_doctest(example, {}, name, name, 0)
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert (results.failed, results.attempted > 0) == (0, True), "".join(told)
