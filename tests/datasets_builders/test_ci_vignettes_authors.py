"""Every vignette equals the authors', by digest."""

from typing import Any

import pytest

from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.ci_vignettes.vignettes import vignette_table
from normscope.files import hash_value

# The authors' file: our context, practice, whether it is the null control, its number of rows, and
# how the SHA-256 of its rows begins (the text, then the factors' values in the file's order).
FILES = {
    "coppa": ("coppa", "coppa", False, 1800, "f0a3175207a24fd0d98e"),
    "coppa_null": ("coppa", "coppa", True, 120, "1dca6d51511aa1e54485"),
    "iot": ("iot", "iot", False, 6912, "dfb44b4e87dac168be80"),
    "iot_null": ("iot", "iot", True, 576, "7cead75ca29ad14dc671"),
    "loc1": ("location", "location1", False, 288, "355349c85300f8130bd8"),
    "loc2": ("location", "location2", False, 1440, "a7a3f97d957f22cadf4a"),
    "loc3": ("location", "location3", False, 1440, "d531e76bca7e0327eb5c"),
    "pubrec": ("public_records", "public_records", False, 48, "2d30b072ca3ab1f5d716"),
    "contract": ("social_contract", "social_contract", False, 1200, "5fe680a641159a7f4499"),
    "web1": ("web", "web1", False, 100, "ca23b41cd96878b8cb0c"),
    "web2": ("web", "web2", False, 500, "936112b8d3fbd99d8a2d"),
    "web3": ("web", "web3", False, 500, "a983f988b1a6740c1720"),
    "web4": ("web", "web4", False, 500, "51229e57d5a518301fec"),
    "web5": ("web", "web5", False, 500, "1d11a0c28ac21debf63c"),
    "web6": ("web", "web6", False, 100, "2124cf2cc3bebdd02fc1"),
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


@pytest.mark.parametrize("file", FILES)
def test_every_row_has_the_digest_of_the_authors_rows(file: str) -> None:
    rows = _ours(file)
    assert len(rows) == FILES[file][3]
    assert hash_value(rows).startswith(FILES[file][4])
