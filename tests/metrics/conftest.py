"""A metric loaded the way a user loads it, with evaluate's caches in a temporary folder."""

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import normscope.metrics

Load = Callable[..., Any]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Load]:
    """`load("refusal_rates")`: the module that evaluate makes of the folder."""
    import evaluate

    cache = tmp_path_factory.mktemp("evaluate")
    paths = list(sys.path)
    _forget_modules()

    @functools.cache
    def load_metric(name: str) -> Any:
        # a call leaves nothing behind in a module, so that one of each will do
        return evaluate.load(normscope.metrics.path(name), cache_dir=str(cache))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluate.loading.config.HF_MODULES_CACHE", cache / "modules")
        yield load_metric
    sys.path[:] = paths
    _forget_modules()


def _forget_modules() -> None:
    """evaluate imports what it copies as one package, which stays where it was first found."""
    for name in [name for name in sys.modules if name.startswith("evaluate_modules")]:
        del sys.modules[name]
