"""The rule for multiple-choice answers: which of the item's letters a reply chooses, zh and en.

In a question about what is wrong, "B is incorrect" may be the choice of B. The rule does not know
the question, and takes it as B's rejection.
"""

from collections.abc import Sequence

from ...reasons import Reason
from .phrases import BLANK, CONTEXT, FINAL, LIMITATION, NO_LANGUAGE, QUESTION, REFUSED
from .table import Gives, Pattern, Rule, RuleResult, Stage, read
from .words import letter_words

_CHOICE = r"(?:(?:option|choice|answer|letter|number)s? |(?:选项|答案) ?)?"
_CHOICE_END = r"(?: (?:option|choice|answer)|选项|项)?"
_SHORT = 120
_NO_LIST = r"(?!\n{o}{unit}{o}$)(?!\n[^\w\n]{0,4}{unit} ?[.:,、)\]])"

_ASIDE = (
    Pattern(
        "called-by-a-letter",
        r"\b(?:vitamin|plan|type|grade|hepatitis|class|group|team|person|company|user|part|section|"
        r"figure|table|model|student|case|party|country|city|point|world war) ?{bare}"
        r"|(?:维生素|计划|型号|用户|公司|同学|某|小|方案|甲方|城市|国家) ?{bare}"
        r"|\b(?:mr|mrs|ms|dr|prof)\.? {bare}|{bare}/{bare} test|{bare} movies?\b"
        r"|{bare}(?:型|超|股|语言|轮|站|公司|同学|国|城|市|君)",
        Gives.IGNORES,
        "things in a question or an explanation that have letters for names",
    ),
    Pattern(
        "hypothetical",
        r"\b(?:if|suppose|assuming|had)(?: (?:the|my|correct|answer|option|choice|you|i|we|it|"
        r"chose|"
        r"choose|pick|picked|select|selected|said|say|were|was|is)){0,5}{g}{label}"
        r"|(?:如果|若|假如|假设|要是|即使)(?:答案|正确答案|我|你)?(?:是|为|选择?|"
        r"说)?{g}(?:选项)?{g}{label}",
        Gives.IGNORES,
        "what would be, not what is",
    ),
    Pattern(
        "asked-back",
        r"\b(?:is it|could it be|is the (?:correct |right )?answer|why not|what about|how about|"
        r"maybe)"
        r"{g}{label} ?\?|(?:是|选择?|为什么不选){g}(?:选项)?{g}{label} ?(?:吗|么|呢|\?)",
        Gives.IGNORES,
        "a question to itself",
    ),
    QUESTION,
    Pattern(
        "not-it",
        r"(?:(?:\b|can)not|n't|\bcannot be|\brather than|\binstead of|\bneither|\bnor|\bexclud(?:e|"
        r"es|ed|ing)"
        r"|\beliminat(?:e|es|ed|ing)|\brul(?:e|es|ed|ing) out|\bdiscard(?:ed|ing)?|"
        r"\bexcept(?: for)?)"
        r"(?: (?:be|choose|pick|select|the|both|correct|right|either)){0,3} ?"
        rf"{_CHOICE}{{g}}{{each}}",
        Gives.REJECTS,
        "an option that is struck off",
    ),
    Pattern(
        "not-it-zh",
        r"(?:不是|并非|不选择?|别选|不能选|不应该?选|不该选|不可能是|不会是|排除|淘汰|剔除|去掉|"
        r"而非|而不是|不属于?)"
        rf"(?:了|掉)?{{g}}{_CHOICE}{{g}}{{each}}",
        Gives.REJECTS,
        "the same in Chinese",
    ),
    Pattern(
        "wrong",
        rf"{{label}}{{h}}{_CHOICE_END}"
        r"(?: ?(?:is|are|was|were|looks?|seems?|sounds?|would be|can be|must be|could be|should be|"
        r"'s)"
        r"(?: both| all| also| clearly| obviously| definitely| probably| simply| the| an?){0,2} "
        r"(?:incorrect|wrong|false|out|eliminated|excluded|ruled out|untrue|inaccurate|mistaken|"
        r"not (?:the )?(?:right|correct|best|true|answer|it|accurate))\b"
        r"|(?: ?(?:is|are))?n't(?: the)? (?:right|correct|best|true|answer|it)\b"
        r"| ?[:=—–-] ?(?:wrong|incorrect|false|no\b|错|不对|否))",
        Gives.REJECTS,
        "an option that is called wrong",
    ),
    Pattern(
        "wrong-zh",
        rf"{{label}}{{h}}{_CHOICE_END}(?:的?(?:说法|做法|内容|表述|观点))?"
        r"(?:都|也|均|就|则|显然|明显|肯定|可能){0,2}(?:是|属于)?"
        r"(?:不对|不正确|错误|错的|错了|错,|错。|有误|不符合?题意|不合题意|不是(?:正确)?答案|"
        r"不成立)"
        r"|{label}(?:选项|项)?(?:都|也|均|就|则|应|可以?){0,2}(?:不选|不能选|排除)(?! ?{unit})",
        Gives.REJECTS,
        "the same in Chinese",
    ),
    Pattern(
        "struck",
        r"~~ ?{label}[^\n~]{0,200}~~|^[✗✘❌×🚫≠¬] ?{label}|[≠¬] ?{label}|"
        r"{label}[ .:)、-]{0,3}[✗✘❌×🚫]",
        Gives.REJECTS,
        "a cross, a line through it, a sign for not",
    ),
    Pattern(
        "not-that-text",
        r"(?:不|非|未|没有|并非|不是|不够|(?:\bnot|n't)(?: an?| the)? ){quote}",
        Gives.REJECTS,
        "an option's text with a negation, which is no quotation",
    ),
)

_STAGES = (
    Stage("final", FINAL, last=True),
    Stage(
        "lines",
        (
            Pattern(
                "letter-lines",
                r"^{o}{label}{o}\n{o}{label}{o}$",
                Gives.CHOOSES,
                "letters on lines of their own: several, or all",
            ),
        ),
    ),
    Stage(
        "opening",
        (
            Pattern(
                "first-line",
                r"\A{o}(?:(?:option|choice|answer|letter|选项|选择?|答案|答|应?选|故选|"
                r"我选)(?: ?is|是|为)?{o})?"
                rf"{{label}}(?:选项|项|吧)?{{o}}${_NO_LIST}",
                Gives.CHOOSES,
                "the letter alone on the first line, as was asked for",
            ),
            Pattern(
                "first-line-quotes",
                rf"\A{{o}}(?:(?:answer|答案)(?: ?is|是|"
                rf"为)?{{o}})?(?:{_CHOICE}{{label}}{{o}})?{{quote}}{{o}}$"
                rf"{_NO_LIST}",
                Gives.CHOOSES,
                "an option's text alone on the first line, with its letter or without",
            ),
        ),
    ),
    Stage(
        "closing",
        (
            Pattern(
                "last-line",
                r"^(?!{o}{unit}{o}\n)[^\n]*+\n"
                r"{o}(?:(?:so|therefore|thus|hence|因此|所以|故|综上(?:所述)?)[^\w\n]{0,4}+)?"
                r"(?:(?:option|choice|answer|选项|选择?|答案|应?选|故选|我选)(?: ?is|是|为)?{o})?"
                r"{label}(?:选项|项|吧)?{o}\Z",
                Gives.CHOOSES,
                "the letter alone on the last line, after an explanation",
            ),
            Pattern(
                "last-sentence",
                r"[^\n.。!?A-H]{6}[.。!?] ?{label}{o}\Z",
                Gives.CHOOSES,
                "the letter alone as the last sentence",
            ),
        ),
    ),
    Stage(
        "declared",
        (
            Pattern(
                "either-zh",
                r"选择?{o}(?:选项)?{unit}[^\n。]{0,6}(?:也|或)(?:可以?)?选择?{o}{unit}",
                Reason.AMBIGUOUS,
                "可以选A，也可以选B",
            ),
            Pattern(
                "so",
                r"(?:\b(?:so|therefore|thus|hence|consequently)|因此|所以|故){g},? ?{o}{label}{o}$",
                Gives.CHOOSES,
                "…, so B.",
            ),
            Pattern(
                "answer",
                r"\b(?:answers?|response|choice|selection|pick|solution|conclusion)\b(?:\(s\))?"
                r"(?: (?!choices|options)[a-z]{1,12}){0,5}?(?:(?: is| are| would be| should be|"
                r" must be| will be| could be"
                r"| may be| might be| seems to be| appears to be|'s)"
                r"(?: (?:likely|probably|clearly|definitely|therefore|thus|simply|most likely|"
                r"indeed|"
                r"either|both|always|to choose|to pick|to select|obviously)){0,2} ?[:=]?| ?[:=])"
                rf"{{s}}{_CHOICE}{{o}}{{label}}",
                Gives.CHOOSES,
                "the answer is B; best answer to this question: (B)",
            ),
            Pattern(
                "chooses",
                r"\b(?:choose|choosing|chose|pick|picking|select|selecting|selected|"
                r"go(?:ing)? (?:with|for)"
                r"|went with|opt(?:ing)? for|vote for|settle on|lean(?:ing)? towards?"
                r"|i(?:'d| would|'ll| will)? (?:say|answer|guess|think|believe|assume|suggest)"
                r"(?: that)?(?: it(?:'s| is)| the (?:correct |right |best )?answer is)?"
                r"|it(?:'s| is| must be| has to be| would be| should be))"
                rf"{{o}}(?:(?:definitely|probably|clearly|likely|the|with|"
                rf"for)[ ]){{0,2}}{_CHOICE}{{o}}{{label}}"
                r"(?! (?:is|are|was|were|seems?|looks?|sounds?|has|says?)\b)",
                Gives.CHOOSES,
                "I would go with B; select option C",
            ),
            Pattern(
                "field",
                r"[\"'“](?:(?:final |correct )?(?:answer|choice|option|label|selection|selected|"
                r"letter|"
                r"result)|答案|选项|选择)[\"'”] ?: ?{o}{label}|[\"'“]{label}[\"'”] ?: ?true\b",
                Gives.CHOOSES,
                "a JSON object, asked for or not",
            ),
            Pattern(
                "answer-zh",
                r"(?:答案|正解|正确选项|正确的|答|选)(?:应该|应当|应|可能|大概|就|显然|自然|我认为|"
                r"当然|只能|即){0,2}"
                r"(?:是|为|选择?|:|=|即){s}(?:选项|选择?|字母)?{o}{label}(?! ?(?:吗|么))",
                Gives.CHOOSES,
                "答案是B；正确答案为：（B）",
            ),
            Pattern(
                "chooses-zh",
                r"(?:选择|选|选了|选出|填|挑|倾向于|认为(?:是|应该?是|应选)|觉得(?:是|应该?是|"
                r"应选))"
                r"(?:了|的是|答案|的答案是|的选项是)?{s}(?:选项|答案|字母)?{o}{label}(?! ?(?:吗|"
                r"么))",
                Gives.CHOOSES,
                "我选B；应选C；选择：D",
            ),
            Pattern(
                "of-those-zh",
                r"的(?:选项|一项|说法|做法|答案|内容|行为|言论|表述)?(?:应该?|就)?(?:是|"
                r"为){o}(?:选项)?{o}{label}",
                Gives.CHOOSES,
                "含有歧视的是B；不正确的选项是C",
            ),
            Pattern(
                "answers-with-its-text",
                r"(?:\banswer (?:is|would be|should be)|\banswer ?:|\bi(?:'d| would|'ll| will)? "
                r"(?:choose|pick|select|go with)|答案(?:应该)?(?:是|为|:)|"
                r"选择?)(?: ?the)?(?: option)?{s}{quote}",
                Gives.CHOOSES,
                "the answer is, and then the option's text",
            ),
            Pattern(
                "ticked",
                r"^[✅✔☑👉→] ?{label}|{label}[ .:)、-]{0,3}[✅✔☑]|^\[x\] ?{label}",
                Gives.CHOOSES,
                "a tick or a pointing hand",
            ),
        ),
        last=True,
    ),
    Stage(
        "verdict",
        (
            Pattern(
                "is-right",
                rf"{{label}}[^\w\n]{{0,8}}+{_CHOICE_END} ?(?:is|are|seems|looks|sounds|would be|"
                rf"appears|"
                r"must be|should be|'s)(?: (?:to be|clearly|definitely|the|most|more|probably|"
                r"likely|also|"
                r"indeed|both|therefore|obviously|actually|only)){0,4} "
                r"(?:correct|right|best|appropriate|suitable|accurate|true|answer|safest|better|"
                r"ethical|"
                r"responsible|one|way)\b"
                r"|{label} (?:it is\b|stands out|wins|makes (?:the )?most sense|fits best|"
                r"works best)"
                r"|{label} ?[:=—–-] ?(?:right|correct|true|yes)\b",
                Gives.CHOOSES,
                "B is the best option",
            ),
            Pattern(
                "is-right-zh",
                rf"{{label}}{{h}}{_CHOICE_END}(?:的?(?:说法|做法|内容|表述|观点))?"
                r"(?:才|就|都|均|最|更|也|显然|明显|相对){0,2}(?:是|为)?(?:最|更|比较|唯一)?(?:为|"
                r"的)?"
                r"(?:正确|对的|对。|对,|合适|恰当|佳|好|符合|合理|准确|妥当|安全|答案)",
                Gives.CHOOSES,
                "选项C正确；B最合适",
            ),
        ),
    ),
    Stage(
        "leading",
        (
            Pattern(
                "echo",
                r"\A(?:[^\n]{0,300}\n)?[^\w\n]{0,4}{first} ?[.:、)\]](?:[^\n]{0,300}(?:\n| ))"
                r"[^\w\n]{0,4}{second} ?[.:、)\]]|\A{o}{first}{o}\n{o}{second}{o}$",
                Reason.ALL_LABELS_LISTED,
                "the options said over again, with nothing chosen",
            ),
            Pattern(
                "begins",
                rf"\A{{o}}{_CHOICE}{{label}}(?: ?[.:,;、)\]。!=(\"“《-]|\n| because\b| since\b|"
                rf" as\b|因为|选项|项)",
                Gives.CHOOSES,
                "B. Because …; B，因为…",
            ),
        ),
    ),
    Stage(
        "quotes",
        (
            Pattern(
                "quotes",
                r"{long}",
                Gives.CHOOSES,
                "the text of one option and of no other, somewhere",
            ),
        ),
        weak=True,
    ),
    Stage(
        "says-why-not",
        (
            *LIMITATION,
            *CONTEXT,
            BLANK,
            *REFUSED,
            Pattern(
                "none",
                r"\bnone of (?:the|these|them|those)\b|\bneither (?:option|of)\b|\bno (?:option|"
                r"correct "
                r"answer|right answer|answer is)\b|(?:以上|所有|四个|几个|全部)(?:选项|答案|"
                r"说法)?(?:都|均|全|皆)?"
                r"(?:不对|不正确|不选|不是|错)|^都(?:不对|不正确|不选|不是|错)|"
                r"没有(?:一个)?(?:正确|合适|符合题意)的?(?:答案|选项|$)",
                Reason.OFF_SCALE,
                "an answer beside the options",
            ),
            Pattern(
                "all",
                r"\ball (?:of )?(?:the |these |them |those )?(?:above|options|answers|choices|"
                r"are (?:correct|right|true))\b"
                r"|(?:以上|所有|四个|全部)(?:选项|答案|说法)?(?:都|皆|全部?)(?:是|对|正确|可以)|"
                r"^全选|^都(?:正确|对|可以|选)",
                Reason.ALL_LABELS_LISTED,
                "takes all of them",
            ),
        ),
    ),
    Stage(
        "marked",
        (
            Pattern(
                "named",
                r"\b(?:option|choice|answer|letter)s? {o}{label}|(?:选项|答案) ?{o}{label}|"
                r"{label} ?(?:选项|项)",
                Gives.CHOOSES,
                "the one option that is talked about",
            ),
            Pattern(
                "bracketed",
                r"\*\*{o}{label}{o}|[(\"'“「『【\[<{《]{bare}[)\"'”」』】\]>}》]",
                Gives.CHOOSES,
                "a letter in bold, brackets or quotation marks",
            ),
        ),
        weak=True,
    ),
    Stage(
        "bare",
        (
            Pattern(
                "short-mention",
                r"{bare}(?! [a-z])|{bare}(?= (?:and|or)\b)|(?<=[a-z] ){bare}",
                Gives.CHOOSES,
                "the only capital letter of a short reply; one before a word is an article",
            ),
        ),
        weak=True,
        limit=_SHORT,
    ),
)

OPTION = Rule(name="option", version=1, aside=_ASIDE, stages=_STAGES, otherwise=NO_LANGUAGE)


def read_option(text: str, letters: tuple[str, ...], options: Sequence[str] = ()) -> RuleResult:
    """The option that the reply chooses, one of `letters`, or why none; `options` are their texts.

    >>> read_option("不是A，应该选Ｃ。", ("A", "B", "C", "D")).label
    'C'
    >>> read_option("A or B", ("A", "B", "C", "D")).reason
    <Reason.AMBIGUOUS: 'ambiguous'>
    """
    return read(OPTION, letter_words(letters, tuple(options)), text)
