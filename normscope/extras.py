"""Optional packages, asked for in one place, and the versions of those that decide a result."""

from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from . import __version__
from .errors import MissingExtraError
from .messages import message

_DECISIVE = ("torch", "transformers", "tokenizers", "numpy", "scipy", "pyarrow")


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


def packages() -> dict[str, str]:
    """Name and version of each package on which the bytes of a result depend."""
    result = {"normscope": __version__}
    for name in _DECISIVE:
        with suppress(PackageNotFoundError):
            result[name] = version(name)
    return result
