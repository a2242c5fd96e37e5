"""The norms of a run per vignette: as tables beside the scores, by either rule."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import finished_runs
import numpy as np
import pyarrow as pa
import pytest
from finished_runs import VIGNETTES
from judged_rows import judgements_of
from undrawn import undrawn

import normscope as ns
from normscope.comparison import compare
from normscope.comparison.vignettes import SHARES
from normscope.errors import UsageError
from normscope.files import read_parquet
from normscope.judges.engine import TextRequest, TextResult
from normscope.judges.engines.fake import FakeEngine
from normscope.pipeline.judge import judge
from normscope.pipeline.norms import norm_table
from normscope.pipeline.respond import respond
from normscope.pipeline.score import read_scores
from normscope.pipeline.score import score as scored
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened
from normscope.records.integrity import NORMS, NORMS_CSV
from normscope.records.item import Item
from normscope.records.model_spec import Decoding, ModelSpec
from normscope.records.run import Run
from normscope.records.settings import Settings
from normscope.report.write import report as write_report
from normscope.tables import read_table
from normscope.untrusted import guarded_rows

__all__ = ["undrawn"]

ALIKE = ("flip_rate", "variant_variance", "raw_agreement", "alpha")

NAME = "ci-vignettes:x"


def answered(
    item: str, *values: float | None, reason: str = "no_answer", **facets: str
) -> list[tuple[Item, dict[str, Any]]]:
    return [
        (
            Item(NAME, item, (), "en", variant_id=f"v{at}", facets=facets),
            {
                "criterion": "acceptability",
                "source": "model_logits",
                "value": value,
                "reason": reason if value is None else None,
            },
        )
        for at, value in enumerate(values)
    ]


def table(*rows: list[tuple[Item, dict[str, Any]]], **settings: object) -> list[dict[str, object]]:
    pairs = [pair for of_item in rows for pair in of_item]
    config = Settings(benchmark=(NAME,), **settings)  # type: ignore[arg-type]
    made = norm_table(judgements_of(pairs), config)
    assert made is not None
    return guarded_rows(made.to_pylist())


def test_a_row_says_the_norm_of_a_vignette_and_the_votes_behind_it() -> None:
    (row,) = table(answered("a", 1, 1, 2, -1, sender="a doll"))
    assert row == {
        "temperature": None,
        "benchmark": NAME,
        "item_id": "a",
        "sender": "a doll",
        # two of four are half of the valid answers, and not two thirds
        "norm": 1,
        "state": "somewhat_acceptable",
        "norm_simple": 1,
        "norm_super": None,
        "asked": 4,
        "valid": 4,
        "strongly_unacceptable": 0,
        "somewhat_unacceptable": 1,
        "neutral": 0,
        "somewhat_acceptable": 2,
        "strongly_acceptable": 1,
        "no_answer": 0,
        "unscored": 0,
        "mean": 0.75,
        # (1.75² + 2 · 0.25² + 1.25²) / 3
        "variance": pytest.approx(4.75 / 3),
    }


def test_a_factor_that_is_named_like_a_column_stays_a_factor_and_no_cell_is_run() -> None:
    (row,) = table(answered("a", 1, 1, state="=1+1", practice="-x"))
    assert (row["factor_state"], row["practice"]) == ("'=1+1", "'-x")
    assert row["state"] == "somewhat_acceptable"


def test_a_run_has_the_table_twice_and_its_shares_are_those_of_the_scores(run: Path) -> None:
    norms = read_parquet(run / NORMS)
    assert set(norms["benchmark"].to_pylist()) == {VIGNETTES}
    assert norms.num_rows == 6
    assert "transmission_principle" in norms.column_names
    sheet = read_table(run / NORMS_CSV).to_rows()
    assert [row["item_id"] for row in sheet] == norms["item_id"].to_pylist()
    scores = read_scores(Run.open(run)).by_benchmark[VIGNETTES]
    shares = {s.name: s.estimate.value for s in scores if not s.group}
    states = Counter(norms["state"].to_pylist())
    accepted = states["somewhat_acceptable"] + states["strongly_acceptable"]
    assert shares["accept_share"] == accepted / 6
    assert shares["variant_variance"] == pytest.approx(np.mean(norms["variance"].to_numpy()))


def wavering(request: TextRequest) -> TextResult:
    """Cold the model says one thing of every vignette; hot its answer hangs on the wording."""
    hot = request.temperature and sum(request.conversation[-1][1].encode()) % 2
    return TextResult("strongly unacceptable" if hot else "somewhat acceptable")


def test_norms_are_made_at_one_temperature(tmp_path: Path) -> None:
    config = Settings(
        benchmark=(VIGNETTES,),
        model=ModelSpec("model"),
        limit={"all": 6},
        channels=("text",),
        rule="published",
    )
    of = {}
    for name, drawn in (("both", (0.0, 1.0)), ("cold", (0.0,)), ("hot", (1.0,))):
        asked = replace(config, decoding=Decoding(temperature=drawn))
        with opened(tmp_path / name, create=True) as run:
            here = Here(lambda spec: FakeEngine(finished_runs.answer, wavering, name=spec.model))
            for stage in (respond, judge):
                stage(run, asked, here)
            of[name] = scored(run, asked).by_benchmark[VIGNETTES]
            write_report(run)
    both, cold, hot = (
        {
            (s.name, s.group, s.member): s.estimate
            for s in of[name]
            if s.name in {*SHARES, *ALIKE, "unanswered"} and s.group in {"", "temperature"}
        }
        for name in ("both", "cold", "hot")
    )
    # what is counted is that of temperature 0, and each temperature has its own beside it
    assert {place: e for place, e in both.items() if not place[1]} == cold
    for t, alone in (("0", cold), ("1", hot)):
        beside = {(name, "", ""): e for (name, _, at), e in both.items() if at == t}
        assert beside == alone
    assert cold["variant_variance", "", ""].value == 0
    assert hot["variant_variance", "", ""].value != 0
    tables = {name: read_parquet(tmp_path / name / NORMS) for name in of}
    assert tables["both"]["temperature"].to_pylist() == [0.0] * 6 + [1.0] * 6
    assert tables["both"] == pa.concat_tables([tables["cold"], tables["hot"]])
    # Python and a comparison go by the same norms
    norms_of = {name: ns.Run(tmp_path / name).norms_of for name in of}
    for drawn_at, name in ((None, "cold"), (1.0, "hot")):
        made = norms_of["both"](VIGNETTES, temperature=drawn_at)
        assert made.table.equals(norms_of[name](VIGNETTES).table)
    with pytest.raises(UsageError, match=r"has no answers at temperature 0\.5"):
        norms_of["both"](VIGNETTES, temperature=0.5)
    compared = compare([Run.open(tmp_path / name) for name in ("both", "hot")], although=True)
    norms = compared.norms[VIGNETTES].table
    assert norms["both: norm"].to_pylist() == [1.0] * 6
    page = (tmp_path / "both" / "report.html").read_text("utf-8")
    assert "The norms above are of the answers at temperature 0;" in page
