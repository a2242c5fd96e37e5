"""The datasets and the benchmarks by name; a builder is imported when it is asked for."""

from functools import cache
from importlib import import_module

from ..errors import UsageError, nearest
from .builder import Benchmark, Builder

BUILDERS = {
    "cfsafety": "cfsafety.builder",
    "chisafetybench": "chisafetybench.builder",
    "ci-vignettes": "ci_vignettes.builder",
    "safety-gradient": "safety_gradient.builder",
}
"""The module with the `BUILDER` of each dataset, by slug. A new dataset is a line here."""


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


def benchmark(name: str) -> tuple[Builder, Benchmark]:
    """The benchmark and its dataset's builder, or a `UsageError` that names the nearest.

    >>> dataset, bench = benchmark("cfsafety")
    >>> dataset.slug, bench.criteria
    ('cfsafety', ('moral', 'rating'))
    """
    slug = name.partition(":")[0]
    of_dataset = builder(slug).benchmarks if slug in BUILDERS else ()
    for bench in of_dataset:
        if bench.name == name:
            return builder(slug), bench
    # within a dataset the benchmarks are few enough to be named all
    known = "known: " + ", ".join(bench.name for bench in of_dataset)
    hint = known if of_dataset else nearest(name, benchmarks())
    raise UsageError(f"there is no benchmark {name!r}; {hint}")
