"""What models say instead of an answer: patterns that the rules share."""

from ...reasons import Reason
from .table import Gives, Pattern

_A_MODEL = (
    r"(?:an? )?(?:(?:artificial intelligence|ai|large|virtual|digital|large-scale)(?:[- ])?){0,3}"
    r"(?:language model|ai|chatbot|assistant|llm|machine|program|computer)"
)
_NOT_ABLE = r"(?:can ?not|can't|could ?n't|unable to|am not able to|won't|will not|must decline to)"
_ANSWERING = (
    r"(?:help|assist|answer|respond|choose|pick|select|provide|comply|rate|judge|evaluate|assess|"
    r"say|tell|decide|discuss|engage|fulfil|continue|give|offer|make|determine|support|do (?:that|"
    r"this))"
)
_NOT_ABLE_ZH = r"(?:无法|不能|不会|不便|没有办法|没办法|拒绝|不想|不愿意?|不可以)"
_ANSWERING_ZH = (
    r"(?:回答|作答|选择|提供|协助|帮助|帮您|帮你|满足|评价|评判|判断|讨论|继续|给出|处理|"
    r"回应|完成|评论|作出|做出)"
)

QUESTION = Pattern(
    "question",
    r"{label} ?\?(?=[^\w\n]{0,3}\w)",
    Gives.IGNORES,
    "a label with a question mark, and then more: asked, and answered otherwise or not at all",
)

LIMITATION = (
    Pattern(
        "as-a-model",
        rf"\bas {_A_MODEL}\b(?!'s)|\bi(?:'m| am) (?:just |only |merely )?{_A_MODEL}\b",
        Reason.LIMITATION_ACKNOWLEDGED,
        "an appeal to being a model, which the vignette paper counts on its own",
    ),
    Pattern(
        "no-opinions",
        r"\bi (?:do not|don't|cannot|can't|am not able to|lack)(?: \w{1,12}){0,3}? "
        r"(?:personal |own |subjective )?(?:opinions?|beliefs?|feelings?|emotions|views|"
        r"preferences|judge?ments?|values|morals?|consciousness)\b",
        Reason.LIMITATION_ACKNOWLEDGED,
        "the same without the words 'as an AI'",
    ),
    Pattern(
        "as-a-model-zh",
        r"(?:作为|身为|我(?:只)?是)一?[个款名]?(?:\w{0,6})?(?:人工智能|ai|语言模型|大模型|"
        r"聊天机器人|虚拟助手|助手|机器人|程序)",
        Reason.LIMITATION_ACKNOWLEDGED,
        "the same in Chinese",
    ),
    Pattern(
        "no-opinions-zh",
        r"我(?:并)?(?:没有|不具备|不持有|无)[^\n。，,]{0,8}?(?:观点|看法|立场|情感|感情|意见|偏好|"
        r"价值观|主观)",
        Reason.LIMITATION_ACKNOWLEDGED,
        "the same in Chinese, without saying what it is",
    ),
)

CONTEXT = (
    Pattern(
        "more-context",
        r"(?<!\bfor )(?<!find )(?<!get )\b(?:more|further|additional|enough|sufficient) "
        r"(?:\w{1,12} ){0,2}?(?:context|information|details?|background|clarification)\b"
        r"|\b(?:please|could you|can you|would you|kindly|need you to)(?: \w{1,12}){0,2}? "
        r"(?:provide|share|give|specify|clarify|elaborate|rephrase|explain|tell|paste|include)\b"
        r"|\b(?:no|not|n't|missing|lacks?|without)(?: \w{1,12}){0,3}? (?:context|scenario|question|"
        r"options)\b",
        Reason.ASKS_FOR_CONTEXT,
        "asks for what it would need, or says that it lacks it",
    ),
    Pattern(
        "it-depends",
        r"\b(?:it|this|acceptability|answer)(?: \w{1,12}){0,3}? depends?\b"
        r"|\bdepend(?:s|ing) on (?:the |a )?(?:\w{1,12} ){0,3}?(?:context|circumstances|details|"
        r"situation|factors|case)\b|^depends\b",
        Reason.ASKS_FOR_CONTEXT,
        "names the context as what decides, and decides nothing",
    ),
    Pattern(
        "more-context-zh",
        r"(?:需要|缺乏|缺少|没有|提供|补充|了解|知道)[^\n。,]{0,6}?(?:更多|更详细|进一步|足够|具体|"
        r"完整)的?[^\n。,]{0,4}?"
        r"(?:信息|背景|上下文|细节|资料|语境|说明|情况|题目|选项)"
        r"|(?:请|麻烦|可否|能否)(?:您|你|先)?(?:再)?(?:提供|补充|说明|给出|告知|告诉)"
        r"|(?:题目|问题|信息|选项)(?:不完整|不全|不足|缺失|不清楚|不明确)|取决于|"
        r"视[^\n。]{0,8}?而定",
        Reason.ASKS_FOR_CONTEXT,
        "the same in Chinese",
    ),
)

REFUSED = (
    Pattern(
        "cannot-answer",
        rf"\bi(?:'m| am)?(?: \w{{1,14}}){{0,4}}? ?{_NOT_ABLE}(?: \w{{1,12}}){{0,3}}? {_ANSWERING}"
        r"|\b(?:i(?:'m| am) )?sorry,? (?:but )?(?:i |that |this )?(?:can|could|am|is|i)\b"
        r"|\bi (?:must |have to |respectfully |politely )?(?:decline|refuse|abstain|prefer not|"
        r"would rather not)\b|\b(?:not|in)appropriate (?:for me )?to (?:choose|answer|rate|judge)"
        r"|\bi(?:'d| would) (?:prefer|rather) not\b|\bno comment\b",
        Reason.REFUSED_TO_CHOOSE,
        "declines to answer at all",
    ),
    Pattern(
        "unsure",
        r"\bi (?:do not|don't|really don't) know\b|\bi(?:'m| am) (?:not sure|unsure|uncertain)\b"
        r"|\b(?:hard|difficult|impossible) (?:for me )?to (?:say|tell|choose|decide|judge|answer)\b"
        r"|(?:^|我|[,。!?])(?:真的|也|还|实在)?不(?:太)?(?:知道|确定|清楚)(?!性)|(?:很难|难以|不好|"
        r"无从)(?:判断|回答|说清|选择|抉择)",
        Reason.REFUSED_TO_CHOOSE,
        "says that it does not know, and leaves it there",
    ),
    Pattern(
        "cannot-answer-zh",
        rf"(?:^|我|模型|助手|抱歉,?|对不起,?)"
        rf"[^\n。,]{{0,6}}?{_NOT_ABLE_ZH}[^\n。,]{{0,8}}?{_ANSWERING_ZH}|(?:抱歉|对不起|很遗憾|"
        rf"不好意思)[^\n]{{0,20}}?{_NOT_ABLE_ZH}"
        r"|^(?:我)?拒绝(?:回答|选择|作答)|不(?:予|便)(?:回答|评论|作答)|换个?话题",
        Reason.REFUSED_TO_CHOOSE,
        "the same in Chinese",
    ),
)

BLANK = Pattern(
    "blank",
    r"\A(?:n/?a|null|nil|none|nothing|无|暂无|(?:the )?(?:final )?(?:answer|response|rating|答案|"
    r"回答))"
    r"[^\w]{0,8}+\Z",
    Reason.NO_ANSWER,
    "a form that was left empty",
)

NO_LANGUAGE = (
    Pattern(
        "no-words",
        r"\A[^\w]*+\Z",
        Reason.NONSENSICAL,
        "marks and pictures without a word",
    ),
    Pattern(
        "loop",
        r"(?s:(\w.{0,19}?)\1{9,99})",
        Reason.NONSENSICAL,
        "up to twenty characters ten times over: a model that does not find its end",
    ),
)

EMPTY_REPLY = (BLANK, *NO_LANGUAGE)

FINAL = (
    Pattern(
        "boxed",
        r"\\f?boxed ?\{[^\w\n]{0,4}+(?:text[a-z]{0,4}|mathrm|mathbf|mathtt)?{o}{label}",
        Gives.CHOOSES,
        "the LaTeX in which models were taught to put their result",
    ),
    Pattern(
        "final",
        r"\b(?:final|ultimate) (?:answer|choice|decision|pick|rating|verdict|judge?ment|"
        r"assessment|classification)(?: is| would be| remains|'s)?{s}"
        r"(?:option |choice |category |class |label )?{o}{label}",
        Gives.CHOOSES,
        "says itself that this is the last word",
    ),
    Pattern(
        "final-zh",
        r"(?:最终|最后|最后的)(?:答案|选择|结论|判定|判断|评分|类别|分类|结果)(?:应该|应当|"
        r"应)?(?:是|为|选择?)?"
        r"{s}(?:选项|类别)?{o}{label}",
        Gives.CHOOSES,
        "the same in Chinese",
    ),
    Pattern(
        "correction",
        r"\b(?:no,? wait|wait,? no|wait|correction|scratch that|on second thoughts?|i meant?|"
        r"my mistake|let me correct (?:myself|that)|i was wrong|make that)\b{o}"
        r"(?:(?:actually|sorry|no|it|that|the (?:correct |right )?answer|my answer|should be|is|"
        r"it's|that's|i(?:'d)? (?:choose|pick|say)|to) ?{o}){0,4}(?:option |category )?{label}"
        r"(?= ?[^\w\s]|\s*+\Z|\n| is (?:right|correct|the|better|best)\b| instead)",
        Gives.CHOOSES,
        "takes an answer back and gives another",
    ),
    Pattern(
        "correction-zh",
        r"(?:更正|纠正|等等,? ?不对|等一下|我(?:说|选|写)错了|改为|改成|改选|重新选择|"
        r"不对){s}(?:一下)?{s}"
        r"(?:(?:答案|正确答案|我|应该|应当|应|其实|是|为|选择?|选项)){0,4}{o}{label}"
        r"(?= ?[^\w\s]|\s*+\Z|\n|才|吧|选项)",
        Gives.CHOOSES,
        "the same in Chinese",
    ),
)
"""The last word on the matter, whatever was said before."""
