"""What five models answered in the authors' run: as it is in the package, and where it is from."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pytest
from datasets import load_dataset

from normscope.datasets_builders.ci_vignettes import published_answers as published
from normscope.datasets_builders.ci_vignettes.builder import BUILDER, build_tables
from normscope.datasets_builders.ci_vignettes.context import bundled_contexts
from normscope.datasets_builders.ci_vignettes.published_answers import (
    published_answers,
    published_models,
    published_norms,
)
from normscope.datasets_builders.ci_vignettes.vignettes import vignette_table
from normscope.datasets_builders.write import write_dataset
from normscope.errors import SourceError, UsageError
from normscope.files import read_parquet
from normscope.pipeline.imported import COLUMNS

VIGNETTES = vignette_table(bundled_contexts()["iot"])["item_id"]
ASKED_LESS = "gpt-4o-mini-8B"


def test_each_model_has_its_answers_and_norms_in_the_order_of_our_vignettes() -> None:
    assert len(published_models()) == 5
    for model in published_models():
        answers, norms = published_answers(model), published_norms(model)
        variants, orders = (3, 3) if model == ASKED_LESS else (11, 3)
        assert answers.column_names == list(COLUMNS)
        assert len(answers) == 6912 * variants * orders
        assert len(pc.unique(answers["variant_id"])) == variants
        assert pc.unique(answers["scale_order"]).to_pylist() == ["0", "1", "2"]
        first, last = answers.slice(0, 6912), answers.slice(len(answers) - 6912)
        assert first["item_id"].equals(VIGNETTES) and last["item_id"].equals(VIGNETTES)
        assert norms["item_id"].equals(VIGNETTES)
        for table, value in ((answers, "answer"), (norms, "majority"), (norms, "majority_67")):
            assert set(table["model"].to_pylist()) == {model}
            assert set(pc.unique(table[value]).drop_null().to_pylist()) <= {-2, -1, 0, 1, 2}


def test_all_models_are_the_sum_of_each() -> None:
    of_each = [published_answers(model) for model in published_models()]
    assert published_answers().equals(pa.concat_tables(of_each))
    assert len(published_answers()) == 974_592
    assert len(published_norms()) == 5 * 6912


def test_a_model_that_is_not_there_is_told_what_is_near() -> None:
    with pytest.raises(UsageError, match="no published answers of 'tulu-2-7'; did you mean 'tulu"):
        published_answers("tulu-2-7")


def test_they_load_as_datasets_of_the_built_folder(tmp_path: Path) -> None:
    configs = (published.ANSWERS, published.NORMS)
    tables = build_tables(None)
    write_dataset(BUILDER, tmp_path / "data", {name: tables[name] for name in configs})
    answers, norms = (
        load_dataset(str(tmp_path / "data"), name, split="test", cache_dir=str(tmp_path / "cache"))
        for name in configs
    )
    assert (answers.num_rows, norms.num_rows) == (974_592, 34_560)
    [first] = published_answers().slice(0, 1).to_pylist()
    orders = answers.features["scale_order"]
    assert answers[0] == {**first, "scale_order": orders.str2int(first["scale_order"])}


def test_the_card_counts_what_is_in_the_tables() -> None:
    rows = re.findall(r"^\| `(\S+)` \| (\d+) × (\d+) \| (.+) \|$", BUILDER.card.body, re.MULTILINE)
    assert [row[0] for row in rows] == list(published_models())
    for model, variants, orders, counts in rows:
        answers, norms = published_answers(model), published_norms(model)
        absent = [norms[name].null_count for name in ("majority", "majority_67")]
        assert len(answers) == 6912 * int(variants) * int(orders)
        numbers = [len(answers), answers["answer"].null_count, *absent]
        assert [int(number.replace(",", "")) for number in counts.split(" | ")] == numbers


def test_the_file_is_made_of_the_authors_table(tmp_path: Path, sources: Path) -> None:
    authors = sources / "privacy-bias" / "reference_iot_answers_5models.csv.gz"
    published.compact(authors, tmp_path / "made.parquet")
    assert read_parquet(tmp_path / "made.parquet").equals(read_parquet(published.FILE))
    assert published.FILE.stat().st_size < 600_000


def test_a_table_that_is_not_the_authors_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "theirs.csv"
    row = {"sender": "a", "infotype": "b", "recipient": "c", "transmission": "d", "model": "m"}
    pa_csv.write_csv(pa.table({name: [value] for name, value in row.items()}), path)
    with pytest.raises(SourceError, match="1 rows of m do not answer the 6,912 vignettes"):
        published.compact(path, tmp_path / "made.parquet")
    assert not (tmp_path / "made.parquet").exists()
