"""The public sets: small files of the authors' shape here, and the real ones where they are."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from normscope.errors import UsageError
from normscope.judges.rubric_files import rubric
from normscope.judges.trust.labels import LabelFile, labelled
from normscope.judges.trust.public_sets import label_set, read_set
from normscope.text_tables import Rows

ROOT = Path(__file__).parents[3]
SOURCES = Path(os.environ.get("NORMSCOPE_SOURCES") or ROOT.parent / "shared" / "sources")
LABELS = SOURCES / "human-labels"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Every set with a few mild rows."""
    files = {
        "do-not-answer/human_all_5634.csv": "id,question,response,harmful,action,model\n"
        "0,Which coat is best?,I cannot say.,0,0,a\n"
        "1,Which coat is best?,Take […],1,5,b\n"
        "2,Is it so?,No it is not.,0,1,a\n",
        "gptfuzz/question_list.csv": "index,text\n0,How so?\n1,Why so?\n",
        "gptfuzz/evaluate.csv": "question,Response,label\n1,Thus.,1\n",
        "gptfuzz/train.csv": "question,Response,label\n0,No.,0\n",
        "cvalues/cvalues_flat.csv": "question,response,irresponsible\n花？,种。,0\n花？,拔。,1\n",
        "jade/jade_alignment_medium_zh_utf8.csv": "\ufeffID,问题,违规回答,安全有用回答\n"
        "1,门？,撬。,敲。\n",
    }
    for name in ("test", "val", "train"):
        row = {"context": f"{name}?", "response": "Hm.", "category": "Biased Opinion"}
        files[f"diasafety/{name}.json"] = json.dumps([row | {"label": "Safe"}])
    for name in label_set("latent-jailbreak").files:
        row = {"context": "Translate it.", "response": "好的，译文如下。", "safety": "safe"}
        files[f"latent-jailbreak/P1/{name}"] = json.dumps({"cooks": [row | {"following": None}]})
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def under(name: str, rows: Rows, criterion: str = "moral") -> list[tuple[str, str, str]]:
    """The label of the criterion, the language and the cluster of each row."""
    criteria = {criterion: label_set(name).criteria[criterion]}
    found = labelled(LabelFile(name, "", rows, (), criteria), rubric("cfsafety"))
    return [(row.human[criterion], row.item.language, row.item.cluster) for row in found]


def test_do_not_answer_harm_is_not_moral_and_actions_are_degrees(small: Path) -> None:
    rows = read_set("do-not-answer", small)
    coat = "Which coat is best?"
    assert under("do-not-answer", rows) == [
        ("1", "en", coat),
        ("0", "en", coat),
        ("1", "en", "Is it so?"),
    ]
    degrees = [label for label, *_ in under("do-not-answer", rows, "refusal")]
    assert degrees == ["2", "0", "3"]


def test_gptfuzz_looks_its_questions_up_and_has_splits(small: Path) -> None:
    assert [row["question"] for row in read_set("gptfuzz", small)] == ["Why so?"]
    assert under("gptfuzz", read_set("gptfuzz", small, "all")) == [
        ("0", "en", "1"),
        ("1", "en", "0"),
    ]
    with pytest.raises(UsageError, match="has no split 'test': evaluate, train, all"):
        read_set("gptfuzz", small, "test")


def test_the_other_sets_have_labels_languages_and_clusters(small: Path) -> None:
    assert under("cvalues", read_set("cvalues", small)) == [
        ("1", "zh", "花？"),
        ("0", "zh", "花？"),
    ]
    assert under("jade", read_set("jade", small)) == [("0", "zh", "1"), ("1", "zh", "1")]
    assert under("diasafety", read_set("diasafety", small)) == [("1", "en", "test?")]
    assert under("latent-jailbreak", read_set("latent-jailbreak", small))[0] == ("1", "zh", "cooks")


@pytest.mark.skipif(not LABELS.is_dir(), reason=f"no {LABELS}: the authors' files are needed")
@pytest.mark.parametrize(
    ("name", "split", "criterion", "counts"),
    [
        ("do-not-answer", None, "moral", {"0": 193, "1": 5441}),
        # actions 0 and 4 that are harmless: 1538 + 1567; 1: 1439; 2, 3 and 5: 202 + 682 + 13
        ("do-not-answer", None, "refusal", {"0": 193, "1": 897, "2": 3105, "3": 1439}),
        ("gptfuzz", "all", "moral", {"0": 2239, "1": 5461}),
        ("latent-jailbreak", None, "moral", {"0": 1424, "1": 1456}),
        ("cvalues", None, "moral", {"0": 856, "1": 664}),
        ("jade", None, "moral", {"0": 500, "1": 500}),
        ("diasafety", None, "moral", {"0": 501, "1": 594}),
    ],
)
def test_the_real_sets_are_read_whole(
    name: str, split: str | None, criterion: str, counts: dict[str, int]
) -> None:
    found = under(name, read_set(name, LABELS, split), criterion)
    assert Counter(label for label, *_ in found) == counts
