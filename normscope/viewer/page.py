"""The answers as one page that asks nothing of any network: search box, drop-downs, links."""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from .. import format as fmt
from ..messages import Language, joined, message, translate
from ..metrics.registry import label_name
from ..report.names import name_of
from ..report.templates import policy, translated
from ..report.writers import html
from ..untrusted import visible
from .answers import Answers

FOLDER = Path(__file__).parent

Row = Mapping[str, Any]

MOST_ANSWERS = 3_000
"""What a browser shows at ease; of more the first stand on the page, and it says so."""

_FIELDS = {
    "benchmark": message("benchmark"),
    "area": message("area"),
    "category": message("category"),
    "language": message("language"),
    "variant_id": message("prompt variant"),
    "scale_order": message("order of the scale"),
    "reason": message("reason for no value"),
}
_FLAGS = {
    "unscored": message("unscored"),
    "disagreement": message("judged in two ways that disagree"),
    "changed": message("of another label in the second run"),
}


def answers_page(
    answers: Answers, where: str = "", *, language: Language = "en", most: int = MOST_ANSWERS
) -> str:
    """Return the page of the answers that meet the condition; the same ones give the same bytes.

    Raise UsageError for a condition that DuckDB does not take.
    """
    places = answers.where(where)
    rows = answers.rows(places[:most])
    columns = [
        _row(answers, row, of_row, language)
        for row, of_row in zip(rows, answers.records(places[:most]), strict=True)
    ]
    packed = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    script, style = _source("page.js"), html.source("style") + _source("style.css")
    return (
        _environment(language)
        .get_template("page.html")
        .render(
            title=visible(" · ".join(run.name for run in answers.runs)),
            where=where.strip(),
            shown=fmt.count(len(rows)),
            chosen=fmt.count(len(places)),
            total=fmt.count(len(answers)),
            cut=len(rows) < len(places),
            data=_compressed(packed),
            style=Markup(style),  # noqa: S704 - ours
            script=Markup(script),  # noqa: S704 - ours
            policy=policy(style, script),
        )
    )


def _row(
    answers: Answers, row: Mapping[str, Any], records: Sequence[Row], language: Language
) -> dict[str, Any]:
    """What the page's script reads of an answer: its markup, and what it is searched for by."""
    outcomes = list(_outcomes(answers.criteria, records))
    fields: dict[str, list[str]] = {
        title: [name_of(row[name])] for name, title in _FIELDS.items() if row[name]
    }
    for criterion, shown, amount in outcomes:
        if not amount:
            fields[name_of(criterion)] = list(dict.fromkeys(shown))
    fields[message("only those that are")] = [
        title for name, title in _FLAGS.items() if row.get(name) or row.get(f"{name}_2")
    ]
    numbers = {
        joined((name_of(name), run.name), " · ") if at else name_of(name): row[column]
        for at, run in enumerate(answers.runs)
        for name in ["score", *(name for name, amount in answers.criteria.items() if amount)]
        if (column := f"{name}_{at + 1}" if at else name) in row
    }
    texts = [turn["content"] for of in records if of["item"] for turn in of["item"]["messages"]]
    texts += [of["response"]["text"] or "" for of in records]

    def text(of: str) -> str:
        return visible(translate(of, language))

    return {
        "key": row["_key"],
        "text": "\n".join(dict.fromkeys([row["item_id"], *texts])),
        "fields": {text(title): [*map(text, values)] for title, values in fields.items() if values},
        "numbers": {text(title): value for title, value in numbers.items()},
        "html": _environment(language)
        .get_template("answer.html")
        .render(
            row=row,
            records=records,
            runs=[run.name for run in answers.runs],
            outcomes=outcomes,
            note=_note(row),
        ),
    }


def _outcomes(
    criteria: Mapping[str, bool], records: Sequence[Row]
) -> Iterator[tuple[str, list[str], bool]]:
    """By criterion what each run's judgement comes to, and whether these are amounts."""
    counted = [
        {each["judgement"]["criterion"]: each for each in of["judgements"] if each["counts"]}
        for of in records
    ]
    for criterion, amount in criteria.items():
        judged = [of_run.get(criterion) for of_run in counted]
        if any(judged):
            yield criterion, [_outcome(each, amount=amount) for each in judged], amount


def _outcome(judged: Row | None, *, amount: bool) -> str:
    """Return the label by name, the value of an amount, or why there is none."""
    if judged is None:
        return "–"
    value, reason = (judged["judgement"][name] for name in ("value", "reason"))
    if amount and value is not None:
        return fmt.number(value)
    return name_of(judged["label"] or reason or "no reason recorded")


def _note(row: Mapping[str, Any]) -> str:
    """Return where the answer stands, as far as that tells it apart from others of its item."""
    drawn = "" if row["temperature"] is None else f"T = {row['temperature']:g}"
    sample = message("sample {n}", n=row["sample"]) if row["sample"] else ""
    place = (name_of(row["category"] or ""), row["variant_id"], row["scale_order"])
    return joined(filter(None, (row["benchmark"], *place, sample, drawn)), " · ")


def _compressed(text: str) -> str:
    # half a character, which a response may have, is no UTF-8
    packed = gzip.compress(text.encode("utf-8", "replace"), mtime=0)
    return base64.b64encode(packed).decode()


@cache
def _source(name: str) -> str:
    return "\n" + (FOLDER / name).read_text(encoding="utf-8")


@cache
def _environment(language: Language) -> Environment:
    environment = translated(FOLDER, language)
    environment.globals |= {
        "name_of": name_of,
        "number": fmt.number,
        "percent": fmt.percent,
        "label_name": label_name,
    }
    return environment
