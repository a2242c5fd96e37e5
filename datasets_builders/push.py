"""What of a built folder goes to the Hub, who may put it there, and what a card lists.

No network here: the front door (`normscope/hub.py`) makes the commit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from ..errors import ConfigError, DataError
from ..records.integrity import SOURCES
from ..rows import read_rows
from ..untrusted import excerpt
from ..yaml import plain
from .card import file_of, loaded_from
from .ci_vignettes.context import CheckedContext, load_context
from .ci_vignettes.prompts import is_prompts
from .ci_vignettes.ratings_published import rated_in, ratings_copy
from .registry import builder

CARD = "README.md"
NO_LICENSE = "unknown"
_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class CardConfig:
    """One config as a card lists it: its Parquet file, and its rows where the card says them."""

    name: str
    path: str
    rows: int | None


def built_files(name: str | None, folder: Path) -> dict[str, Path | bytes]:
    """The files of the built dataset by their path in the repository: card, configs, contexts.

    Of people's ratings it is how many gave each answer, whatever lies in the folder. `name` is the
    dataset's where it is one of ours, and tells how to build it. The card decides: a file that an
    earlier build left behind is no part of the dataset. A missing or damaged file, or one with
    another number of rows than the card says, is a `DataError`.
    """
    command = f"build {name}" if name else f"context build FILE --out {folder}"
    remedy = f"build it again: normscope {command}"
    card = folder / CARD
    if not card.is_file():
        raise DataError(f"there is no built dataset in {folder} (no {CARD}); {remedy}")
    files: dict[str, Path | bytes] = {CARD: card}
    try:
        configs = list_configs(card.read_text(encoding="utf-8"))
    except (ConfigError, UnicodeDecodeError) as error:
        raise DataError(f"{card}: {error}; {remedy}") from error
    if not configs:
        raise DataError(f"{card} lists no configs; {remedy}")
    for config in configs:
        if config.path != file_of(config.name):
            raise DataError(
                f"{card}: config {config.name!r} reads {config.path!r}, not "
                f"{file_of(config.name)!r}; {remedy}"
            )
        path = folder / config.path
        rows = _count_rows(path, remedy)
        if config.rows not in {None, rows}:
            raise DataError(f"{path} has {rows} rows, the card says {config.rows}; {remedy}")
        files[config.path] = path
    # what a context was built from, so that whoever downloads the folder can ask it
    files |= {f"{SOURCES}/{path.name}": path for path in _own_files(folder)}
    for context in _contexts(folder):
        if (file := rated_in(context)) is not None:
            files[f"{SOURCES}/{file}"] = ratings_copy(context)
    return files


def personal_data(folder: Path) -> Iterator[str]:
    """What of people the contexts in the folder hold, a line each, and what is published of it."""
    for context in _contexts(folder):
        names = ", ".join(context.contributors)
        yield f"{SOURCES}/{context.name}.yaml names its contributors: {excerpt(names)}"
        if (file := rated_in(context)) is None:
            continue
        path = folder / SOURCES / file
        if path.read_bytes() == ratings_copy(context):
            yield f"{SOURCES}/{file} has how many people gave each answer, no row of a person"
            continue
        rows = read_rows(path)
        columns = ", ".join(excerpt(name, limit=40) for name in islice(rows[0], _COLUMNS))
        yield (
            f"{SOURCES}/{file} stays here: {len(rows):,} rows ({columns} …); published instead: "
            "how many people gave each answer"
        )


def _own_files(folder: Path) -> list[Path]:
    """The files of contexts and prompts that the folder was built from."""
    return sorted(path for path in (folder / SOURCES).glob("*.yaml") if path.is_file())


def _contexts(folder: Path) -> Iterator[CheckedContext]:
    return (load_context(path) for path in _own_files(folder) if not is_prompts(path))


def missing_right(name: str | None, folder: Path) -> str | None:
    """Why the dataset may not be published without more ado: its authors gave no licence.

    That of one of ours is known by its name, that of any other folder stands in its card.
    """
    granted = "--i-have-the-right-to-publish"
    if name is None:
        card = folder / CARD
        front = _split(card.read_text(encoding="utf-8"))[0] if card.is_file() else {}
        if front.get("license") != NO_LICENSE:
            return None
        return (
            f"{card} names no licence, so that nobody may use what is published: name one under "
            f"`license` in the file of every context and build it again, or, if you have the right "
            f"to publish it all the same: {granted}"
        )
    if builder(name).card.license != NO_LICENSE:
        return None
    return (
        f"{name} has no licence: its authors have not said that others may publish it. "
        f"`normscope build {name}` makes it on your machine, and load_dataset reads it from there. "
        f"If you are the author or have the authors' permission, say so: {granted}"
    )


def addressed_card(card: Path, address: str) -> dict[str, bytes]:
    """The card whose example loads from the repository with that address, by its path."""
    repo = address.rpartition("/datasets/")[2]
    return {CARD: loaded_from(card.read_text(encoding="utf-8"), repo).encode()}


def list_configs(card: str) -> list[CardConfig]:
    """The configs in our layout that a card's front matter lists, or a `ConfigError`.

    >>> card = "---\\nconfigs:\\n- config_name: c\\n  data_files: c/test.parquet\\n---\\n# Title"
    >>> list_configs(card)
    [CardConfig(name='c', path='c/test.parquet', rows=None)]
    """
    front, _ = _split(card)
    rows = {info["config_name"]: _rows(info) for info in _infos(front)}
    return [
        CardConfig(name, path, rows.get(name))
        for name, config in _configs(front).items()
        if (path := _path(config)) is not None
    ]


def listed_files(card: str) -> frozenset[str]:
    """The Parquet files in our layout that somebody's card lists; none where it cannot be read."""
    try:
        configs = list_configs(card)
    except ConfigError:
        return frozenset()
    return frozenset(config.path for config in configs if config.path == file_of(config.name))


def merge_cards(ours: str, theirs: str, staying: frozenset[str]) -> str:
    """Our card with those configs of theirs added whose files stay in the repository.

    So two people who publish different configs into one repository both can load theirs. The
    languages are those of both, the text below the front matter is ours.
    """
    front, body = _split(ours)
    their_front, _ = _split(theirs)
    configs = _configs(front)
    added = {
        name: {key: value for key, value in config.items() if key != "default"}
        for name, config in sorted(_configs(their_front).items())
        # a config whose file goes would break `load_dataset` for everybody
        if name not in configs and _path(config) in staying
    }
    if not added:
        return ours
    infos = [
        *_infos(front),
        *(info for info in _infos(their_front) if info["config_name"] in added),
    ]
    front["dataset_info"] = sorted(infos, key=lambda info: str(info["config_name"]))
    languages = [*_words(front.get("language")), *_words(their_front.get("language"))]
    front["language"] = list(dict.fromkeys(languages))
    front["configs"] = sorted([*configs.values(), *added.values()], key=lambda c: c["config_name"])
    dumped = yaml.safe_dump(front, sort_keys=False, allow_unicode=True)
    return f"---\n{dumped}---\n{body}"


def _count_rows(path: Path, remedy: str) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except FileNotFoundError:
        raise DataError(f"the card lists {path}, which is missing; {remedy}") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path} is not a whole Parquet file; {remedy}") from error


def _split(card: str) -> tuple[dict[str, Any], str]:
    """The front matter's value and the text below it."""
    criterion, fence, body = card.removeprefix("---\n").partition("\n---\n")
    if not (card.startswith("---\n") and fence):
        return {}, card
    value, _ = plain(criterion, name=f"{CARD} front matter")
    if not isinstance(value, dict):
        raise ConfigError(f"{CARD} front matter is not a mapping")
    return value, body


def _configs(front: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {config["config_name"]: config for config in _named(front.get("configs"))}


def _infos(front: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries of `dataset_info`, which is one mapping without a name if there is one config."""
    infos = front.get("dataset_info")
    return _named([{"config_name": "default", **infos}] if isinstance(infos, dict) else infos)


def _named(value: Any) -> list[dict[str, Any]]:
    """Those of the entries that are mappings with a name; a hand-edited card may hold anything."""
    entries = value if isinstance(value, list) else []
    return [e for e in entries if isinstance(e, dict) and isinstance(e.get("config_name"), str)]


def _words(value: Any) -> list[str]:
    """A word or a list of words, as a list."""
    return [word for word in (value if isinstance(value, list) else [value]) if word]


def _path(config: Mapping[str, Any]) -> str | None:
    """The one file of a config, in either spelling; null for anything else."""
    files = config.get("data_files")
    if isinstance(files, list) and len(files) == 1 and isinstance(files[0], dict):
        files = files[0].get("path")
    plain_path = isinstance(files, str) and ".." not in PurePosixPath(files).parts
    return files if plain_path and isinstance(files, str) else None


def _rows(info: Mapping[str, Any]) -> int | None:
    splits = info.get("splits")
    first = splits[0] if isinstance(splits, list) and splits else None
    rows = first.get("num_examples") if isinstance(first, dict) else None
    return rows if isinstance(rows, int) else None
