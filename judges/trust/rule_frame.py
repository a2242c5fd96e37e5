"""The answers that a rule reads: those of a run, or of any file with a column of texts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...datasets_builders.registry import benchmark
from ...datasets_builders.taxonomy import LIKERT
from ...errors import DataError, UsageError
from ...records.folder import RESPONSES, RunFolder, read_only
from ...records.item import Item
from ...records.response import Response, from_table
from ...rows import Rows, read_rows
from ..respondent import RULES as RULE_OF_CRITERION
from ..rules import RULES, Reading, read_likert, read_option, read_refusal
from ..rules.refusal import FORMS

TEXT_COLUMNS = ("response", "text")
LETTERS = ("A", "B", "C", "D")
ADDED = ("label", "reason", "rule")


@dataclass(frozen=True, slots=True)
class Answer:
    """A text, the rule that reads it, and where it comes from.

    `letters` and `options` are those of a multiple-choice item: its letters and their texts.
    """

    where: str
    rule: str
    text: str
    question: str = ""
    letters: tuple[str, ...] = LETTERS
    options: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """What the rule can read in it."""
        known = {"likert": LIKERT, "refusal": tuple(label for label, _ in FORMS)}
        return known.get(self.rule, self.letters)

    def read(self) -> Reading:
        """What the rule makes of the text."""
        if self.rule == "option":
            return read_option(self.text, self.letters, self.options)
        return {"likert": read_likert, "refusal": read_refusal}[self.rule](self.text)


def run_answers(run: RunFolder, *, rule: str | None = None) -> list[Answer]:
    """The texts of a finished `respond` that a rule reads: of options, and of vignettes."""
    items = {item.key: item for item in run.items()}
    found = [
        _of_item(items[response.key.item], response, RULE_OF_CRITERION[criterion])
        for response in from_table(run.table(RESPONSES, made_by="respond"))
        if response.text is not None and response.labels is None
        for criterion in benchmark(response.key.benchmark)[1].criteria
        if criterion in RULE_OF_CRITERION and rule in {None, RULE_OF_CRITERION[criterion]}
    ]
    if not found:
        what = "an option or a vignette" if rule is None else f"the rule {rule!r}"
        raise DataError(
            f"{run.path} has no text for {what}: make the run with --channels text, so that the "
            "model answers in words"
        )
    return found


def file_answers(path: Path, *, rule: str, letters: Sequence[str] | None) -> list[Answer]:
    """The texts of a file's `response` or `text` column, one per row."""
    return answers_of(read_rows(path), path=path, rule=rule, letters=letters)


def answers_of(rows: Rows, *, path: Path, rule: str, letters: Sequence[str] | None) -> list[Answer]:
    """The texts of rows, one each; an absent text is an empty one.

    A multiple-choice row's letters are those of its column `options` where it has one (a list of
    letters and texts, as in our datasets), else `letters`, else A to D.
    """
    if rule not in RULES:
        raise UsageError(f"there is no rule {rule!r}; known: {', '.join(RULES)}")
    if letters is not None and rule != "option":
        raise UsageError(f"letters belong to the rule 'option', not to {rule!r}")
    column = next((name for name in TEXT_COLUMNS if rows and name in rows[0]), None)
    if column is None:
        have = ", ".join(rows[0]) if rows else "no row"
        raise DataError(f"{path} has no column 'response' or 'text': rename one (it has {have})")
    made = []
    for number, row in enumerate(rows):
        text = "" if row[column] is None else row[column]
        if not isinstance(text, str):
            raise DataError(f"{path}, row {number}: {column} is {text!r}, not a text")
        own, options = _options(row.get("options"), path=path, number=number)
        given = own or tuple(letters or LETTERS)
        question = str(row.get("question") or row.get("prompt") or "")
        made.append(Answer(f"row {number}", rule, text, question, given, options))
    return made


def load_answers(target: Path, *, rule: str | None, letters: Sequence[str] | None) -> list[Answer]:
    """The answers of a run's folder, or of a file, which must be told which rule reads it."""
    if target.is_dir():
        if letters is not None:
            raise UsageError("a run knows the letters of its items: leave --letters out")
        return run_answers(read_only(target), rule=rule)
    if rule is None:
        raise UsageError(f"which rule reads {target}? --rule {'|'.join(RULES)}")
    return file_answers(target, rule=rule, letters=letters)


def _of_item(item: Item, response: Response, rule: str) -> Answer:
    place = filter(None, item.key)
    return Answer(
        where=" ".join([*place, f"sample {response.key.sample}"]),
        rule=rule,
        text=response.text or "",
        question=item.question,
        letters=tuple(option.letter for option in item.options) or LETTERS,
        options=tuple(option.text for option in item.options),
    )


def _options(value: Any, *, path: Path, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The letters and the texts of a row's options, none where it has none."""
    if value is None or value == "":
        return (), ()
    try:
        parts = json.loads(value) if isinstance(value, str) else value
        letters = tuple(str(part["letter"]) for part in parts)
        texts = tuple(str(part["text"]) for part in parts)
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"{path}, row {number}: options is {str(value)[:60]!r}, not a list like "
            '[{"letter": "A", "text": "…"}]'
        ) from error
    return letters, texts
