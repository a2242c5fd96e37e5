"""What else the card says of the judge: graded answers, published test parts, limits, speed.

How it does on sets that it has never seen is measured by `leave_out.py`.
"""

# ruff: noqa: PLR2004 - sizes and shares, said where they are used

import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....extras import require
from ....records.model_spec import ModelSpec
from ...engine import LabelRequest
from ...engines import load
from .. import LANGUAGES
from .classical import Classifier, Scores, count, keyword_scores
from .graded import graded_set, measure_graded_set, order
from .leave_out import MIN_COVERAGE
from .measure import area
from .reading import COVERAGE, read
from .sample import Sample
from .strange import NEVER_SHOWN, noise, read_others, salad
from .teachers import balance, thin
from .vocabulary import bundled_rubric
from .written import HELD_OUT, MARKS, read_exchanges

ANSWERS, TOKENS = 600, 200


def measure(
    model: Any, tokenizer: Any, samples: Sequence[Sample], folder: Path, *, seed: int = 0
) -> dict[str, Any]:
    """The report: graded set, test parts, what is left unscored, answers a second."""
    train = [s for s in samples if s.split == "train"]
    return {
        "graded_set": measure_graded_set(model, tokenizer),
        "classical_order": _classical_order(train, seed),
        "test_parts": {
            name: _test_part(model, tokenizer, part)
            for name in dict.fromkeys(s.source for s in samples if s.split == "test")
            if (part := _test(samples, name))
        },
        "held_out": {name: _held_out(model, tokenizer, name) for name in LANGUAGES},
        "limits": _limits(model, tokenizer, train, seed),
        "speed": _speed(folder, train, seed),
    }


def _classical_order(train: Sequence[Sample], seed: int) -> dict[str, float]:
    """Rank correlations on the graded set of a classifier that learnt all samples with a grade."""
    known = [s for s in thin(train, seed=seed) if s.grade is not None]
    sides = ("words", "characters")
    labels = np.asarray([(s.grade or 1) - 1 for s in known])
    grades = Classifier(sides).fit(count(known, sides), labels, balance(known, labels))
    result, graded = {}, graded_set()
    for language in LANGUAGES:
        some = [s for s in graded if s.language == language]
        expected = np.exp(grades.score(count(some, sides))) @ np.arange(1.0, 6)
        result[language] = order(expected, some)
    return result


def _test(samples: Sequence[Sample], source: str) -> list[Sample]:
    """The test part; nothing where a trial's few rows are all of one label."""
    test = [s for s in samples if s.source == source and s.split == "test"]
    return test if len({s.harmful for s in test}) == 2 else []


def _test_part(model: Any, tokenizer: Any, test: Sequence[Sample]) -> dict[str, Any]:
    """Areas on a part that its authors published as a test; the rest of the set was learnt from."""
    labels = np.asarray([s.harmful for s in test])
    scores: Mapping[str, Scores] = {
        "judge": read(model, tokenizer, test, criteria=("moral",))["moral"][:, 0],
        "keywords": keyword_scores(test),
    }
    result: dict[str, Any] = {"n": len(test), "harmful": int(labels.sum())}
    groups = [s.question + s.group for s in test]
    return result | {name: area(values, labels, groups) for name, values in scores.items()}


def _held_out(model: Any, tokenizer: Any, language: str) -> dict[str, Any]:
    """Exchanges of a hand that was not learnt from: harm, refusals, and harmless answers."""
    some = [s for s in read_exchanges(HELD_OUT, language) if s.harmful is not None]
    probs = read(model, tokenizer, some)
    harmful, declines = probs["moral"][:, 0], probs["refusal"][:, 2:].sum(1)
    result: dict[str, Any] = {"n": len(some)}
    for name, values, labels in (
        ("harm", harmful, np.asarray([s.harmful for s in some])),
        ("refusal", declines, np.asarray([s.refuses for s in some])),
    ):
        result[name] = {
            "positive": int(labels.sum()),
            "auc": area(values, labels, [s.group for s in some]),
            "accuracy": float(((values > 0.5) == (labels == 1)).mean()),
        }
    for name, mark in (("answered", MARKS["f"]), ("refused", MARKS["o"])):
        # of those that refuse without a reason some stand under harmful questions
        of_mark = [
            n for n, s in enumerate(some) if (s.grade, s.degree) == (mark.grade, mark.degree)
        ]
        result[name] = {
            "n": len(of_mark),
            "called_harmful": float((harmful[of_mark] > 0.5).mean()),
        }
    return result


def _limits(
    model: Any, tokenizer: Any, train: Sequence[Sample], seed: int
) -> dict[str, dict[str, Any]]:
    """How many texts are left unscored: such as it is for, and such as it is not."""
    draw = random.Random(seed + 17)  # noqa: S311 - texts, not secrets
    asked = [s for s in train if s.question]
    questions = draw.choices(asked, k=200)
    english = [s.answer[:300] for s in train if s.language == "en" and len(s.answer) > 60]
    others = {name: some for name, some in read_others().items() if name in NEVER_SHOWN}
    answers = {
        "languages that it was never shown": [
            " ".join(draw.sample(some, 3)) for some in others.values() for _ in range(60)
        ],
        "words with their letters shuffled": [
            salad(text, draw) for text in draw.choices(english, k=200)
        ],
        "characters in no order": [noise(draw) for _ in range(200)],
    }
    result = {}
    for name, texts in answers.items():
        some = [
            Sample("limits", "test", q.language, q.question, text, "", {})
            for q, text in zip(questions, texts, strict=False)
        ]
        covered = read(model, tokenizer, some, criteria=("moral",))[COVERAGE][:, 0]
        result[name] = {"n": len(some), "unscored": float((covered < MIN_COVERAGE).mean())}
    return result


def _speed(folder: Path, train: Sequence[Sample], seed: int) -> dict[str, Any]:
    """Answers of 200 tokens that the engine reads in a second of one thread, one criterion each."""
    torch = require("torch", extra="judge")
    draw = random.Random(seed)  # noqa: S311 - texts, not secrets
    engine, rubric = load(ModelSpec(model=str(folder))), bundled_rubric()
    tokenizer = require("transformers", extra="judge").AutoTokenizer.from_pretrained(folder)
    texts = [s.answer for s in draw.choices(train, k=4 * ANSWERS)]
    ids = [i for text in texts for i in tokenizer(text)["input_ids"]]
    answers = [
        tokenizer.decode(ids[at : at + TOKENS])
        for at in range(0, min(len(ids), ANSWERS * TOKENS) - TOKENS, TOKENS)
    ]
    requests = []
    for answer in answers:
        prompt = rubric.render(
            "moral", language="en", conversation=(("user", "Why?"),), answer=answer, backwards=False
        )
        scale = rubric.criteria["moral"].scale
        requests.append(LabelRequest((("user", prompt),), scale, rubric.lead("en")))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    engine.labels(requests[:50])
    begun = time.perf_counter()
    engine.labels(requests)
    seconds = time.perf_counter() - begun
    torch.set_num_threads(threads)
    return {"answers": len(answers), "tokens": TOKENS, "per_second": len(answers) / seconds}
