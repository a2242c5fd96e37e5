"""A run is read when it is needed; what it lacks or what was changed is said with its remedy."""

import shutil
from pathlib import Path

import pytest
from finished_runs import GRADED_SET, VIGNETTES

from normscope.errors import RunError, UsageError
from normscope.files import read_parquet
from normscope.records.integrity import ITEMS, JUDGEMENTS, RESPONSES
from normscope.records.judgements import headline, read_judgements
from normscope.records.run import Run, by_name, runs_among


def test_its_tables_and_the_judgements_of_a_file_are_those_of_its_tables(run: Path) -> None:
    read = Run.open(run, whole=True)
    assert (read.name, read.model, read.whole) == ("run", "model", True)
    assert read.responses.equals(read_parquet(run / RESPONSES))
    assert read.items.table.equals(read_parquet(run / ITEMS))
    assert list(read.counted) == [VIGNETTES, GRADED_SET]
    assert read.sources[VIGNETTES] == {"acceptability": "model_logits"}
    at_once = headline(read_judgements(read_parquet(run / JUDGEMENTS), read.items))
    for name, rows in read.counted.items():
        every = at_once.of_benchmark(name)
        assert rows.favourite.tolist() == every.favourite.tolist()
        assert set(rows.favourite) != {None}
        assert rows.value.tolist() == every.value.tolist()
        assert rows.item.tolist() == every.item.tolist()


def test_without_texts_its_items_have_all_but_their_conversations(run: Path) -> None:
    bare = Run.open(run, texts=False).items
    assert bare.column("item_id").tolist() == Run.open(run).items.column("item_id").tolist()
    assert "messages" not in bare.table.column_names


def test_what_is_no_run_is_unfinished_or_was_changed_is_refused(run: Path) -> None:
    with pytest.raises(RunError, match=r"has no config\.yaml \(`normscope run` makes one\)"):
        Run.open(run.parent)
    (run / "manifest.json").unlink()
    with pytest.raises(RunError, match="unfinished"):
        Run.open(run, whole=True)
    shutil.copy(run / ITEMS, run / JUDGEMENTS)
    # what is in order is read, whatever became of the rest
    read = Run.open(run)
    assert len(read.responses) > 0
    with pytest.raises(RunError, match=r"judgements\.parquet: it was changed"):
        _ = read.counted
    (run / RESPONSES).unlink()
    with pytest.raises(RunError, match=r"responses\.parquet: it is no longer there"):
        Run.open(run).table(RESPONSES)


def test_a_run_in_no_folder_has_what_it_was_given(run: Path) -> None:
    read = Run.open(run)
    made = Run("made", read.config, contents={ITEMS: read.items.table, JUDGEMENTS: read.judgements})
    assert {name: len(rows) for name, rows in made.counted.items()} == {
        name: len(rows) for name, rows in read.counted.items()
    }
    assert (made.ratings, made.judging) == ((), None)
    with pytest.raises(RunError, match="made stands in no folder"):
        _ = made.responses


def test_runs_are_told_apart_by_as_much_of_their_paths_as_it_takes(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "run", tmp_path / "b" / "run"]
    assert list(by_name(paths)) == ["a/run", "b/run"]
    assert list(by_name(paths[:1])) == ["run"]
    with pytest.raises(UsageError, match="named twice"):
        by_name([paths[0], paths[0]])


def test_what_lies_beside_runs_is_passed_over_and_what_is_broken_is_not(run: Path) -> None:
    other, broken = run.parent / "compare-a-b", run.parent / "broken"
    other.mkdir()
    broken.mkdir()
    shutil.copy(run / ITEMS, broken)
    missing = run.parent / "missing"
    assert runs_among([run, other, broken, missing]) == ([run, broken, missing], [other])
