"""Normscope measures the safety and privacy norms that a language model encodes.

What a notebook needs stands here and is imported when it is used, so that `import normscope as ns`
costs nothing:

- `Judge`, called with questions and answers, `Rubric`, what it is asked, and `validate`, how far
  it agrees with people
- `run` and `Run`, a whole run and what is in it; `plan`, what one will take before it is begun;
  `import_answers`, one of answers got elsewhere
- `compare`, runs beside one another
- `Context`, vignettes of one's own, `norms`, what answers to vignettes come to, `benchmarks`, what
  there is to ask, and `build`, a dataset to load

The command `normscope` is made of the same. `normscope.metrics` has the statistics, and
`normscope.records` the types of what is kept.

>>> import normscope as ns
>>> ns.Judge("bundled").rubric.name
'bundled'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api.answers import import_answers as import_answers
    from .api.benchmarks import benchmarks as benchmarks
    from .api.compare import compare as compare
    from .api.context import Context as Context
    from .api.judge import Judge as Judge
    from .api.norms import norms as norms
    from .api.rubric import Rubric as Rubric
    from .api.run import Run as Run
    from .api.run import plan as plan
    from .api.run import run as run
    from .api.validation import validate as validate
    from .builders.write import build as build

__version__ = "0.1.0"

# a name that is also a folder's (report, viewer) cannot stand here: importing the folder takes it
_MODULES = {
    "Context": "api.context",
    "Judge": "api.judge",
    "Rubric": "api.rubric",
    "Run": "api.run",
    "benchmarks": "api.benchmarks",
    "build": "builders.write",
    "compare": "api.compare",
    "import_answers": "api.answers",
    "norms": "api.norms",
    "plan": "api.run",
    "run": "api.run",
    "validate": "api.validation",
}
__all__ = [*_MODULES, "__version__"]  # noqa: PLE0604 - names as text


if not TYPE_CHECKING:  # who would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted(__all__)
