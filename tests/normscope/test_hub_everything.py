"""Every config of every dataset, with nothing but `datasets`: from the folder and from the Hub."""

import json
import os
import subprocess
import sys
from pathlib import Path

import hub_double as double
import pytest

SLUGS = ("cfsafety", "chisafetybench", "ci-vignettes", "safety-gradient")
NEED_SOURCE = {"cfsafety", "chisafetybench"}
LOAD = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
where = sys.argv[1]
names = get_dataset_config_names(where)
print(json.dumps({name: load_dataset(where, name, split="test").num_rows for name in names}))
"""


def sources() -> Path | None:
    named = os.environ.get("NORMSCOPE_SOURCES")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "sources"
    return folder if folder.is_dir() else None


def run(*command: str, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("slug", SLUGS)
def test_every_config_has_the_same_rows_in_the_folder_and_on_the_hub(
    slug: str, tmp_path: Path
) -> None:
    folder = sources()
    if slug in NEED_SOURCE and folder is None:
        pytest.skip("needs the full sources: set NORMSCOPE_SOURCES to their folder")
    source = [] if folder is None else ["--source", str(folder)]
    run("-m", "normscope", "build", slug, *source, "--out", str(tmp_path))
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "offline")}
    built = json.loads(run("-c", LOAD, str(tmp_path / slug), environment=offline))
    assert built
    right = ["--i-have-the-right-to-publish"] if slug in NEED_SOURCE else []
    with double.Hub() as hub:
        online = hub.environment(tmp_path / "online")
        asked = ["--to", f"lab/{slug}", "--folder", str(tmp_path / slug), *right]
        run("-m", "normscope", "push", f"dataset:{slug}", *asked, environment=online)
        loaded = json.loads(run("-c", LOAD, f"lab/{slug}", environment=online))
    assert loaded == built
