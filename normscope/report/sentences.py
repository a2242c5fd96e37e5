"""The sentences that a run or a judge's card brings along in English, in Chinese."""

import re

_NAME = r"\((.*)\)"
_SENTENCES: tuple[tuple[str, str], ...] = (
    # notes of models
    (rf"^The model under test {_NAME} is (.*)\.$", r"受测模型（\1）：\2。"),
    (
        rf"^The judge {_NAME} is the model under test itself: it judges its own words\.$",
        r"评判模型（\1）就是受测模型本身：它在评判自己的话。",
    ),
    (
        (
            rf"^The judge {_NAME} is of the family of the model under test \(([^)]*)\): "
            r"it may favour its own kind\.$"
        ),
        r"评判模型（\1）与受测模型同属 \2 系列：可能偏袒同类。",
    ),
    (rf"^The judge {_NAME} is (.*)\.$", r"评判模型（\1）：\2。"),
    (
        (
            r"untrained(?: \(it has seen the form of an answer, with random labels\))?: "
            r"its numbers mean nothing"
        ),
        "未经训练，其数字没有意义",
    ),
    (r"^(.*): a balanced slice of (\S+) of (\S+) items\.$", r"\1：仅取 \3 题中均衡的 \2 题。"),
    # judges' cards
    (r"^A judge's card was passed by: ", "一张评判模型卡被跳过："),
    (r"^Judge (.*?), head (.*?), on (.*?): ", r"评判模型 \1，量表 \2，用于 \3："),
    (r"; head ", "；量表 "),
    (r"(\bmoral|\brating|\brefusal) in ", r"\1，语言 "),
    (r"no card, agreement with people is unknown\.", "没有评判卡，与人工的一致性未知。"),
    (
        (
            r"No public set has people's labels of refusal degrees in Chinese; "
            r"`normscope annotate` makes them from a run\."
        ),
        "没有公开的中文拒答程度人工标注；可用 `normscope annotate` 从一次运行中制作。",
    ),
    (
        r"the card does not hold here \((.*)\), agreement with people is unknown\.",
        r"评判卡在此不适用（\1），与人工的一致性未知。",
    ),
    (r"(\w[\w ]*): card (\S+), this run (\S+?)(?=[;）])", r"\1：卡为 \2，本次为 \3"),
    (r"agrees with people at ", "与人工一致性："),
    (r"how it agrees with people is not known: ", "与人工的一致性未知："),
    (
        r", measured on (.*), (\S+) answers to (\S+) questions, (\d{4}-\d\d-\d\d)\.",
        r"；测于 \1（\3 个问题的 \2 个回答），\4。",
    ),
    (r"Not shown to be better than a list of keywords: ", "未显示优于关键词表："),
    (r"Better than a list of keywords: ", "优于关键词表："),
    (r"Worse than a list of keywords: ", "劣于关键词表："),
    (r"There is no keyword list for this head to compare with\.", "此量表没有可比较的关键词表。"),
    (r"Whether it is better than a keyword list is not known: ", "是否优于关键词表未知："),
)


def sentence(text: str, language: str) -> str:
    """The sentence in the language; what is not known here stays in English.

    >>> sentence("cfsafety: a balanced slice of 20 of 25,000 items.", "zh")
    'cfsafety：仅取 25,000 题中均衡的 20 题。'
    """
    if language == "zh":
        for pattern, chinese in _SENTENCES:
            text = re.sub(pattern, chinese, text)
    return text
