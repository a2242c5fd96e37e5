"""The tabs. A tab is a module with `build(space)`, which draws it and its API."""

from ....messages import marked

TABS = {
    "norms": marked("Norms of real models"),
    "answer": marked("Score an answer"),
    "file": marked("Score a file"),
    "vignettes": marked("Vignettes"),
    "compare": marked("Compare"),
    "contribute": marked("Contribute a context"),
    "judges": marked("Judges"),
    "annotate": marked("Annotate"),
}
"""The module of each tab and its title, in their order."""
