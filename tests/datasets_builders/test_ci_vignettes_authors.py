"""Every vignette equals the authors': by digest always, row by row where the sources are there."""

import csv
from pathlib import Path
from typing import Any

import pytest
from llm_ci import LLM_CI

from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.datasets_builders.ci_vignettes.vignettes import vignette_table
from normscope.files import hash_value

# The authors' file: our context, practice, whether it is the null control, its number of rows, and
# the SHA-256 of its rows (the text, then the factors' values in the order of the file).
FILES = {
    "coppa": (
        "coppa",
        "coppa",
        False,
        1800,
        "f0a3175207a24fd0d98ee9f61d940142cae7fa1d5eba3ff2e7a3b450bfb32dde",
    ),
    "coppa_null": (
        "coppa",
        "coppa",
        True,
        120,
        "1dca6d51511aa1e54485d3a5573ea1e5f7362ae15250976d0b07e89caa6e1d75",
    ),
    "iot": (
        "iot",
        "iot",
        False,
        6912,
        "dfb44b4e87dac168be80d1d1c9fb30e95159ac94e6974514ea3ee96377c48985",
    ),
    "iot_null": (
        "iot",
        "iot",
        True,
        576,
        "7cead75ca29ad14dc671c93be7cc73d9da3f1e3bbd0db824483d39dd2695702e",
    ),
    "loc1": (
        "location",
        "location1",
        False,
        288,
        "355349c85300f8130bd87f8658881a9c12ef90c8c2bf1bc6410da0d720e95122",
    ),
    "loc2": (
        "location",
        "location2",
        False,
        1440,
        "a7a3f97d957f22cadf4acd8639f97d9c5326958d7d68edf0c17a58c2a81d5071",
    ),
    "loc3": (
        "location",
        "location3",
        False,
        1440,
        "d531e76bca7e0327eb5c9916aa516afb349bee52fa27fc307e5e9e1e3d3853d1",
    ),
    "pubrec": (
        "public_records",
        "public_records",
        False,
        48,
        "2d30b072ca3ab1f5d716636d61fdbaa33446c5624a5e267763567574fa219586",
    ),
    "contract": (
        "social_contract",
        "social_contract",
        False,
        1200,
        "5fe680a641159a7f44995b1e6cd57f20c83fdea2dbf7269a72c00fd703b89e88",
    ),
    "web1": (
        "web",
        "web1",
        False,
        100,
        "ca23b41cd96878b8cb0cd2e5fd4e9ca3a9b15d57e43f356e13e966569eb27d2d",
    ),
    "web2": (
        "web",
        "web2",
        False,
        500,
        "936112b8d3fbd99d8a2d44b9fe97a81e8a84b98ee472c6ff888cbf4e2c38730c",
    ),
    "web3": (
        "web",
        "web3",
        False,
        500,
        "a983f988b1a6740c1720570fc3d690d9047cfe05fadd11fa6d0691c3e2151247",
    ),
    "web4": (
        "web",
        "web4",
        False,
        500,
        "51229e57d5a518301fec95535cca4bf9a128f2be7e24400c300107bad2878dbd",
    ),
    "web5": (
        "web",
        "web5",
        False,
        500,
        "1d11a0c28ac21debf63c9b3ffcba58c8d35247aa22c218fc63ecb25d3dfb7a55",
    ),
    "web6": (
        "web",
        "web6",
        False,
        100,
        "2124cf2cc3bebdd02fc160ae07d9334923a8fc0abc00bec90770905019654b0a",
    ),
}
COLUMNS = {
    "coppa": ["sender", "infotype", "recipient", "transmission"],
    "iot": ["sender", "infotype", "recipient", "transmission"],
    "loc1": ["recipient", "source", "place"],
    "loc2": ["recipient", "source", "duration", "place"],
    "loc3": ["recipient", "source", "duration", "place", "inference"],
    "pubrec": ["recipient", "subject", "infotype", "source"],
    "contract": [
        "membership",
        "space",
        "location1",
        "location2",
        "content",
        "access",
        "distribution",
    ],
    "web1": ["actor", "infotype", "use"],
    "web2": ["actor", "infotype", "use", "inference"],
}
for same, as_ in [("web3", "web2"), ("web4", "web2"), ("web5", "web2"), ("web6", "web1")]:
    COLUMNS[same] = COLUMNS[as_]
for null, full in [("coppa_null", "coppa"), ("iot_null", "iot")]:
    COLUMNS[null] = COLUMNS[full][:3]


def _ours(file: str) -> list[list[Any]]:
    name, practice, null_control, _, _ = FILES[file]
    context = bundled_contexts()[name]
    ours_for = {factor.source_label: ours for ours, factor in context.factors.items()}
    rows = vignette_table(context, null_control=null_control).to_pylist()
    names = ["vignette", *(ours_for[column] for column in COLUMNS[file])]
    return [[row[name] for name in names] for row in rows if row["practice"] == practice]


def _theirs(folder: Path, file: str) -> list[list[Any]]:
    path = folder / "privacy-bias" / f"{file}.csv"
    if not path.is_file():
        pytest.skip(f"needs the authors' vignettes: {path} does not exist")
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["", "vignette", *COLUMNS[file], "type"]
    return [[row[name] for name in ("vignette", *COLUMNS[file])] for row in rows]


@pytest.mark.parametrize("file", FILES)
def test_every_row_has_the_digest_of_the_authors_rows(file: str) -> None:
    rows = _ours(file)
    assert len(rows) == FILES[file][3]
    assert hash_value(rows) == FILES[file][4]


@pytest.mark.parametrize("file", FILES)
def test_every_row_equals_the_authors_row(sources: Path, file: str) -> None:
    theirs = _theirs(sources, file)
    assert _ours(file) == theirs
    assert hash_value(theirs) == FILES[file][4]


def test_the_files_are_all_of_the_contexts() -> None:
    # DESIGN: 6,912 + 576, 1,800 + 120, 2,200 in six practices, 3,168 in three, 48 and 1,200
    counts: dict[tuple[str, bool], int] = {}
    for name, _, null_control, rows, _ in FILES.values():
        counts[name, null_control] = counts.get((name, null_control), 0) + rows
    assert counts == {
        ("coppa", False): 1800,
        ("coppa", True): 120,
        ("iot", False): 6912,
        ("iot", True): 576,
        ("location", False): 3168,
        ("public_records", False): 48,
        ("social_contract", False): 1200,
        ("web", False): 2200,
    }
    for (name, null_control), rows in counts.items():
        table = vignette_table(bundled_contexts()[name], null_control=null_control)
        assert table.num_rows == rows
    assert {name for name, _ in counts} == set(LLM_CI)


def test_coppa_has_the_condition_that_the_papers_table_leaves_out() -> None:
    conditions = bundled_contexts()["coppa"].factors["transmission_principle"].levels
    assert len(conditions) == 15
    assert "if its owner has given verifiable consent" in conditions


def test_the_notice_carries_the_licence_of_the_wording() -> None:
    notice = (Path(__file__).parents[2] / "NOTICE").read_text(encoding="utf-8")
    assert "github.com/yansh/privacy-bias" in notice
    assert "Copyright (c) 2026 [yansh](https://github.com/yansh/)" in notice
    assert "2409.03735" in notice
