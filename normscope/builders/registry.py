"""The datasets and the benchmarks by name; a builder is imported when it is asked for."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from ..errors import UsageError, nearest
from ..messages import message
from .builder import Benchmark, Builder

BUILDERS = {
    "cfsafety": "cfsafety.builder",
    "chisafetybench": "chisafetybench.builder",
    "ci-vignettes": "ci_vignettes.builder",
    "safety-gradient": "safety_gradient.builder",
}
"""The module with the `BUILDER` of each dataset, by slug. A new dataset is a line here."""

_NONE: Mapping[str, Builder] = MappingProxyType({})


@cache
def builder(slug: str) -> Builder:
    """The builder of the dataset, or a `UsageError` that names the nearest.

    >>> builder("cfsafty")
    Traceback (most recent call last):
    normscope.errors.UsageError: there is no dataset 'cfsafty'; did you mean 'cfsafety'?
    """
    if slug not in BUILDERS:
        raise UsageError(f"there is no dataset {slug!r}; {nearest(slug, list(BUILDERS))}")
    result: Builder = import_module(f".{BUILDERS[slug]}", __package__).BUILDER
    return result


def benchmarks() -> tuple[str, ...]:
    """The names of all benchmarks, `dataset` or `dataset:part`."""
    return tuple(bench.name for slug in BUILDERS for bench in builder(slug).benchmarks)


def benchmark(name: str, *, own: Mapping[str, Builder] = _NONE) -> tuple[Builder, Benchmark]:
    """The benchmark and its dataset's builder, or a `UsageError` that names the nearest.

    `own` are builders by slug that take the place of the bundled ones.

    >>> dataset, bench = benchmark("cfsafety")
    >>> dataset.slug, bench.criteria
    ('cfsafety', ('moral', 'rating'))
    """
    slug = name.partition(":")[0]
    dataset = own.get(slug) or (builder(slug) if slug in BUILDERS else None)
    of_dataset = () if dataset is None else dataset.benchmarks
    for bench in of_dataset:
        if dataset is not None and bench.name == name:
            return dataset, bench
    known = [bench.name for bench in of_dataset] or list(benchmarks())
    hint: str = nearest(name, known)
    if name == slug and dataset is not None:
        hint = message("known: {names}", names=", ".join(known))
    raise UsageError(message("there is no benchmark {name}; {hint}", name=repr(name), hint=hint))
