"""The same answer under the rubric in zh and in en: what the rubric's language does to a judge."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ....errors import UsageError
from ....records.config import RunConfig
from ....records.model_spec import ModelSpec
from ....records.work import journal_of
from ...engine import Engine
from ...rubric import Rubric
from .asking import Judge, Reply, ladder_replies, load_judge, task_of
from .languages import FIRST, SECOND, Pair

NAME = "the judge, same answer, rubric in zh and en"


def swapped(
    used: Rubric,
    asked: RunConfig,
    *,
    load: Callable[[ModelSpec], Engine],
    folder: Path,
    limit: int | None,
) -> tuple[Sequence[Pair], Sequence[str]]:
    """Each of the ladder's answers judged under the rubric in both languages, and the outcomes."""
    for language in (FIRST, SECOND):
        if language not in used.languages:
            told = f"rubric {used.name!r} does not speak {language}"
            raise UsageError(f"{told}: there is nothing to swap")
    engine = load_judge(asked, load)
    replies = ladder_replies(limit)
    folder.mkdir(parents=True, exist_ok=True)
    with journal_of(
        task_of(engine, used, asked, check="languages", limit=limit), folder
    ) as journal:
        judge = Judge(engine, used, asked, journal)
        read = {
            language: judge.ask(
                f"rubric in {language}",
                [Reply(replace(one.item, language=language), one.text) for one in replies],
            )
            for language in (FIRST, SECOND)
        }
    pairs = [
        (one.reply.item.cluster, one.reply.item.category, one.answer(), other.answer())
        for one, other in zip(read[FIRST], read[SECOND], strict=True)
    ]
    return pairs, judge.outcomes
