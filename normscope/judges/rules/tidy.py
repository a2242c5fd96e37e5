"""A reply as the rules see it: one spelling for every letter, blank and line."""

import re
import unicodedata

_MARK = r"(?:<\|[^|>\n]{1,40}+\|>|</?s>|<(?:eos|bos|start_of_turn|end_of_turn)>)"
_OPENED = re.compile(rf"(?:\s*+{_MARK}(?:(?:assistant|model)\b)?)*+\s*+", re.IGNORECASE)
_ENDED = re.compile(_MARK, re.IGNORECASE)
_THOUGHTS = re.compile(r"<(/?)(?:think(?:ing)?|reasoning|thoughts?)>", re.IGNORECASE)

# one character of a blessing is compatible with eighteen, and no label is spelt so
_LONGEST = 4

_LINES = re.compile(r"[^\S\n]*+\n\s*+")
_WORDLESS = re.compile(r"^[^\w\n]*+\n|\n[^\w\n]*+\Z", re.MULTILINE)
_BLANKS = re.compile(r"[^\S\n]++")
_PLAIN = {"’": "'", "‘": "'", "ʼ": "'", "_": " "}
_PLAIN |= dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n")
# the traditional characters of the words that the rules know
_TRADITIONAL = (
    "選擇應該為對錯項確誤無絕責風險強極認覺語沒個類別級評價斷結終擔憂"
    "請關於與還並會這給說題問難決資訊場況種僅單純簡倫後樣見觀點體討論"
)
_SIMPLIFIED = (
    "选择应该为对错项确误无绝责风险强极认觉语没个类别级评价断结终担忧"
    "请关于与还并会这给说题问难决资讯场况种仅单纯简伦后样见观点体讨论"
)
_PLAIN |= dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True))
# white on black, which Unicode does not call compatible with the plain letters
_PLAIN |= {chr(start + i): chr(65 + i) for start in (0x1F150, 0x1F170) for i in range(26)}


def tidy(text: str) -> str:
    r"""The reply without its thoughts and what follows its end, in plain characters.

    Compatible characters are one (full width, circled, mathematical), character by character:
    normalising a whole text takes quadratic time where combining marks pile up. What cannot be
    seen is gone, blanks are single, lines are not indented and have words in them, and
    underscores, which are emphasis or glue, are blanks. Of `<think>…</think>` nothing stays, and
    where the thoughts never end there is no answer after them.

    >>> tidy("<think>A or B?</think>\n\n　（Ｂ）  it is…<|im_end|>\nQuestion 2")
    '(B) it is...'
    """
    text = _reply_alone(text)
    text = text.translate({ord(char): _plain(char) for char in set(text)})
    return _WORDLESS.sub("", _BLANKS.sub(" ", _LINES.sub("\n", text)).strip())


def _reply_alone(text: str) -> str:
    """What is said without the thoughts, up to the token that ends the reply."""
    start, end = 0, len(text)
    for match in _THOUGHTS.finditer(text):
        if match[1]:
            start, end = match.end(), len(text)
        else:
            end = min(end, match.start())
    opened = _OPENED.match(text, start, end)
    start = opened.end() if opened else start
    ended = _ENDED.search(text, start, end)
    return text[start : ended.start() if ended else end]


def _plain(char: str) -> str:
    # format characters and variation selectors; other marks stay on the letters they change
    if unicodedata.category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f":
        return ""
    plain = _PLAIN.get(char) or unicodedata.normalize("NFKC", char)
    if len(plain) > _LONGEST:
        return char
    return "".join(_PLAIN.get(piece, piece) for piece in plain)
