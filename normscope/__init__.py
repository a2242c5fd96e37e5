"""Normscope measures the safety and privacy norms that a language model encodes.

What a notebook needs stands here and is imported when it is used, so that `import normscope as ns`
costs nothing:

- `Judge`, called with questions and answers, and `validate`, how far it agrees with people
- `run` and `Run`, a whole run and what is in it; `plan`, what one will take before it is begun;
  `import_answers`, one of answers got elsewhere
- `compare`, runs beside one another
- `Context`, vignettes of one's own, `norms`, what answers to vignettes come to, and `build`, a
  dataset to load

The command `normscope` is made of the same. `normscope.metrics` has the statistics, and
`normscope.records` the types of what is kept.

>>> import normscope as ns
>>> ns.Judge("bundled").rubric.name
'bundled'
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api.answers import import_answers as import_answers
    from .api.compare import compare as compare
    from .api.context import Context as Context
    from .api.judge import Judge as Judge
    from .api.norms import norms as norms
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
    "Run": "api.run",
    "build": "builders.write",
    "compare": "api.compare",
    "import_answers": "api.answers",
    "norms": "api.norms",
    "plan": "api.run",
    "run": "api.run",
    "validate": "api.validation",
}
__all__ = [*_MODULES, "__version__"]  # noqa: PLE0604 - names as text


def _lazily(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package whose names are imported when they are used.

    `modules` says of each name in which of the package's modules it stands.
    """
    names = vars(sys.modules[package])

    def imported(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        names[name] = getattr(import_module(f".{modules[name]}", package), name)
        return names[name]

    return imported, lambda: sorted({*names, *modules})


if not TYPE_CHECKING:  # who would take any name for one of ours
    __getattr__, __dir__ = _lazily(__name__, _MODULES)
