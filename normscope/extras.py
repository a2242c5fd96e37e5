"""The one place where an optional package is asked for."""

from importlib import import_module
from types import ModuleType

from .errors import MissingExtraError
from .messages import message


def require(module: str, *, extra: str) -> ModuleType:
    """The imported `module`, or an error that names the extra to install.

    >>> require("math", extra="judge").sqrt(4)
    2.0
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        remedy = f"pip install 'normscope[{extra}]'"
        text = message("{module} is not installed: {remedy}", module=module, remedy=remedy)
        raise MissingExtraError(text) from error
