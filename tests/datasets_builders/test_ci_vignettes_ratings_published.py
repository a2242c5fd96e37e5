"""What people said leaves the house as counts: no row, no id and no address of a person does."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from rated_museum import (
    ANSWERS,
    COUNTS,
    FORM,
    HEAD,
    LENGTH,
    MUSEUM,
    ROOMS,
    WORDS,
    written,
)

from normscope.cli import cli
from normscope.datasets_builders.ci_vignettes.context import load_context
from normscope.datasets_builders.ci_vignettes.derived import rating_table
from normscope.datasets_builders.ci_vignettes.ratings_published import ratings_copy
from normscope.datasets_builders.ci_vignettes.review import review
from normscope.datasets_builders.push import built_files
from normscope.errors import ConfigError, NormscopeError, UsageError
from normscope.files import read_parquet
from normscope.publication import read_content
from normscope.rows import read_rows, write_rows

NUMBERS = f"{HEAD},answer\n{ROOMS},a painter,5\n{ROOMS},a painter,2\n{ROOMS},a painter,\n"
RAW = f"""rater,when,{HEAD},answer
w-81734,1 May 2026,{ROOMS},a painter,yes
w-90215,2 May 2026,{ROOMS},a painter,no
w-81734,1 May 2026,{LENGTH},a painter,that makes no sense
"""
PERSONAL = ("w-81734", "w-90215", "May 2026", "rater")
ADDRESSES = RAW.replace("w-", "ana@example.org ")
NAME = "ci-vignettes:mock_museum"


def normscope(*arguments: object) -> str:
    """What the command line prints; an error of ours is raised."""
    done = CliRunner().invoke(cli, list(map(str, arguments)))
    if isinstance(done.exception, NormscopeError):
        raise done.exception
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def leaks(folder: Path) -> Iterator[tuple[str, str]]:
    """What of the raw file stands in the bytes of a folder's files, or in their names."""
    for path in folder.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        yield from ((str(path), word) for word in PERSONAL if word.encode() in content)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("table", "words"),
    [
        (ANSWERS, WORDS),
        (COUNTS, WORDS),
        (FORM, WORDS),
        (NUMBERS, ""),
        (f"{HEAD},answer\n{ROOMS},a painter,\n", ""),
        (f"recipient,mean,n\na painter,{1 / 3 + 1},40\n", ""),
    ],
)
def test_what_is_handed_on_reads_back_as_the_same_ratings(
    tmp_path: Path, table: str, words: str, suffix: str
) -> None:
    text = MUSEUM.replace("people.csv", f"people.{suffix}")
    path = written(tmp_path, table, words, text)
    if suffix != "csv":
        write_rows(tmp_path / f"people.{suffix}", read_rows(tmp_path / "people.csv"))
    context = load_context(path)
    copy = ratings_copy(context)
    (tmp_path / f"people.{suffix}").write_bytes(copy)
    again = load_context(path)
    assert again.ratings == context.ratings
    assert rating_table(again) == rating_table(context)
    assert ratings_copy(again) == copy


def test_counts_are_the_people_of_each_answer_and_of_none(tmp_path: Path) -> None:
    copy = ratings_copy(load_context(written(tmp_path, ANSWERS, WORDS))).decode()
    # yes, yes, perhaps, one that makes no sense and one empty; of the other vignette one no
    assert (
        copy.split()
        == (
            f"attribute,recipient,no,perhaps,yes,missing {ROOMS},a painter,,1,2,2 "
            f"{LENGTH},a painter,1,,,0"
        ).split()
    )
    numbers = ratings_copy(load_context(written(tmp_path, NUMBERS))).decode().splitlines()
    assert numbers == [f"{HEAD},2,5,missing", f"{ROOMS},a painter,1,1,1"]


def test_no_byte_of_a_persons_row_is_in_a_dataset_a_push_or_a_run(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    path = written(tmp_path / "mine", RAW, WORDS)
    data, run = tmp_path / "data", tmp_path / "run"
    normscope("context", "build", path, "--out", data)
    assert read_parquet(data / "mock_museum_ratings" / "test.parquet")["n"].to_pylist() == [2, 0]
    shown = normscope("push", "dataset", "--folder", data, "--dry-run")
    assert "personal: contexts/people.csv has how many people gave each answer" in shown
    assert "personal: contexts/mock_museum.yaml names its contributors: A. Visitor" in shown
    answers = f"{HEAD},answer\n{ROOMS},a painter,2\n"
    (tmp_path / "answers.csv").write_text(answers, encoding="utf-8")
    flags = ("-b", NAME, "--column", "answer:0=answer", "--model", "m", "--yes", "--out", run)
    normscope("import", tmp_path / "answers.csv", "--context", path, *flags)
    assert (run / "contexts" / "people.csv").read_bytes() == ratings_copy(load_context(path))
    assert [*leaks(data), *leaks(run)] == []
    assert not [word for word in PERSONAL if word in shown]
    # others build the same tables from what was pushed
    normscope("context", "build", data / "contexts" / path.name, "--out", tmp_path / "again")
    theirs = (tmp_path / "again").rglob("*.parquet")
    assert {p.parent.name: p.read_bytes() for p in theirs} == {
        p.parent.name: p.read_bytes() for p in data.rglob("*.parquet")
    }


def test_a_raw_file_in_a_built_folder_stays_there_and_the_dry_run_says_so(tmp_path: Path) -> None:
    data = tmp_path / "data"
    normscope("context", "build", written(tmp_path, COUNTS, WORDS), "--out", data)
    # as an earlier version left it
    (data / "contexts" / "people.csv").write_text(RAW, encoding="utf-8")
    (data / "contexts" / "people (1).csv").write_text(RAW, encoding="utf-8")
    shown = normscope("push", "dataset", "--folder", data, "--dry-run")
    assert "personal: contexts/people.csv stays here: 3 rows (rater, when, attribute" in shown
    sent = built_files(None, data)
    assert "contexts/people (1).csv" not in sent
    content = b"".join(map(read_content, sent.values()))
    assert not [word for word in PERSONAL[:3] if word.encode() in content or word in shown]


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [
        (ADDRESSES, "rater", "e-mail addresses"),
        (RAW.replace("1 May 2026", "ana@example.org"), "when", "e-mail addresses"),
        (RAW.replace("w-90215", "Ana Roe"), "rater", "names of persons"),
        (RAW.replace("rater", "Participant ID").replace("w-81734", "A. Roe"), "Participant ID", ""),
        (RAW.replace("rater", "姓名").replace("w-90215", "王小明"), "姓名", "names of persons"),
        (FORM.replace("Age", "Username").replace("41", "ana@mail.test"), "Username", "e-mail"),
    ],
)
def test_who_answered_is_refused_before_anything_is_written(
    tmp_path: Path, table: str, column: str, kind: str
) -> None:
    path = written(tmp_path, table, WORDS)
    (finding,) = (each for each in review(path).findings if not each.warning)
    told = f"people.csv holds {kind}"
    assert told in finding.text
    assert f"in the column {column!r}; take the column out, or number the raters" in finding.text
    assert not any(word in finding.text for word in ("ana@", "Roe", "小明"))
    with pytest.raises(ConfigError, match=told):
        load_context(path)
    before = sorted(tmp_path.rglob("*"))
    for command in (("context", "build"), ("run", "--model", "m", "-b", NAME, "--context")):
        done = CliRunner().invoke(cli, [*command, str(path), "--out", str(tmp_path / "out")])
        assert done.exit_code != 0
        assert told in f"{done.output} {done.exception}"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_push_of_a_folder_with_addresses_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    normscope("context", "build", written(tmp_path, COUNTS, WORDS), "--out", data)
    (data / "contexts" / "people.csv").write_text(ADDRESSES, encoding="utf-8")
    for flags in (("--dry-run",), ("--to", "lab/museum")):
        with pytest.raises(ConfigError, match="e-mail addresses in the column 'rater'"):
            normscope("push", "dataset", "--folder", data, *flags)


def test_an_answer_that_is_called_as_another_column_is_not_handed_on(tmp_path: Path) -> None:
    words = '  answers: {missing: 1, "yes": 5}\n'
    context = load_context(written(tmp_path, f"{HEAD},answer\n{ROOMS},a painter,yes\n", words))
    with pytest.raises(ConfigError, match="an answer is called as a factor is, or as another"):
        ratings_copy(context)


def test_two_contexts_in_a_folder_do_not_share_a_file_of_ratings(tmp_path: Path) -> None:
    normscope("context", "build", written(tmp_path, COUNTS, WORDS), "--out", tmp_path / "data")
    other = tmp_path / "mock_other.yaml"
    text = (tmp_path / "mock_museum.yaml").read_text(encoding="utf-8")
    other.write_text(text.replace("name: mock_museum", "name: mock_other"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"two files called people\.csv"):
        normscope("context", "build", other, "--out", tmp_path / "data")
