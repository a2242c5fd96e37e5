"""What people said of a run's answers stands beside what the judge said, and is held against it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from normscope.cli.report import report
from normscope.errors import DataError
from normscope.pipeline.score import score
from normscope.records.folder import opened
from normscope.records.integrity import JOURNAL, REPORT
from normscope.viewer import Collection, Query, read_answered, read_beside
from tests.shared.annotated_runs import Answer, call, fill, made_up, truthful, write_run

CLASSES = ("risky", "harmless", "refusal", "responsible refusal")


def whole_run(path: Path, answers: list[Answer]) -> Path:
    write_run(path, answers)
    with opened(path) as run:
        score(run)
        for name in (JOURNAL, REPORT):
            (path / name).touch()
        run.finish()
    return path


def labelled(runs: list[Path], out: Path, answers: list[Answer], n: int) -> Path:
    """A sample of these runs that two people labelled truly."""
    call("sample", *runs, "--n", n, "--raters", 2, "--strata", "none", "--out", out)
    sheets = sorted((out / "sheets").glob("*.csv"))
    call("import", out, *(fill(sheet, truthful(answers)) for sheet in sheets))
    return out


@pytest.mark.parametrize("pooled", [False, True])
def test_peoples_labels_stand_beside_the_judges(tmp_path: Path, pooled: bool) -> None:
    answers = made_up(24, harm=0.5)
    run = whole_run(tmp_path / "run", answers)
    runs = [run, write_run(tmp_path / "other", answers[:12])] if pooled else [run]
    folder = labelled(runs, tmp_path / "labels", answers, 16)
    read = read_answered(run, labels=[folder])
    assert len(read.people) == (8 if pooled else 16)
    collection = Collection.of([read])
    disagree = set()
    for place in range(len(collection)):
        detail = collection.detail(place)
        truth = answers[int(detail.row.item_id[1:])]
        for said in detail.answers[0].people:
            name = CLASSES[int(truth.truth["refusal"])]
            assert (said.criterion, said.label, said.given) == ("refusal", name, (name, name))
            if truth.judge["refusal"] not in {None, truth.truth["refusal"]}:
                disagree.add(place)
    assert disagree == {*collection.select(Query.parse("is:disagreement")).places.tolist()} != set()
    assert not len(Collection.of([read_answered(run)]).select(Query.parse("is:disagreement")))
    # one page to hand on has the same answers
    taken = ("--items", "--labels", str(folder), "--filter", "is:disagreement")
    done = CliRunner().invoke(report, [str(run), *taken], catch_exceptions=False)
    page = Path(done.output.strip()).read_text(encoding="utf-8")
    assert f"{len(disagree)} of 24" in page


def test_labels_of_another_run_are_refused(tmp_path: Path) -> None:
    answers = made_up(12)
    run = whole_run(tmp_path / "run", answers)
    other = write_run(tmp_path / "other", answers[:10])
    folder = labelled([other], tmp_path / "labels", answers, 6)
    with pytest.raises(DataError, match="is a sample of other responses than this run's"):
        read_answered(run, labels=[folder])


def test_labels_go_to_the_run_that_they_are_of(tmp_path: Path) -> None:
    answers = made_up(24, harm=0.5)
    runs = [whole_run(tmp_path / "a", answers), whole_run(tmp_path / "b", answers[::-1])]
    folder = labelled(runs[1:], tmp_path / "labels", answers, 16)
    assert [len(run.people) for run in read_beside(runs, labels=[folder])] == [0, 16]
    of_other = labelled([write_run(tmp_path / "c", answers[:12])], tmp_path / "more", answers, 8)
    with pytest.raises(DataError, match="sample of other responses"):
        read_beside(runs, labels=[folder, of_other])
