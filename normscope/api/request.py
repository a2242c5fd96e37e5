"""What a call from Python asks of a run: models, benchmarks, files of one's own, settings."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import UsageError
from ..judges.engine import Engine
from ..judges.engines import load as load_engine
from ..pipeline.requested import NOTHING, requested, requested_benchmarks
from ..records.model_spec import ModelSpec
from ..records.settings import Settings, refuse_unknown
from .context import Context
from .judge import Judge

PathLike = str | os.PathLike[str]
Model = str | os.PathLike[str] | ModelSpec
Contexts = Context | PathLike | Sequence[Context | PathLike]


@dataclass(frozen=True, slots=True)
class Request:
    """Settings by their names, what loads an engine, and whether a `Judge` judges."""

    values: Mapping[str, Any]
    load: Callable[[ModelSpec], Engine]
    by_judge: bool

    @classmethod
    def of(
        cls,
        model: Model | None,
        benchmarks: str | Sequence[str],
        judge: Judge | Model | None,
        *,
        context: Contexts = (),
        prompts: PathLike | None = None,
        **settings: Any,
    ) -> "Request":
        """What these arguments of `ns.run` ask for; a `UsageError` for what is no setting.

        A `limit` may be a number, for every benchmark; what is null was not given.
        """
        if "benchmark" in settings:
            raise UsageError("there is no setting 'benchmark'; did you mean 'benchmarks'?")
        refuse_unknown(settings)
        values = {**settings, **_asked(benchmarks, context, prompts), "model": model}
        if not isinstance(judge, Judge):
            return cls(values | {"judge": judge}, load_engine, by_judge=False)
        of_judge, spec = judge.of_run, judge.spec
        if said := [name for name in of_judge if name in settings]:
            raise UsageError(f"{said[0]} is a setting of the judge: give it to Judge(…)")

        def load(asked: ModelSpec) -> Engine:
            # the judge's own engine is loaded once; that of another model as always
            return judge.loaded.engine if asked == spec else load_engine(asked)

        return cls(values | of_judge, load, by_judge=True)

    def config(self, base: Settings = NOTHING) -> Settings:
        """The configuration that is asked for, over what a run says already."""
        config = requested(self.values, base)
        judged = (bench.rubric for _, bench in requested_benchmarks(config).values())
        if self.by_judge and not any(judged):
            # the rubric is the judge's, which has nothing to say: no error, as --rubric would be
            return replace(config, rubric=None)
        return config


def _asked(
    benchmarks: str | Sequence[str], context: Contexts, prompts: PathLike | None
) -> dict[str, Any]:
    """The benchmarks, the files of one's own, and the prompts, those of contexts among them."""
    names = benchmarks.split(",") if isinstance(benchmarks, str) else benchmarks
    names = [name.strip() for name in names if name.strip()]
    several = [context] if isinstance(context, Context | str | os.PathLike) else context
    files: list[PathLike] = []
    words = {os.fspath(prompts)} if prompts is not None else set()
    for each in several:
        if not isinstance(each, Context):
            files.append(each)
            continue
        asks = each.config()
        files += asks.context
        words |= {asks.prompts} if asks.prompts is not None else set()
        # a part of it (`…_null`) may be what is asked
        if not any(f"{name}_".startswith(f"{asks.benchmark[0]}_") for name in names):
            names += asks.benchmark
    if len(words) > 1:
        both = ", ".join(sorted(words))
        raise UsageError(f"a run has one file of prompts for all its vignettes, not {both}")
    return {"benchmark": names, "context": files, "prompts": next(iter(words), None)}
