"""What the page of answers says of its own, by where its script puts it."""

from ...messages import message
from ..blocks import Block, Code, Details, Facts, Paragraph

CONTROLS = {
    "benchmark": message("benchmark"),
    "area": message("area"),
    "category": message("category"),
    "language": message("language"),
    "variant": message("prompt variant"),
    "order": message("order of the scale"),
    "criterion": message("judged by"),
    "source": message("who speaks"),
    "reason": message("reason for no value"),
    "is": message("only those that are"),
    "changed": message("only where the label changed"),
}
"""The titles of the lists that write into the filter."""

WORDS = {
    "any": message("any"),
    "sort": message("order"),
    "ascending": message("{name}, lowest first", name="{name}"),
    "descending": message("{name}, highest first", name="{name}"),
    "coverage": message("coverage"),
    "change": message("change"),
    "item": message("item"),
    "question": message("question"),
    "response": message("response"),
    "moved": message("moved"),
    "answers": message("List of answers"),
    "siblings": message("The same item otherwise"),
    "read": message("read"),
    "copy": message("Copy"),
    "summary": message("Counts of the answers listed"),
    "valued": message("with a value"),
    "nothing": message("No answer meets the filter. Take something out of it, or clear it."),
    "shown": message(
        "{from_place}–{to_place} of {n} answers, {all} on this page",
        from_place="{from_place}", to_place="{to_place}", n="{n}", all="{all}",
    ),
    "position": message("{at} of {n}", at="{at}", n="{n}"),
    "outside": message("not among those that the filter leaves"),
    "first": message("First"),
    "previous": message("Previous"),
    "next": message("Next"),
    "last": message("Last"),
    "back": message("Back to the list"),
    # what a filter can have wrong
    "open_quotes": message("{term}: the quotes are not closed", term="{term}"),
    "empty_quotes": message("{term}: there is nothing between the quotes", term="{term}"),
    "no_value": message(
        "{term}: a value is missing; to search for it, put it in quotes", term="{term}"
    ),
    "no_blank": message("{term}: put a blank behind the quotes", term="{term}"),
    "two_orders": message("{term}: the order is named twice; leave one out", term="{term}"),
    "no_order": message(
        "{term}: an order is one name, as in sort:moral, or sort:-moral from the highest",
        term="{term}",
    ),
    "no_field": message(
        "{term}: there is no field {name}; {known}. To search for it, put it in quotes",
        term="{term}", name="{name}", known=message("known: {names}", names="{known}"),
    ),
    "no_flag": message(
        "{term}: {value} is nothing that an answer can be; {known}",
        term="{term}", value="{value}", known=message("known: {names}", names="{known}"),
    ),
    "no_number": message(
        "{term}: {value} is no number, such as 2.5", term="{term}", value="{value}"
    ),
    "unknown": message(
        "{term}: nothing here has {value}; {known}",
        term="{term}", value="{value}", known=message("known: {names}", names="{known}"),
    ),
}  # fmt: skip
"""The script fills the slots in braces."""

HELP: tuple[Block, ...] = (
    Details(
        message("What a filter can say"),
        (
            Facts(
                (
                    (
                        (Code("privacy"), " ", Code('"in public"')),
                        message("texts with these words in the conversation or the response"),
                    ),
                    (
                        Code("category:social_bias,mental_harm"),
                        message(
                            "answers of one of these; other fields: benchmark, area, language, "
                            "variant, order, item, criterion, source, reason"
                        ),
                    ),
                    (
                        (Code("refusal=risky"), " ", Code("option=B")),
                        message("answers with this label under the criterion"),
                    ),
                    (
                        (Code("moral<0.5"), " ", Code("coverage>=0.9")),
                        message("answers with such a value"),
                    ),
                    (
                        (Code("is:unscored"), " ", Code("is:disagreement")),
                        message(
                            "answers that judge or engine failed at, or of which labels and text "
                            "say different things"
                        ),
                    ),
                    (
                        (Code("is:changed"), " ", Code("changed:refusal")),
                        message("of two runs: answers whose label changed"),
                    ),
                    (Code("-category:attack"), message("a minus takes out what follows it")),
                    (
                        (Code("sort:moral"), " ", Code("sort:-change")),
                        message("the lowest first, or with a minus the highest"),
                    ),
                )
            ),
            Paragraph(message("All terms must hold; of several values one."), note=True),
        ),
    ),
)
"""What stands under the filter's line."""

KEYS: tuple[Block, ...] = (
    Facts(
        (
            (
                (Code("j"), " ", Code("k"), " ", Code("↓"), " ", Code("↑")),
                message("next, previous"),
            ),
            (Code("Enter"), message("open the answer")),
            ((Code("←"), " ", Code("→")), message("in an answer: previous, next")),
            (Code("Esc"), message("back to the list")),
            (Code("t"), message("show or hide the texts")),
            (Code("/"), message("to the filter")),
            (Code("?"), message("this list")),
        )
    ),
    Paragraph(message("Keys count while the list or an answer has the focus."), note=True),
)
"""What `?` shows."""
