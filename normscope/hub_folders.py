"""Where the folders lie that are published on the Hub: in a checkout, or carried by a wheel."""

from pathlib import Path

FOLDERS = ("datasets_builders", "judges", "metrics", "spaces")
"""Each holds one subfolder per repository of the Hub, which can be read and run by itself."""

_PACKAGE = Path(__file__).parent


def hub_folder(name: str) -> Path:
    """The published folder of that name, one of `FOLDERS`.

    >>> (hub_folder("judges") / "rubrics" / "cfsafety.yaml").is_file()
    True
    """
    checkout = _PACKAGE.parent
    if (checkout / "pyproject.toml").is_file():
        return checkout / name
    return _PACKAGE / "published" / name
