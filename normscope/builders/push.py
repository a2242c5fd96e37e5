"""What of a built folder goes to the Hub, and who may put it there. No network here."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import ConfigError, DataError, UsageError
from ..records.integrity import SOURCES
from ..untrusted import excerpt
from ..yaml import front_matter
from .card import file_of
from .ci_vignettes.context import contexts_in, load_context
from .ci_vignettes.context_file import ContextFile
from .ci_vignettes.ratings import ratings_copy
from .registry import builder

CARD = "README.md"
NO_LICENSE = "unknown"


def built_files(name: str | None, folder: Path) -> list[str]:
    """The paths in the folder that are the built dataset: card, configs, contexts with ratings.

    `name` is the dataset's where it is one of ours, and tells how to build it. The card decides: a
    file that an earlier build left behind is no part of the dataset. A missing or damaged file, and
    ratings that are not counts alone, are errors.
    """
    command = f"build {name or '--context FILE'}"
    remedy = f"build it again: normscope {command}"
    if not (folder / CARD).is_file():
        raise DataError(f"there is no built dataset in {folder} (no {CARD}); {remedy}")
    configs = _listed_configs(folder / CARD, remedy)
    for config in configs:
        path = folder / file_of(config)
        try:
            pq.read_metadata(path)
        except FileNotFoundError:
            raise DataError(f"the card lists {path}, which is missing; {remedy}") from None
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(f"{path} is not a whole Parquet file; {remedy}") from error
    # what a context was built from, so that whoever downloads the folder can ask it
    copies = [f"{SOURCES}/{path.name}" for path in _own_files(folder)]
    rated = {f"{SOURCES}/{file}": c for c in _contexts(folder) if (file := c.ratings_file)}
    for file, context in rated.items():
        if (folder / file).read_bytes() != ratings_copy(context):
            raise UsageError(
                f"{folder / file} is more than how many people gave each answer; {remedy}"
            )
    return [CARD, *map(file_of, configs), *copies, *rated]


def personal_data(folder: Path) -> Iterator[str]:
    """What of people the contexts in the folder hold, a line each."""
    for context in _contexts(folder):
        names = ", ".join(context.contributors)
        yield f"{SOURCES}/{context.name}.yaml names its contributors: {excerpt(names)}"
        if (file := context.ratings_file) is not None:
            yield f"{SOURCES}/{file} has how many people gave each answer, no row of a person"


def missing_right(name: str | None, folder: Path) -> str | None:
    """Why the dataset may not be published without more ado: its authors gave no licence.

    That of one of ours is known by its name, that of any other folder stands in its card.
    """
    granted = "--i-have-the-right-to-publish"
    if name is None:
        card = folder / CARD
        if not card.is_file() or front_matter(card)[0].get("license") != NO_LICENSE:
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


def _listed_configs(card: Path, remedy: str) -> list[str]:
    """The configs that the card lists."""
    try:
        configs = [str(config["config_name"]) for config in front_matter(card)[0]["configs"]]
    # whatever a hand-edited card holds
    except (ConfigError, TypeError, KeyError) as error:
        raise DataError(f"{card} lists no configs that can be read ({error}); {remedy}") from error
    if not configs:
        raise DataError(f"{card} lists no configs; {remedy}")
    return configs


def _own_files(folder: Path) -> list[Path]:
    """The files of contexts and prompts that the folder was built from."""
    return sorted(path for path in (folder / SOURCES).glob("*.y*ml") if path.is_file())


def _contexts(folder: Path) -> Iterator[ContextFile]:
    return map(load_context, contexts_in(folder / SOURCES))
