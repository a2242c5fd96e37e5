"""People's answers to vignettes, from a table beside the context's file."""

import csv
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rated_museum import (
    ANSWERS,
    COUNTS,
    FORM,
    HEAD,
    LENGTH,
    MUSEUM,
    PAINTER_LENGTH,
    PAINTER_ROOMS,
    ROOMS,
    WORDS,
    written,
)

from normscope.datasets_builders.ci_vignettes.context import (
    CONTEXTS,
    bundled_contexts,
    load_context,
)
from normscope.datasets_builders.ci_vignettes.context_file import Rating
from normscope.datasets_builders.ci_vignettes.derived import rated_vignettes, rating_table
from normscope.datasets_builders.ci_vignettes.review import review
from normscope.datasets_builders.ci_vignettes.vignettes import vignette_table
from normscope.errors import ConfigError

TEXTS = ("item_id", "vignette")


def ratings(path: Path) -> tuple[Rating, ...]:
    context = load_context(path)
    assert context.ratings is not None
    return context.ratings.values


def test_individual_answers_become_mean_spread_and_counts(tmp_path: Path) -> None:
    rooms, length = ratings(written(tmp_path, ANSWERS, WORDS))
    # 5, 3 and 5; one said that it makes no sense, one left it empty
    assert rooms.mean == pytest.approx(13 / 3)
    assert (rooms.n, rooms.missing) == (3, 2)
    assert rooms.sd == pytest.approx((4 / 3) ** 0.5)
    assert rooms.counts == {"yes": 2, "perhaps": 1}
    assert (length.mean, length.sd, length.n, length.missing) == (1, None, 1, 0)


def test_counted_answers_are_the_same_as_individual_ones(tmp_path: Path) -> None:
    one = ratings(written(tmp_path, ANSWERS, WORDS))
    two = ratings(written(tmp_path, COUNTS, WORDS))
    keys = ("levels", "mean", "sd", "n", "missing")
    assert [[getattr(each, key) for key in keys] for each in one] == [
        [getattr(each, key) for key in keys] for each in two
    ]


def test_answers_in_numbers_need_no_words_and_means_are_taken_as_they_are(tmp_path: Path) -> None:
    numbers = f"{HEAD},answer\n{ROOMS},a painter,5\n{ROOMS},a painter,2\n"
    (rating,) = ratings(written(tmp_path, numbers))
    assert (rating.mean, rating.n, rating.counts) == (3.5, 2, {"5": 1, "2": 1})
    (rating,) = ratings(written(tmp_path, f"{HEAD},mean,n\n{ROOMS},a painter,3.25,40\n"))
    assert (rating.mean, rating.sd, rating.n, rating.counts) == (3.25, None, 40, {})


def test_a_row_may_name_its_vignette_and_a_factor_without_a_column_is_averaged_over(
    tmp_path: Path,
) -> None:
    context = load_context(written(tmp_path, "recipient,mean\na painter,4\n"))
    (row,) = rating_table(context).to_pylist()
    assert (row["item_id"], len(row["item_ids"]), row["mean"], row["counts"]) == (None, 2, 4, None)
    first = vignette_table(context)["item_id"][0].as_py()
    context = load_context(written(tmp_path, f"item_id,mean\n{first},2\n"))
    assert rated_vignettes(context) == [[first]]
    assert rating_table(context)["item_id"].to_pylist() == [first]
    with pytest.raises(ConfigError, match="2 of 3 ratings are of no vignette, such as"):
        rating_table(
            load_context(written(tmp_path, f"item_id,mean\n{first},2\nmock_museum-9,1\nx,1\n"))
        )


def test_only_what_was_rated_is_a_context(tmp_path: Path) -> None:
    path = written(tmp_path, COUNTS, WORDS + "only_rated: true\n")
    assert vignette_table(load_context(path))["vignette"].to_pylist() == [
        f"The museum tells a painter {ROOMS}",
        f"The museum tells a painter {LENGTH}",
    ]
    plain = MUSEUM.partition("ratings:")[0] + "only_rated: true\n"
    (finding,) = (f for f in review(written(tmp_path, "", text=plain)).findings if not f.warning)
    assert "only_rated: there are no ratings" in finding.text


@pytest.mark.parametrize(
    ("table", "more", "told"),
    [
        (f"{HEAD},answer\n{ROOMS},a paniter,yes\n", WORDS, "row 1: 'a paniter' is no level of"),
        (f"{HEAD},answer\n{ROOMS},a painter,yse\n", WORDS, "'yse' is no answer on the scale"),
        (f"{HEAD},answer\n{ROOMS},a painter,6\n", "", "'6' is no answer on the scale of 1 to"),
        (COUNTS.replace("2,1,0,2", "2,x,0,2"), WORDS, "row 1: 'x' in perhaps is no number of"),
        (COUNTS + f"{ROOMS},a painter,1,1,1,1\n", WORDS, "row 3: these vignettes were rated"),
        (f"{HEAD},mean\n{ROOMS},a painter,\n", "", "row 1: '' in mean is no number"),
        (f"{HEAD},mean\n{ROOMS},a painter,9\n", "", "9 is not on the scale of 1 to 5"),
        (f"{HEAD},says\n{ROOMS},a painter,1\n", "", "exactly one of these: the column answer"),
        ("who,answer\nme,1\n", "", "does not say which vignettes were rated"),
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
    outside = tmp_path / "people.csv"
    for name in (str(outside), "../people.csv"):
        folder = tmp_path / "in"
        folder.mkdir(exist_ok=True)
        path = written(folder, COUNTS, WORDS, MUSEUM.replace("people.csv", name))
        outside.write_text(COUNTS)
        (finding,) = (found for found in review(path).findings if not found.warning)
        assert "is not the name of a file beside this one" in finding.text
    gone = written(tmp_path, COUNTS, WORDS, MUSEUM.replace("people.csv", "persons.csv"))
    assert any("persons.csv does not exist" in found.text for found in review(gone).findings)


def test_a_column_of_which_nothing_is_made_is_a_warning(tmp_path: Path) -> None:
    table = "\n".join(f"{line},x" for line in COUNTS.splitlines()).replace(",x", ",recpient", 1)
    found = review(written(tmp_path, table, WORDS))
    assert found.result is not None
    assert [f.text for f in found.findings if "recpient" in f.text] == [
        "ratings.file: nothing is made of these columns of people.csv: recpient"
    ]


def test_a_forms_download_is_read_as_the_same_answers_one_a_row(tmp_path: Path) -> None:
    path = written(tmp_path, FORM, WORDS)
    rooms, length = ratings(path)
    assert rooms.mean == pytest.approx(13 / 3)
    assert (rooms.n, rooms.missing) == (3, 1)
    # an empty cell may be of somebody who was not shown the vignette
    assert (length.mean, length.n, length.missing) == (1, 1, 0)
    rows = rating_table(load_context(path)).to_pylist()
    known = dict(
        zip(*(vignette_table(load_context(path))[c].to_pylist() for c in TEXTS), strict=True)
    )
    assert [known[row["item_id"]] for row in rows] == [PAINTER_ROOMS, PAINTER_LENGTH]
    (finding,) = (f for f in review(path).findings if "nothing is made" in f.text)
    assert finding.warning
    assert finding.text.endswith("people.csv: When, Age")
    # the long table of these cells, by item_id
    ids = [row["item_id"] for row in rows]
    cells = [(ids[0], a) for a in ("yes", "perhaps", "that makes no sense", "yes")]
    long = "\n".join(f"{item},{answer}" for item, answer in [*cells, (ids[1], "no")])
    assert ratings(written(tmp_path, f"item_id,answer\n{long}\n", WORDS)) == (rooms, length)
    wide = FORM.replace(f"{PAINTER_ROOMS}.", ids[0])
    assert ratings(written(tmp_path, wide, WORDS)) == (rooms, length)


def test_a_vignette_rated_by_its_text_or_id_has_its_levels_and_is_a_context_alone(
    tmp_path: Path,
) -> None:
    one = f"{PAINTER_LENGTH}\nno\nyes\n"
    context = load_context(written(tmp_path, one, WORDS + "only_rated: true\n"))
    assert vignette_table(context)["vignette"].to_pylist() == [PAINTER_LENGTH]
    (row,) = rating_table(context).to_pylist()
    assert (row["practice"], row["attribute"], row["recipient"]) == ("museum", LENGTH, "a painter")
    by_id = written(tmp_path, f"item_id,mean\n{row['item_id']},3\n", "only_rated: true\n")
    assert vignette_table(load_context(by_id))["vignette"].to_pylist() == [PAINTER_LENGTH]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (FORM.replace("perhaps", "prehaps"), f"row 2, column '{PAINTER_ROOMS}.': 'prehaps' is no"),
        (FORM.replace("Age", PAINTER_ROOMS), "two columns are of one vignette, 'The museum"),
        (FORM.replace("tells", "told"), f"its item_id as the header, as '{PAINTER_ROOMS}'. It has"),
    ],
)
def test_what_is_wrong_with_a_forms_download_names_the_cell_or_the_header(
    tmp_path: Path, table: str, told: str
) -> None:
    path = written(tmp_path, table, WORDS)
    (finding,) = (finding for finding in review(path).findings if not finding.warning)
    assert told in finding.text
    # of a context with another error nobody can say which headers are vignettes
    broken = MUSEUM.replace("{attribute}", "{atribute}")
    errors = [f.text for f in review(written(tmp_path, table, WORDS, broken)).findings]
    assert not [text for text in errors if "people.csv" in text]


@settings(max_examples=25, deadline=None)
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


def education_source() -> Path:
    named = os.environ.get("NORMSCOPE_SOURCES")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "sources"
    return folder / "education-survey" / "flows_with_answer_counts.csv"


def test_education_is_the_1411_flows_that_people_were_asked() -> None:
    context = bundled_contexts()["education"]
    vignettes = vignette_table(context)
    assert len(vignettes) == len(set(vignettes["vignette"].to_pylist())) == 1411
    assert len(vignette_table(context, null_control=True)) == 422
    rows = rating_table(context).to_pylist()
    assert sorted(row["item_id"] for row in rows) == sorted(vignettes["item_id"].to_pylist())
    assert sum(row["n"] for row in rows) == 14892 + 20313
    assert sum(row["missing"] for row in rows) == 2604 + 4458 + 671
    first = rows[0]
    assert first["counts"] == [{"answer": "n2", "n": 22}, {"answer": "n1", "n": 5}]
    assert (first["mean"], first["n"], first["missing"]) == (pytest.approx(5 / 27), 27, 8)
    assert all(row["n"] for row in rows)


def test_the_counts_of_education_are_those_of_the_survey() -> None:
    source = education_source()
    if not source.is_file():
        pytest.skip(f"needs {source}: set NORMSCOPE_SOURCES to the folder of the sources")
    counts = tuple(f"n{code}" for code in range(1, 6))
    with source.open(encoding="utf-8") as file:
        theirs = list(csv.DictReader(file))
    with (CONTEXTS / "education.csv").open(encoding="utf-8") as file:
        ours = list(csv.DictReader(file))
    assert len(ours) == len(theirs) == 1411
    names = ("sender", "attribute", "recipient", "transmission_principle")
    keys = ("Sender", "Attribute", "Recipient", "TP")
    pairs: set[tuple[str, str, str]] = set()
    for own, their in zip(ours, theirs, strict=True):
        assert [own[count] for count in counts] == [their[count] for count in counts]
        pairs |= {(name, own[name], their[key]) for name, key in zip(names, keys, strict=True)}
    # each level of theirs is one of ours, and the other way round
    assert set(Counter((name, level) for name, level, _ in pairs).values()) == {1}
    assert set(Counter((name, level) for name, _, level in pairs).values()) == {1}
