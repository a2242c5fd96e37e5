"""The answers as one page that asks nothing of any network: filters, search box, list, links."""

import base64
import gzip
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from .. import format as fmt
from ..messages import Language, marked, translate
from ..metrics.registry import label_name
from ..report.names import name_of
from ..report.templates import policy, translated
from ..report.writers import html
from ..untrusted import UNSEEN, visible
from .answers import Answers

FOLDER = Path(__file__).parent

Row = Mapping[str, Any]

MOST_ANSWERS = 2_000
"""What a browser shows at ease; of more the first stand on the page, and it says so."""

_TEXTS = {
    "flow": marked("{sender} sends {attribute} to {recipient}: {transmission_principle}"),
    "flags": marked("only those that are"),
    "unscored": marked("unscored"),
    "disagreement": marked("judged in two ways that disagree"),
    "changed": marked("of another label in the second run"),
    "change": marked("{n} of {m} changed"),
    "most": marked("{n} of {m} changed, most often {first} → {second} ({k})"),
    "variant_id": marked("prompt variant"),
    "scale_order": marked("order of the scale"),
    "why": marked("reason for no value"),
    "sample": marked("sample {n}"),
    "item": marked("item"),
    "source_category": marked("category in the source"),
    "key": marked("key"),
    "address": marked("address"),
    "conversation": marked("Conversation"),
    "response": marked("Response"),
    "unknown_words": marked("Nobody knows in which words the model was asked."),
    "probabilities": marked("no text: the model's probabilities of the labels were read"),
    "no_response": marked("no response: {reason}"),
    "not_counted": marked("not counted"),
    "value": marked("value"),
    "no_value": marked("no value"),
    "label": marked("label"),
    "coverage": marked("coverage"),
    "windows": marked("parts of the response that were judged"),
    "judge": marked("judge"),
    "tokens": marked("most probable tokens"),
    "probability": marked("probability"),
    "wrote": marked("What the judge wrote"),
}
"""What the page's script says, by the names under which it does."""


def answers_page(
    answers: Answers, where: str = "", *, language: Language = "en", most: int = MOST_ANSWERS
) -> str:
    """Return the page of the answers that meet the condition; the same ones give the same bytes.

    Raise UsageError for a condition that DuckDB does not take.
    """
    places = answers.where(where)
    chosen = len(places) if where.strip() else len(answers)
    places = places[:most]
    rows = [
        _row(row, of_row)
        for row, of_row in zip(answers.rows(places), answers.records(places), strict=True)
    ]
    data = {
        "runs": [run.name for run in answers.runs],
        "amounts": answers.criteria,
        "names": dict(_names(rows, answers.criteria, language)),
        "texts": {name: translate(text, language) for name, text in _TEXTS.items()},
        "unseen": UNSEEN.pattern,
        "rows": rows,
    }
    script, style = _source("page.js"), html.source("style") + _source("style.css")
    return (
        translated(FOLDER, language)
        .get_template("page.html")
        .render(
            title=visible(" → ".join(run.name for run in answers.runs)),
            where=where.strip(),
            shown=fmt.count(len(rows)),
            chosen=fmt.count(chosen),
            total=fmt.count(len(answers)),
            cut=len(rows) < chosen,
            data=_compressed(json.dumps(data, ensure_ascii=False, separators=(",", ":"))),
            style=Markup(style),  # noqa: S704 - ours
            script=Markup(script),  # noqa: S704 - ours
            policy=policy(style, script),
        )
    )


def _row(row: Mapping[str, Any], records: Sequence[Row]) -> dict[str, Any]:
    """What the page's script reads of an answer."""
    item = records[0]["item"] or {}
    return {
        "key": row["_key"],
        **{name: row[name] for name in _PLACE if row[name] not in {None, ""}},
        "flags": [name for name in _FLAGS if row.get(name) or row.get(f"{name}_2")],
        "score": [row[name] for name in ("score", "score_2") if name in row],
        "why": row["reason"] or row.get("reason_2"),
        **{name: item[name] for name in ("facets", "source_category", "answer") if item.get(name)},
        "asked": [of["item"] and of["item"]["messages"] for of in records],
        "responses": [
            {name: of["response"][name] for name in ("text", "labels", "reason")} for of in records
        ],
        "judgements": [[_judged(each) for each in of["judgements"]] for of in records],
    }


_PLACE = (
    *("benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature"),
    *("area", "category", "language"),
)
_FLAGS = ("unscored", "disagreement", "changed")
_OF_ANSWER = {"benchmark", "item_id", "variant_id", "scale_order", "sample", "temperature", "model"}


def _judged(row: Row) -> dict[str, Any]:
    """A judgement without what its answer has as well, and without what it has not."""
    result = {
        name: value
        for name, value in row["judgement"].items()
        if value is not None and name not in _OF_ANSWER
    }
    # JSON has no NaN, which a file of anybody's may hold
    for name in ("value", "coverage"):
        if name in result and not math.isfinite(result[name]):
            del result[name]
    if "probs" in result and not all(map(math.isfinite, result["probs"])):
        del result["probs"]
    return result | {name: row[name] for name in ("label", "favourite", "counts") if row[name]}


def _names(
    rows: Sequence[Row], criteria: Mapping[str, bool], language: Language
) -> Iterator[tuple[str, str]]:
    """What every slug of the page is called; a label's number as `criterion label`."""
    slugs = {*criteria, "score", "area", "language", "benchmark", "category", "no reason recorded"}
    scales: set[tuple[str, str]] = set()
    for row in rows:
        slugs |= {row.get(name, "") for name in ("area", "category", "language")}
        slugs |= {response["reason"] or "" for response in row["responses"]}
        slugs |= {*row.get("facets", ())}
        slugs |= {turn["role"] for turns in row["asked"] for turn in turns or ()}
        for each in (each for of_run in row["judgements"] for each in of_run):
            slugs |= {each["source"], each.get("label", ""), each.get("reason", "")}
            scales |= {(each["criterion"], label) for label in each.get("labels", ())}
    labels = {scale: label_name(*scale) for scale in sorted(scales)}
    yield from ((" ".join(scale), label) for scale, label in labels.items())
    for slug in sorted({*slugs, *labels.values()}):
        yield slug, translate(name_of(slug), language)


def _compressed(text: str) -> str:
    # half a character, which a response may have, is no UTF-8
    packed = gzip.compress(text.encode("utf-8", "replace"), compresslevel=6, mtime=0)
    return base64.b64encode(packed).decode()


@cache
def _source(name: str) -> str:
    return "\n" + (FOLDER / name).read_text(encoding="utf-8")
