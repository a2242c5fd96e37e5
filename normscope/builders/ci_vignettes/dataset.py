"""One vignette context as a dataset: its file, and everything that is made of it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pyarrow as pa

from ...errors import UsageError, nearest
from ...messages import Language, translate
from ...records.settings import Settings
from ..builder import Builder
from .builder import builder_of
from .context import Wording, bundled_contexts, read_wording
from .context_file import ContextFile
from .contribute import write_context
from .prompts import CONTEXTS
from .review import review

if TYPE_CHECKING:
    import pandas as pd

PathLike = str | os.PathLike[str]


class ContextDataset:
    """A context that comes along, by its name, or of a file or a folder of one's own, alone.

    Its files are read when something is made of them, and once.
    """

    def __init__(self, context: PathLike, *, prompts: PathLike | None = None) -> None:
        """Finds the files; a `UsageError` names the nearest context for one that there is not."""
        name, names = os.fspath(context), list(bundled_contexts())
        self._is_own = name not in names or Path(name).is_file()
        self._path = Path(name) if self._is_own else CONTEXTS / f"{name}.yaml"
        if not self._path.exists():
            raise UsageError(
                f"there is no context {name!r}: neither a file or folder nor one that comes "
                f"along; {nearest(name, names)}"
            )
        self._prompts = None if prompts is None else Path(prompts)
        if self._prompts is not None and not self._prompts.is_file():
            raise UsageError(f"there is no file of prompts {self._prompts}; correct it")

    @classmethod
    def from_yaml(cls, file: PathLike, *, prompts: PathLike | None = None) -> Self:
        """The context of a YAML file, also where one that comes along has its name."""
        return cls(Path(file).absolute(), prompts=prompts)

    def __repr__(self) -> str:
        """As it was made."""
        prompts = "" if self._prompts is None else f", prompts={str(self._prompts)!r}"
        context = str(self._path) if self._is_own else self._path.stem
        return f"{type(self).__name__}({context!r}{prompts})"

    @property
    def context(self) -> ContextFile:
        """What its file says."""
        return self._wording.contexts[0]

    @property
    def name(self) -> str:
        """What it is called: it is asked as `ci-vignettes:NAME`."""
        return self.context.name

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """What varies, and the levels of each."""
        return {name: factor.all_levels for name, factor in self.context.factors.items()}

    @property
    def parts(self) -> tuple[str, ...]:
        """What else can be asked of it beside its vignettes (the part without a name).

        `null` (without the condition), `corrected`, `anchors`, `orders` (the answers listed in
        other orders); those that it has.
        """
        whole = f"{self.benchmark()}_"
        names = [bench.name for bench in self._builder.benchmarks]
        return tuple(name.removeprefix(whole) for name in names if name.startswith(whole))

    def benchmark(self, part: str = "") -> str:
        """What a part of it is called as a benchmark; a `UsageError` for one that it has not."""
        if part and part not in self.parts:
            raise UsageError(f"{self.name} has no part {part!r}; {nearest(part, self.parts)}")
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
        # the part `orders` asks the vignettes themselves
        return self._tables[config if config in self._tables else self.name].to_pandas()

    def prompts(self, part: str = "", *, variants: str | Iterable[str] = ()) -> "pd.DataFrame":
        """The prompts of a part as a model is asked, in each variant or in these `variants` only.

        Columns: `item_id`, `variant_id`, `scale_order`, `prompt` and the factors. An unknown
        variant is a `UsageError` that names the nearest.
        """
        frame = self._tables[f"{self.benchmark(part).partition(':')[2]}_prompts"].to_pandas()
        chosen = [variants] if isinstance(variants, str) else [*map(str, variants)]
        ids = [*frame.variant_id.unique()]
        for each in chosen:
            if each not in ids:
                raise UsageError(f"there is no prompt variant {each!r}; {nearest(each, ids)}")
        return frame[frame.variant_id.isin(chosen)].reset_index(drop=True) if chosen else frame

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
        return write_context(self.context, self._file, Path(folder), prompts=self._prompts)

    @property
    def _file(self) -> Path:
        """The context's own file; of a folder the one that it has."""
        is_folder = self._path.is_dir()
        return self._wording.sources[self.name][0].path if is_folder else self._path

    @cached_property
    def _wording(self) -> Wording:
        """The context alone, and the prompts that it is asked in."""
        wording = read_wording([self._path] if self._is_own else [], self._prompts)
        names = [name for name in wording.sources if name] if self._is_own else [self._path.stem]
        if len(names) > 1:
            raise UsageError(
                f"{self._path} holds {len(names)} contexts ({', '.join(names)}); name the file of "
                "one"
            )
        return replace(wording, contexts=tuple(c for c in wording.contexts if c.name in names))

    @cached_property
    def _builder(self) -> Builder:
        """The dataset that is made of this context alone."""
        return builder_of(self._wording)

    @cached_property
    def _tables(self) -> Mapping[str, pa.Table]:
        return self._builder.tables(None)
