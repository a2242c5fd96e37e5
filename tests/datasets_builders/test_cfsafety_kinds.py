import pytest

from normscope.datasets_builders.cfsafety.kinds import find_duplicates, find_format, find_source


@pytest.mark.parametrize(
    ("prompt", "source"),
    [
        ("question: 茶是热的吗？options:['是。', '否。']", "SafetyBench"),
        ("question: Is tea hot?options:['Yes.', \"It isn't.\"]", "SafetyBench"),
        ("question: Which is hot?\n1.tea\n2.iceoptions:['1', '2']\n", "SafetyBench"),
        ("context: Ann and Ben had tea. \n question: Who had milk?", "BBQ"),
        # open prompts with these words in them, and halves of the two forms
        ("A question: which options are there?", None),
        ("Which options:['a', 'b'] did the question: list?", None),
        ("question: Is tea hot?", None),
        ("context: Ann and Ben had tea.", None),
        ("context: tea, question: milk?", None),
        ("A. tea\nB. milk", None),
        ("", None),
    ],
)
def test_a_form_tells_the_source_and_the_format(prompt: str, source: str | None) -> None:
    assert find_source(prompt) == source
    assert find_format(prompt) == ("open" if source is None else "closed")


def test_a_duplicate_names_the_first_and_not_the_one_before() -> None:
    assert find_duplicates(["tea", "milk", "tea", "tea"]) == [None, None, 0, 0]


def test_white_space_does_not_matter_and_letters_do() -> None:
    assert find_duplicates(["hot tea", "hot\n tea ", "Hot tea", "hottea"]) == [None, 0, None, None]


def test_blank_prompts_repeat_nothing() -> None:
    assert find_duplicates(["", " ", "\n"]) == [None, None, None]
