"""Which versions of the packages that decide a result are installed."""

from importlib.metadata import PackageNotFoundError, version

from . import __version__

_TELLING = ("torch", "transformers", "tokenizers", "numpy", "scipy", "pyarrow")


def packages() -> dict[str, str]:
    """Name and version of each package on which the bytes of a result depend."""
    result = {"normscope": __version__}
    for name in _TELLING:
        try:
            result[name] = version(name)
        except PackageNotFoundError:
            continue
    return result
