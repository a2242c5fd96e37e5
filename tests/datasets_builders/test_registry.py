import pytest

from normscope.builders.registry import benchmark, benchmarks
from normscope.errors import UsageError


def test_every_benchmark_is_found_by_its_name() -> None:
    for name in benchmarks():
        dataset, part = benchmark(name)
        assert part.name == name
        assert part in dataset.benchmarks


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("cfsafty", "did you mean 'cfsafety'"),
        ("ci-vignettes:copa", "did you mean 'ci-vignettes:coppa'"),
        ("chisafetybench:mqc", "did you mean 'chisafetybench:mcq'"),
        ("chisafetybench", "known: chisafetybench:qa, chisafetybench:mcq"),
        ("cfsafety:default", "did you mean 'cfsafety'"),
    ],
)
def test_an_unknown_benchmark_names_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"no benchmark '{name}'; {hint}"):
        benchmark(name)
