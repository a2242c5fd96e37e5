"""What may change when a run goes on, and what may not."""

from dataclasses import replace
from pathlib import Path

import pytest

from normscope.config import RunConfig
from normscope.errors import RunError
from normscope.judges.engines import EndpointSettings, ModelSpec
from normscope.run.folder import opened

MODEL = ModelSpec("http://localhost:8000/v1#m")


def asked(**settings: object) -> RunConfig:
    return RunConfig(model=replace(MODEL, endpoint=replace(EndpointSettings(), **settings)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "settings", [{"max_requests": 9}, {"concurrency": 2}, {"timeout_s": 5.0}, {"max_tokens": 7}]
)
def test_a_run_goes_on_when_a_server_is_asked_more_slowly_or_with_more_to_spend(
    settings: dict[str, object], tmp_path: Path
) -> None:
    with opened(tmp_path / "run", create=True) as run:
        run.begin("respond", asked(), {"model": {"engine": "endpoint"}})
        run.begin("respond", asked(**settings), {"model": {"engine": "endpoint"}})


def test_a_run_goes_on_with_smaller_packs_when_the_memory_was_full(tmp_path: Path) -> None:
    with opened(tmp_path / "run", create=True) as run:
        whole, half = (RunConfig(model=ModelSpec("m", pack_tokens=size)) for size in (1024, 512))
        run.begin("respond", whole, {"model": {"pack_tokens": 1024}})
        run.begin("respond", half, {"model": {"pack_tokens": 512}})
        assert run.config.model == half.model


def test_a_run_does_not_go_on_by_another_api(tmp_path: Path) -> None:
    with opened(tmp_path / "run", create=True) as run:
        run.begin("respond", asked(), {"model": {"engine": "endpoint"}})
        with pytest.raises(RunError, match=r"model\.endpoint\.api: was 'auto', now 'chat'"):
            run.begin("respond", asked(api="chat"), {"model": {"engine": "endpoint"}})


def test_a_run_does_not_go_on_with_other_marks_or_another_date(tmp_path: Path) -> None:
    with opened(tmp_path / "run", create=True) as run:
        run.begin("respond", asked(), {"model": {"engine": "endpoint"}})
        with pytest.raises(RunError, match=r"model\.endpoint\.marks: was \[\], now \['<x>'\]"):
            run.begin("respond", asked(marks=("<x>",)), {"model": {"engine": "endpoint"}})
        dated = RunConfig(model=replace(MODEL, date="2026-02-03"))
        with pytest.raises(RunError, match=r"model\.date: was '2026-01-01', now '2026-02-03'"):
            run.begin("respond", dated, {"model": {"engine": "endpoint"}})
