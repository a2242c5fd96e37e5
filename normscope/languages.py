"""What people call a language, as its code: `English`, `en_US`, `eng` and 英语 are `en`.

A table of our own, since a library that knows every language's names (langcodes) would be one more
dependency for one column. It holds the languages in which benchmarks and guards are published; any
other code is taken as it is, and any tag by the form that BCP 47 gives it.
"""

import re
import unicodedata

from .messages import Language

_NAMES = """
ar ara arb | Arabic | العربية | 阿拉伯语 阿拉伯文
bn ben | Bengali Bangla | বাংলা | 孟加拉语
cs ces cze | Czech | čeština | 捷克语
de deu ger | German | Deutsch | 德语 德文
el ell gre | Greek | ελληνικά | 希腊语
en eng | English American_English British_English | 英语 英文 英語
es spa | Spanish Castilian | español castellano | 西班牙语 西班牙文
fa fas per | Persian Farsi | فارسی | 波斯语
fr fra fre | French | français | 法语 法文
he heb iw | Hebrew | עברית | 希伯来语
hi hin | Hindi | हिन्दी हिंदी | 印地语
hu hun | Hungarian | magyar | 匈牙利语
id ind in | Indonesian | Bahasa_Indonesia | 印尼语 印度尼西亚语
it ita | Italian | italiano | 意大利语 意大利文
ja jpn | Japanese | 日本語 | 日语 日文
ko kor | Korean | 한국어 | 韩语 韩文 朝鲜语
ms msa may | Malay | Bahasa_Melayu | 马来语
no nor nb nob | Norwegian | norsk bokmål | 挪威语
nl nld dut | Dutch | Nederlands | 荷兰语
pl pol | Polish | polski | 波兰语
pt por | Portuguese Brazilian_Portuguese | português | 葡萄牙语
ro ron rum | Romanian | română | 罗马尼亚语
ru rus | Russian | русский | 俄语 俄文
sv swe | Swedish | svenska | 瑞典语
sw swa swh | Swahili | Kiswahili | 斯瓦希里语
ta tam | Tamil | தமிழ் | 泰米尔语
th tha | Thai | ไทย | 泰语 泰文
tl tgl | Tagalog Filipino fil | 他加禄语 菲律宾语
tr tur | Turkish | Türkçe | 土耳其语
uk ukr | Ukrainian | українська | 乌克兰语
ur urd | Urdu | اردو | 乌尔都语
vi vie | Vietnamese | Tiếng_Việt | 越南语
zh zho chi cmn | Chinese Mandarin Simplified_Chinese Traditional_Chinese | 中文 汉语 漢語 \
普通话 普通話 简体中文 繁体中文 繁體中文
"""
"""A language a line: its code, then what else it is called; _ is a blank within a name."""

_CALLED = {
    line.split()[0]: (names[1].split()[0], names[-1].split()[0])
    for line in _NAMES.strip().splitlines()
    if len(names := line.split("|")) > 1
}
"""What a language is called in English and in Chinese, by its code."""

_CODES = {
    name.replace("_", " ").casefold(): line.split()[0]
    for line in _NAMES.strip().splitlines()
    for name in line.replace("|", " ").split()
}
_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*(?:\.[a-z0-9-]+)?")
_ASIDE = re.compile(r"\s*[(（].*[)）]\s*$")


def language_code(name: str) -> str:
    """The ISO 639 code of a language that is named by its code, a tag or a name.

    Of a tag (BCP 47, or a locale) the language alone is taken. A name that is not known stands for
    itself, so that what reads it says so.

    >>> [language_code(name) for name in ("English", "en_US.UTF-8", "eng", "zh-Hant-TW", "中文")]
    ['en', 'en', 'en', 'zh', 'zh']
    >>> language_code("Chinese (Simplified)"), language_code(" Klingon "), language_code("")
    ('zh', 'Klingon', '')
    """
    text = name.strip()
    # NFKC: full-width letters are letters; what stands in brackets is an aside (Simplified)
    folded = _ASIDE.sub("", unicodedata.normalize("NFKC", text).casefold())
    if folded in _CODES:
        return _CODES[folded]
    tag = _TAG.fullmatch(folded)
    return _CODES.get(tag[1], tag[1]) if tag else text


def language_name(code: str, language: Language = "en") -> str:
    """What a language is called; a code that the table does not hold stands for itself.

    >>> language_name("fr"), language_name("fr", "zh"), language_name("zh"), language_name("jv")
    ('French', '法语', 'Chinese', 'jv')
    """
    names = _CALLED.get(code, (code, code))
    return names[language == "zh"].replace("_", " ")
