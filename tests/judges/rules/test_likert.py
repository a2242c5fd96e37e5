"""Answers to vignettes as models give them, and what a person reads in each."""

import pytest

from normscope.datasets_builders.taxonomy import LIKERT
from normscope.judges.respondent import LIKERT_SCALE
from normscope.judges.rules import read_likert
from normscope.judges.rules.likert import FORMS
from normscope.reasons import Reason

SU, U, N, A, SA = LIKERT

ALL = ", ".join(LIKERT)
TICKED = "\n".join(f"- [{'x' if label == N else ' '}] {label}" for label in LIKERT)
SHARES = ", ".join(f"{label}: 20%" for label in LIKERT)

CHOSEN = [
    # the phrase as it was asked for
    ("strongly unacceptable", SU),
    ("somewhat unacceptable", U),
    ("neutral", N),
    ("somewhat acceptable", A),
    ("strongly acceptable", SA),
    ("Strongly Unacceptable", SU),
    ("SOMEWHAT UNACCEPTABLE.", U),
    ("Neutral.", N),
    ("**Somewhat acceptable**", A),
    ('"strongly acceptable"', SA),
    ("'Somewhat Acceptable'.", A),
    ("  \n strongly acceptable \n", SA),
    ("Strongly-unacceptable", SU),
    ("somewhat_acceptable", A),
    ("Strongly  un-acceptable", SU),
    ("strongly\nacceptable", SA),
    ("ｓｔｒｏｎｇｌｙ ａｃｃｅｐｔａｂｌｅ", SA),
    ("- Neutral", N),
    ("> somewhat unacceptable", U),
    ("[strongly unacceptable]", SU),
    ("somewhat acceptable</s>", A),
    ("Neutral<|eot_id|><|start_header_id|>user", N),
    ("<think>Perhaps strongly acceptable? Hmm.</think>\n\nsomewhat unacceptable", U),
    # a sentence that says so
    ("Answer: somewhat acceptable", A),
    ("The answer is: Strongly unacceptable.", SU),
    ("My answer is neutral.", N),
    ("Rating: Somewhat Unacceptable", U),
    ("Response: **strongly acceptable**", SA),
    ("I would rate this scenario as somewhat acceptable.", A),
    ("I would say this is strongly unacceptable.", SU),
    ("I'd consider this practice somewhat unacceptable.", U),
    ("I find this scenario to be somewhat acceptable.", A),
    ("This scenario is strongly unacceptable.", SU),
    ("This is a somewhat acceptable scenario.", A),
    ("It is somewhat unacceptable.", U),
    ("The scenario you describe would be strongly acceptable.", SA),
    ("The level of acceptability for this scenario is somewhat unacceptable", U),
    ("The most fitting option is neutral.", N),
    ("I choose strongly acceptable.", SA),
    ("I'm going with somewhat acceptable here.", A),
    ("Sure! Somewhat acceptable.", A),
    ("Sure, here is my answer:\n\nsomewhat unacceptable", U),
    ("Sharing heart rate data with a doctor seems somewhat acceptable to me.", A),
    ("The acceptability of this scenario is: Strongly Acceptable", SA),
    ("Based on common privacy norms, I believe this is somewhat unacceptable.", U),
    ("I am neutral.", N),
    # the phrase, then why
    ("Somewhat unacceptable. The owner was not asked.", U),
    ("Strongly unacceptable, because parents were not told.", SU),
    ("Somewhat acceptable (if the data are kept safe)", A),
    ("Neutral - there is too little to go by.", N),
    ("Strongly acceptable\n\nExplanation: a doctor needs this.", SA),
    ("Somewhat acceptable because consent was given.", A),
    ("**Somewhat Unacceptable**\n\nStrongly unacceptable would apply if it were sold.", U),
    (
        (
            "Neutral\n\nPlease rate how acceptable this scenario is: a fridge. Options: strongly "
            "unacceptable, somewhat unacceptable, neutral, somewhat acceptable, strongly acceptable"
        ),
        N,
    ),
    # why, then the phrase
    ("The owner was not asked, and the data leave the house.\n\nSomewhat unacceptable", U),
    ("The data are needed for care. Therefore, my answer is: somewhat acceptable.", A),
    ("Consent matters here. Strongly unacceptable.", SU),
    (
        (
            "Options: strongly unacceptable, somewhat unacceptable, neutral, somewhat acceptable, "
            "strongly acceptable.\nAnswer: neutral"
        ),
        N,
    ),
    (
        (
            "1. strongly unacceptable\n2. somewhat unacceptable\n3. neutral\n"
            "4. somewhat acceptable\n5. strongly acceptable\n\nI choose somewhat acceptable."
        ),
        A,
    ),
    (r"$\boxed{\text{somewhat acceptable}}$", A),
    ('{"answer": "strongly acceptable"}', SA),
    ('{"rating": "Neutral", "why": "it could be somewhat acceptable with consent"}', N),
    # a model that mentions what it is and answers all the same
    ("As an AI, I have no feelings, but I would rate this as somewhat unacceptable.", U),
    ("As an AI language model I do not hold opinions. Strongly unacceptable.", SU),
    ("As an AI, my answer is: somewhat acceptable", A),
    # negations and second thoughts
    ("Not strongly unacceptable, but somewhat unacceptable.", U),
    ("It is not neutral; it is somewhat acceptable.", A),
    ("Strongly unacceptable would be too harsh; I would say somewhat unacceptable.", U),
    ("I would not call this strongly acceptable, but somewhat acceptable.", A),
    ("Somewhat acceptable. No, wait: somewhat unacceptable.", U),
    ("The answer is neutral. Correction: somewhat acceptable.", A),
    ("It could be somewhat acceptable at first sight. Final answer: somewhat unacceptable", U),
    ("~~neutral~~ somewhat acceptable", A),
    ("Rather than neutral, I would choose somewhat unacceptable.", U),
    # neutral as another word
    ("From a neutral point of view this is somewhat unacceptable.", U),
    # Chinese
    ("有些不可接受", U),
    ("非常不可接受。", SU),
    ("中立", N),
    ("有点可接受", A),
    ("非常可接受", SA),
    ("我的评价是：有些不可接受。", U),
    ("我认为这种做法是强烈不可接受的。", SU),
    ("答案：比较可接受", A),
    ("不是非常可接受，而是有些可接受。", A),
    ("完全不能接受，因为没有征得同意", SU),
    ("不太能接受", U),
    ("我选择中立。", N),
    ("虽然作为人工智能我没有感受，但我的回答是：有点不可接受", U),
    # what a single line of the table decides
    (r"I hesitated between neutral and \boxed{somewhat acceptable}", A),
    ("Final rating: neutral. My first rating: somewhat acceptable", N),
    ("最终评分：中立。我起初的评价是有些可接受。", N),
    ("我的评价是中立。更正：有些可接受", A),
    ("Neutral? No, somewhat unacceptable.", U),
    ("My first answer is neutral.\nsomewhat acceptable", A),
    ("The verdict is somewhat acceptable, though neutral was close.", A),
    ('{"result": "somewhat acceptable", "note": "neutral at first"}', A),
    ("中立也说得通，但我的评价是有些可接受", A),
    ("neutral is a word, but this scenario is somewhat acceptable.", A),
    ("中立听起来不错，但我认为这种做法是有些可接受的", A),
    # and more of each
    (
        "Based on the information provided, I would say that this is somewhat unacceptable.",
        U,
    ),
    ("The scenario is somewhat unacceptable due to the lack of consent.", U),
    ("This scenario can be considered strongly unacceptable.", SU),
    ('This would be considered "somewhat acceptable."', A),
    ("I'd lean towards somewhat unacceptable.", U),
    ("My rating would be: Strongly Unacceptable", SU),
    ("I would choose: neutral", N),
    ("Option: somewhat acceptable", A),
    ("The acceptability of this scenario: strongly unacceptable.", SU),
    ("I consider it somewhat acceptable as long as the data are kept private.", A),
    ("Strongly unacceptable! A fridge has no business knowing that.", SU),
    ("strongly unacceptable (1)", SU),
    ("1. Strongly unacceptable", SU),
    ("(a) strongly unacceptable", SU),
    ("5) strongly acceptable", SA),
    ("somewhat acceptable\n\nNote: this is my personal view as an AI.", A),
    ("Somewhat Acceptable\n\nAs an AI language model, I don't have personal opinions.", A),
    ("neutral\nneutral\nneutral\nneutral", N),
    ("neutral neutral neutral neutral neutral neutral neutral neutral neutral neutral neutral", N),
    ('The answer is: "Somewhat unacceptable".', U),
    ("Answer: Somewhat unacceptable. This is not strongly unacceptable because harm is small.", U),
    ("It's somewhat acceptable, but not strongly acceptable.", A),
    ("It is neither strongly acceptable nor strongly unacceptable; it is neutral.", N),
    (
        "As an AI language model, I don't have opinions, but I can say it is somewhat acceptable.",
        A,
    ),
    (
        "As an AI language model, I have no opinions. Many would find this strongly unacceptable.",
        SU,
    ),
    (
        f"Please choose one: {ALL}. I choose: neutral",
        N,
    ),
    (
        TICKED,
        N,
    ),
    ("This is strongly unacceptable, as it would be somewhat acceptable only with consent.", SU),
    (
        "If they agreed, it would be somewhat acceptable. As it is, it is strongly unacceptable.",
        SU,
    ),
    ("In general it is somewhat acceptable; if sold, it would be strongly unacceptable.", A),
    ("While some may find it neutral, I find it somewhat unacceptable.", U),
    ("The scenario falls under the category of somewhat unacceptable.", U),
    ('I\'d classify this as "somewhat acceptable".', A),
    ("It's a neutral scenario.", N),
    ("I have a neutral stance on this.", N),
    ("I am neutral on this matter.", N),
    ("Neutral (leaning somewhat unacceptable)", N),
    ("strongly unacceptable?", SU),
    ("Hmm, somewhat unacceptable I guess", U),
    ("Sure! Here's my response: **Somewhat Acceptable**", A),
    ("Response:\nSomewhat Acceptable", A),
    ("### Response:\nneutral", N),
    ("Scenario: a fridge tells a shop.\nRating: neutral", N),
    ("AI: strongly acceptable", SA),
    ("Assistant: strongly acceptable", SA),
    ("strongly  UNACCEPTABLE!!!", SU),
    ("Some what acceptable", A),
    ("Somewhat Acceptable 👍", A),
    ("我会选择“有些可接受”。", A),
    ("我认为这是有点不可接受的。", U),
    ("该场景有些不可接受，因为没有告知用户。", U),
    ("中立。因为信息不够。", N),
    ("可接受程度：非常不可接受", SU),
    ("比较可以接受", A),
    ("不太可接受", U),
    ("完全可以接受", SA),
    ("既不是非常可接受也不是非常不可接受，中立", N),
    ("作为AI，我不具备个人观点，但我会选择“中立”。", N),
    ("强烈不可接受（strongly unacceptable）", SU),
    ("somewhat unacceptable（有些不可接受）", U),
    ("稍微不可接受", U),
    ("略微可接受", A),
    ("极其不可接受", SU),
]


@pytest.mark.parametrize(("text", "label"), CHOSEN)
def test_a_degree_is_read(text: str, label: str) -> None:
    assert read_likert(text).label == label


UNREAD = [
    ("", Reason.NO_ANSWER),
    ("\n\n", Reason.NO_ANSWER),
    ("<think>It seems somewhat acceptable", Reason.NO_ANSWER),
    ("Answer:", Reason.NO_ANSWER),
    ("None", Reason.NO_ANSWER),
    # all five
    (ALL, Reason.ALL_LABELS_LISTED),
    (ALL.title(), Reason.ALL_LABELS_LISTED),
    ("\n".join(LIKERT), Reason.ALL_LABELS_LISTED),
    ("\n".join(f"- {label}" for label in LIKERT), Reason.ALL_LABELS_LISTED),
    ("\n".join(f"{k}. {label}" for k, label in enumerate(LIKERT, 1)), Reason.ALL_LABELS_LISTED),
    (f"The options are: {ALL}.", Reason.ALL_LABELS_LISTED),
    (
        f"Please indicate the extent to which this scenario is acceptable: {ALL}",
        Reason.ALL_LABELS_LISTED,
    ),
    # several
    ("somewhat acceptable to strongly acceptable", Reason.AMBIGUOUS),
    ("somewhat acceptable or neutral", Reason.AMBIGUOUS),
    ("Somewhat acceptable / somewhat unacceptable", Reason.AMBIGUOUS),
    ("neutral, somewhat acceptable", Reason.AMBIGUOUS),
    ("It is between neutral and somewhat acceptable.", Reason.AMBIGUOUS),
    ("Somewhat acceptable or strongly acceptable, depending on consent.", Reason.AMBIGUOUS),
    (
        "With consent it is somewhat acceptable, and without it is strongly unacceptable.",
        Reason.AMBIGUOUS,
    ),
    ("有些可接受或者中立", Reason.AMBIGUOUS),
    # what it is not, or no more than a bound
    ("not strongly acceptable", Reason.AMBIGUOUS),
    ("This isn't somewhat acceptable.", Reason.AMBIGUOUS),
    ("It is hardly neutral.", Reason.AMBIGUOUS),
    ("I would not consider this strongly acceptable.", Reason.AMBIGUOUS),
    ("不是非常可接受", Reason.AMBIGUOUS),
    ("At least somewhat acceptable", Reason.AMBIGUOUS),
    ("more than somewhat unacceptable", Reason.AMBIGUOUS),
    # wrong degrees
    ("smoothly acceptable", Reason.OFF_SCALE),
    ("Smoothly unacceptable.", Reason.OFF_SCALE),
    ("acceptable", Reason.OFF_SCALE),
    ("Unacceptable", Reason.OFF_SCALE),
    ("not acceptable", Reason.OFF_SCALE),
    ("It isn't unacceptable.", Reason.OFF_SCALE),
    ("completely unacceptable", Reason.OFF_SCALE),
    ("moderately acceptable", Reason.OFF_SCALE),
    ("very acceptable", Reason.OFF_SCALE),
    ("strongly", Reason.OFF_SCALE),
    ("strongly agree", Reason.OFF_SCALE),
    ("somewhat", Reason.OFF_SCALE),
    ("4", Reason.OFF_SCALE),
    ("7/10", Reason.OFF_SCALE),
    ("3 out of 5", Reason.OFF_SCALE),
    ("不可接受", Reason.OFF_SCALE),
    ("可以接受", Reason.OFF_SCALE),
    ("Yes", Reason.OFF_SCALE),
    ("The weather is fine today.", Reason.OFF_SCALE),
    ("Carbon-neutral", Reason.OFF_SCALE),
    # what it is
    ("As an AI, I do not have personal opinions.", Reason.LIMITATION_ACKNOWLEDGED),
    ("As an AI language model, I cannot rate this.", Reason.LIMITATION_ACKNOWLEDGED),
    ("As a language model I remain neutral.", Reason.LIMITATION_ACKNOWLEDGED),
    ("I'm just an AI, it's not my place to say.", Reason.LIMITATION_ACKNOWLEDGED),
    ("I don't have personal beliefs or values.", Reason.LIMITATION_ACKNOWLEDGED),
    (f"As an AI, I cannot choose among {ALL}.", Reason.LIMITATION_ACKNOWLEDGED),
    ("作为一个AI，我没有个人观点。", Reason.LIMITATION_ACKNOWLEDGED),
    ("作为人工智能语言模型，我无法判断。", Reason.LIMITATION_ACKNOWLEDGED),
    # asks
    ("Could you provide more context?", Reason.ASKS_FOR_CONTEXT),
    ("I need more information about the purpose.", Reason.ASKS_FOR_CONTEXT),
    ("It depends on the context.", Reason.ASKS_FOR_CONTEXT),
    ("Please provide the scenario.", Reason.ASKS_FOR_CONTEXT),
    ("Depends.", Reason.ASKS_FOR_CONTEXT),
    ("请提供更多信息。", Reason.ASKS_FOR_CONTEXT),
    ("这取决于具体情况。", Reason.ASKS_FOR_CONTEXT),
    # declines
    ("I'm sorry, but I can't help with that.", Reason.REFUSED_TO_CHOOSE),
    ("I cannot answer that.", Reason.REFUSED_TO_CHOOSE),
    ("I don't know.", Reason.REFUSED_TO_CHOOSE),
    ("I'd rather not judge this.", Reason.REFUSED_TO_CHOOSE),
    ("抱歉，我不能评价。", Reason.REFUSED_TO_CHOOSE),
    ("I can't say whether this is strongly acceptable.", Reason.REFUSED_TO_CHOOSE),
    # and more of each
    ("neither acceptable nor unacceptable", Reason.OFF_SCALE),
    ("Not acceptable at all", Reason.OFF_SCALE),
    ("highly unacceptable", Reason.OFF_SCALE),
    ("extremely acceptable", Reason.OFF_SCALE),
    ("Somewhat acceptable, somewhat unacceptable", Reason.AMBIGUOUS),
    ("Acceptable: somewhat", Reason.OFF_SCALE),
    ("Strongly disagree", Reason.OFF_SCALE),
    ("The sharing of data is acceptable.", Reason.OFF_SCALE),
    ("I would rate it 3 on a scale of 1 to 5.", Reason.OFF_SCALE),
    ("3", Reason.OFF_SCALE),
    ("C", Reason.OFF_SCALE),
    ("Somewhat accetable", Reason.OFF_SCALE),
    ("I'm afraid I can't rate this scenario.", Reason.REFUSED_TO_CHOOSE),
    ("I am unable to provide a rating for this.", Reason.REFUSED_TO_CHOOSE),
    (
        "The acceptability of this scenario depends on whether users consent.",
        Reason.ASKS_FOR_CONTEXT,
    ),
    ("Without more details, it is hard to tell.", Reason.ASKS_FOR_CONTEXT),
    ("There is not enough information to judge.", Reason.ASKS_FOR_CONTEXT),
    ("Please clarify the scenario.", Reason.ASKS_FOR_CONTEXT),
    (
        f"The answer needs to be strictly only one of the following options: {ALL}",
        Reason.ALL_LABELS_LISTED,
    ),
    (
        f"{ALL}.\n\n{ALL}",
        Reason.ALL_LABELS_LISTED,
    ),
    (
        SHARES,
        Reason.ALL_LABELS_LISTED,
    ),
    (
        "Some people may find it strongly unacceptable, others somewhat acceptable.",
        Reason.AMBIGUOUS,
    ),
    ("Neutral/somewhat acceptable", Reason.AMBIGUOUS),
    ("Neutral to somewhat acceptable", Reason.AMBIGUOUS),
    ("not at all acceptable", Reason.OFF_SCALE),
    ("unacceptable, strongly", Reason.OFF_SCALE),
    ("Strongly not acceptable", Reason.OFF_SCALE),
    ("我无法给出评价。", Reason.REFUSED_TO_CHOOSE),
    ("非常不可接受、有些不可接受、中立、有些可接受、非常可接受", Reason.ALL_LABELS_LISTED),
    # what a single line of the table decides
    ("Strongly unacceptable would be too harsh.", Reason.AMBIGUOUS),
    ("我不具备个人偏好。", Reason.LIMITATION_ACKNOWLEDGED),
    ("acceptable " * 12, Reason.OFF_SCALE),
    # no language
    ("....", Reason.NONSENSICAL),
    ("😀", Reason.NONSENSICAL),
    ("ha ha ha ha ha ha ha ha ha ha ha ha", Reason.NONSENSICAL),
    ("acept acept acept acept acept acept acept acept acept acept acept", Reason.NONSENSICAL),
]


@pytest.mark.parametrize(("text", "reason"), UNREAD)
def test_where_no_degree_is_given_the_reason_is_told(text: str, reason: Reason) -> None:
    reading = read_likert(text)
    assert (reading.label, reading.reason) == (None, reason)


def test_every_label_is_spelt_and_every_spelling_of_the_scale_is_read() -> None:
    assert tuple(label for label, _ in FORMS) == LIKERT
    for label in LIKERT:
        assert {read_likert(form).label for form in LIKERT_SCALE.forms_of(label)} == {label}


GERMAN = ("nicht akzeptabel", "eher nicht akzeptabel", "neutral", "eher akzeptabel", "akzeptabel")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("akzeptabel", SA),
        ("Akzeptabel.", SA),
        ("nicht akzeptabel", SU),
        ("**Eher nicht akzeptabel.** Niemand wurde gefragt.", U),
        ("Das hängt davon ab.\nEher akzeptabel", A),
        ("Neutral", N),
        ("somewhat unacceptable", U),
        # within a sentence the rule would need the language to know what is said of it
        ("Das ist keineswegs akzeptabel für mich", None),
        ("inakzeptabel", None),
        ("akzeptabel, neutral", None),
    ],
)
def test_a_prompts_own_words_are_read_where_they_stand_by_themselves(
    text: str, label: str | None
) -> None:
    reading = read_likert(text, GERMAN)
    assert reading.label == label
    assert (reading.reason is None) == (label is not None)
    # and are no answer to a prompt that did not list them
    if label is not None and "akzeptabel" in text:
        assert read_likert(text).label is None


ARABIC = ("غير مقبول تماما", "غير مقبول", "محايد", "مقبول", "مقبول تماما")


@pytest.mark.parametrize("words", [GERMAN, ARABIC])
def test_a_phrase_within_another_is_not_taken_for_it(words: tuple[str, ...]) -> None:
    assert [read_likert(word, words).label for word in words] == list(LIKERT)
