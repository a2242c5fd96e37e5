"""A vignette context in Python: looked at, checked, asked and built.

>>> import normscope as ns
>>> iot = ns.Context("iot")
>>> len(iot.vignettes()), len(iot.prompts(variants=["0", "3"]))
(6912, 13824)
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from ..errors import ConfigError, UsageError, nearest
from ..format import count
from ..messages import Language, joined, message, translate
from ..records.settings import Settings
from .names import Names, listed_names
from .shown import Shown

if TYPE_CHECKING:
    import pandas as pd

    from ..builders.builder import Builder
    from ..builders.ci_vignettes.builder import Wording
    from ..builders.ci_vignettes.context import CheckedContext
    from ..report.blocks import Block

_SLUG = "ci-vignettes"


class Context(Shown):
    """A vignette context: one that comes along, by its name, or a YAML file of one's own.

    `context` may be a folder into which one was built (`build`, `normscope context build`). The
    variants of the file `prompts` take the place of those that the context names, or of the eleven
    published ones. Files are read when something is made of them, and once: after a change of a
    file make a new `Context`. An error in them is then a `ReviewError` that has all of them by
    line; `check` has the warnings, too.
    """

    def __init__(
        self, context: str | os.PathLike[str], *, prompts: str | os.PathLike[str] | None = None
    ) -> None:
        """Finds the files; a `UsageError` names the nearest context for one that there is not."""
        from ..builders.ci_vignettes.context import CONTEXTS, bundled_contexts

        name, known = os.fspath(context), list(bundled_contexts())
        self._own = None if name in known and not Path(name).is_file() else Path(name)
        if self._own is not None and not self._own.exists():
            raise UsageError(
                f"there is no context {name!r}: neither a file or folder nor one that comes "
                f"along; {nearest(name, known)}"
            )
        self._bundled = None if self._own else CONTEXTS / f"{name}.yaml"
        self._prompts = None if prompts is None else Path(prompts)
        if self._prompts is not None and not self._prompts.is_file():
            raise UsageError(f"there is no file of prompts {self._prompts}; correct it")

    @classmethod
    def from_yaml(
        cls, file: str | os.PathLike[str], *, prompts: str | os.PathLike[str] | None = None
    ) -> "Context":
        """The context of a YAML file, also where one that comes along has its name."""
        return cls(Path(file).absolute(), prompts=prompts)

    def _shown(self) -> "Sequence[Block]":
        """What it is about, its factors with their levels, how much it asks; or its errors."""
        from ..report.blocks import Caveat, Facts, Section, Table, columns
        from ..report.names import name_of

        try:
            context = self._context
        except ConfigError as error:
            return (Caveat(error.message, warns=True),)
        facts = (
            (message("population"), context.population),
            (message("survey"), f"{context.instrument}, {context.year}"),
            (message("language"), context.language),
            (message("vignettes"), count(len(self.vignettes()))),
            (message("prompts"), count(len(self._tables[f"{self.name}_prompts"]))),
            (message("people's ratings"), count(0 if self.ratings is None else len(self.ratings))),
        )
        rows = tuple(
            (name_of(name), joined(levels, " · "), count(len(levels)))
            for name, levels in self.factors.items()
        )
        table = Table(columns(message("factor"), message("levels"), "n", texts=2), rows)
        return (Section(context.title, (Facts(facts), table)),)

    def __repr__(self) -> str:
        """As it was made."""
        prompts = "" if self._prompts is None else f", prompts={str(self._prompts)!r}"
        name = self._bundled.stem if self._bundled else str(self._own)
        return f"{type(self).__name__}({name!r}{prompts})"

    @property
    def name(self) -> str:
        """What it is called: it is asked as `ci-vignettes:NAME`."""
        return self._context.name

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """What varies, and the levels of each."""
        return {name: factor.all_levels for name, factor in self._context.factors.items()}

    @property
    def parts(self) -> tuple[str, ...]:
        """What else can be asked of it beside its vignettes (the part without a name).

        `null` (without the condition), `corrected`, `anchors`, `orders` (the answers listed in
        other orders), `ours` (two prompt variants of ours); those that it has.
        """
        whole = f"{_SLUG}:{self.name}_"
        names = [bench.name for bench in self._builder.benchmarks]
        return tuple(name.removeprefix(whole) for name in names if name.startswith(whole))

    def benchmark(self, part: str = "") -> str:
        """What a part of it is called as a benchmark; a `UsageError` for one that it has not."""
        if part and part not in self.parts:
            raise UsageError(f"{self.name} has no part {part!r}; {nearest(part, self.parts)}")
        return f"{_SLUG}:{self.name}_{part}" if part else f"{_SLUG}:{self.name}"

    def config(self, part: str = "") -> Settings:
        """What a run asks for that asks this context."""
        return Settings(
            benchmark=(self.benchmark(part),),
            context=() if self._own is None else (str(self._own),),
            prompts=None if self._prompts is None else str(self._prompts),
        )

    def vignettes(self, part: str = "") -> "pd.DataFrame":
        """The vignettes of a part, a row each in the order of the product.

        Columns: `item_id`, `practice`, `vignette` and one per factor.
        """
        config = self.benchmark(part).partition(":")[2]
        tables = self._tables
        # the parts `orders` and `ours` ask the vignettes themselves in other words
        return tables[config if config in tables else self.name].to_pandas()

    def prompts(self, part: str = "", *, variants: Names = ()) -> "pd.DataFrame":
        """The prompts of a part as a model is asked, in each variant or in these `variants` only.

        Columns: `item_id`, `variant_id`, `scale_order`, `prompt` and the factors. An unknown
        variant is a `UsageError` that names the nearest.
        """
        name = self.benchmark(part)
        bench = next(bench for bench in self._builder.benchmarks if bench.name == name)
        frame = self._tables[bench.config].to_pandas()
        wanted, known = [str(each) for each in listed_names(variants)], [*frame.variant_id.unique()]
        for each in wanted:
            if each not in known:
                raise UsageError(f"{name} has no prompt variant {each!r}; {nearest(each, known)}")
        return frame[frame.variant_id.isin(wanted)].reset_index(drop=True) if wanted else frame

    @property
    def ratings(self) -> "pd.DataFrame | None":
        """What people said of its vignettes, a row per rating; null where nobody was asked.

        Columns: the levels (null where averaged over), `item_ids`, `mean`, `sd`, `n`, `missing`,
        `counts`, and of the survey `low`, `high`, `question`, `source`.
        """
        if self._context.ratings is None:
            return None
        return self._tables[f"{self.name}_ratings"].to_pandas()

    def check(self, language: Language = "en") -> "pd.DataFrame":
        """Every problem of the context's file, and of the file of `prompts`, read anew.

        Columns: `file`, `line` (0: all of it), `kind` and `problem`, which says what to do. With an
        `error` nothing can be made of the context; a `warning` is for a person to look at.
        """
        import pandas as pd

        from ..builders.ci_vignettes.review import review

        rows = [
            {
                "file": str(path),
                "line": found.line,
                "kind": "warning" if found.warning else "error",
                "problem": translate(found.text, language),
            }
            for path in filter(None, [self._file, self._prompts])
            for found in review(path).findings
        ]
        return pd.DataFrame(rows, columns=["file", "line", "kind", "problem"])

    def build(self, folder: str | os.PathLike[str]) -> Mapping[str, int]:
        """Writes it as a dataset that `load_dataset` reads; returns each config's rows."""
        from ..builders.ci_vignettes.contribute import write_context

        return write_context(self._context, self._file, Path(folder), prompts=self._prompts)

    @property
    def _file(self) -> Path:
        """The context's own file; of a folder the one that it has."""
        if self._bundled is not None:
            return self._bundled
        assert self._own is not None  # noqa: S101 - a context is bundled or somebody's own
        if self._own.is_dir():
            return self._wording.sources[self.name][0].path
        return self._own

    @cached_property
    def _wording(self) -> "Wording":
        from ..builders.ci_vignettes.own import read_wording

        return read_wording(filter(None, [self._own]), self._prompts)

    @cached_property
    def _context(self) -> "CheckedContext":
        own = [name for name in self._wording.sources if name]
        if self._bundled is not None:
            own = [self._bundled.stem]
        if len(own) > 1:
            raise UsageError(
                f"{self._own} holds {len(own)} contexts ({', '.join(own)}); name the file of one"
            )
        return next(each for each in self._wording.contexts if each.name == own[0])

    @cached_property
    def _builder(self) -> "Builder":
        """The dataset that is made of this context alone."""
        from ..builders.ci_vignettes.builder import builder_of

        return builder_of(replace(self._wording, contexts=(self._context,)))

    @cached_property
    def _tables(self) -> Mapping[str, pa.Table]:
        return self._builder.tables(None)
