"""What five models answered in the authors' run: as it is in the package, and where it is from."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.ci_vignettes.published_answers import (
    published_answers,
    published_models,
    published_norms,
)
from normscope.builders.ci_vignettes.vignettes import vignette_table
from normscope.errors import UsageError

VIGNETTES = vignette_table(bundled_contexts()["iot"])["item_id"]
ASKED_LESS = "gpt-4o-mini-8B"


def test_each_model_has_its_answers_and_norms_in_the_order_of_our_vignettes() -> None:
    assert len(published_models()) == 5
    for model in published_models():
        answers, norms = published_answers(model), published_norms(model)
        variants, orders = (3, 3) if model == ASKED_LESS else (11, 3)
        assert answers.column_names == ["model", "item_id", "variant_id", "scale_order", "answer"]
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
