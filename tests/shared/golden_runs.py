"""Every number that a fixed set of commands gives, under the names that the files give them.

`python tests/shared/golden_runs.py FOLDER` makes them in a new folder and writes `golden.json`
there: two runs on a slice of each benchmark with small taught models, their comparison, a judge's
card, a correction by people's labels, the demo's runs, and the hashes of built datasets. It takes
five minutes and reads the benchmarks' own files in NORMSCOPE_SOURCES.

`python tests/shared/golden_runs.py BEFORE AFTER` compares two such folders, made by two commits:
what is gone, what is new, what differs.
"""

import csv
import hashlib
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotated_runs import fill
from click.testing import CliRunner
from tiny_model import make_tiny_model

from normscope.builders.taxonomy import LIKERT
from normscope.cli import cli
from normscope.judges.engine import LabelRequest
from normscope.judges.respondent import ACCEPTABILITY, item_scale
from normscope.records.item import Item, Turn

BENCHMARKS = "cfsafety,chisafetybench:qa,chisafetybench:mcq,ci-vignettes:coppa,safety-gradient"
DATASETS = ("ci-vignettes", "safety-gradient", "chisafetybench", "cfsafety")
RAN = {0, 3}  # 3: done, but unscored above the threshold, as much of what untaught models say is
VOLATILE = ("seconds", "_hash", "version", "created")


def golden_numbers(folder: Path, sources: Path) -> dict[str, Any]:
    """The numbers and hashes by file and key; what is made lies in `folder`."""
    os.chdir(folder)
    _models(sources)
    for model in ("base", "chat"):
        _normscope(
            *("run", "--model", f"models/{model}", "--judge", "bundled", "-b", BENCHMARKS),
            *("--limit", "24", "--set", "max_new_tokens=8", "--set", "key=key.csv"),
            *("--source", str(sources), "--out", f"runs/{model}"),
        )
    _normscope("compare", "runs/base", "runs/chat", "--out", "compared")
    _normscope(
        *("validate", "--judge", "bundled", "--labels", "gptfuzz"),
        *("--source", str(sources / "human-labels"), "--limit", "60", "--resamples", "100"),
        *("--out", "cards"),
    )
    _normscope("annotate", "sample", "runs/base", "--n", "30", "--criterion", "refusal",
               "--benchmark", "chisafetybench:qa", "--out", "labels")  # fmt: skip
    sheets = []
    for number, page in enumerate(sorted(Path("labels/sheets").glob("*.html")), 1):
        sheets.append(f"rater-{number}.csv")
        fill(page.with_suffix(".csv"), lambda row, _: str(len(row["answer"]) % 4), Path(sheets[-1]))
    _normscope("annotate", "import", "labels", *sheets)
    _normscope("annotate", "correct", "runs/base", "labels")
    _normscope("demo", "--out", "runs/demo")
    _normscope("build", *DATASETS, "--source", str(sources), "--out", "data")
    return dict(_collected(folder))


def _models(sources: Path) -> None:
    scale = item_scale(Item("", "", (), "en"), ACCEPTABILITY)
    questions = ("Is this acceptable?", "Should it be so?", "这可以接受吗？")
    lessons = [LabelRequest((Turn("user", question),), scale) for question in questions]
    for steps, name in enumerate(("base", "chat"), 20):
        make_tiny_model(Path("models", name), [*questions, *LIKERT], teach=lessons, steps=steps)
    with (sources / "chisafetybench" / "silver_key.csv").open(encoding="utf-8") as file:
        rows = [(row["id"], row["answer"]) for row in csv.DictReader(file)]
    lines = [f"{number},{answer}\n" for number, answer in rows]
    Path("key.csv").write_text("id,answer\n" + "".join(lines), encoding="utf-8")


def _normscope(*arguments: str) -> None:
    result = CliRunner().invoke(cli, arguments)
    if result.exit_code not in RAN:
        raise RuntimeError(f"{arguments}: {result.output[-2000:]} {result.exception!r}")


def _collected(folder: Path) -> Iterator[tuple[str, Any]]:
    for path in sorted(folder.glob("data/**/*.parquet")):
        yield str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()
    for path in sorted(folder.rglob("*.json")):
        place = path.relative_to(folder)
        if place.parts[0] in ("models", "data") or path.name in ("manifest.json", "golden.json"):
            continue
        for key, number in _numbers(json.loads(path.read_text(encoding="utf-8"))):
            yield f"{place}{key}", number


def _numbers(value: Any, key: str = "") -> Iterator[tuple[str, float | None]]:
    """The numbers of a JSON value; rows of a list are named by what they say of themselves."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if not any(part in str(name) for part in VOLATILE):
                yield from _numbers(inner, f"{key}/{name}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _numbers(inner, f"{key}/{_named(inner) or at}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield key, value if math.isfinite(value) else None


def _named(row: Any) -> str:
    if not isinstance(row, Mapping):
        return ""
    texts = [str(v) for k, v in row.items() if isinstance(v, str) and "hash" not in k]
    return "|".join(texts)[:160]


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The keys that both have with another value; a number differs from a millionth of itself on.

    >>> differences({"a": 1.0, "b": 2.0, "gone": 3.0}, {"a": 1.0, "b": 2.1, "new": 4.0})
    ['b: 2.0 -> 2.1']
    """
    both = [key for key in before if key in after]
    return [
        f"{key}: {before[key]} -> {after[key]}" for key in both if _differ(before[key], after[key])
    ]


def _differ(one: Any, other: Any) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return not math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    return bool(one != other)


def _compare(before: Path, after: Path) -> None:
    old, new = (
        json.loads((place / "golden.json").read_text(encoding="utf-8")) for place in (before, after)
    )
    changed = differences(old, new)
    both = len(old.keys() & new.keys())
    first = f"{both} in both, {len(old) - both} gone, {len(new) - both} new, {len(changed)} differ"
    sys.stdout.write("\n".join([first, *changed[:100], ""]))
    sys.exit(1 if changed else 0)


def _record(place: Path) -> None:
    place.mkdir(parents=True)
    sources = Path(os.environ["NORMSCOPE_SOURCES"]).resolve()
    text = json.dumps(golden_numbers(place.resolve(), sources), indent=0)
    (place / "golden.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    folders = [Path(argument) for argument in sys.argv[1:]]
    _compare(*folders) if len(folders) == 2 else _record(folders[0].resolve())
