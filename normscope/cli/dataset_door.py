"""What `datasets_builders/<name>/build.py` does: the verbs `build` and `push` for one dataset."""

import tempfile
from collections.abc import Sequence

from . import cli

USAGE = "python build.py [build|check|push] [OPTIONS]"


def run(slug: str, arguments: Sequence[str]) -> None:
    """Build the dataset, check that its sources give it, or push what was built.

    `build` and `push` take the options of `normscope build` and `normscope push`; `check` builds
    into a folder that is removed again. Without a verb the dataset is built.
    """
    verb, *options = arguments if arguments and arguments[0][0] != "-" else ("build", *arguments)
    if verb == "push":
        cli(["push", f"dataset:{slug}", *options])
    elif verb == "check":
        with tempfile.TemporaryDirectory() as folder:
            cli(["build", slug, *options, "--out", folder])
    elif verb == "build":
        cli(["build", slug, *options])
    else:
        raise SystemExit(f"{verb!r} is no verb of a dataset: {USAGE}")
