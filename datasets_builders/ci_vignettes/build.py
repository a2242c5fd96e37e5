"""Build this dataset: `python build.py` is `normscope build ci-vignettes`."""

import sys

from normscope.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["build", "ci-vignettes"]
    main()
