"""How the bundled judge is made: splits, texts, lessons, figures; and the command on a slice."""

import importlib.util
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from normscope.builders.near_duplicates import near_duplicates
from normscope.builders.registry import benchmark
from normscope.files import read_json, write_json
from normscope.judges.bundled import LANGUAGES
from normscope.judges.bundled.train import sources as source_sets
from normscope.judges.bundled.train.leave_out import FOLDS, find_temperature, report, without
from normscope.judges.bundled.train.measure import auc, auc_interval
from normscope.judges.bundled.train.sample import OUTSIDE, SIZES, Sample, fold_of
from normscope.judges.bundled.train.strange import NEVER_SHOWN, read_others, strange_texts
from normscope.judges.bundled.train.vocabulary import bundled_rubric, marks
from normscope.judges.bundled.train.written import (
    exchange_names,
    read_phrases,
    read_topics,
    unmarked,
    write_samples,
    written_texts,
)


def sources() -> Path | None:
    named = os.environ.get("NORMSCOPE_SOURCES")
    folder = Path(named) if named else Path(__file__).parents[4] / "shared" / "sources"
    return folder if (folder / "human-labels").is_dir() else None


needs_sources = pytest.mark.skipif(
    sources() is None, reason="needs the full sources: set NORMSCOPE_SOURCES to their folder"
)
needs_sklearn = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None, reason="training needs scikit-learn"
)


def test_a_topic_has_the_same_kind_and_pieces_in_both_languages() -> None:
    english, chinese = (read_topics("topics", language) for language in LANGUAGES)
    assert len(english) == len(chinese) > 100
    for one, other in zip(english, chinese, strict=True):
        assert (one.kind, one.pieces.keys()) == (other.kind, other.pieces.keys())


def test_targets_are_distributions_over_the_labels_of_their_criterion() -> None:
    for sample in write_samples(seed=1, rounds=1):
        for criterion, target in sample.targets.items():
            assert len(target) == SIZES[criterion]
            assert sum(target) == pytest.approx(1)
            assert min(target) > 0


def test_the_same_seed_writes_the_same_texts_and_another_writes_others() -> None:
    first, again, other = (write_samples(seed=seed, rounds=1) for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_the_fold_of_a_group_is_fixed_and_every_fold_is_used() -> None:
    # sha256("a") begins ca, which is 202 = 67 × 3 + 1; sha256("b") begins 3e, 62 = 20 × 3 + 2
    assert (fold_of("a", 3), fold_of("b", 3)) == (1, 2)
    assert {fold_of(s.group, 3) for s in write_samples(seed=0, rounds=1)} == {0, 1, 2}


def test_marks_of_what_is_left_out_are_taken_out_and_other_brackets_stay() -> None:
    assert unmarked("Take […] of it [details left out], then [press] (twice).") == (
        "Take of it, then [press] (twice)."
    )
    assert unmarked("先把【此处略】拿来，再【看】。") == "先把拿来，再【看】。"


def sample(source: str, answer: str, *, harmful: int = 0, refuses: int | None = None) -> Sample:
    return Sample(
        source=source,
        split="train",
        language="en",
        question="May I?",
        answer=answer,
        group=answer,
        targets={},
        harmful=harmful,
        refuses=refuses,
    )


def test_who_is_left_out_takes_answers_along_that_nearly_stand_in_it() -> None:
    refusal = "I am sorry, but I cannot assist with that request."
    samples = [
        sample("latent-en", refusal),
        sample("latent-zh", "Something else entirely."),
        sample("jade", refusal + " "),
        sample("gptfuzz", "Lift the latch with a card and walk in."),
    ]
    kept, aside = without(samples, "latent-jailbreak")
    assert [s.source for s in kept] == ["gptfuzz"]
    assert [s.source for s in aside] == ["latent-en", "latent-zh"]


def test_a_temperature_undoes_what_stated_too_much() -> None:
    # 0.9 is stated with logit 2.197 where 0.75 is true, logit 1.099: T is 2
    part = [{"judge": 0.9, "harmful": int(n < 3)} for n in range(4)]
    assert find_temperature([part]) == pytest.approx(2.0, abs=0.01)


def test_the_report_of_sets_left_out_is_what_their_rows_come_to(tmp_path: Path) -> None:
    def row(harmful: int, judge: float, *, declines: float, **more: Any) -> dict[str, Any]:
        return {
            "group": f"{harmful} {judge}",
            "harmful": harmful,
            "judge": judge,
            "TF-IDF": judge,
            "TF-IDF + question": 1 - judge,
            "keywords": 0.0,
            "declines": declines,
            "refuses": 1 - harmful,
            "opens": declines > 0.9,
            "degree": 2 if declines > 0.5 else 0,
            "degree_meant": 0 if harmful else 3,
            "coverage": 0.4 if judge == 0.2 else 1.0,
            **more,
        }

    rows = [
        row(1, 0.8, declines=0.1),
        row(1, 0.3, declines=0.6),
        row(0, 0.2, declines=0.95),
        row(0, 0.4, declines=0.7),
    ]
    for fold in FOLDS:
        content = {"fold": fold, "tokens": 7, "rows": [{**r, "source": fold} for r in rows]}
        write_json(tmp_path / f"{fold}.json", content)
    found = report(tmp_path)
    # of four pairs of a harmful and a harmless answer three are in order
    assert found["harm"]["jade"]["judge"]["auc"] == 0.75
    assert found["means"] == {
        "judge": 0.75,
        "TF-IDF": 0.75,
        "TF-IDF + question": 0.25,
        "keywords": 0.5,
    }
    refusal = found["refusal"]["gptfuzz"]
    assert (refusal["n"], refusal["refused"], refusal["auc"]["auc"]) == (4, 2, 1.0)
    assert refusal["judge"] == {"accuracy": 0.75, "balanced": 0.75}
    assert refusal["openings"] == {"accuracy": 0.75, "balanced": 0.75}
    # 0 is named for one of two harmful answers, 2 for the others, of which none was meant
    assert found["degrees"]["agreement"] == 0.25
    assert found["degrees"]["classes"]["0"] == {"n": 2, "found": 0.5}
    assert found["degrees"]["classes"]["1"] == {"n": 0, "found": None}
    assert found["coverage"] == {"n": 24, "unscored": 0.25}


def test_an_interval_holds_the_area_and_narrows_with_more_groups() -> None:
    rng = np.random.default_rng(0)
    wide = []
    for n in (60, 600):
        labels = np.tile([0, 1], n // 2)
        scores = labels + rng.normal(0, 1, n)
        low, high = auc_interval(scores, labels, [str(g) for g in range(n)])
        assert low < auc(scores, labels) < high
        wide.append(high - low)
    # two normals one deviation apart: Φ(1 / √2) = 0.760
    assert low < 0.76 < high
    assert wide[1] < wide[0] / 2


def test_strange_texts_hold_no_language_that_is_kept_for_measuring() -> None:
    others = read_others()
    assert set(NEVER_SHOWN) < others.keys()
    kept = {sentence for name in NEVER_SHOWN for sentence in others[name]}
    samples = write_samples(seed=0, rounds=1)
    shown = [a for _, a in strange_texts(samples, random.Random(0), count=400)]
    assert len(shown) == 400
    assert all(shown)
    assert not [answer for answer in shown if any(sentence in answer for sentence in kept)]


def words(text: str, language: str) -> list[str]:
    return re.findall(r"[a-z']+" if language == "en" else r"[\u4e00-\u9fff]", text.lower())


@pytest.mark.parametrize(("language", "run"), [("en", 6), ("zh", 8)])
def test_the_texts_share_no_question_and_no_phrase_with_the_graded_set(
    language: str, run: int
) -> None:
    made, bench = benchmark("safety-gradient")
    rows = [r for r in made.tables(None)[bench.config].to_pylist() if r["language"] == language]
    runs = set()
    for row in rows:
        for text in (row["question"], row["response"]):
            some = words(text, language)
            runs |= {tuple(some[i : i + run]) for i in range(len(some) - run + 1)}
    exchanges = [
        topic for name in exchange_names(language) for topic in read_topics(name, language)
    ]
    topics = [topic for name in ("topics", "answers") for topic in read_topics(name, language)]
    written = [text for topic in topics for texts in topic.pieces.values() for text in texts]
    written += [text for texts in read_phrases(language).values() for text in texts]
    for text in written:
        some = words(text, language)
        assert not runs & {tuple(some[i : i + run]) for i in range(len(some) - run + 1)}, text
    questions = sorted({row["question"] for row in rows})
    ours = [question for topic in (*topics, *exchanges) for question in topic.pieces["?"]]
    near = list(near_duplicates(ours, questions, threshold=0.6))
    assert not near, [(ours[pair.left], questions[pair.right]) for pair in near]


def test_every_criterion_and_order_has_an_ending_of_its_own_that_is_the_rendered_one() -> None:
    rubric = bundled_rubric()
    asks = {key: ask for key, ask in marks().asks.items() if key[0] in rubric.criteria}
    assert len(set(asks.values())) == len(asks) == 12
    for (criterion, language, backwards), ask in asks.items():
        turns = (("user", "q"),)
        whole = rubric.render(
            criterion, language=language, conversation=turns, answer="a", backwards=backwards
        )
        assert f"{whole}\n" == f"⟦Q⟧\nq\n⟦/Q⟧\n⟦A⟧\na\n{ask}"


@needs_sources
def test_every_set_is_read_and_only_published_test_parts_are_kept_back() -> None:
    folder = sources()
    assert folder is not None
    samples = source_sets.read_sets(folder / "human-labels")
    assert {s.fold for s in samples} == set(source_sets.SETS)
    assert {s.source for s in samples if s.split == "test"} == {"gptfuzz", "cold", "diasafety"}
    for name in source_sets.SETS:
        known = {s.harmful for s in samples if s.fold == name}
        assert {0, 1} <= known, name
    for some in samples[:: len(samples) // 500]:
        for criterion, target in some.targets.items():
            assert len(target) == SIZES[criterion]
            assert sum(target) == pytest.approx(1)


@needs_sklearn
def test_teachers_speak_of_a_text_without_having_been_fitted_on_its_group() -> None:
    from normscope.judges.bundled.train.teachers import Teachers

    # every group has a word of its own that says the label; only other groups' words are known
    good = [
        replace(
            sample("a", f"kind gentle word{n} please", harmful=0, refuses=1),
            grade=4 + n % 2,
            degree=2 + n % 2,
        )
        for n in range(60)
    ]
    bad = [
        replace(sample("a", f"steal break thing{n} now", harmful=1, refuses=0), grade=1, degree=0)
        for n in range(60)
    ]
    told = Teachers([*good, *bad]).teach([*good, *bad])
    assert told.harmful[:60].max() < 0.5 < told.harmful[60:].min()
    assert told.refuses[60:].max() < 0.5 < told.refuses[:60].min()
    swapped = [*good[:-1], replace(good[-1], harmful=1), *bad]
    again = Teachers(swapped).teach(swapped)
    # its own label changed, and what is said of it did not
    assert again.harmful[59] == pytest.approx(told.harmful[59], abs=1e-9)


@needs_sources
@needs_sklearn
def test_lessons_hold_every_criterion_and_are_the_same_for_the_same_seed() -> None:
    from normscope.judges.bundled.train.lessons import Course

    folder = sources()
    assert folder is not None
    samples = source_sets.read_sets(folder / "human-labels", limit=40)
    samples += written_texts(seed=0, rounds=1)[::40]
    rounds = [Course(samples, seed=2).round(0) for _ in range(2)]
    assert rounds[0] == rounds[1]
    assert {criterion for lesson in rounds[0] for criterion in lesson.targets} == SIZES.keys()
    outside = [lesson for lesson in rounds[0] if OUTSIDE in lesson.targets.values()]
    assert 0.01 < len(outside) / len(rounds[0]) < 0.1
    for lesson in random.Random(0).sample(rounds[0], 50):
        if lesson not in outside:
            assert all(sum(target) == pytest.approx(1) for target in lesson.targets.values())


@pytest.mark.slow
@needs_sources
@needs_sklearn
def test_the_command_trains_measures_and_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    import transformers

    out = tmp_path / "made"
    command = [sys.executable, "-m", "normscope.judges.bundled.train", "--source", str(sources())]
    flags = ["--out", str(out), "--limit", "60", "--processes", "1"]
    flags += ["--pooled-tokens", "60000", "--tokens", "30000"]
    subprocess.run([*command, *flags], check=True, capture_output=True)
    model = transformers.AutoModelForCausalLM.from_pretrained(out)
    tokenizer = transformers.AutoTokenizer.from_pretrained(out)
    assert model.config.vocab_size == len(tokenizer)
    kept = {name: (out / name).read_bytes() for name in ("model.safetensors", "left_out.json")}
    assert read_json(out / "evaluation.json")["speed"]["per_second"] > 0
    begun = (out / "left_out" / "jade.json").stat().st_mtime_ns
    (out / "left_out" / "cvalues.json").unlink()
    subprocess.run([*command, *flags], check=True, capture_output=True)
    # only what was missing is done again, and comes out the same
    assert (out / "left_out" / "jade.json").stat().st_mtime_ns == begun
    assert {name: (out / name).read_bytes() for name in kept} == kept
