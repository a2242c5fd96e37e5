import pytest

from normscope.datasets_builders.ci_vignettes.wording import (
    find_oddities,
    find_personal_data,
    lacks_article,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a door  lock", "two spaces"),
        ("a lock , a door", "a space before punctuation"),
        ("and so on etc.. The end", "punctuation twice"),
        ("It rains. . It snows", "punctuation twice"),
        ("data from from a phone", "a word twice"),
        ("Your your data", "a word twice"),
        ("your the data", "two articles"),
        ("the its owner", "two articles"),
        ("it is a end", "'a' before a vowel"),
        ("it is an dog", "'an' before a consonant"),
    ],
)
def test_a_join_that_went_astray_is_found(text: str, kind: str) -> None:
    assert [oddity.kind for oddity in find_oddities(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "a personal assistant (e.g., Siri, Amazon echo), i.e. a device",
        "they said that that was so, and had had enough ...",
        "an hour, an honest heir, a user, a university, a European, a one-off, an FBI agent",
        "types of bars, etc.). The company",
        "is it so? Yes: 3.5 of 10, at 10:30",
    ],
)
def test_what_reads_well_is_left_alone(text: str) -> None:
    assert list(find_oddities(text)) == []


def test_chinese_is_not_held_to_english_rules() -> None:
    assert list(find_oddities("手机 手机 ，a end", language="zh")) == []
    kinds = [oddity.kind for oddity in find_oddities("手机。。数据", language="zh-CN")]
    assert kinds == ["punctuation twice"]


def test_an_oddity_says_where_it_is() -> None:
    (found,) = find_oddities("we keep your your name")
    assert (found.start, found.end) == (8, 17)
    assert str(found) == "a word twice in 'your your'"


def test_a_level_without_an_article_is_told_where_most_have_one() -> None:
    assert list(lacks_article(["a phone", "the app", "license plate", "city cameras"])) == [2]
    assert list(lacks_article(["her doctor", "owner's friend", "FBI", "Siri"])) == []
    assert list(lacks_article(["if asked", "if paid", "a fee"])) == []
    assert list(lacks_article([])) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("write to jo.doe@mail.test soon", "an e-mail address"),
        ("her number 078-05-1120 leaked", "a social security number"),
        ("身份证号11010519491231002X。", "an identity number"),
        ("pay to DE89 3704 0044 0532 0130 00", "an account number"),
        ("ring +44 20 7946 0018", "a phone number"),
        ("ring (202) 555-0143 now", "a phone number"),
        ("打13800138000", "a phone number"),
        ("打 138-0013-8000", "a phone number"),
        ("打010-62345678", "a phone number"),
        ("ring 555-0143 or 555 0144", "a phone number"),
        ("ring +1 202-555-0143", "a phone number"),
        ("ring +44 (0)20 7946-0018", "a phone number"),
        ("ring 030 123 45 67", "a phone number"),
        ("ring 01 23 45 67 89", "a phone number"),
        ("the card 4111 1111 1111 1111", "a card number"),
    ],
)
def test_personal_data_is_found(text: str, kind: str) -> None:
    assert kind in {oddity.kind for oddity in find_personal_data(text)}


@pytest.mark.parametrize(
    "text",
    [
        "someone@example.org",
        "from 2024-05-12 to 12.06.2024",
        "2,200 of 16,024 vignettes in 1998",
        "arXiv 2409.03735, volume 35, pages 1-72",
        "10 to 12 people, 3.5 % of 1,000,000",
        "1 000 000 people, levels 10 20 30 40",
        "from 2019-2023, 12/05/2024 or 2024/5/12 10",
        "ISBN 978-3-16-148410-0, doi 10.1145/3173574, release 192.168.10.10",
    ],
)
def test_numbers_that_are_nobodys_are_left_alone(text: str) -> None:
    assert list(find_personal_data(text)) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("the card 4111 1111 1111 1111", "a card number"),
        ("the card 4111-1111-1111-1111", "a card number"),
        ("her number 078-05-1120 leaked", "a social security number"),
        ("pay to DE89 3704 0044 0532 0130 00", "an account number"),
    ],
)
def test_a_card_or_an_account_is_not_called_a_phone(text: str, kind: str) -> None:
    assert [oddity.kind for oddity in find_personal_data(text)] == [kind]
