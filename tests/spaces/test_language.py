import pytest

from normscope.builders.registry import benchmark
from normscope.space.language import detected_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("No.", "en"),
        ("Sure! " * 12, "en"),
        ("Question 3?\n" + "Answer 7. " * 50, "en"),
        ("print('hello world')\nfor i in range(10): print(i)", "en"),
        ("不行。", "zh"),
        ("请把 PDF 发给 Alice，谢谢，祝一切都好，再见", "zh"),
        ("Je ne peux pas vous aider avec cette demande, désolé.", "fr"),
        ("Non posso aiutarti con questa richiesta, mi dispiace molto.", "it"),
        ("それはお手伝いできません。", "ja"),
        ("도와드릴 수 없습니다.", "ko"),
        ("12 + 3", "und"),
    ],
)
def test_the_language_of_a_text_is_found_out(text: str, language: str) -> None:
    assert detected_language(text) == language


def test_the_reference_answers_are_taken_for_what_they_are() -> None:
    made, bench = benchmark("safety-gradient")
    items = bench.items(made.tables(None)[bench.config])
    wrong = [
        item.item_id
        for item in items
        if detected_language(f"{item.question}\n{item.response}") != item.language
    ]
    assert len(wrong) <= len(items) / 500, wrong
