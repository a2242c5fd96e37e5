"""Build this dataset: `python build.py`; its other verbs are `check` and `push`."""

import sys

from normscope.cli.dataset_door import run

if __name__ == "__main__":
    run("cfsafety", sys.argv[1:])
