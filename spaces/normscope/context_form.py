"""A context as a form: what stands in its fields, and the YAML that comes of them.

The form shows what most contexts need. What else a file says is kept as it is and edited there.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from ...datasets_builders.ci_vignettes.context_file import PARAMETERS
from ...yaml import plain
from .texts import VisitorError

MAX_CHARACTERS = 60_000

GENERAL = ("name", "title", "language", "population", "instrument", "year", "license", "source")
TEXTS = (*GENERAL, "contributors", "template", "null_control")
ANCHORS = ("acceptable", "unacceptable")
FIELDS = (
    *TEXTS,
    *(f"{part}_{name}" for name in PARAMETERS for part in ("how", "what")),
    *(f"{part}_{side}" for side in ANCHORS for part in ("anchor", "because")),
)
"""Every field; `how_sender` says whether the sender varies, `what_sender` what it is."""

VARIES, CONSTANT, ABSENT, TIED = "factors", "constants", "absent", "own"
"""Levels, one a line; the same everywhere; none, with the reason; tied, and edited in the YAML."""

Form = Mapping[str, str]

EXAMPLE: dict[str, Any] = {
    "name": "my_bookshop",
    "title": "A bookshop and what its readers buy",
    "language": "en",
    "population": "not tied to one",
    "instrument": "written for Normscope",
    "year": 2026,
    "license": "CC-BY-4.0",
    "source": "written for Normscope",
    "contributors": ["Your name"],
    "constants": {"subject": "a reader"},
    "factors": {
        "sender": {"levels": ["a bookshop", "a public library"]},
        "attribute": {"levels": ["the titles a reader took home", "a reader's home address"]},
        "recipient": {"levels": ["a publisher", "the police"]},
        "transmission_principle": {
            "levels": ["if the reader agrees", "if a court demands it", "in return for money"]
        },
    },
    "practices": {
        "my_bookshop": {
            "template": "{sender} passes {attribute} on to {recipient} {transmission_principle}",
            "null_control": "{sender} passes {attribute} on to {recipient}",
        }
    },
    "anchors": [
        {
            "text": "a bookshop tells a reader which books the reader has ordered",
            "expected": "acceptable",
            "reason": "the information is the reader's own",
        },
        {
            "text": "a bookshop posts a reader's home address on its window to shame the reader",
            "expected": "unacceptable",
            "reason": "it is meant to harm, and nobody agreed",
        },
    ],
}


def read(text: str) -> Any:
    """The plain value of the YAML, or an error that tells the line."""
    if len(text) > MAX_CHARACTERS:
        raise VisitorError(
            "The file has {length} characters; up to {most} are taken here. Check it "
            "on your own machine with normscope context check.",
            length=f"{len(text):,}",
            most=f"{MAX_CHARACTERS:,}",
        )
    return plain(sound(text), name="YAML")[0]


def sound(text: str) -> str:
    """The text without lone surrogates, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


class _Plain(yaml.SafeDumper):
    """Writes a value out wherever it stands: aliases are refused when a context is read."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def yaml_of(value: Any) -> str:
    """The value as YAML, in the order in which it stands."""
    text: str = yaml.dump(
        value,
        Dumper=_Plain,
        sort_keys=False,
        allow_unicode=True,
        width=96,
        default_flow_style=False,
    )
    return text


def form_of(value: Any) -> dict[str, str]:
    """What stands in every field for the value of a YAML file, whatever it is."""
    whole = value if isinstance(value, dict) else {}
    form = dict.fromkeys(FIELDS, "")
    for name in GENERAL:
        form[name] = _text(whole.get(name))
    form["contributors"] = _lines(whole.get("contributors"))
    practice = _practice(whole)[1]
    form["template"] = _text(practice.get("template"))
    form["null_control"] = _text(practice.get("null_control"))
    for name in PARAMETERS:
        form[f"how_{name}"], form[f"what_{name}"] = _parameter(whole, name)
    for side in ANCHORS:
        anchor = _anchor(whole, side)
        form[f"anchor_{side}"] = _text(anchor.get("text"))
        form[f"because_{side}"] = _text(anchor.get("reason"))
    return form


def filled_in(value: Any, form: Form) -> dict[str, Any]:
    """The value with what stands in the form; what the form does not show stays."""
    context: dict[str, Any] = dict(value) if isinstance(value, dict) else {}
    for name in GENERAL:
        context[name] = _year(form[name]) if name == "year" else form[name].strip()
    context["contributors"] = _split(form["contributors"])
    for name in PARAMETERS:
        _set_parameter(context, name, form[f"how_{name}"], form[f"what_{name}"])
    _set_practice(context, form)
    _set_anchors(context, form)
    order = (*GENERAL, "contributors", "constants", "absent", "factors", "practices", "anchors")
    return {name: context[name] for name in (*order, *context) if name in context}


def fields_of(problem: str) -> str:
    """The field that a problem of a context file is about; empty where it is about the whole.

    >>> fields_of("factors.sender.levels.0: 'a' stands twice"), fields_of("title: it is empty")
    ('what_sender', 'title')
    >>> fields_of("missing key 'license'"), fields_of("subject is missing: give it once")
    ('license', 'what_subject')
    """
    missing = re.match(r"missing key '(\w+)", problem)
    place = missing[1] if missing else problem.partition(": ")[0]
    keys = place.split(".")
    first, second = keys[0], keys[1] if len(keys) > 1 else ""
    if match := re.match(rf"({'|'.join(PARAMETERS)}) (?:is missing|stands in several)", problem):
        return f"what_{match[1]}"
    if first in {VARIES, CONSTANT, ABSENT}:
        return f"what_{second}" if second in PARAMETERS else ""
    if first == "practices":
        return "null_control" if "null_control" in problem else "template"
    if first == "anchors":
        return "anchor_acceptable"
    return first if first in TEXTS else ""


def _parameter(whole: Mapping[str, Any], name: str) -> tuple[str, str]:
    for how in (CONSTANT, ABSENT):
        section = whole.get(how)
        if isinstance(section, dict) and name in section:
            return how, _text(section[name])
    factors = whole.get(VARIES)
    factor = factors.get(name) if isinstance(factors, dict) else None
    if isinstance(factor, dict) and ("tied_to" in factor or "levels_for" in factor):
        return TIED, ""
    return VARIES, _lines(factor.get("levels")) if isinstance(factor, dict) else ""


def _set_parameter(context: dict[str, Any], name: str, how: str, what: str) -> None:
    if how == TIED:
        return
    for kind in (VARIES, CONSTANT, ABSENT):
        section = context.get(kind)
        section = dict(section) if isinstance(section, dict) else {}
        if kind == how:
            was = section.get(name)
            factor = was if kind == VARIES and isinstance(was, dict) else {}
            factor = {key: factor[key] for key in factor if key not in {"tied_to", "levels_for"}}
            # an optional factor's empty level is not a line of the form
            empty = [""] if factor.get("optional") and "" in _each(factor.get("levels")) else []
            levels = {"levels": [*empty, *_split(what)]}
            section[name] = factor | levels if kind == VARIES else what.strip()
        else:
            section.pop(name, None)
        if section or kind == VARIES:
            context[kind] = section
        else:
            context.pop(kind, None)


def _practice(whole: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The first practice and its name."""
    practices = whole.get("practices")
    if isinstance(practices, dict):
        for name, practice in practices.items():
            return str(name), dict(practice) if isinstance(practice, dict) else {}
    return "", {}


def _set_practice(context: dict[str, Any], form: Form) -> None:
    name, practice = _practice(context)
    practices = context.get("practices")
    practices = dict(practices) if isinstance(practices, dict) else {}
    practice["template"] = form["template"].strip()
    if form["null_control"].strip():
        practice["null_control"] = form["null_control"].strip()
    else:
        practice.pop("null_control", None)
    name_of_context = form["name"].strip() or "practice"
    if len(practices) <= 1:
        # a context with one practice calls it by its own name
        context["practices"] = {name_of_context: practice}
    else:
        context["practices"] = practices | {name: practice}


def _anchor(whole: Mapping[str, Any], side: str) -> dict[str, Any]:
    anchors = whole.get("anchors")
    for anchor in anchors if isinstance(anchors, list) else []:
        if isinstance(anchor, dict) and anchor.get("expected") == side:
            return anchor
    return {}


def _set_anchors(context: dict[str, Any], form: Form) -> None:
    anchors = context.get("anchors")
    anchors = list(anchors) if isinstance(anchors, list) else []
    for side in ANCHORS:
        text, reason = form[f"anchor_{side}"].strip(), form[f"because_{side}"].strip()
        first = _anchor({"anchors": anchors}, side)
        new = first | {"text": text, "expected": side, "reason": reason}
        if first:
            at = next(i for i, anchor in enumerate(anchors) if anchor is first)
            anchors[at : at + 1] = [new] if text or reason else []
        elif text or reason:
            anchors.append(new)
    if anchors or "anchors" in context:
        context["anchors"] = anchors


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _lines(value: Any) -> str:
    return "\n".join(_each(value))


def _each(value: Any) -> Iterator[str]:
    yield from map(_text, value if isinstance(value, list) else [])


def _split(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _year(text: str) -> int | str:
    return int(text) if re.fullmatch(r"\d{1,4}", text.strip()) else text.strip()
