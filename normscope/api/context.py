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
from ..metrics.inputs import one_of
from ..records.settings import Settings
from ..report.notebook import Shown
from .names import Names, listed_names

if TYPE_CHECKING:
    import pandas as pd

    from ..builders.builder import Builder
    from ..builders.ci_vignettes.builder import Wording
    from ..report.blocks import Block

PathLike = str | os.PathLike[str]


class Context(Shown):
    """A vignette context: one that comes along, by its name, or a YAML file of one's own.

    `context` may be a folder into which one was built (`build`, `normscope context build`). The
    variants of the file `prompts` take the place of those that the context names, or of the eleven
    published ones. Files are read when something is made of them, and once: after a change of a
    file make a new `Context`. An error in them is then a `ReviewError` that has all of them by
    line; `check` has the warnings, too.
    """

    def __init__(self, context: PathLike, *, prompts: PathLike | None = None) -> None:
        """Finds the files; a `UsageError` names the nearest context for one that there is not."""
        from ..builders.ci_vignettes.context import CONTEXTS, bundled_contexts

        name, known = os.fspath(context), list(bundled_contexts())
        self._is_own = name not in known or Path(name).is_file()
        self._path = Path(name) if self._is_own else CONTEXTS / f"{name}.yaml"
        if not self._path.exists():
            raise UsageError(
                f"there is no context {name!r}: neither a file or folder nor one that comes "
                f"along; {nearest(name, known)}"
            )
        self._prompts = None if prompts is None else Path(prompts)
        if self._prompts is not None and not self._prompts.is_file():
            raise UsageError(f"there is no file of prompts {self._prompts}; correct it")

    @classmethod
    def from_yaml(cls, file: PathLike, *, prompts: PathLike | None = None) -> "Context":
        """The context of a YAML file, also where one that comes along has its name."""
        return cls(Path(file).absolute(), prompts=prompts)

    def _shown(self) -> "Sequence[Block]":
        """What it is about, its factors with their levels, how much it asks; or its errors."""
        from ..report.blocks import Caveat, Facts, Section, Table, columns
        from ..report.names import name_of

        try:
            [context] = self._wording.contexts
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

    def __repr__(self) -> str:
        """As it was made."""
        prompts = "" if self._prompts is None else f", prompts={str(self._prompts)!r}"
        return f"Context({str(self._path) if self._is_own else self._path.stem!r}{prompts})"

    @property
    def name(self) -> str:
        """What it is called: it is asked as `ci-vignettes:NAME`."""
        return self._wording.contexts[0].name

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """What varies, and the levels of each."""
        factors = self._wording.contexts[0].factors
        return {name: factor.all_levels for name, factor in factors.items()}

    @property
    def parts(self) -> tuple[str, ...]:
        """What else can be asked of it beside its vignettes (the part without a name).

        `null` (without the condition), `corrected`, `anchors`, `orders` (the answers listed in
        other orders), `ours` (two prompt variants of ours); those that it has.
        """
        whole = f"{self.benchmark()}_"
        names = [bench.name for bench in self._builder.benchmarks]
        return tuple(name.removeprefix(whole) for name in names if name.startswith(whole))

    def benchmark(self, part: str = "") -> str:
        """What a part of it is called as a benchmark; a `UsageError` for one that it has not."""
        if part:
            one_of(part, f"part of {self.name}", self.parts)
        return "_".join(filter(None, (f"ci-vignettes:{self.name}", part)))

    def config(self, part: str = "") -> Settings:
        """What a run asks for that asks this context."""
        return Settings(
            benchmark=(self.benchmark(part),),
            context=(str(self._path),) if self._is_own else (),
            prompts=None if self._prompts is None else str(self._prompts),
        )

    def vignettes(self, part: str = "") -> "pd.DataFrame":
        """The vignettes of a part, a row each in the order of the product.

        Columns: `item_id`, `practice`, `vignette` and one per factor.
        """
        config = self.benchmark(part).partition(":")[2]
        # the parts `orders` and `ours` ask the vignettes themselves in other words
        return self._tables[config if config in self._tables else self.name].to_pandas()

    def prompts(self, part: str = "", *, variants: Names = ()) -> "pd.DataFrame":
        """The prompts of a part as a model is asked, in each variant or in these `variants` only.

        Columns: `item_id`, `variant_id`, `scale_order`, `prompt` and the factors. An unknown
        variant is a `UsageError` that names the nearest.
        """
        frame = self._tables[f"{self.benchmark(part).partition(':')[2]}_prompts"].to_pandas()
        wanted = [str(each) for each in listed_names(variants)]
        for each in wanted:
            one_of(each, "prompt variant", tuple(frame.variant_id.unique()))
        return frame[frame.variant_id.isin(wanted)].reset_index(drop=True) if wanted else frame

    @property
    def ratings(self) -> "pd.DataFrame | None":
        """What people said of its vignettes, a row per rating; null where nobody was asked.

        Columns: the levels (null where averaged over), `item_ids`, `mean`, `sd`, `n`, `missing`,
        `counts`, and of the survey `low`, `high`, `question`, `source`.
        """
        rated = f"{self.name}_ratings"
        return self._tables[rated].to_pandas() if rated in self._tables else None

    def check(self, language: Language = "en") -> "pd.DataFrame":
        """Every problem of the context's file, and of the file of `prompts`, read anew.

        Columns: `file`, `line` (0: all of it), `kind` and `problem`, which says what to do. With an
        `error` nothing can be made of the context; a `warning` is for a person to look at.
        """
        import pandas as pd

        from ..builders.ci_vignettes.review import review

        rows = [
            (
                str(path),
                each.line,
                "warning" if each.warning else "error",
                translate(each.text, language),
            )
            for path in filter(None, [self._file, self._prompts])
            for each in review(path).findings
        ]
        return pd.DataFrame(rows, columns=["file", "line", "kind", "problem"])

    def build(self, folder: PathLike) -> Mapping[str, int]:
        """Writes it as a dataset that `load_dataset` reads; returns each config's rows."""
        from ..builders.ci_vignettes.contribute import write_context

        [context] = self._wording.contexts
        return write_context(context, self._file, Path(folder), prompts=self._prompts)

    @property
    def _file(self) -> Path:
        """The context's own file; of a folder the one that it has."""
        is_folder = self._path.is_dir()
        return self._wording.sources[self.name][0].path if is_folder else self._path

    @cached_property
    def _wording(self) -> "Wording":
        """The context alone, and the prompts that it is asked in."""
        from ..builders.ci_vignettes.own import read_wording

        wording = read_wording([self._path] if self._is_own else [], self._prompts)
        names = [name for name in wording.sources if name] if self._is_own else [self._path.stem]
        if len(names) > 1:
            raise UsageError(
                f"{self._path} holds {len(names)} contexts ({', '.join(names)}); name the file of "
                "one"
            )
        return replace(wording, contexts=tuple(c for c in wording.contexts if c.name in names))

    @cached_property
    def _builder(self) -> "Builder":
        """The dataset that is made of this context alone."""
        from ..builders.ci_vignettes.builder import builder_of

        return builder_of(self._wording)

    @cached_property
    def _tables(self) -> Mapping[str, pa.Table]:
        return self._builder.tables(None)
