"""Files of rubrics: those that come with Normscope, and a user's, with all that is wrong in one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import ConfigError, UsageError, nearest
from ..files import write_text
from ..hub_folders import hub_folder
from ..problems import Problem, Review, located, refuse, review_file
from ..yaml import MOST, Lines, Location, convert, plain, read_text
from . import bundled
from .engines.chat import written
from .guard import Guard
from .guard_files import bundled_guard, bundled_guards, guard_of, is_guard, rubric_of
from .guard_files import find_problems as guard_problems
from .rubric import Questions, Rubric
from .rubric_check import find_problems
from .scale import Scale

RUBRICS = hub_folder("judges") / "rubrics"
STARTER = Path(__file__).with_name("rubric_starter.yaml")
QUESTION, ANSWER = "[the question]", "[the answer]"
"""What stands in a prompt that is only shown."""


def rubric(name_or_path: str) -> Rubric:
    """The bundled rubric or guard of that name, or the one in that YAML file.

    A variant of a guard follows its name or file, as in `qwen3guard-gen:strict`.
    """
    path = Path(name_or_path)
    if path.suffix in {".yaml", ".yml"}:
        return load_rubric(path)
    name, _, variant = name_or_path.rpartition(":")
    if Path(name).suffix in {".yaml", ".yml"}:
        if (guard := load_rubric(Path(name)).guard) is None:
            raise UsageError(f"{name} is no guard's file, and has no variant {variant!r}")
        return rubric_of(guard, variant)
    name, _, variant = name_or_path.partition(":")
    if name in bundled_guards():
        return rubric_of(bundled_guard(name), variant)
    if name_or_path not in (names := bundled_rubrics()):
        hint = nearest(name_or_path, [*names, *bundled_guards()])
        raise UsageError(f"no rubric {name_or_path!r}: {hint} (or the path of a YAML file)")
    return _bundled(name_or_path)


def bundled_rubrics() -> list[str]:
    """The names of the rubrics that come with Normscope."""
    return sorted(_files())


def load_rubric(path: Path) -> Rubric:
    """The file's rubric, or one `ConfigError` with all its problems, each with its line."""
    value, lines = plain(read_text(path), name=str(path))
    if is_guard(value):
        return rubric_of(guard_of(value, lines, str(path)))
    rubric = convert(value, Rubric, name=str(path), lines=lines)
    refuse(find_problems(rubric), str(path), lines=lines)
    return rubric


def review(path: Path) -> Review[Rubric]:
    """Every problem of a rubric file, by line. One that cannot be read is a `ConfigError`."""
    empty = "no keys are in it; `normscope rubric new` writes a file to begin with"
    return review_file(path, lambda value, lines: _look(value, lines, str(path)), empty=empty)


def _look(value: Mapping[str, Any], lines: Lines, name: str) -> Review[Rubric]:
    if is_guard(value):
        guard = convert(value, Guard, name=name, lines=lines)
        findings = located(islice(guard_problems(guard), MOST), lines)
        good = all(finding.warning for finding in findings)
        return Review(findings, rubric_of(guard) if good else None)
    # a scale checks itself when it is made, and knows of no lines
    if scales := list(_scale_problems(value)):
        return Review(located(scales, lines))
    draft = convert(value, Rubric, name=name, lines=lines)
    problems = list(islice(find_problems(draft), MOST))
    if draft.name in bundled_rubrics():
        message = "a bundled rubric has this name; choose another, so that nobody confuses them"
        problems.append(Problem(("name",), message, warning=True))
    findings = located(problems, lines)
    good = all(result.warning for result in findings)
    return Review(findings, draft if good else None)


def write_starter(path: Path) -> None:
    """Writes a commented rubric to begin with; a file that is there is left alone."""
    if path.suffix not in {".yaml", ".yml"}:
        raise UsageError(f"{path}: a rubric is a YAML file; name it {path.stem}.yaml")
    if path.exists():
        raise UsageError(f"{path} exists; name another file, or remove it first")
    name = re.sub(r"[^a-z0-9_]+", "_", path.stem.lower()).strip("_0123456789") or "mine"
    write_text(path, STARTER.read_text(encoding="utf-8").replace("NAME", name))


def sample(
    used: Rubric,
    *,
    criterion: str | None = None,
    category: str | None = None,
    language: str | None = None,
    backwards: bool = False,
) -> str:
    """The prompt of a criterion with placeholders for question and answer.

    Without a criterion, category or language: the first one, what the rubric falls back on.
    """
    if criterion is not None:
        Questions.of(used, [criterion])
    if (guard := used.guard) is not None:
        # without a criterion the longest replies, of which the others are beginnings
        longest = max(used.criteria, key=lambda name: max(map(len, guard.scales[name].labels)))
        turns = [("user", QUESTION), ("assistant", ANSWER)]
        return guard_prompt(guard, criterion or longest, turns)
    if language is not None and language not in used.languages:
        have = ", ".join(used.languages)
        raise UsageError(f"rubric {used.name!r} does not speak {language!r}; it speaks {have}")
    return used.render(
        criterion or next(iter(used.criteria)),
        category=category or used.category_for(""),
        language=language or used.fallback_language,
        conversation=(("user", QUESTION),),
        answer=ANSWER,
        backwards=backwards,
    )


def guard_prompt(guard: Guard, criterion: str, turns: Sequence[tuple[str, str]]) -> str:
    """What a guard is asked, as far as the chat template leaves it to us, and its replies."""
    form = guard.forms[0]
    put = written(turns, form)
    prompt = put[0][1] if form.text else "\n".join(f"{role}: {text}" for role, text in put)
    arguments = ", ".join(f"{name}={value!r}" for name, value in form.arguments.items())
    head = "" if form.text else f"through the model's chat template({arguments})\n"
    begins = f", which has begun with {form.begins!r}," if form.begins else ""
    replies = "\n".join(map(repr, guard.scales[criterion].labels))
    return f"{head}{prompt}\n\nThe reply{begins} is one of:\n{replies}"


@cache
def _bundled(name: str) -> Rubric:
    return load_rubric(_files()[name])


def _files() -> dict[str, Path]:
    by_name = {file.stem: file for file in RUBRICS.glob("*.yaml")}
    return by_name | {bundled.NAME: bundled.rubric_path()}


def _scale_problems(value: Mapping[str, Any]) -> Iterator[Problem]:
    criteria = value.get("criteria")
    for name, criterion in criteria.items() if isinstance(criteria, dict) else ():
        scale = criterion.get("scale") if isinstance(criterion, dict) else None
        if isinstance(scale, dict):
            where: Location = ("criteria", name, "scale")
            try:
                convert(scale, Scale, name="")
            except ConfigError as error:
                yield from (Problem(where, text) for _, text in error.problems)
