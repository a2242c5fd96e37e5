"""How the bundled judge is made: splits, texts, lessons, figures; and the command on a slice."""

import importlib.util
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from normscope.datasets_builders.near_duplicates import jaccard
from normscope.datasets_builders.registry import benchmark
from normscope.judges.bundled import LANGUAGES
from normscope.judges.bundled.train import sources as source_sets
from normscope.judges.bundled.train.measure import Reading, best_threshold, difference
from normscope.judges.bundled.train.sample import SIZES, split_of
from normscope.judges.bundled.train.synthetic import (
    read_phrases,
    read_topics,
    topic_split,
    write_samples,
)
from normscope.judges.bundled.train.vocabulary import bundled_rubric, marks


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


def test_no_topic_is_both_trained_on_and_tested() -> None:
    split = {(s.source, s.group): s.split for s in write_samples(seed=0, rounds=2)}
    for sample in write_samples(seed=5, rounds=2):
        assert split[sample.source, sample.group] == sample.split
    splits = {topic_split(topic.number) for topic in read_topics("topics", "en")}
    assert splits == {"train", "val", "test"}


def test_the_split_of_a_group_is_fixed() -> None:
    # sha256("b") begins 3e23e816 = 0.243 of the whole range, sha256("a") ca978112 = 0.791
    assert split_of("b") == "train"
    assert split_of("a") == "train"
    assert split_of("a", shares=(0.7, 0.05)) == "test"
    assert split_of("a", shares=(0.7, 0.1)) == "val"


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
    topics = [topic for name in ("topics", "answers") for topic in read_topics(name, language)]
    written = [text for topic in topics for texts in topic.pieces.values() for text in texts]
    written += [text for texts in read_phrases(language).values() for text in texts]
    for text in written:
        some = words(text, language)
        assert not runs & {tuple(some[i : i + run]) for i in range(len(some) - run + 1)}, text
    questions = {row["question"] for row in rows}
    for ours in (question for topic in topics for question in topic.pieces["?"]):
        assert all(jaccard(ours, theirs) < 0.6 for theirs in questions), ours


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


def test_a_threshold_separates_what_can_be_separated() -> None:
    # any threshold in (0.3, 0.7) is perfect
    threshold = best_threshold(np.array([0.1, 0.3, 0.7, 0.9]), np.array([0, 0, 1, 1]))
    assert 0.3 < threshold < 0.7


def test_a_better_reader_shows_a_positive_difference_and_an_equal_one_none() -> None:
    rng = np.random.default_rng(0)
    labels = np.tile([0, 1], 100)
    good = Reading(labels + rng.normal(0, 0.3, 200), 0.5, labels, np.arange(200) // 2)
    poor = Reading(rng.normal(0, 1, 200), 0.5, labels, np.arange(200) // 2)
    found = difference({"s": good}, {"s": poor}, seed=0, resamples=200)["auc"]
    assert 0 < found["low"] < found["difference"] < found["high"]
    same = difference({"s": good}, {"s": good}, seed=0, resamples=50)["auc"]
    assert (same["low"], same["difference"], same["high"]) == (0, 0, 0)


@needs_sources
def test_splits_share_no_question_and_gptfuzz_no_beginning() -> None:
    folder = sources()
    assert folder is not None
    samples = source_sets.read_sets(folder / "human-labels")
    for name in {sample.source for sample in samples} - {"cold", "diasafety"}:
        groups = {
            split: {s.group for s in samples if s.source == name and s.split == split}
            for split in ("train", "val", "test")
        }
        assert not groups["train"] & (groups["val"] | groups["test"]), name
        assert not groups["val"] & groups["test"], name
    starts = {
        split: {
            " ".join(s.answer.split()).casefold()[: source_sets.PREFIX]
            for s in samples
            if s.source == "gptfuzz" and s.split == split
        }
        for split in ("train", "test")
    }
    assert not starts["train"] & starts["test"]


@needs_sources
@needs_sklearn
def test_lessons_hold_every_criterion_and_are_the_same_for_the_same_seed() -> None:
    from normscope.judges.bundled.train.lessons import Size, make_round
    from normscope.judges.bundled.train.teachers import GradedTeacher, Teachers

    folder = sources()
    assert folder is not None
    samples = [
        s for s in source_sets.read_sets(folder / "human-labels", limit=80) if s.split == "train"
    ]
    teachers, graded = Teachers(samples, folds=2), GradedTeacher(seed=7, rounds=1, folds=2)
    rounds = [
        make_round(samples, teachers, graded, seed=2, size=Size(graded_rounds=1, mixed=20))
        for _ in range(2)
    ]
    assert rounds[0] == rounds[1]
    assert {criterion for lesson in rounds[0] for criterion in lesson.targets} == SIZES.keys()
    for lesson in random.Random(0).sample(rounds[0], 50):
        assert all(sum(target) == pytest.approx(1) for target in lesson.targets.values())


@pytest.mark.slow
@needs_sources
@needs_sklearn
def test_the_command_trains_and_saves_a_model_on_a_slice(tmp_path: Path) -> None:
    import transformers

    command = [sys.executable, "-m", "normscope.judges.bundled.train", "--source", str(sources())]
    flags = ["--out", str(tmp_path / "made"), "--minutes", "0.05", "--limit", "60"]
    subprocess.run([*command, *flags], check=True, capture_output=True)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "made")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "made")
    assert model.config.vocab_size == len(tokenizer)
    assert (tmp_path / "made" / "training.json").is_file()
