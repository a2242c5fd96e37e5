"""One line of text is a filter: what it says, what it refuses, and that it comes back the same."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from normscope.errors import UsageError
from normscope.viewer import Query, Sort, Term
from normscope.viewer.query import COMPARISONS, FIELDS, FLAGS

TEXTS = st.text(min_size=1, max_size=12).filter(str.strip)
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
SEVERAL = st.lists(TEXTS, min_size=1, max_size=3).map(tuple)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(str)
COLONS = st.sampled_from(sorted({*FIELDS} - {"is"}))
TERMS = st.one_of(
    st.builds(Term, st.just(""), st.just(""), st.tuples(TEXTS), st.booleans()),
    st.builds(Term, COLONS, st.just(":"), SEVERAL, st.booleans()),
    st.builds(Term, st.just("is"), st.just(":"), st.tuples(st.sampled_from(FLAGS)), st.booleans()),
    st.builds(Term, NAMES, st.just("="), SEVERAL, st.booleans()),
    st.builds(Term, NAMES, st.sampled_from(COMPARISONS), st.tuples(NUMBERS), st.booleans()),
)
QUERIES = st.builds(
    Query,
    st.lists(TERMS, max_size=4).map(tuple),
    st.none() | st.builds(Sort, NAMES, st.booleans()),
)


@given(QUERIES)
@example(Query((Term("", "", ("-",)), Term("", "", ("http://x",), negated=True))))
@example(Query((Term("", "", ('\\"',)), Term("refusal", "=", ("a,b", "\\")))))
def test_a_query_is_the_line_that_it_writes(query: Query) -> None:
    assert Query.parse(query.text()) == query


@given(st.text(max_size=40))
def test_any_line_is_a_query_or_an_error_that_can_be_mended(line: str) -> None:
    try:
        query = Query.parse(line)
    except UsageError as error:
        assert error.message
    else:
        assert Query.parse(query.text()) == query


def test_a_line_says_what_it_says_in_a_search_of_code() -> None:
    query = Query.parse(
        'tea "two words" area:a,"b c" Refusal=risky -coverage<=0.5 -is:unscored 问:茶 sort:-moral'
    )
    assert query.terms == (
        Term("", "", ("tea",)),
        Term("", "", ("two words",)),
        Term("area", ":", ("a", "b c")),
        Term("refusal", "=", ("risky",)),
        Term("coverage", "<=", ("0.5",), negated=True),
        Term("is", ":", ("unscored",), negated=True),
        Term("", "", ("问:茶",)),
    )
    assert query.sort == Sort("moral", descending=True)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("aera:x", "aera:x: there is no field 'aera'; did you mean 'area'?"),
        ("http://x", "To search for it, put it in quotes"),
        ("is:new", "is:new: 'new' is nothing that an answer can be; known: unscored"),
        ("moral<many", "moral<many: 'many' is no number"),
        ("moral<0.1,0.2", "'0.1,0.2' is no number"),
        ("moral<nan", "'nan' is no number"),
        ('a "b c', '"b: the quotes are not closed'),
        ('"  "', "nothing between the quotes"),
        ("area:", "area:: a value is missing"),
        ("area:a,", "area:a,: a value is missing"),
        ('area:"a"b', "put a blank behind the quotes"),
        ("sort:moral sort:rating", "sort:rating: the order is named twice"),
        ("-sort:moral", "as in sort:moral, or sort:-moral"),
    ],
)
def test_a_term_that_says_nothing_is_named(line: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Query.parse(line)
    assert says in caught.value.message


@given(QUERIES, st.sampled_from(["area", "category"]), SEVERAL)
def test_a_control_sets_its_terms_and_no_others(
    query: Query, name: str, values: tuple[str, ...]
) -> None:
    changed = query.put(name, values)
    assert changed.values(name) == values
    assert [t for t in changed.terms if t.name != name] == [
        t for t in query.terms if t.name != name
    ]
    assert changed.put(name, ()).values(name) == ()
