"""The rule for Likert answers: which of the five degrees of acceptability a reply gives, zh and en.

The vignettes ask for one of five phrases and nothing else. A degree that is not among them
("smoothly acceptable", "acceptable", "7 out of 10") is off the scale and never rounded to one.
"""

import re
from dataclasses import replace
from functools import lru_cache

from ...datasets_builders.taxonomy import LIKERT as LABELS
from ...reasons import Reason
from .phrases import CONTEXT, EMPTY_REPLY, FINAL, LIMITATION, QUESTION, REFUSED
from .table import Gives, Pattern, Rule, RuleResult, Stage, read
from .tidy import tidy
from .words import Words, form_words

_STRONGLY_ZH = r"(?:非常|强烈|強烈|完全|十分|极其|极)(?:地|的)?"
_SOMEWHAT_ZH = r"(?:有些|有点儿?|有一点|稍微|略微|比较|某种程度上?)(?:地|的)?"
_NOT_ZH = r"(?:不可|不能|难以|无法)接受"
_ACCEPTABLE_ZH = r"(?:可以?|能够?)接受"

_NOT_QUITE_ZH = r"不太(?:可以?|能够?)接受"

FORMS = tuple(
    zip(
        LABELS,
        (
            rf"strongly[ \n-]?un[ -]?acceptable|{_STRONGLY_ZH}{_NOT_ZH}",
            rf"some ?what[ \n-]?un[ -]?acceptable|{_SOMEWHAT_ZH}{_NOT_ZH}|{_NOT_QUITE_ZH}",
            r"neutral|中立|中性",
            rf"some ?what[ \n-]?acceptable|{_SOMEWHAT_ZH}{_ACCEPTABLE_ZH}",
            rf"strongly[ \n-]?acceptable|{_STRONGLY_ZH}{_ACCEPTABLE_ZH}",
        ),
        strict=True,
    )
)
"""How each label is spelt; the Chinese forms are the usual renderings of the five."""

_WORDS = form_words(FORMS)

_JUDGING = (
    r"(?:rat|consider|deem|judg|assess|classif|describ|choos|select|pick|call|evaluat|label|"
    r"categori[sz]|find|say|think|believe|regard|view|answer|lean|go)(?:e|es|ed|y|ies|ied|s|ing)?"
)
_DEGREE = (
    r"(?:(?:a|an|the|as|to be|being|only|just|more|overall|generally|definitely|probably|likely|"
    r"clearly|potentially|at best|thus|therefore)[ ]){0,3}"
)

_ASIDE = (
    QUESTION,
    Pattern(
        "not-neutral-itself",
        r"\b(?:gender|carbon|net|politically|technology|value)[ -]{bare}"
        r"|{bare}[ -](?:party|standpoint|point|ground|tone|language|terms?|manner|zone|third|"
        r"wording|"
        r"perspective|observer|expert|way)\b|(?:保持|价值){bare}|{bare}(?:立场|态度|的语言|角度)",
        Gives.IGNORES,
        "neutral as another word",
    ),
    Pattern(
        "hypothetical",
        r"\b(?:if|unless|whether|were)(?: [a-z']{1,14}){0,8}? (?:it|this|that|they|is|was|were|be|"
        r"as|considered|rated|deemed){g}{label}|(?:是否|如果是|若是){label}"
        r"|\b(?:if|unless|with|without)\b[^\n.;!?]{0,80}? (?:it|this|that) (?:would|might|could|"
        r"may) be{g}{label}"
        r"|\b(?:would|might|could|may) be{g}{label}(?= (?:only|if|unless|were|provided)\b)",
        Gives.IGNORES,
        "what would be, not what is",
    ),
    Pattern(
        "not-it",
        r"(?:\bnot|n't|\bcannot|\bnever|\bneither|\bnor|\brather than|\binstead of|\bhardly|"
        r"\bfar from)"
        r"(?: (?:be|a|an|as|considered|rated|necessarily|quite|really|exactly|entirely|simply|just|"
        r"merely|at all|either|or|count as)){0,3}{g}{each}",
        Gives.REJECTS,
        "not strongly acceptable",
    ),
    Pattern(
        "would-not-say",
        rf"(?:\bnot|n't|\bcannot|\bnever) {_JUDGING}(?: (?!if|"
        rf"whether)[a-z']{{1,14}}){{0,5}}?{{g}}{{each}}",
        Gives.REJECTS,
        "I would not consider this strongly acceptable",
    ),
    Pattern(
        "others-say",
        r"\b(?:some|others)(?: [a-z]{1,12}){0,6}?{g}{label}|(?:有人|有些人|"
        r"一些人)[^\n。,]{0,12}?{label}",
        Gives.REJECTS,
        "what others might find, which the reply does not make its own",
    ),
    Pattern(
        "too-much",
        r"{label}{h}(?:(?:is|are|would be|seems|sounds|feels)(?: (?:far|much|a bit|also)){0,2} "
        r"(?:too|not|wrong|excessive|an overstatement|an exaggeration|harsh|inappropriate)\b)",
        Gives.REJECTS,
        "strongly unacceptable would be too harsh",
    ),
    Pattern(
        "not-it-zh",
        r"(?:不是|并非|并不是|不算|谈不上|称不上|而非|而不是|不属于|不会是){g}{each}",
        Gives.REJECTS,
        "the same in Chinese",
    ),
    Pattern(
        "struck",
        r"~~ ?{label} ?~~|[≠¬] ?{label}",
        Gives.REJECTS,
        "a line through it, a sign for not",
    ),
)

_STAGES = (
    Stage("final", FINAL, last=True),
    Stage(
        "opening",
        (
            Pattern(
                "first-words",
                r"\A{o}{label}(?! ?[:=] ?\d)(?= ?[^\w\s]|\s*+\Z|\n| because\b| since\b| as\b|"
                r" due\b| given\b|因为|，)"
                r"(?!{o}\n{o}{unit}{o}$)(?!{o}\n{o}[0-9a-z][.:)] ?{unit})",
                Gives.CHOOSES,
                "the reply begins with the phrase, as was asked for",
            ),
        ),
    ),
    Stage(
        "closing",
        (
            Pattern(
                "last-line",
                r"^(?!{o}{unit}{o}\n)[^\n]*+\n{o}(?:(?:so|therefore|thus|hence|overall|因此|所以|"
                r"综上(?:所述)?)"
                r"[^\w\n]{0,4}+)?{label}{o}\Z",
                Gives.CHOOSES,
                "the phrase alone on the last line, after an explanation",
            ),
        ),
    ),
    Stage(
        "declared",
        (
            Pattern(
                "answer",
                r"\b(?:answer|rating|response|assessment|evaluation|choice|judge?ment|verdict|"
                r"opinion|view|"
                r"selection|acceptability|score|conclusion|level|extent|degree|stance)\b"
                r"(?: (?!options|choices)[a-z]{1,14}){0,6}?(?:(?: is| are| would be| should be|"
                r" will be"
                r"| must be| could be| might be|'s) ?[:=]?| ?[:=])"
                rf"{{s}}{_DEGREE}{{o}}{{label}}",
                Gives.CHOOSES,
                "my answer is: somewhat acceptable",
            ),
            Pattern(
                "field",
                r"[\"'“](?:(?:final )?(?:answer|rating|response|choice|label|acceptability|result|"
                r"score|"
                r"selection)|答案|评分|回答)[\"'”] ?: ?{o}{label}",
                Gives.CHOOSES,
                "a JSON object, asked for or not",
            ),
            Pattern(
                "answer-zh",
                r"(?:答案|评价|评级|评分|回答|选择|判断|结论|可接受程度|接受程度|接受度|程度)"
                r"(?:应该|应当|应|可能|大概|就){0,2}(?:是|为|属于|:|=){s}{label}",
                Gives.CHOOSES,
                "我的评价是：有些不可接受",
            ),
            Pattern(
                "ticked",
                r"\[x\] ?{label}|^[✅✔☑👉→] ?{label}",
                Gives.CHOOSES,
                "a box that is ticked",
            ),
            Pattern(
                "chosen",
                r"\b(?:choose|choosing|chose|pick|select|selecting|selected|go with|opt for)"
                r"(?: the)?(?: option| answer)?{o}{label}|(?:选择|选){o}{label}",
                Gives.CHOOSES,
                "I choose neutral",
            ),
        ),
        last=True,
    ),
    Stage(
        "stated",
        (
            Pattern(
                "rated",
                rf"\b{_JUDGING}(?: (?!between|from|among|whether|if|at|not)[a-z']{{1,14}}){{0,7}}?"
                rf"{{o}}{_DEGREE}{{o}}{{label}}",
                Gives.CHOOSES,
                "I would rate this scenario as somewhat acceptable",
            ),
            Pattern(
                "is",
                r"\b(?:scenario|situation|practice|flow|it|this|that|sharing|action|behaviou?r|"
                r"collection|"
                r"use|disclosure|transfer|device|data|information|transmission|purpose|which)"
                r"(?: (?!if|whether|not)[a-z']{1,14}){0,8}?"
                r"(?: (?:is|are|seems?|appears?|would be|feels?|looks?|falls under|falls into)|'s)"
                r"(?: (?:considered|seen|viewed|regarded|rated|deemed))?"
                rf" {_DEGREE}{{o}}{{label}}",
                Gives.CHOOSES,
                "this scenario is strongly unacceptable",
            ),
            Pattern(
                "is-zh",
                r"(?:我认为|我觉得|这(?:种|个)?(?:情况|场景|做法|情景|行为)?|该(?:情况|场景|做法|"
                r"情景|行为)|属于)[^\n。;]{0,24}?"
                r"(?:是|为|属于|应为|算){o}{label}",
                Gives.CHOOSES,
                "我认为这种做法是有些可接受的",
            ),
            Pattern(
                "sentence",
                r"(?:^|[.!?。:;]){o}{label}{o}(?:$|(?<=[.!?。;]) ?)",
                Gives.CHOOSES,
                "the phrase alone in a sentence or on a line",
            ),
        ),
    ),
    Stage(
        "says-why-not",
        (
            *LIMITATION,
            Pattern(
                "inexact",
                r"\b(?:at least|at most|more than|less than|better than|worse than|almost|nearly|"
                r"between|"
                r"borderline|somewhere|from|ranges?|anything (?:but|other than)|either)(?: (?:be|a|"
                r"to))?{o}{unit}",
                Reason.AMBIGUOUS,
                "a bound or a range",
            ),
            *CONTEXT,
            *REFUSED,
        ),
    ),
    Stage(
        "mentioned",
        (Pattern("mention", r"{label}", Gives.CHOOSES, "the one label that is named at all"),),
        weak=True,
    ),
)

_ALONE = (
    *(stage for stage in _STAGES if stage.name in {"opening", "closing"}),
    Stage(
        "alone",
        tuple(
            pattern for stage in _STAGES for pattern in stage.patterns if pattern.name == "sentence"
        ),
    ),
)
"""The stages that need no other word than the phrase itself."""

_OTHERWISE = (
    Pattern(
        "other-degree",
        r"acceptab|接受|\b(?:dis)?agree|\bapprove|\d ?(?:/|out of) ?\d|"
        r"^[^\w\n]{0,4}[+-]?\d{1,3} ?%?{o}$",
        Reason.OFF_SCALE,
        "a degree that was not offered: smoothly acceptable, acceptable, 7/10",
    ),
    *EMPTY_REPLY,
)

LIKERT = Rule(
    name="likert",
    version=1,
    aside=_ASIDE,
    stages=_STAGES,
    otherwise=_OTHERWISE,
    spelling=repr(FORMS),
)


def read_likert(text: str, words: tuple[str, ...] = ()) -> RuleResult:
    """The Likert label that the reply gives, or why there is none.

    `words` are those in which the prompt listed the five answers, where they are its own: the
    phrase then has to begin the reply, or stand alone in a sentence or on its last line.

    >>> fr = ("inacceptable", "plutôt inacceptable", "neutre", "plutôt acceptable", "acceptable")
    >>> read_likert("Plutôt acceptable.", fr).label
    'somewhat acceptable'
    >>> read_likert("**Somewhat Unacceptable.** Parents were not asked.").label
    'somewhat unacceptable'
    >>> read_likert("Smoothly acceptable").reason
    <Reason.OFF_SCALE: 'off_scale'>
    """
    return _read(text, words)


# thousands of vignettes are answered in the same few words
@lru_cache(maxsize=1024)
def _read(text: str, words: tuple[str, ...]) -> RuleResult:
    return read(*_table_of(words), text)


@lru_cache(maxsize=32)
def _table_of(words: tuple[str, ...]) -> tuple[Rule, Words]:
    """The table for prompts that list the answers in these words; without them the usual one.

    In a language of which the rule knows no other word, it could not tell "acceptable" from "not at
    all acceptable" within a sentence: a phrase that is only mentioned there is not read.
    """
    if not words:
        return LIKERT, _WORDS
    forms = [
        (label, rf"{form}|{re.escape(tidy(word))}", len(word))
        for (label, form), word in zip(FORMS, words, strict=True)
    ]
    # of two phrases that begin alike the longer is looked for first
    longest_first = tuple((label, form) for label, form, _ in sorted(forms, key=lambda f: -f[2]))
    rule = replace(
        LIKERT, aside=(), stages=_ALONE, otherwise=EMPTY_REPLY, spelling=repr(longest_first)
    )
    return rule, form_words(longest_first)
