"""A vignette context in Python: looked at, checked, asked and built.

>>> import normscope as ns
>>> iot = ns.Context("iot")
>>> len(iot.vignettes()), len(iot.prompts(variants=["0", "3"]))
(6912, 13824)
"""

from collections.abc import Sequence

from ..builders.ci_vignettes.dataset import ContextDataset
from ..errors import ConfigError
from ..format import count
from ..messages import joined, message
from ..report.blocks import Block, Caveat, Facts, Section, Table, columns
from ..report.names import name_of
from ..report.notebook import Shown


class Context(ContextDataset, Shown):
    """A vignette context: one that comes along, by its name, or a YAML file of one's own.

    `context` may be a folder into which one was built (`build`, `normscope build`). The
    variants of the file `prompts` take the place of those that the context names, or of the eleven
    published ones. Files are read when something is made of them, and once: after a change of a
    file make a new `Context`. An error in them is then a `ReviewError` that has all of them by
    line; `check` has the warnings, too.
    """

    def _shown(self) -> Sequence[Block]:
        """What it is about, its factors with their levels, how much it asks; or its errors."""
        try:
            context = self.context
        except ConfigError as error:
            return (Caveat(error.message, warns=True),)
        facts = (
            (message("population"), context.population),
            (message("survey"), f"{context.instrument}, {context.year}"),
            (message("language"), context.language),
            (message("vignettes"), count(len(self.vignettes()))),
            (message("prompts"), count(len(self.prompts()))),
            (message("people's ratings"), count(0 if self.ratings is None else len(self.ratings))),
        )
        rows = tuple(
            (name_of(name), joined(levels, " · "), count(len(levels)))
            for name, levels in self.factors.items()
        )
        table = Table(columns(message("factor"), message("levels"), "n", texts=2), rows)
        return (Section(context.title, (Facts(facts), table)),)
