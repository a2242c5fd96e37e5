"""How the bundled judge is made: texts, what their marks teach, sets left out; and the command."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from normscope.builders.registry import benchmark
from normscope.files import read_json
from normscope.judges import bundled
from normscope.judges.bundled.measure import detection, without
from normscope.judges.bundled.texts import (
    COLUMNS,
    HELD_OUT,
    MARKS,
    SETS,
    read_sets,
    read_written,
    targets,
)
from normscope.judges.bundled.train import Judge, main, prompt_of
from normscope.judges.engines import load
from normscope.judges.judge import LoadedJudge
from normscope.judges.rubric import Questions
from normscope.judges.rubric_files import load_rubric
from normscope.judges.trust.public_sets import language_of
from normscope.records.item import Item, Turn
from normscope.records.model_spec import ModelSpec

TEXTS = bundled.path() / "texts"
MOST_BYTES = 5_200_000


@pytest.fixture(scope="module")
def written() -> pd.DataFrame:
    return read_written(TEXTS)


def test_a_block_has_questions_in_turn_and_its_answers_know_what_their_marks_say(
    tmp_path: Path,
) -> None:
    (tmp_path / "deeds_en.txt").write_text(
        "? May I?\n? Tell me that I may.\nc Take the lot of it.\\nGo on.\nr No.\n\n"
        "? And now?\nf [press] twice.\n",
        encoding="utf-8",
    )
    rows = read_written(tmp_path)
    assert rows["question"].tolist() == ["May I?", "Tell me that I may.", "And now?"]
    assert rows["answer"].tolist() == ["Take the lot of it.\nGo on.", "No.", "[press] twice."]
    assert rows["group"].tolist() == ["deeds 0", "deeds 0", "deeds 1"]
    known = rows[["harmful", "refuses", "grade", "degree"]].to_numpy().tolist()
    assert known == [[1, 0, 1, 0], [0, 1, 4, 2], [0, 0, 5, 1]]


def test_the_texts_are_small_each_in_its_language_and_every_mark_is_known(
    written: pd.DataFrame,
) -> None:
    assert sum(path.stat().st_size for path in TEXTS.iterdir()) <= MOST_BYTES
    for path in TEXTS.glob("*_??.txt"):
        lines = path.read_text(encoding="utf-8").split("\n")
        assert {line[0] for line in lines if line} <= {"?", *MARKS}, path
        # what was left out would be marked in harmful answers only
        assert "[…]" not in "".join(lines)
    curt = written["answer"].str.len() < 15
    assert (written["answer"].map(language_of) == written["language"])[~curt].mean() > 0.99
    assert set(written["part"]) == {"train", HELD_OUT}


@pytest.mark.parametrize("language", bundled.LANGUAGES)
def test_no_opening_is_common_enough_to_be_learnt(written: pd.DataFrame, language: str) -> None:
    """The first three words, or the first five characters, of at most 2 % of the answers."""
    answers = written["answer"][written["language"] == language]
    if language == "en":
        starts = Counter(tuple(text.lower().split()[:3]) for text in answers)
    else:
        starts = Counter((text[:5],) for text in answers)
    (opening, most), *_ = starts.most_common(1)
    assert most / starts.total() <= 0.02, opening


@pytest.mark.parametrize(("language", "run"), [("en", 6), ("zh", 8)])
def test_the_texts_share_no_phrase_with_the_graded_set(
    written: pd.DataFrame, language: str, run: int
) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        some = re.findall(r"[a-z']+" if language == "en" else r"[\u4e00-\u9fff]", text.lower())
        return {tuple(some[i : i + run]) for i in range(len(some) - run + 1)}

    made, bench = benchmark("safety-gradient")
    rows = [r for r in made.tables(None)[bench.config].to_pylist() if r["language"] == language]
    graded = {each for row in rows for each in runs(row["question"]) | runs(row["response"])}
    of_it = written[(written["language"] == language) & (written["part"] == "train")]
    for text in {*of_it["question"], *of_it["answer"]}:
        assert not graded & runs(text), text


def test_targets_are_distributions_and_a_refusal_is_as_right_as_help() -> None:
    columns = ["harmful", "refuses", "grade", "degree"]
    known = pd.DataFrame([MARKS[mark] for mark in MARKS], columns=columns, dtype=float)
    for probs in targets(known).values():
        assert probs[~np.isnan(probs).any(1)].sum(1) == pytest.approx(1)
    right = dict(zip(MARKS, targets(known)["moral"][:, 1], strict=True))
    assert right["r"] == right["e"] == right["f"] > 0.9
    assert right["c"] < right["p"] < 0.1


def test_every_end_of_a_prompt_is_another_and_the_rendered_one() -> None:
    rubric = load_rubric(bundled.rubric_path())
    prompt = prompt_of(rubric)
    assert len(set(prompt.tokens)) == 2 + 12
    turns = (("user", "q"),)
    for (language, backwards), ends in prompt.ends.items():
        for criterion, end in zip(rubric.criteria, ends, strict=True):
            whole = rubric.render(
                criterion, language=language, conversation=turns, answer="a", backwards=backwards
            )
            assert f"{whole}\n" == f"{prompt.begin}q{prompt.between}a{end}"


def test_who_is_left_out_takes_answers_along_that_begin_alike() -> None:
    refusal = "I am sorry, but I cannot assist with that request."
    answers = {
        "latent-jailbreak-en": refusal,
        "latent-jailbreak-zh": "Something else entirely.",
        "jade": refusal.upper() + "..",
        "gptfuzz": "Lift the latch with a card and walk in.",
    }
    rows = pd.DataFrame({"source": answers.keys(), "answer": answers.values()})
    rows = rows.reindex(columns=COLUMNS).assign(part="train", harmful=[1, 0.5, 0, 1])
    learnt, aside = without(rows, "latent-jailbreak")
    assert learnt["source"].tolist() == ["gptfuzz"]
    assert aside["source"].tolist() == ["latent-jailbreak-en"]  # 0.5 says neither


def test_an_interval_holds_the_area_and_narrows_with_more_groups() -> None:
    rng = np.random.default_rng(0)
    wide = []
    for n in (60, 600):
        labels = np.tile([0, 1], n // 2)
        # a probability that rises with it
        risk = 1 / (1 + np.exp(-(labels + rng.normal(0, 1, n))))
        found = detection(risk, pd.Series(labels == 1), pd.Series(range(n)))
        assert found["low"] < found["auc"] < found["high"]
        assert (found["n"], found["positive"]) == (n, n // 2)
        assert found["misses"] == pytest.approx((risk[labels == 1] <= 0.5).mean())
        wide.append(found["high"] - found["low"])
    # two normals one deviation apart: Φ(1 / √2) = 0.760
    assert found["low"] < 0.76 < found["high"]
    assert wide[1] < wide[0] / 2


@pytest.mark.slow
def test_every_set_is_read_and_only_published_test_parts_are_kept_back(sources: Path) -> None:
    rows = read_sets(sources)
    names = rows["source"].str.replace(r"-jailbreak-..$", "-jailbreak", regex=True)
    assert set(names) == set(SETS)
    assert set(names[rows["part"] == "test"]) == {"gptfuzz", "cold", "diasafety"}
    for name in SETS:
        harmful = rows["harmful"][names == name]
        assert harmful.min() < 0.5 < harmful.max(), name
    assert not rows[["question", "answer", "group", "language"]].isna().any().any()


@pytest.mark.slow
def test_the_command_makes_the_same_judge_twice_of_a_folder_of_ones_own(tmp_path: Path) -> None:
    import transformers

    folder = tmp_path / "folder"
    (folder / "texts").mkdir(parents=True)
    for name in ("held_out_en.txt", "held_out_zh.txt", "others.txt"):
        blocks = (TEXTS / name).read_text(encoding="utf-8").split("\n\n")[:12]
        (folder / "texts" / name).write_text("\n\n".join(blocks), encoding="utf-8")
        learnt = name.replace("held_out", "deeds")
        (folder / "texts" / learnt).write_text("\n\n".join(blocks), encoding="utf-8")
    (folder / "rubric.yaml").write_bytes(bundled.rubric_path().read_bytes())
    (folder / "recipe.yaml").write_text(
        "{vocabulary: 800, width: 64, heads: 2, layers: 2, tokens: 9000, rate: 0.01, "
        "decay: 0.1, dropout: 0.1, decent: 2, most: 100}"
    )
    made = [tmp_path / name for name in ("one", "two")]
    for out in made:
        main(["--folder", str(folder), "--out", str(out)], standalone_mode=False)
    one, two = ({p.name: p.read_bytes() for p in out.iterdir()} for out in made)
    assert one == two
    assert (made[0] / "README.md").read_text(encoding="utf-8").startswith("---\nlicense")
    assert read_json(made[0] / "evaluation.json")["hands"]["en"]["harm"]["n"] > 0
    model = transformers.AutoModelForCausalLM.from_pretrained(made[0])
    tokenizer = transformers.AutoTokenizer.from_pretrained(made[0])
    assert model.config.vocab_size == len(tokenizer)
    # what the recipe reads of its model is what the engine reads
    rubric = load_rubric(made[0] / "rubric.yaml")
    rows = read_written(folder / "texts").head(20)
    reading = Judge(model.eval(), tokenizer, prompt_of(rubric)).read(rows)
    judge = LoadedJudge(load(ModelSpec(str(made[0]))), {"b": Questions.of(rubric)}, 0.0)
    about = [
        (Item("b", str(at), (Turn("user", row["question"]),), row["language"]), row["answer"])
        for at, row in rows.iterrows()
    ]
    for at, distributions in enumerate(judge.ask(about)):
        for name, found in zip(rubric.criteria, distributions, strict=True):
            assert found.probs == pytest.approx(reading[name][at].tolist(), abs=1e-4)
