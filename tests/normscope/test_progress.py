"""Progress bars: widgets where a kernel has them, none where they are not wanted."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from tqdm import tqdm

from normscope import progress


@pytest.mark.parametrize(
    ("config", "widgets", "module"),
    [
        ({"IPKernelApp": {}}, True, "tqdm.notebook"),
        ({"IPKernelApp": {}}, False, "tqdm.std"),
        ({}, True, "tqdm.std"),
    ],
)
def test_a_bar_is_a_widget_in_a_kernel_that_has_them(
    monkeypatch: pytest.MonkeyPatch, config: dict[str, Any], widgets: bool, module: str
) -> None:
    shell = SimpleNamespace(config=config)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(progress, "find_spec", lambda _: "there" if widgets else None)
    # a stand-in: the bar of the notebook is made of widgets, which are not installed here
    monkeypatch.setitem(
        sys.modules, "tqdm.notebook", SimpleNamespace(tqdm=type("tqdm", (tqdm,), {}))
    )
    kind = type(progress.bar(2, label="judge"))
    assert (kind is not tqdm) == (module == "tqdm.notebook")
