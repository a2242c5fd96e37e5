"""What a rule is, and the one way in which every rule reads a reply.

A rule is a table of `tables.yaml`. Its patterns stand in stages, the most telling first: "the final
answer is B" before a bare letter somewhere. The first stage that makes a statement decides; the
stages below it are not looked at. Before them come patterns that set labels aside: "not A" chooses
nothing, and "if A were right" says nothing at all.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import yaml

from ...files import hash_value
from ...hub_folders import hub_folder
from ...reasons import Reason
from .tidy import tidy
from .words import Words, is_quoting

ENGINE_VERSION = 1
"""Goes up when the same table would read otherwise; part of every rule's hash."""


class Gives(StrEnum):
    """What a pattern does with the labels that it catches."""

    CHOOSES = "chooses"
    REJECTS = "rejects"
    IGNORES = "ignores"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A line of a table: its name, what it looks for, what that gives, and why it is there.

    `regex` ignores case, `^` and `$` are at every line, and it names pieces of `Words` in braces;
    every group catches labels. A pattern that gives a reason catches none.
    """

    name: str
    regex: str
    gives: Gives | Reason
    why: str


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What a rule makes of a reply: the label, with the pattern's name as `rule`; or a reason.

    Exactly one of `label` and `reason` is null.
    """

    label: str | None
    reason: Reason | None
    rule: str


@dataclass(frozen=True, slots=True)
class Stage:
    """Patterns that tell equally much.

    Several different labels in a stage are ambiguous, unless the `last` of them stands. In a
    `weak` stage a label that is rejected anywhere is not chosen. A stage with a `limit` looks at
    replies of so many characters at most.
    """

    name: str
    patterns: tuple[Pattern, ...]
    last: bool = False
    weak: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A table of patterns with a version, which goes up when the table changes.

    `aside` sets labels aside, `stages` decide in their order, and `otherwise` gives the reason
    where no stage made a statement. `forms` are the labels, each with a regex of how it is spelt,
    where they are not the item's own.
    """

    name: str
    version: int
    aside: tuple[Pattern, ...]
    stages: tuple[Stage, ...]
    otherwise: tuple[Pattern, ...]
    forms: tuple[tuple[str, str], ...] = ()
    hash: str = field(init=False)

    def __post_init__(self) -> None:
        """Hashes all that the reading depends on."""
        table = {
            "engine": ENGINE_VERSION,
            "version": self.version,
            "aside": _lines(self.aside),
            "stages": [
                [stage.name, stage.last, stage.weak, stage.limit, _lines(stage.patterns)]
                for stage in self.stages
            ],
            "otherwise": _lines(self.otherwise),
            "spelling": repr(self.forms) if self.forms else "",
        }
        object.__setattr__(self, "hash", hash_value(table))

    def patterns(self) -> tuple[Pattern, ...]:
        """Every line of the table, in its order."""
        staged = [pattern for stage in self.stages for pattern in stage.patterns]
        return (*self.aside, *staged, *self.otherwise)


@dataclass(frozen=True, slots=True)
class _Claim:
    """What one match says: the labels, where the last of them stands, and by which pattern."""

    at: int
    labels: frozenset[str]
    rule: str


@dataclass(slots=True)
class _Reply:
    """A tidied reply, what was set aside in it, and whether it names every label at once."""

    text: str
    words: Words
    aside: set[int] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    lists_all: bool = False
    quotes: bool = field(init=False)

    def __post_init__(self) -> None:
        self.quotes = self.words.is_quoted_in(self.text)

    def matches(self, pattern: Pattern) -> list[re.Match[str]]:
        if not self.quotes and is_quoting(pattern.regex):
            return []
        return list(self.words.compiled(pattern.regex).finditer(self.text))


def read(rule: Rule, words: Words, text: str) -> RuleResult:
    """The label that the rule reads in the reply, or the reason why there is none."""
    reply = _Reply(tidy(text), words)
    if not reply.text:
        return RuleResult(None, Reason.NO_ANSWER, "empty")
    _set_aside(reply, rule.aside)
    for stage in rule.stages:
        if stage.limit is None or len(reply.text) <= stage.limit:
            result = _decide(reply, stage)
            if result is not None:
                return result
    return _left_over(reply) or _otherwise(reply, rule.otherwise)


def _set_aside(reply: _Reply, patterns: tuple[Pattern, ...]) -> None:
    for pattern in patterns:
        for match in reply.matches(pattern):
            for at, label in reply.words.find(match):
                if at not in reply.aside and pattern.gives is Gives.REJECTS:
                    reply.rejected.add(label)
                reply.aside.add(at)


def _decide(reply: _Reply, stage: Stage) -> RuleResult | None:
    """What the stage says, if it says anything."""
    claims: list[_Claim] = []
    for pattern in stage.patterns:
        matches = reply.matches(pattern)
        if matches and isinstance(pattern.gives, Reason):
            return RuleResult(None, pattern.gives, pattern.name)
        claims += filter(None, (_claim(reply, stage, pattern.name, match) for match in matches))
    if not claims:
        return None
    if stage.last:
        claims = [max(claims, key=lambda claim: claim.at)]
    chosen = frozenset[str]().union(*(claim.labels for claim in claims))
    if _is_all(reply, chosen):
        return None
    if len(chosen) > 1:
        return RuleResult(None, Reason.AMBIGUOUS, claims[-1].rule)
    return RuleResult(next(iter(chosen)), None, claims[-1].rule)


def _claim(reply: _Reply, stage: Stage, name: str, match: re.Match[str]) -> _Claim | None:
    """What the match says; a mere list of all the labels says nothing."""
    stands = [(at, label) for at, label in reply.words.find(match) if at not in reply.aside]
    chosen = frozenset(label for _, label in stands)
    if stage.weak:
        chosen -= reply.rejected
    if not chosen or _is_all(reply, chosen):
        return None
    return _Claim(stands[-1][0], chosen, name)


def _is_all(reply: _Reply, chosen: frozenset[str]) -> bool:
    is_all = len(reply.words.labels) > 1 and len(chosen) == len(reply.words.labels)
    reply.lists_all = reply.lists_all or is_all
    return is_all


def _left_over(reply: _Reply) -> RuleResult | None:
    """What follows from labels that were listed or rejected where none was chosen."""
    left = [label for label in reply.words.labels if label not in reply.rejected]
    if reply.rejected and len(left) == 1:
        return RuleResult(left[0], None, "eliminated")
    if not left:
        return RuleResult(None, Reason.OFF_SCALE, "all-rejected")
    if reply.lists_all:
        return RuleResult(None, Reason.ALL_LABELS_LISTED, "all-labels")
    if reply.rejected:
        return RuleResult(None, Reason.AMBIGUOUS, "rejected-only")
    return None


def _otherwise(reply: _Reply, patterns: tuple[Pattern, ...]) -> RuleResult:
    for pattern in patterns:
        if isinstance(pattern.gives, Reason) and reply.matches(pattern):
            return RuleResult(None, pattern.gives, pattern.name)
    return RuleResult(None, Reason.OFF_SCALE, "nothing-read")


def _lines(patterns: tuple[Pattern, ...]) -> list[list[str]]:
    return [[pattern.name, pattern.regex, str(pattern.gives)] for pattern in patterns]


def _rules() -> Iterator[Rule]:
    """The rules of `tables.yaml`, each pattern with its pieces in place."""
    text = (hub_folder("judges") / "rules" / "tables.yaml").read_text(encoding="utf-8")
    # the loader in Python takes ten times as long
    tables = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - safe
    pieces: dict[str, str] = {}

    def whole(regex: str) -> str:
        return _PIECE.sub(lambda match: pieces[match[1]], regex.replace("\n", ""))

    def patterns(lines: Any) -> Iterator[Pattern]:
        for line in lines if isinstance(lines, list) else [lines]:
            if isinstance(line, list):
                yield from patterns(line)
            else:
                gives = line["gives"]
                what = Gives(gives) if gives in set(Gives) else Reason(gives)
                yield Pattern(line["name"], whole(line["regex"]), what, line["why"])

    for name, regex in tables["pieces"].items():
        pieces[name] = whole(regex)
    for name, table in tables["rules"].items():
        yield Rule(
            name=name,
            version=table["version"],
            aside=tuple(patterns(table["aside"])),
            stages=tuple(
                Stage(**{**stage, "patterns": tuple(patterns(stage["patterns"]))})
                for stage in table["stages"]
            ),
            otherwise=tuple(patterns(table["otherwise"])),
            forms=tuple((form, whole(regex)) for form, regex in table.get("forms", {}).items()),
        )


_PIECE = re.compile(r"\{([A-Z_]+)\}")

RULES: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in _rules()})
"""Every rule by its name."""
