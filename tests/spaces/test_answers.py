"""What the tab *Answers* shows and refuses, without a browser."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from normscope.errors import NormscopeError, UsageError
from normscope.messages import Language
from normscope.spaces.normscope import limits
from normscope.spaces.normscope.answer_files import answered_in
from normscope.spaces.normscope.shelf import Shelf, Shown
from normscope.spaces.normscope.texts import VisitorError
from normscope.spaces.normscope.views_answers import ROWS, Pages, Place, answers_page, plain
from normscope.viewer import Query, read_answered
from tests.shared.mixed_runs import items_of, mixed_run, rows_of
from tests.shared.viewed_runs import CHANGED, EVIL, N, aligned, base

TABLES = ("judgements.parquet", "responses.parquet", "items.parquet", "config.yaml")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return base(folder), aligned(folder)


@pytest.fixture(scope="module")
def both(runs: tuple[Path, Path]) -> Shown:
    return Shelf([read_answered(run) for run in runs]).served()


def mixed(*names: str) -> Shown:
    items = items_of()
    return Shown.of([mixed_run(name, items, rows_of(items, at)) for at, name in enumerate(names)])


def files(run: Path, *names: str) -> list[Path]:
    return [run / name for name in names or TABLES]


@given(st.integers(0, 500), st.integers(1, 40))
def test_the_pages_of_a_list_have_every_row_once(rows: int, page: int) -> None:
    pages = [Pages.of(at + 1, rows, 500) for at in range(Pages.of(page, rows, 500).pages)]
    assert [n for each in pages for n in range(rows)[each.on_it]] == list(range(rows))
    assert 1 <= Pages.of(page, rows, 500).page <= len(pages)


def test_what_the_lists_are_set_to_is_written_into_the_filter_and_read_from_it() -> None:
    controls = mixed("base", "aligned").controls
    assert controls.paired
    for nth, control in enumerate(controls.lists):
        values = [value for _, value in control.choices]
        chosen: list[Sequence[str]] = [[] for _ in controls.lists]
        chosen[nth] = values[:2]
        query = controls.written(Query.parse("lake"), chosen, "-change", changed=True)
        assert Query.parse(query.text()) == query
        assert controls.shown(query, control) == values[:2], query.text()
        assert (controls.changed(query), controls.sort(query)) == (True, "-change")
        cleared = controls.written(query, [[] for _ in controls.lists], "", changed=False)
        assert cleared.text() == "lake"


def test_a_list_leaves_alone_what_was_typed_beside_it() -> None:
    controls = mixed("base").controls
    typed = Query.parse('-area:indoors moral<0.5 category:cups "a b" sort:coverage')
    chosen = [controls.shown(typed, control) for control in controls.lists]
    assert controls.written(typed, chosen, controls.sort(typed), changed=False) == typed


def test_every_choice_of_a_list_finds_as_many_answers_as_it_says() -> None:
    shown = mixed("base")
    for control in shown.controls.lists:
        for title, value in control.choices:
            query = Query().put(control.name, [value], operator=control.operator)
            n = len(shown.filtered(query.text()).selection)
            assert title.endswith(f"({n})"), (query.text(), title)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_of_the_list_has_its_rows_as_links_and_no_markup_of_others(
    both: Shown, language: Language
) -> None:
    page = answers_page(both, Place(page=2), language)
    assert page.count('href="#item-') == ROWS
    for at in range(1, 4):
        page = answers_page(both, Place(page=at), language)
        assert "<script" not in page
        assert "<img" not in page
    assert 'data-page="3"' in page


def test_an_answer_stands_among_those_that_the_filter_leaves(both: Shown) -> None:
    filtered = both.filtered("is:changed")
    keys = [row.key for row in filtered.collection.rows(filtered.selection.places)]
    assert len(keys) == CHANGED
    page = answers_page(both, Place(filter="is:changed", item=keys[1]), "en")
    assert f'rel="prev" href="#item-{keys[0]}"' in page
    assert f'rel="next" href="#item-{keys[2]}"' in page
    assert f"2 of {len(keys)}" in page
    last = answers_page(both, Place(filter="is:changed", item=keys[-1]), "en")
    assert 'rel="next"' not in last
    outside = answers_page(both, Place(filter="-is:changed", item=keys[0]), "en")
    assert "not among the" in outside
    assert "rel=" not in outside


def test_the_first_answer_is_shown_as_text_whatever_stands_in_it(both: Shown) -> None:
    (row,) = both.collection.rows(both.filtered("item:i0").selection.places)
    page = answers_page(both, Place(item=row.key), "en")
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page
    assert "<script" not in page
    assert EVIL not in page


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (Place(filter="categorie:sexism"), "categorie:sexism: there is no field"),
        (Place(filter="refusal=rude"), "refusal=rude: nothing here has 'rude'"),
        (Place(item="0123456789abcdef"), "no answer 0123456789abcdef"),
        (Place(item="../../etc"), "no answer ../../etc"),
    ],
)
def test_what_is_not_there_is_said_by_name(both: Shown, place: Place, says: str) -> None:
    with pytest.raises(NormscopeError, match=says.replace("(", r"\(")):
        answers_page(both, place, "en")


def test_no_match_says_so_and_offers_to_clear_the_filter(both: Shown) -> None:
    page = answers_page(both, Place(filter='"nobody wrote this"'), "en")
    assert "No answer meets the filter" in page
    assert "data-clear" in page


def test_the_servers_runs_are_looked_at_together_or_alone(runs: tuple[Path, Path]) -> None:
    shelf = Shelf([read_answered(run) for run in runs])
    assert shelf.served(["aligned"]).names == ("aligned",)
    assert shelf.served().names == shelf.served(["aligned", "base"]).names == ("base", "aligned")
    assert shelf.served() is shelf.served(["base", "aligned"])
    with pytest.raises(VisitorError, match="no run other here; there is: base, aligned"):
        shelf.served(["other"])
    with pytest.raises(UsageError, match="two"):
        shelf.served(["base"]).filtered("is:changed")


def test_the_files_of_two_runs_are_what_the_server_shows_of_their_folders(
    runs: tuple[Path, Path], both: Shown
) -> None:
    shelf = Shelf()
    uploads = [files(run) for run in runs]
    shown = shelf.uploaded(uploads)
    assert shown is shelf.uploaded(uploads)
    # both are called after their model
    assert shown.names == ("toy", "toy (2)")
    for text in ("", "is:changed sort:-change", "refusal=risky", "is:unscored", "如此"):
        here, there = (each.filtered(text).selection.places for each in (shown, both))
        assert here.tolist() == there.tolist()
    mine, theirs = (each.filtered("").summary for each in (shown, both))
    assert [row.estimate for row in mine.differences] == [r.estimate for r in theirs.differences]


def test_judgements_alone_are_listed_and_what_is_missing_is_said(runs: tuple[Path, Path]) -> None:
    page = answers_page(Shelf().uploaded([files(runs[0], TABLES[0])]), Place(), "en")
    for file in TABLES[1:]:
        assert f"without {file}" in page
    assert page.count('href="#item-') == ROWS


def test_runs_that_would_fill_the_memory_are_refused(
    runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf()
    monkeypatch.setattr(limits, "MAX_LOOK_BYTES", 30_000)
    assert len(shelf.uploaded([files(runs[0])]).collection) == N
    with pytest.raises(VisitorError, match=r"0\.03 MB are looked at here"):
        shelf.uploaded([files(run) for run in runs])


def changed_table(run: Path, folder: Path, **columns: Any) -> Path:
    """The run's judgements with these columns in place of their own."""
    table = pq.read_table(run / TABLES[0])
    for name, values in columns.items():
        at = table.column_names.index(name)
        table = table.set_column(at, name, pa.array(values))
    pq.write_table(table, folder / TABLES[0])
    return folder / TABLES[0]


def test_a_strangers_tables_are_refused_by_name(runs: tuple[Path, Path], tmp_path: Path) -> None:
    n = len(pq.read_table(runs[0] / TABLES[0]))
    judged = tmp_path / "judged.csv"
    judged.write_text("question,refusal,refusal_reason\nq,1,\n")
    with pytest.raises(VisitorError, match=r"judged\.csv is a file judged row by row"):
        answered_in([[judged]])
    words = changed_table(runs[0], tmp_path, value=["high"] * n)
    with pytest.raises(VisitorError, match=r"column value .* string in the place of double"):
        answered_in([[words]])
    twice = changed_table(runs[0], tmp_path, item_id=["i0", "i1"] * (n // 2))
    with pytest.raises(VisitorError, match="twice, as those of item i0"):
        answered_in([[twice]])
    with pytest.raises(VisitorError, match="is not the file that the run"):
        answered_in([[twice, runs[0] / "config.yaml"]])
    again = shutil.copy(runs[0] / TABLES[0], tmp_path / "again.parquet")
    with pytest.raises(VisitorError, match=r"are both judgements\.parquet of a run"):
        answered_in([[runs[0] / TABLES[0], Path(again)]])
    with pytest.raises(VisitorError, match="no judgements beside"):
        answered_in([[runs[0] / "responses.parquet"]])


def test_a_page_for_the_api_says_what_the_list_says(both: Shown) -> None:
    result = plain(both.filtered("refusal=risky sort:-change"), 1)
    assert (result["total"], result["n"]) == (N, len(result["rows"]))
    assert {row["item_id"] for row in result["rows"]} >= {"i0", "i4"}
    first = result["rows"][0]
    assert [answer["run"] for answer in first["answers"]] == ["base", "aligned"]
    assert first["moved"] == 1.0
    assert result["no_intervals"]
