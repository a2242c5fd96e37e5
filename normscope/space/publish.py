"""What goes to the Hub: a dataset, the judge, the Space or a metric. No network.

The Hub installs a Space's requirements.txt before any other file of the repository is there: a
wheel beside it cannot be named by its path, only by the address that the repository gives it.
"""

import hashlib
import re
import tempfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..builders.push import built_files
from ..errors import DataError, UsageError, nearest
from ..extras import require
from ..hub import Content, Publication
from ..hub_folders import hub_folder
from ..judges.bundled.publish import SLUG, check_name, model_files
from ..metrics import path as metric_path

CARD, APP = "README.md", "app.py"
REQUIREMENTS = "requirements.txt"
ROOT = Path(__file__).parents[2]
# the wheel's clock: the same clone gives the same bytes, which the Hub then need not be sent again
_EPOCH = "315532800"
_OURS = re.compile(r"^normscope(?P<extras>\[[\w, ]+\])?[ \t]*$", re.MULTILINE)


def spaces() -> list[str]:
    """The Spaces there are, beside those of the metrics.

    >>> spaces()
    ['normscope']
    """
    return sorted(app.parent.name for app in hub_folder("spaces").glob(f"*/{APP}"))


def space_files(name: str, folder: Path | None = None) -> dict[str, Path]:
    """The files of the Space by their path in the repository; its modules are in the package.

    `folder` is where they are taken from, if they were changed.
    """
    if name not in spaces():
        raise UsageError(f"there is no Space {name!r} to push; {nearest(name, spaces())}")
    return _files(folder or hub_folder("spaces") / name, CARD, APP, REQUIREMENTS)


def metric_files(name: str, folder: Path | None = None) -> dict[str, Path]:
    """The files of the metric: the script that `evaluate.load` takes from a Space, and its card."""
    files = (CARD, "index.html", REQUIREMENTS, f"{name}.py")
    return _files(folder or Path(metric_path(name)), *files)


def publication_of(
    kind: str,
    name: str,
    *,
    folder: Path | None = None,
    private: bool = False,
) -> Publication:
    """What `normscope push` publishes of a name, from a folder; an unknown name is refused.

    A dataset of one's own has no name; a Space cannot be `private`.
    """
    if private and kind in {"space", "metric"}:
        raise UsageError(
            "the Hub builds a Space without a token, so that a private one could not fetch the "
            "wheel that is sent along: push without --private"
        )
    if kind == "dataset":
        data = folder or Path("data") / name
        files = {path: data / path for path in built_files(name or None, data)}
        return Publication("dataset", name or data.resolve().name, files)
    if kind == "model":
        check_name(name)
        return Publication("model", SLUG, model_files(folder))
    sent = metric_files(name, folder) if kind == "metric" else space_files(name, folder)
    repo = name if kind == "metric" else None
    at_address = addressed(sent[REQUIREMENTS], repo=repo)
    return Publication("space", name, sent, at_address, stale=("*.whl",))


def addressed(
    requirements: Path, *, repo: str | None = None
) -> Callable[[str], Mapping[str, Content]]:
    """What gives, for a repository's address, its requirements and the wheel that they name.

    `repo` is the name that the repository has to have.
    """
    text = requirements.read_text(encoding="utf-8")
    lines = _OURS.findall(text)
    if len(lines) != 1:
        raise DataError(
            f"{requirements}: {len(lines)} lines ask for normscope and nothing more; there has to "
            "be one, such as normscope[space], which is replaced by where it is found"
        )

    def at(address: str) -> dict[str, Content]:
        name = address.rpartition("/")[2]
        if repo is not None and name != repo:
            raise UsageError(
                f"evaluate.load looks for a script that is called like the repository: {repo}, "
                f"not {name}"
            )
        # packed when it is sent: the wheel is that of the code that runs here
        wheel, content = pack()
        sha256 = hashlib.sha256(content).hexdigest()
        where = f"{address}/resolve/main/{quote(wheel)}#sha256={sha256}"
        sent = _OURS.sub(lambda line: f"normscope{line['extras'] or ''} @ {where}", text)
        return {wheel: content, REQUIREMENTS: sent.encode()}

    return at


@cache
def pack(root: Path = ROOT) -> tuple[str, bytes]:
    """The name and the bytes of the wheel of the clone in the folder, made without a network.

    The same files give the same bytes. A `DataError` if there is no clone: an installation does not
    hold what a wheel is made of.
    """
    if not (root / "pyproject.toml").is_file():
        raise DataError(
            f"a wheel is made of a clone of Normscope, and there is none in {root}: run this from "
            "a clone"
        )
    require("build", extra="publish")
    require("hatchling", extra="publish")
    from build import BuildException, ProjectBuilder
    from pyproject_hooks import quiet_subprocess_runner

    with tempfile.TemporaryDirectory() as folder:
        runner = partial(_at_epoch, quiet_subprocess_runner)
        try:
            built = Path(ProjectBuilder(root, runner=runner).build("wheel", folder))
        except BuildException as error:
            raise DataError(f"no wheel can be made of {root}: {error}") from error
        return built.name, built.read_bytes()


def _at_epoch(run: Any, command: Any, cwd: Any = None, extra_environ: Any = None) -> None:
    run(command, cwd, {**(extra_environ or {}), "SOURCE_DATE_EPOCH": _EPOCH})


def _files(folder: Path, *names: str) -> dict[str, Path]:
    if missing := [name for name in names if not (folder / name).is_file()]:
        raise DataError(f"{folder} has no {', '.join(missing)}: a Space needs {', '.join(names)}")
    return {name: folder / name for name in names}
