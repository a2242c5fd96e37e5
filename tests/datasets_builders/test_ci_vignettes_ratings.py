"""People's answers to vignettes: read from one long table, and published as counts alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from rated_museum import ANSWERS, COUNTS, HEAD, LENGTH, MUSEUM, ROOMS, WORDS, written

from normscope.builders.ci_vignettes.context import bundled_contexts, load_context
from normscope.builders.ci_vignettes.context_file import Rating
from normscope.builders.ci_vignettes.dataset import ContextDataset
from normscope.builders.ci_vignettes.prompts import CONTEXTS
from normscope.builders.ci_vignettes.ratings import ratings_copy
from normscope.builders.ci_vignettes.review import review
from normscope.builders.ci_vignettes.vignettes import rating_table, vignette_table
from normscope.builders.push import built_files
from normscope.cli import cli
from normscope.errors import ConfigError, NormscopeError, UsageError
from normscope.files import hash_value, read_parquet
from normscope.table_writer import write_rows
from normscope.tables import read_table

RAW = f"""rater,when,{HEAD},answer
w-81734,1 May 2026,{ROOMS},a painter,yes
w-90215,2 May 2026,{ROOMS},a painter,no
w-81734,1 May 2026,{LENGTH},a painter,that makes no sense
"""
PERSONAL = ("w-81734", "w-90215", "May 2026", "rater")
ADDRESSES = RAW.replace("w-", "ana@example.org ")
NAME = "ci-vignettes:mock_museum"


def ratings(path: Path) -> tuple[Rating, ...]:
    context = load_context(path)
    assert context.ratings is not None
    return context.ratings.values


def normscope(*arguments: object) -> str:
    """What the command line prints; an error of ours is raised."""
    done = CliRunner().invoke(cli, list(map(str, arguments)))
    if isinstance(done.exception, NormscopeError):
        raise done.exception
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def test_individual_answers_become_mean_spread_and_counts(tmp_path: Path) -> None:
    rooms, length = ratings(written(tmp_path, ANSWERS, WORDS))
    # 5, 3 and 5; one said that it makes no sense, one left it empty
    assert rooms.mean == pytest.approx(13 / 3)
    assert (rooms.n, rooms.missing) == (3, 2)
    assert rooms.sd == pytest.approx((4 / 3) ** 0.5)
    assert rooms.counts == {"yes": 2, "perhaps": 1}
    assert (length.mean, length.sd, length.n, length.missing) == (1, None, 1, 0)
    assert ratings(written(tmp_path, COUNTS, WORDS)) == (rooms, length)


def test_numbers_need_no_words_and_a_factor_without_a_column_is_averaged_over(
    tmp_path: Path,
) -> None:
    (rating,) = ratings(written(tmp_path, "recipient,answer\na painter,5\na painter,2\n"))
    assert (rating.mean, rating.n, rating.counts) == (3.5, 2, {"5": 1, "2": 1})
    (row,) = rating_table(load_context(tmp_path / "mock_museum.yaml")).to_pylist()
    assert (row["item_id"], len(row["item_ids"]), row["attribute"]) == (None, 2, None)


def test_a_row_may_name_its_vignette_and_only_what_was_rated_is_a_context(tmp_path: Path) -> None:
    context = load_context(written(tmp_path, COUNTS, WORDS))
    first, second, *_ = vignette_table(context).to_pylist()
    table = f"item_id,answer\n{second['item_id']},no\n{second['item_id']},yes\n"
    context = load_context(written(tmp_path, table, WORDS + "only_rated: true\n"))
    assert vignette_table(context)["vignette"].to_pylist() == [second["vignette"]]
    (row,) = rating_table(context).to_pylist()
    assert (row["item_id"], row["practice"], row["mean"]) == (second["item_id"], "museum", 3)
    plain = MUSEUM.partition("ratings:")[0] + "only_rated: true\n"
    (finding,) = (f for f in review(written(tmp_path, "", text=plain)).findings if not f.warning)
    assert "only_rated: there are no ratings" in finding.text
    assert first["item_id"] != second["item_id"]


@pytest.mark.parametrize(
    ("table", "more", "told"),
    [
        (f"{HEAD},answer\n{ROOMS},a paniter,yes\n", WORDS, "row 1: 'a paniter' is no level of"),
        (f"{HEAD},answer\n{ROOMS},a painter,yse\n", WORDS, "'yse' is no answer on the scale"),
        (f"{HEAD},answer\n{ROOMS},a painter,nan\n", "", "'nan' is no answer on the scale of 1 to"),
        (COUNTS.replace("yes,2", "yes,x"), WORDS, "row 2: 'x' in n is no number of people"),
        (f"{HEAD},says\n{ROOMS},a painter,1\n", "", "needs a row per answer: the column answer"),
        ("who,answer\nme,1\n", "", "and a column per factor (attribute, recipient) or item_id"),
        ("item_id,answer\nmock_museum-9,1\n", "", "row 1: no vignette has the id 'mock_museum-9'"),
        (f"{HEAD},answer\n{ROOMS},a painter\n", WORDS, "people.csv:2: 2 cells in a row under 3"),
        ("", "", "people.csv is empty"),
        (COUNTS, '  answers: {"yes": 7, "no": 1}\n', "7 is not on the scale of 1 to 5"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_row_and_the_contexts_line(
    tmp_path: Path, table: str, more: str, told: str
) -> None:
    path = written(tmp_path, table, more)
    findings = [finding for finding in review(path).findings if not finding.warning]
    assert [finding for finding in findings if told in finding.text and finding.line >= 22]
    with pytest.raises(ConfigError):
        load_context(path)


def test_no_path_leads_out_of_the_folder_of_a_context(tmp_path: Path) -> None:
    outside, folder = tmp_path / "people.csv", tmp_path / "in"
    folder.mkdir()
    for name in (str(outside), "../people.csv"):
        path = written(folder, COUNTS, WORDS, MUSEUM.replace("people.csv", name))
        outside.write_text(COUNTS)
        (finding,) = (found for found in review(path).findings if not found.warning)
        assert "is not the name of a file beside this one" in finding.text


def test_a_column_of_which_nothing_is_made_is_a_warning(tmp_path: Path) -> None:
    table = COUNTS.replace("\n", ",x\n").replace(",x", ",recpient", 1)
    found = review(written(tmp_path, table, WORDS))
    assert found.result is not None
    assert [f.text for f in found.findings if "recpient" in f.text] == [
        "ratings.file: nothing is made of these columns of people.csv: recpient"
    ]


@settings(max_examples=settings().max_examples // 3)
@given(
    answers=st.lists(
        st.sampled_from(["yes", "no", "perhaps", "that makes no sense"]), min_size=1, max_size=30
    ),
    seed=st.randoms(use_true_random=False),
)
def test_the_order_of_people_does_not_matter_and_nobody_is_lost(
    tmp_path_factory: Any, answers: list[str], seed: Any
) -> None:
    def rated(order: list[str]) -> Rating:
        rows = "\n".join(f"{ROOMS},a painter,{answer}" for answer in order)
        folder = tmp_path_factory.mktemp("people")
        (rating,) = ratings(written(folder, f"{HEAD},answer\n{rows}\n", WORDS))
        return rating

    rating = rated(answers)
    assert rated(seed.sample(answers, len(answers))) == rating
    assert (rating.n or 0) + (rating.missing or 0) == len(answers)
    assert rating.mean is None if not rating.n else 1 <= (rating.mean or 0) <= 5


def test_education_is_the_1411_flows_that_people_were_asked() -> None:
    context = bundled_contexts()["education"]
    vignettes = vignette_table(context)
    assert len(vignettes) == len(set(vignettes["vignette"].to_pylist())) == 1411
    assert len(vignette_table(context, null_control=True)) == 422
    rows = rating_table(context).to_pylist()
    assert sorted(row["item_id"] for row in rows) == sorted(vignettes["item_id"].to_pylist())
    assert sum(row["n"] for row in rows) == 14892 + 20313
    assert sum(row["missing"] for row in rows) == 2604 + 4458 + 671
    # as in the survey's file, whose levels are worded otherwise
    counts = read_table(CONTEXTS / "education.csv").to_rows()
    assert hash_value(counts).startswith("132b65ebf81d71ba9e48")
    first = rows[0]
    assert first["counts"] == [{"answer": "n2", "n": 22}, {"answer": "n1", "n": 5}]
    assert (first["mean"], first["n"], first["missing"]) == (pytest.approx(5 / 27), 27, 8)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("table", "words"),
    [
        (ANSWERS, WORDS),
        (f"{HEAD},answer\n{ROOMS},a painter,5\n{ROOMS},a painter,2\n", ""),
        ("recipient,answer,n\na painter,,3\n", ""),
    ],
)
def test_what_is_handed_on_reads_back_as_the_same_ratings(
    tmp_path: Path, table: str, words: str, suffix: str
) -> None:
    text = MUSEUM.replace("people.csv", f"people.{suffix}")
    path = written(tmp_path, table, words, text)
    if suffix != "csv":
        write_rows(tmp_path / f"people.{suffix}", read_table(tmp_path / "people.csv").to_rows())
    context = load_context(path)
    copy = ratings_copy(context)
    (tmp_path / f"people.{suffix}").write_bytes(copy)
    again = load_context(path)
    assert again.ratings == context.ratings
    assert ratings_copy(again) == copy


def leaks(folder: Path) -> Iterator[tuple[str, str]]:
    """What of the raw file stands in the bytes of a folder's files."""
    for path in folder.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        yield from ((str(path), word) for word in PERSONAL if word.encode() in content)


def test_no_byte_of_a_persons_row_is_in_a_dataset_a_push_or_a_run(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    path = written(tmp_path / "mine", RAW, WORDS)
    data, run = tmp_path / "data" / "mock_museum", tmp_path / "run"
    normscope("build", "--context", path, "--out", tmp_path / "data")
    assert read_parquet(data / "mock_museum_ratings" / "test.parquet")["n"].to_pylist() == [2, 0]
    shown = normscope("push", "dataset", "--folder", data, "--dry-run")
    assert "personal: contexts/people.csv has how many people gave each answer" in shown
    assert "personal: contexts/mock_museum.yaml names its contributors: A. Visitor" in shown
    answers = f"{HEAD},variant_id,answer\n{ROOMS},a painter,0,2\n"
    (tmp_path / "answers.csv").write_text(answers, encoding="utf-8")
    flags = ("-b", NAME, "--model", "m", "--out", run)
    normscope("import", tmp_path / "answers.csv", "--context", path, *flags)
    assert (run / "contexts" / "people.csv").read_bytes() == ratings_copy(load_context(path))
    assert [*leaks(data), *leaks(run)] == []
    assert not [word for word in PERSONAL if word in shown]
    # others build the same tables from what was pushed
    normscope("build", "--context", data / "contexts" / path.name, "--out", tmp_path / "again")
    theirs = (tmp_path / "again").rglob("*.parquet")
    assert {p.parent.name: p.read_bytes() for p in theirs} == {
        p.parent.name: p.read_bytes() for p in data.rglob("*.parquet")
    }
    # a raw file that was put there since is not sent
    (data / "contexts" / "people.csv").write_text(RAW, encoding="utf-8")
    with pytest.raises(UsageError, match="is more than how many people gave each answer"):
        built_files(None, data)
    (data / "contexts" / "people.csv").write_text(ADDRESSES, encoding="utf-8")
    with pytest.raises(ConfigError, match="e-mail addresses in the column 'rater'"):
        normscope("push", "dataset", "--folder", data, "--to", "lab/museum")


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [
        (ADDRESSES, "rater", "e-mail addresses"),
        (RAW.replace("1 May 2026", "ana@example.org"), "when", "e-mail addresses"),
        (RAW.replace("w-90215", "Ana Roe"), "rater", "names of persons"),
        (RAW.replace("rater", "Participant ID").replace("w-81734", "A. Roe"), "Participant ID", ""),
        (RAW.replace("rater", "姓名").replace("w-90215", "王小明"), "姓名", "names of persons"),
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
    before = sorted(tmp_path.rglob("*"))
    for command in (("build", "--context"), ("run", "--model", "m", "-b", NAME, "--context")):
        done = CliRunner().invoke(cli, [*command, str(path), "--out", str(tmp_path / "out")])
        assert done.exit_code != 0
        assert told in f"{done.output} {done.exception}"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_holds_one_context_which_is_built_anew(tmp_path: Path) -> None:
    data, other = tmp_path / "data", tmp_path / "mock_other.yaml"
    first = written(tmp_path, COUNTS, WORDS)
    ContextDataset.from_yaml(first).build(data)
    text = first.read_text(encoding="utf-8").replace("mock_museum", "mock_other")
    other.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="holds another dataset; name another folder"):
        ContextDataset.from_yaml(other).build(data)
    (tmp_path / "people.csv").write_text(ANSWERS, encoding="utf-8")
    ContextDataset.from_yaml(first).build(data)
    assert (data / "contexts" / "people.csv").read_bytes() == ratings_copy(load_context(first))
