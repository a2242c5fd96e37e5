"""Progress bars: widgets where a kernel has them, none where they are not wanted."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tqdm import tqdm

from normscope import progress
from normscope.judges.engines import load
from normscope.records.model_spec import ModelSpec


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


def test_a_single_unit_needs_no_bar() -> None:
    assert [progress.bar(n, label="judge").disable for n in (0, 1, 2)] == [True, True, False]


def test_no_bar_is_shown_where_none_is_wanted_nor_a_librarys(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from transformers.utils import logging

    # tests are quiet by themselves, and the hub's own bars cannot be had back
    monkeypatch.setattr(logging, "_tqdm_active", True)
    monkeypatch.setattr(logging.hf_hub_utils, "enable_progress_bars", lambda: None)
    with progress.hidden():
        load(ModelSpec(str(tiny_model)))
        progress.bar(3, label="judge").close()
        with progress.hidden(hide=False):
            assert progress.is_hidden()
    assert capsys.readouterr().err == ""
    load(ModelSpec(str(tiny_model)))
    assert "Loading weights" in capsys.readouterr().err
    assert not progress.is_hidden()
