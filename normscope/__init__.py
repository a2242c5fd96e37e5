"""Normscope measures the safety and privacy norms that a language model encodes.

What a script needs stands here and is imported when it is used, so that `import normscope` costs
nothing: the records (`Item`, `Response`, `Judgement`), what a run is asked (`RunConfig`,
`ModelSpec`), its folder (`RunFolder`), what a judge is asked (`Questions`), and the steps of the
row (`build`, `respond`, `judge`, `score`). The command `normscope` is made of the same.

>>> import normscope
>>> normscope.ModelSpec("bundled").dtype
'auto'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api.answers import import_answers as import_answers
    from .api.compare import compare as compare
    from .api.context import Context as Context
    from .api.judge import Judge as Judge
    from .api.norms import norms as norms
    from .api.run import Run as Run
    from .api.run import run as run
    from .api.validation import validate as validate
    from .judges.engines import load as load
    from .judges.judge import Questions as Questions
    from .pipeline.build import build as build
    from .pipeline.judge import judge as judge
    from .pipeline.respond import respond as respond
    from .pipeline.score import score as score
    from .records.config import RunConfig as RunConfig
    from .records.folder import RunFolder as RunFolder
    from .records.item import Item as Item
    from .records.judgement import Judgement as Judgement
    from .records.model_spec import ModelSpec as ModelSpec
    from .records.response import Response as Response

__version__ = "0.1.0"

# a name that is also a folder's (report, viewer) cannot stand here: importing the folder takes it
_MODULES = {
    "Context": "api.context",
    "Item": "records.item",
    "Judge": "api.judge",
    "Judgement": "records.judgement",
    "ModelSpec": "records.model_spec",
    "Questions": "judges.judge",
    "Response": "records.response",
    "Run": "api.run",
    "RunConfig": "records.config",
    "RunFolder": "records.folder",
    "build": "pipeline.build",
    "compare": "api.compare",
    "import_answers": "api.answers",
    "judge": "pipeline.judge",
    "load": "judges.engines",
    "norms": "api.norms",
    "respond": "pipeline.respond",
    "run": "api.run",
    "score": "pipeline.score",
    "validate": "api.validation",
}
__all__ = [*_MODULES, "__version__"]  # noqa: PLE0604 - names as text


def __getattr__(name: str) -> Any:
    """What is imported when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The names that are offered, imported or not."""
    return sorted({*globals(), *_MODULES})
