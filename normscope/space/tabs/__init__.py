"""The tabs. A tab is a module with `build(judges)`, which draws it and its API."""

from ...messages import marked

TABS = {
    "norms": marked("Norms of real models"),
    "answer": marked("Score an answer"),
    "file": marked("Score a file"),
    "runs": marked("Runs"),
    "contribute": marked("Contribute a context"),
    "judges": marked("Judges"),
}
"""The module of each tab and its title, in their order."""
