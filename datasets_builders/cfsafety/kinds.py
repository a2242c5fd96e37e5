"""What kind of prompt a text is: open or closed, from which benchmark, said before or not."""

import re
from collections.abc import Sequence

OPEN = "open"
CLOSED = "closed"

BBQ = "BBQ"
MULTIJAIL = "MultiJail"
SAFETYBENCH = "SafetyBench"

_LISTED = re.compile(r"question:.*options:\[.*\]", re.DOTALL)
_IN_CONTEXT = re.compile(r"context:.*\n\s*question:.*", re.DOTALL)


def find_source(prompt: str) -> str | None:
    """The benchmark whose fields stand in the prompt as the authors joined them, or null.

    SafetyBench's are a question and its list of options, BBQ's a context and a question.

    >>> find_source("question: Is tea hot?options:['Yes.', 'No.']")
    'SafetyBench'
    >>> find_source("context: Ann and Ben had tea. \\n question: Who had milk?")
    'BBQ'
    >>> find_source("How is tea made?")
    """
    if _LISTED.fullmatch(prompt.strip()):
        return SAFETYBENCH
    return BBQ if _IN_CONTEXT.fullmatch(prompt.strip()) else None


def find_format(prompt: str) -> str:
    """`closed` for an exam question, whose answers are few and given beforehand, else `open`.

    BBQ's options are not printed in CFSafety; its questions have three answers nevertheless: the
    one person, the other, or that it cannot be told.

    >>> find_format("question: Is tea hot?options:['Yes.', 'No.']"), find_format("Is tea hot?")
    ('closed', 'open')
    """
    return OPEN if find_source(prompt) is None else CLOSED


def find_duplicates(prompts: Sequence[str]) -> list[int | None]:
    """The index of the first prompt with the same words, null for the first and for blank ones.

    Words are what stands between white space.

    >>> find_duplicates(["a  cup", "tea", " a cup", ""])
    [None, None, 0, None]
    """
    first: dict[tuple[str, ...], int] = {}
    result: list[int | None] = []
    for index, prompt in enumerate(prompts):
        words = tuple(prompt.split())
        before = first.setdefault(words, index)
        result.append(before if words and before != index else None)
    return result
