"""Every module over two processes that share nothing but a folder."""

import json
import os
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from metric_rows import MANY

import normscope.metrics
from normscope.errors import DataError
from normscope.metrics.module import pool

RANK = textwrap.dedent(
    """
    import json, sys, warnings
    # a metric needs the core alone: with transformers, evaluate takes three times as long to import
    sys.modules["transformers"] = None
    import evaluate, normscope.metrics
    del sys.modules["transformers"]
    from metric_rows import MANY, cut

    rank, cache = int(sys.argv[1]), sys.argv[2]
    warnings.simplefilter("ignore")
    found = {}
    for name, (columns, options) in MANY.items():
        n = len(next(iter(columns.values())))
        # uneven parts: the first process has two rows more
        part = (0, n // 2 + 1) if rank == 0 else (n // 2 + 1, None)
        metric = evaluate.load(
            normscope.metrics.path(name), num_process=2, process_id=rank,
            experiment_id="pooled", cache_dir=cache,
        )
        found[name] = metric.compute(**cut(columns, *part), **cut(options, *part))
    print(json.dumps(found))
    """
)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What each of two processes has for every module."""
    folder = tmp_path_factory.mktemp("ranks")
    script = folder / "rank.py"
    script.write_text(RANK, encoding="utf-8")
    root = Path(normscope.metrics.__file__).parents[2]
    shared = Path(__file__).parents[1] / "shared"
    import_path = os.pathsep.join([str(root), str(shared), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "HF_HOME": str(folder / "home"), "PYTHONPATH": import_path}
    ranks = [
        subprocess.Popen(
            [sys.executable, str(script), str(rank), str(folder / "cache")],
            stdout=subprocess.PIPE,
            env=environment,
        )
        for rank in (0, 1)
    ]
    told = [rank.communicate(timeout=240)[0] for rank in ranks]
    left = [path for path in (folder / "cache").rglob("*.json") if "pooled" in path.name]
    assert left == []
    return [json.loads(one.splitlines()[-1]) for one in told]


@pytest.mark.parametrize("name", MANY)
def test_two_processes_have_what_one_has(
    name: str, printed: list[dict[str, Any]], load: Callable[..., Any]
) -> None:
    columns, options = MANY[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = load(name).compute(**columns, **options)
    assert printed[1][name] is None
    # NaN is no NaN's equal, but it is written alike
    assert json.dumps(printed[0][name]) == json.dumps(alone)


def test_options_per_row_are_pooled_in_the_order_of_the_processes() -> None:
    assert pool("reasons", [["a"], [], ["b", None]]) == ["a", "b", None]
    assert pool("reasons", ["no_answer", "no_answer"]) == "no_answer"
    assert pool("groups", [{"x": [1]}, {"x": [2]}]) == {"x": [1, 2]}
    assert pool("clusters", [None, None]) is None


@pytest.mark.parametrize(
    "values", [[["a"], None], ["no_answer", ["a"]], [{"x": [1]}, {"y": [1]}], [4, 5]]
)
def test_options_of_unlike_kinds_are_refused(values: list[Any]) -> None:
    with pytest.raises(DataError, match="groups differs in kind between the processes"):
        pool("groups", values)
