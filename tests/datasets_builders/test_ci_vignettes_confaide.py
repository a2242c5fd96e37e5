from pathlib import Path

import pytest

from normscope.builders.ci_vignettes import confaide
from normscope.builders.ci_vignettes.builder import BUILDER
from normscope.errors import SourceError

FLOWS = [
    "Information about your hats is collected by a baker in order to Bake you a cake.",
    "Information about your shoes is collected by an online shop in order to Offers to lace them..",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of the authors' form with mild flows of our own."""
    asked = "".join(f"How much would people agree? 0) Neutral. \\n{flow}\n" for flow in FLOWS)
    (tmp_path / "tier_2a.txt").write_text(asked, encoding="utf-8")
    (tmp_path / "tier_2_labels.txt").write_text("1.5\n-20", encoding="utf-8")
    return tmp_path


def test_a_flow_is_taken_apart_and_keeps_its_rating(folder: Path) -> None:
    rows = confaide.confaide_table(folder, unpinned=True).to_pylist()
    assert rows[1] == {
        "item_id": rows[1]["item_id"],
        "vignette": "Information about your shoes is collected by an online shop in order to offer "
        "to lace them.",
        "sender": None,
        "recipient": "an online shop",
        "subject": "you",
        "attribute": "your shoes",
        "transmission_principle": "offer to lace them",
    }
    rated = confaide.ratings_table(folder, unpinned=True).to_pylist()[1]
    assert (rated["item_id"], rated["item_ids"]) == (rows[1]["item_id"], [rows[1]["item_id"]])
    assert (rated["mean"], rated["low"], rated["high"]) == (-20, -100, 100)
    # the authors published means alone
    assert (rated["sd"], rated["n"], rated["counts"]) == (None, None, None)
    assert rows[0]["item_id"].startswith("confaide-")


def test_the_flows_alone_and_the_flows_in_their_question_give_the_same_rows(folder: Path) -> None:
    prompts = confaide.confaide_table(folder, unpinned=True)
    plain = [FLOWS[0].replace("Bake", "bake"), FLOWS[1].replace("Offers", "offer")[:-1]]
    rows = "".join(f"{index},{flow}\n" for index, flow in enumerate(plain))
    (folder / "tier_2a_input.csv").write_text(f"idx,scenario\n{rows}", encoding="utf-8")
    (folder / "tier_2a.txt").unlink()
    assert confaide.confaide_table(folder, unpinned=True).equals(prompts)


def test_a_file_that_is_not_the_pinned_one_is_refused(folder: Path) -> None:
    with pytest.raises(SourceError, match=r"tier_2a\.txt is not the pinned version"):
        confaide.confaide_table(folder)


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("tier_2_labels.txt", "1.5\n", "2 flows and 1 ratings"),
        ("tier_2_labels.txt", "1.5\nmuch\n", "is not a file of numbers"),
        ("tier_2a.txt", "It rains.\nIt snows.\n", "'It rains.' has not the form"),
    ],
)
def test_a_file_of_another_shape_is_named(folder: Path, file: str, text: str, told: str) -> None:
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=told):
        confaide.confaide_table(folder, unpinned=True)


def test_the_flows_are_the_98_of_the_authors(sources: Path) -> None:
    if not (sources / "human-labels" / "confaide").is_dir():
        pytest.skip("needs ConfAIde's tier 2a in the sources")
    tables = BUILDER.tables(sources)
    rows = tables["confaide"].to_pylist()
    # 7 kinds of information × 7 recipients × 2 purposes each
    assert len(rows) == 98
    assert len({row["attribute"] for row in rows}) == 7
    assert len({row["recipient"] for row in rows}) == 7
    assert len({row["transmission_principle"] for row in rows}) == 14
    ratings = tables["confaide_ratings"]["mean"].to_pylist()
    assert (len(ratings), min(ratings), max(ratings)) == (98, -86.21, 70.82)
    part = next(part for part in BUILDER.benchmarks if part.name == "ci-vignettes:confaide")
    items = part.items(tables["confaide_prompts"])
    assert len(items) == 98 * 11
    assert set(items[0].facets) == {"recipient", "attribute", "transmission_principle"}
