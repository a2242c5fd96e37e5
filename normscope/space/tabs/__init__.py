"""The tabs and the pages of the footer: each a module with `build(judges)`, which draws it."""

from ...messages import marked

TABS = {
    "norms": marked("What models find acceptable"),
    "score": marked("Score answers"),
    "runs": marked("Your runs"),
}
"""The module of each tab and its title, in their order."""

FOOTER = {
    "contribute": marked("Contribute a context"),
    "judges": marked("Judges' cards"),
}
"""The module and the title of each page that a link at the bottom opens."""
