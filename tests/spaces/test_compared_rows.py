"""Visitors' judgements as columns, whatever format and types their file has."""

import csv
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normscope.comparison.runs import Run
from normscope.records.item import Item, to_table
from normscope.records.judgement import SCHEMA
from normscope.spaces.normscope.compared_rows import numbers_of
from normscope.spaces.normscope.comparing import read_sides
from normscope.spaces.normscope.texts import VisitorError
from normscope.spaces.normscope.upload import LongTable

ROW = {
    "benchmark": "b",
    "item_id": "i",
    "variant_id": "",
    "scale_order": "",
    "sample": 0,
    "model": "m",
    "criterion": "refusal",
    "source": "judge_logits",
    "value": 2.0,
}
LABELS = ["0", "1", "2", "3"]


def in_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    full = [dict.fromkeys(SCHEMA.names) | ROW | dict(row) for row in rows]
    pq.write_table(pa.Table.from_pylist(full, schema=SCHEMA), path)
    return path


def in_json_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(ROW | dict(row)) + "\n" for row in rows))
    return path


def in_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*ROW, "reason"])
        writer.writeheader()
        writer.writerows(ROW | dict(row) for row in rows)
    return path


FORMATS = {".parquet": in_parquet, ".jsonl": in_json_lines, ".csv": in_csv}


def only(*paths: Path) -> Run:
    """The run of these files."""
    (run,), _ = read_sides([paths], least=1)
    return run


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_gives_the_same_values_and_reasons(ending: str, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"item_id": "1", "value": 3.0},
        {"item_id": "2", "value": None, "reason": "coverage_below_threshold"},
        {"item_id": "3", "value": None},
        {"item_id": "4", "value": 0.0, "benchmark": "=b"},
    ]
    run = only(FORMATS[ending](tmp_path / f"run{ending}", rows))
    assert list(run.judgements) == ["b", "'=b"]
    of_b = run.judgements["b"]
    assert of_b.value.tolist()[0] == 3.0
    assert np.isnan(of_b.value).tolist() == [False, True, True]
    # neither a value nor a reason is a call that failed
    assert of_b.reason.tolist() == [None, "coverage_below_threshold", "call_failed"]
    assert of_b.item.tolist() == [0, 1, 2]


@pytest.mark.parametrize("ending", FORMATS)
def test_a_response_that_is_judged_twice_is_named(ending: str, tmp_path: Path) -> None:
    rows = [{"item_id": name} for name in ("a", "b", "b")]
    with pytest.raises(VisitorError, match="judges b twice under refusal"):
        only(FORMATS[ending](tmp_path / f"run{ending}", rows))
    apart = [{"item_id": "b", "sample": at} for at in range(2)]
    assert len(only(FORMATS[ending](tmp_path / f"apart{ending}", apart)).judgements["b"]) == 2


@pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
def test_labels_and_probabilities_that_do_not_go_together_are_none(
    ending: str, tmp_path: Path
) -> None:
    probs = [[0.1, 0.2, 0.6, 0.1], [0.5, 0.5], [0.1, None, 0.6, 0.1], None]
    rows = [{"item_id": str(at), "labels": LABELS, "probs": of} for at, of in enumerate(probs)]
    rows.append({"item_id": "no labels", "labels": None, "probs": [1.0]})
    judged = only(FORMATS[ending](tmp_path / f"run{ending}", rows)).judgements["b"]
    assert judged.favourite.tolist() == ["2", None, None, None, None]


@pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
def test_items_are_described_from_their_file(ending: str, tmp_path: Path) -> None:
    items = [
        Item("b", name, (), "en", category="=c", facets={"sender": "-x"} if name == "1" else {})
        for name in ("2", "1")
    ]
    described = tmp_path / f"items{ending}"
    if ending == ".parquet":
        pq.write_table(to_table(items), described)
    else:
        names = ("benchmark", "item_id", "variant_id", "scale_order", "category", "facets")
        rows = [{name: getattr(item, name) for name in names} | {"messages": []} for item in items]
        described.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = only(in_parquet(tmp_path / "run.parquet", [{"item_id": "1"}]), described)
    judged = run.judgements["b"]
    assert judged.of_items("category").tolist() == ["'=c"]
    assert judged.facet("sender").tolist() == ["'-x"]
    with pytest.raises(VisitorError, match="does not describe item 3 of the judgements"):
        only(in_parquet(tmp_path / "more.parquet", [{"item_id": "3"}]), described)


def test_rows_of_one_question_are_told_apart_by_their_order(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    path.write_text("question,refusal,refusal_reason\na,0,\nb,1,\na,2,\n")
    judged = only(path).judgements["file"]
    first, other, again = judged.item_id.tolist()
    assert again == f"{first}#2"
    assert other not in {first, again}
    assert len(set(judged.clusters.tolist())) == 2


def test_the_flow_of_our_own_vignettes_is_known_without_a_file_of_items(tmp_path: Path) -> None:
    from normscope.spaces.normscope.vignettes import vignettes

    known = vignettes("coppa")[7]
    row = {"benchmark": "ci-vignettes:coppa", "criterion": "acceptability"}
    rows = [row | {"item_id": name} for name in (known.item_id, "no vignette")]
    (judged,) = only(in_parquet(tmp_path / "run.parquet", rows)).judgements.values()
    for factor, level in known.flow.items():
        assert judged.facet(factor).tolist() == [level, None]


cells = st.one_of(
    st.none(),
    st.floats(allow_nan=False).map(str),
    st.integers(-9, 9).map(" {} ".format),
    st.sampled_from(["", " ", "nan", "inf", "1e3", "1_000", "٣"]),
)


@settings(deadline=None)
@given(values=st.lists(cells, max_size=8))
def test_a_text_is_the_number_that_python_reads(values: list[str | None]) -> None:
    table = LongTable("x", ("value",), pa.table({"value": pa.array(values, pa.string())}))
    expected = np.array([float(v) if v and v.strip() else np.nan for v in values])
    expected[~np.isfinite(expected)] = np.nan
    np.testing.assert_array_equal(numbers_of(table, "value"), expected)


@pytest.mark.parametrize("kind", ["run", "judged"])
def test_a_hundred_thousand_rows_on_each_side_take_seconds(kind: str, tmp_path: Path) -> None:
    n = 100_000
    value = np.arange(n) % 4
    sides = []
    for side in range(2):
        names = pa.array(np.arange(n)).cast(pa.string())
        if kind == "run":
            fixed = {name: pa.repeat(cell, n) for name, cell in ROW.items()}
            labels = pa.ListArray.from_arrays(np.arange(0, 4 * n + 1, 4), pa.array(LABELS * n))
            table = pa.table(fixed | {"item_id": names, "value": value, "labels": labels})
            pq.write_table(table, tmp_path / f"{side}.parquet")
            sides.append([tmp_path / f"{side}.parquet"])
        else:
            rows = (f"Question {at}?,c{at % 9},{at % 4}," for at in range(n))
            text = "\n".join(["question,category,refusal,refusal_reason", *rows])
            (tmp_path / f"{side}.csv").write_text(text)
            sides.append([tmp_path / f"{side}.csv"])
    begun = time.process_time()
    runs, _ = read_sides(sides)
    # about one second; a list for each column and a tuple for each row would take six
    assert time.process_time() - begun < 3
    for run in runs:
        (judged,) = run.judgements.values()
        assert judged.value.tolist() == value.tolist()
