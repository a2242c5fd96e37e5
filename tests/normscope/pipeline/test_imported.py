"""Answers that were recorded elsewhere: a run folder of them, and the authors' norms out of it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner

from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.ci_vignettes.published_answers import (
    published_answers,
    published_models,
    published_norms,
)
from normscope.builders.ci_vignettes.vignettes import vignette_table
from normscope.cli.commands import score as score_verb
from normscope.cli.report import report as report_verb
from normscope.errors import DataError, RunError, UsageError
from normscope.files import read_parquet
from normscope.judges.rules import read_likert
from normscope.metrics.answers import by_vignette
from normscope.pipeline.imported import import_answers as import_into
from normscope.pipeline.importing.match import Target
from normscope.pipeline.judge import judge
from normscope.pipeline.published import Held, held_against
from normscope.pipeline.workers.here import Here
from normscope.records.folder import RunFolder, opened
from normscope.records.integrity import ITEMS, JUDGEMENTS, NORMS, RESPONSES
from normscope.records.judgements import COLUMNS as READ
from normscope.records.judgements import read_judgements
from normscope.records.reproduction import Reproduction
from normscope.records.settings import Settings
from normscope.tables import Table

BENCHMARK = "ci-vignettes:coppa_null"
VIGNETTES = vignette_table(bundled_contexts()["coppa"], null_control=True)["item_id"].to_pylist()
COLUMNS = ("model", "item_id", "variant_id", "scale_order", "answer")
Row = tuple[str, str, str, str, Any]


def recorded(rows: Sequence[Row]) -> pa.Table:
    return pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))


def import_answers(run: RunFolder, answers: pa.Table, benchmark: str, *, file: str = "") -> None:
    target = Target.of(Settings(benchmark=(benchmark,)))
    import_into(run, Table("", answers), target, file=file)


def in_variants(answers: Sequence[Sequence[Any]], *, order: str = "forward") -> pa.Table:
    """The answers of the vignettes × variants of a model, as a table of the recorded."""
    return recorded(
        [
            ("theirs", item, str(variant), order, answer)
            for item, row in zip(VIGNETTES, answers, strict=False)
            for variant, answer in enumerate(row)
        ]
    )


def judged(folder: Path, answers: pa.Table, benchmark: str = BENCHMARK) -> Path:
    """A run of the answers, read by the rule."""
    with opened(folder, create=True) as run:
        import_answers(run, answers, benchmark, file="answers.csv")
        judge(run, run.config, Here(Mock(side_effect=AssertionError("nobody is asked"))))
    return folder


def matrix(folder: Path) -> tuple[list[str | None], np.ndarray]:
    """The vignettes, and what was read of their answers, vignettes × replies."""
    with opened(folder) as run:
        table = run.read().table(JUDGEMENTS, READ)
        rows = read_judgements(table, run.read().items)
    values, _ = by_vignette(rows.item_id, rows.replies, rows.value, rows.reason)
    return list(rows.item_id.seen().names), values


def test_answers_in_words_are_read_by_the_rule_and_make_norms(tmp_path: Path) -> None:
    says = ["Somewhat acceptable.", "somewhat acceptable", "I cannot rate that.", None]
    folder = judged(tmp_path / "run", in_variants([says, ["Neutral"] * 4]))
    _, values = matrix(folder)
    np.testing.assert_equal(values, [[1, 1, np.nan, np.nan], [0, 0, 0, 0]])
    rows = read_parquet(folder / JUDGEMENTS)
    assert rows["source"].unique().to_pylist() == ["text_rule"]
    # the model's own doing, each with its reason: nothing is unscored
    reasons = [None, None, read_likert("I cannot rate that.").reason, "no_answer"]
    assert rows["reason"].to_pylist()[:4] == reasons
    assert read_parquet(folder / RESPONSES)["text"].to_pylist()[:4] == says


def test_numbers_that_were_read_already_stand_for_their_labels(tmp_path: Path) -> None:
    drawn = np.random.default_rng(0).integers(-2, 3, (30, 11)).astype(float)
    drawn[drawn == 2] = np.nan
    answers = in_variants([[None if x != x else x for x in row] for row in drawn])  # noqa: PLR0124
    # in the order of the rows, whatever the benchmark's own is
    backwards = answers.take(list(range(len(answers)))[::-1])
    # as a data frame's categories are written
    at = backwards.schema.get_field_index("answer")
    backwards = backwards.set_column(at, "answer", backwards["answer"].dictionary_encode())
    folder = judged(tmp_path / "run", backwards)
    items, values = matrix(folder)
    assert items == VIGNETTES[:30][::-1]
    np.testing.assert_array_equal(values, drawn[::-1, ::-1])


def test_what_nobody_noted_stays_null_and_is_said(tmp_path: Path) -> None:
    folder = judged(tmp_path / "run", in_variants([[1, 1, 2]] * 4))
    with opened(folder) as run:
        provenance, items = run.config.provenance, [*run.read().items]
    assert provenance.model == {"model": "theirs"}
    assert provenance.imported is not None
    assert (provenance.imported.file, provenance.imported.answers) == ("answers.csv", 12)
    responses = read_parquet(folder / RESPONSES)
    assert responses["temperature"].null_count == responses["coverage"].null_count == 12
    assert all("Please" in item.question for item in items[::3])
    for verb, flags in ((score_verb, []), (report_verb, ["--format", "md"])):
        done = CliRunner().invoke(verb, [str(folder), *flags])
        assert done.exit_code == 0, done.output
    page = next(folder.glob("*.md")).read_text(encoding="utf-8")
    assert "The answers were recorded elsewhere and imported (answers.csv): how they" in page
    assert "12 imported answers; answers in text" in page
    assert "temperature 0" not in page
    assert "no model can be asked again" in page
    assert "--reproduce" not in page
    with pytest.raises(RunError, match="cannot be repeated: its answers were recorded elsewhere"):
        Reproduction.of(folder)


GOOD: Row = ("theirs", VIGNETTES[0], "0", "forward", 1.0)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([GOOD, ("other", *GOOD[1:])], "row 2 .*: of another model: take"),
        ([GOOD, GOOD], "1 of 2 rows do not fit, first row 2 .* answers the prompt of a row before"),
        ([(*GOOD[:4], 3.0)], r"first row 1 \(.*3\): no degree of acceptability"),
        (
            [(*GOOD[:1], "x", *GOOD[2:])],
            r"1 of 1 rows .*row 1 \(x .*no such item in .* \(its first is coppa",
        ),
        ([(*GOOD[:2], None, *GOOD[3:])], "row 1 .*: no variant_id, and"),
    ],
)
def test_what_does_not_fit_is_an_error_and_begins_no_run(
    tmp_path: Path, rows: list[Row], text: str
) -> None:
    with pytest.raises(DataError, match=text), opened(tmp_path / "run", create=True) as run:
        import_answers(run, recorded(rows), BENCHMARK)
    assert not (tmp_path / "run" / ITEMS).exists()
    with pytest.raises(UsageError, match="brings its answers along"):
        Target.of(Settings(benchmark=("safety-gradient",)))


def of_model(model: str, *, every: int) -> pa.Table:
    """The published answers of a model to some of the vignettes."""
    answers = published_answers(model)
    ids = pc.unique(answers["item_id"]).to_pylist()[::every]
    return answers.filter(pc.is_in(answers["item_id"], value_set=pa.array(ids)))


# of one here; `make demo` has all of them
FIRST, *OTHERS = published_models()


@pytest.mark.parametrize(
    "model", [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
)
@pytest.mark.parametrize(
    "every", [96, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.timeout(900)])]
)
def test_the_authors_norms_come_out_of_the_run_folder_per_flow(
    tmp_path: Path, model: str, every: int
) -> None:
    answers = of_model(model, every=every)
    # one of the five was asked three variants of the eleven
    assert len(answers) == 6912 // every * (9 if model.startswith("gpt") else 33)
    folder = judged(tmp_path / "run", answers, "ci-vignettes:iot")
    done = CliRunner().invoke(score_verb, [str(folder), "--rule", "published"])
    assert done.exit_code == 0, done.output
    norms = read_parquet(folder / NORMS)
    assert norms["item_id"].to_pylist() == pc.unique(answers["item_id"]).to_pylist()
    assert held_against(norms, published_norms(model)) == Held(6912 // every * 2, 0)


def test_a_model_that_was_asked_three_variants_has_norms_by_them(tmp_path: Path) -> None:
    answers = of_model("gpt-4o-mini-8B", every=96)
    folder = judged(tmp_path / "run", answers, "ci-vignettes:iot")
    assert CliRunner().invoke(score_verb, [str(folder)]).exit_code == 0
    with opened(folder) as run:
        taken = run.config.provenance.benchmarks["ci-vignettes:iot"]
    assert (taken.variants, taken.variants_in_dataset) == (("0", "1", "2"), 11)
    norms = read_parquet(folder / NORMS).to_pydict()
    # ten in eleven of nine replies are all nine, of which one label alone has a half
    assert set(norms["asked"]) == set(norms["valid"]) == {9}
    replies: dict[str, list[int]] = {}
    for name, answer in zip(*(answers[n].to_pylist() for n in ("item_id", "answer")), strict=True):
        replies.setdefault(name, []).append(answer)
    expected = []
    for given in replies.values():
        (label, most), *others = Counter(given).most_common()
        expected.append(label if 2 * most >= 9 and all(n < most for _, n in others) else None)
    assert norms["norm"] == expected
    assert sum(norm is not None for norm in expected) > 60
