"""A report's page as tags and text, and runs made up for it: a small one and a large one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from html.parser import HTMLParser
from itertools import product
from typing import Any

import pyarrow as pa

from normscope.builders.taxonomy import LIKERT
from normscope.metrics.estimate import Estimate, Statistic
from normscope.records.integrity import ITEMS, SCORES
from normscope.records.item import Item, Turn
from normscope.records.items import Items
from normscope.records.judgement import SCHEMA as JUDGEMENTS
from normscope.records.model_spec import ModelSpec
from normscope.records.provenance import JudgementsProvenance, Provenance
from normscope.records.response import SCHEMA as RESPONSES
from normscope.records.settings import Settings
from normscope.report import ReportData

VOID = {"meta", "link", "img"}


class Page(HTMLParser):
    """The tags of a page with their attributes, its texts, and whether every tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

        if tag in {"td", "th", "dt", "dd", "a", "li"}:
            self.texts.append(" ")

    def handle_data(self, data: str) -> None:
        # a chart's labels are no lines of the page: what it shows stands in its label
        if self.open and not {"style", "script", "svg"} & set(self.open):
            self.texts.append(data)

    def named(self, *tags: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.tags if tag in tags]

    @property
    def text(self) -> str:
        lines = (" ".join(line.split()) for line in "".join(self.texts).split("\n"))
        return "\n".join(line for line in lines if line) + "\n"


def keys(
    benchmark: str, item_id: str, variant: str = "", model: str = "models/m"
) -> dict[str, Any]:
    return {
        "benchmark": benchmark,
        "item_id": item_id,
        "variant_id": variant,
        "scale_order": "",
        "sample": 0,
        "model": model,
    }


def tables(
    responses: list[dict[str, Any]], judgements: list[dict[str, Any]]
) -> tuple[pa.Table, pa.Table]:
    return (
        pa.Table.from_pylist(responses, schema=RESPONSES),
        pa.Table.from_pylist(judgements, schema=JUDGEMENTS),
    )


def contents(
    *,
    scores: Mapping[str, Sequence[Statistic]] | None = None,
    items: Iterable[Item] | None = None,
    **others: Any,
) -> dict[str, Any]:
    """What the files of a run hold, by their names; those of `others` are tables."""
    result: dict[str, Any] = {f"{name}.parquet": table for name, table in others.items()}
    if scores is not None:
        result[SCORES] = {name: [asdict(row) for row in rows] for name, rows in scores.items()}
    if items is not None:
        result[ITEMS] = Items.of(items).table
    return result


def holding(run: ReportData, **changed: Any) -> ReportData:
    """The run with other contents of these of its files."""
    return replace(run, contents={**run.contents, **contents(**changed)})


def small_run(word: str = "plain") -> ReportData:
    """Two graded answers and two vignettes; `word` stands wherever somebody else's text can."""
    graded_set, vignettes = f"safety-gradient {word}", f"ci-vignettes:coppa {word}"
    model, judge, category = f"model {word}", f"judge {word}", f"category {word}"
    items: list[Item] = []
    responses, judgements = [], []
    for item_id, grade, moral, rating, degree in (
        (f"bad {word}", "1", 0.125, 1.5, 0.0),
        ("good", "5", 1.0, 4.5, 3.0),
    ):
        facets = {"grade": grade, "refusal_degree": "0" if grade == "1" else "3"}
        items.append(
            Item(graded_set, item_id, (Turn("user", "?"),), "en", category=category, facets=facets)
        )
        responses.append({**keys(graded_set, item_id, model=model), "text": f"answer {word}"})
        judgements += [
            {
                **keys(graded_set, item_id, model=model),
                "judge": judge,
                "rubric_hash": f"hash {word}",
                "criterion": criterion,
                "source": "judge_logits",
                "labels": ["0", "1"],
                "probs": [0.25, 0.75],
                "value": value,
                "coverage": 0.75,
            }
            for criterion, value in (("moral", moral), ("rating", rating), ("refusal", degree))
        ]
    judgements.append(
        {
            **keys(graded_set, "lost", model=model),
            "criterion": "moral",
            "source": "judge_logits",
            "coverage": 0.25,
            "reason": "low_coverage",
        }
    )
    for item_id, sender, values in (("v1", "doll", (2, 2, 1)), ("v2", f"robot {word}", (-2, 0, 2))):
        flow = {"sender": sender, "recipient": f"maker {word}"}
        for n, value in enumerate(values):
            items.append(Item(vignettes, item_id, (Turn("user", "?"),), "en", f"w{n}", facets=flow))
            responses.append(
                {
                    **keys(vignettes, item_id, f"w{n}", model),
                    "labels": list(LIKERT),
                    "coverage": 1.0,
                }
            )
            judgements.append(
                {
                    **keys(vignettes, item_id, f"w{n}", model),
                    "criterion": "acceptability",
                    "source": "model_logits",
                    "labels": list(LIKERT),
                    "value": float(value),
                    "coverage": 1.0,
                }
            )
    about: dict[str, Any] = {
        "target": "new items of the kind",
        "method": f"t over 2 clusters {word}",
    }
    score = Estimate(2.34375, 1.25, 4.5, n=2, unscored=1, lowest=1.5625, highest=3.2291, **about)
    share = Estimate(1 / 3, 0.0615, 0.792, n=3, unscored=0, lowest=1 / 3, highest=1 / 3, **about)
    exact = Estimate(0.5, 0.5, 0.5, 2, 0, 0.5, 0.5, target="these items", method="exact")
    both = (category, "other")
    statistics = (
        Statistic("score", "score", score),
        Statistic("hr", "rate", share),
        # of so many that a page has a row for them
        *(Statistic("score", "score", replace(score, n=30), "category", c) for c in both),
        *(Statistic("hr", "rate", replace(share, n=30), "category", c) for c in both),
    )
    norms = (Statistic("simple_majority", "rate", exact),)
    answered, judged = tables(responses, judgements)
    return ReportData(
        name=f"run {word}",
        config=Settings(
            model=ModelSpec(model, revision=f"revision {word}"),
            provenance=Provenance(
                judgements=JudgementsProvenance(
                    packages={"torch": f"2 {word}"},
                    caveats=(f"The judge is untrained: its numbers mean nothing. {word}",),
                )
            ),
        ),
        contents=contents(
            scores={graded_set: statistics, vignettes: norms},
            items=items,
            responses=answered,
            judgements=judged,
        ),
        command=f"normscope run --out runs/x {word}",
        files={"scores.json": "ab" * 32, f"items {word}": "cd" * 32},
    )


def large_run(*, vignettes: int = 240, answers: int = 1000) -> ReportData:
    """`vignettes` × 11 variants and `answers` with three criteria."""
    names = ("sender", "recipient", "attribute", "transmission_principle")
    levels = [
        [f"the {name} number {n}" for n in range(k)]
        for name, k in zip(names, (5, 2, 12, 15), strict=True)
    ]
    items: list[Item] = []
    responses, judgements = [], []
    for number, flow in enumerate(product(*levels)):
        if number >= vignettes:
            break
        facets = dict(zip(names, flow, strict=True))
        for n in range(11):
            key = keys("ci-vignettes:coppa", f"v{number}", f"w{n}")
            items.append(
                Item(
                    key["benchmark"],
                    key["item_id"],
                    (Turn("user", "?"),),
                    "en",
                    f"w{n}",
                    facets=facets,
                )
            )
            responses.append({**key, "labels": list(LIKERT), "label_probs": [0.2] * 5})
            value = float((number + n // 4) % 5 - 2)
            read = {"labels": list(LIKERT), "probs": [0.2] * 5, "value": value, "coverage": 0.9}
            judgements.append(
                {**key, "criterion": "acceptability", "source": "model_logits", **read}
            )
    for number in range(answers):
        key = keys("cfsafety", f"a{number}")
        items.append(Item("cfsafety", key["item_id"], (Turn("user", "?"),), "zh"))
        responses.append({**key, "text": "回答" * 500})
        for criterion, value in (
            ("moral", number % 7 / 6),
            ("rating", 1 + number % 9 / 2),
            ("refusal", number % 4),
        ):
            read = {"labels": ["0", "1"], "probs": [0.5, 0.5], "value": value, "coverage": 0.9}
            judgements.append({**key, "criterion": criterion, "source": "judge_logits", **read})
    answered, judged = tables(responses, judgements)
    return holding(small_run(), items=items, responses=answered, judgements=judged)
