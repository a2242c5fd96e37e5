"""What other rooms say in English is known to the Chinese page, and what is known is still said."""

import ast
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import normscope
from normscope.report.contexts_zh import CONTEXTS
from normscope.report.sentences import sentence
from normscope.report.sentences_zh import PARTS, SENTENCES

ROOM = Path(normscope.__file__).parent
EVERY = PARTS | SENTENCES | CONTEXTS
SAID_IN: dict[str, tuple[str, ...]] = {
    # module: what in it is no message to a reader of a page
    "datasets_builders/ci_vignettes/check.py": (),
    "datasets_builders/ci_vignettes/joins.py": (),
    "datasets_builders/ci_vignettes/review.py": ("the bundled", "a bundled variant", "10^"),
    "datasets_builders/ci_vignettes/wording.py": ("\\", "[ ,("),
    "yaml.py": ("bytes", "Value error", "does not exist", "is a folder", "is not UTF-8"),
    "compare/align.py": (),
    "compare/differences.py": (),
    "compare/norm_maps.py": (),
    "compare/same.py": (),
    "stages/family.py": (),
    "stages/several.py": ("normscope report",),
    "stages/report.py": ("95 %", "[yellow]"),
    "validate/summary.py": (" ({}", "not shown", "no list", "its bias", "Its bias"),
    "annotate/correct.py": (
        *("too few labels", "is not the file", "ties are open", "was drawn from the run"),
        *("people labelled", "no answer"),
    ),
    "metrics/intervals.py": (
        *("must lie between", "a rate needs", "a standard error needs", "of a population of"),
        *(", no spread", ", all equal", "one value", "one cluster"),
    ),
    "metrics/rates.py": (
        "counts independent",
        "strata are redrawn",
        "needs limits",
        "items",
        "all vignettes",
    ),
    "metrics/paired.py": ("items", "all vignettes"),
    "metrics/tango.py": (
        *("alone", "one cluster", "counts of n items"),
        *("s score", "as good as", "Cohen"),
    ),
    "metrics/jackknife.py": (),
}


def normal(text: str) -> str:
    return re.sub(r"\{.*?\}", "{}", text)


def texts_of(path: Path) -> Iterator[str]:
    """Every text of the module that is no docstring and has a blank in it, its slots empty."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed_by: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.Assert):
            passed_by |= {id(child) for child in ast.walk(node)}
        if isinstance(node, ast.JoinedStr):
            passed_by |= {id(child) for child in ast.walk(node) if child is not node}
            said = "".join(
                str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said = normal(node.value)
        else:
            continue
        if id(node) not in passed_by and " " in said.strip():
            yield said.strip().replace("{{", "{").replace("}}", "}")


def in_order(said: str) -> str:
    """A pattern of what stands between the slots; a slot may hold more of a known sentence."""
    return ".*".join(re.escape(part.strip(" ,:;")) for part in said.split("{}"))


@pytest.mark.parametrize("module", SAID_IN)
def test_what_a_module_says_is_known_in_chinese(module: str) -> None:
    known = "\n".join(normal(english) for english in EVERY)
    left = [
        said
        for said in texts_of(ROOM / module)
        if re.search(r"[a-z]{2}", said)
        and not re.search(
            ".*".join(re.escape(part.strip(" ,:;")) for part in said.split("{}")), known
        )
        and not any(part in said for part in SAID_IN[module])
    ]
    assert left == [], "say it in normscope/report/sentences_zh.py or contexts_zh.py"


@pytest.mark.parametrize("english", EVERY)
def test_both_languages_have_the_same_slots(english: str) -> None:
    assert EVERY[english].strip()
    assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", EVERY[english]))


def filled(template: str, *, chinese: bool) -> str:
    """The template with something that fits into each slot."""

    def fits(slot: re.Match[str]) -> str:
        name = slot[1]
        if name.startswith("told"):
            return "精确值" if chinese else "exact"
        if name.startswith("each"):
            return "甲 为 1，乙 为 2" if chinese else "甲 has 1, 乙 has 2"
        return f"〈{name}〉"

    return re.sub(r"\{(\w+)\}", fits, template)


@pytest.mark.parametrize("english", SENTENCES | CONTEXTS)
def test_a_sentence_is_known_by_its_own_words(english: str) -> None:
    assert sentence(filled(english, chinese=False), "zh") == filled(EVERY[english], chinese=True)
    assert sentence(filled(english, chinese=False), "en") == filled(english, chinese=False)


@pytest.mark.parametrize(
    ("told", "chinese"),
    [
        (
            "jackknife over 11 wordings, t, over the scored",
            "刀切法 t 区间（11 种措辞），仅限已评分者",
        ),
        (
            "worst case Wilson over 3 clusters, all equal; best case t",
            "最差情形：Wilson 区间（3 个聚类），全部相同；最好情形：t 区间",
        ),
        (
            "not measured alike: cfsafety, decoding seed: a has 1, b has none",
            "测量方式不同：cfsafety，解码设置 seed：a 为 1，b 为 none",
        ),
        (
            "factors.sender.levels.0: 'a' is no factor; did you mean 'b'?",
            "factors.sender.levels.0：'a' 不是因素；是否指 'b'？",
        ),
        ("two lines\n  exact", "two lines\n  精确值"),
        ("the cards.json is of another version", "the cards.json is of another version"),
    ],
)
def test_sentences_within_sentences_are_said_too(told: str, chinese: str) -> None:
    assert sentence(told, "zh") == chinese


def test_a_long_text_full_of_a_phrases_words_is_answered_at_once() -> None:
    begun = time.monotonic()
    for between in (" is no level of ", "; ", ", over ", ": ", " in "):
        sentence(f"a{between}" * 5_000, "zh")
    assert time.monotonic() - begun < 2
