"""The benchmarks that a configuration asks for, those of one's own files among them."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..builders.builder import Benchmark, Builder
from ..builders.registry import benchmark
from ..errors import UsageError
from ..files import replacing
from ..records.settings import Settings, read, updated

VIGNETTES = "ci-vignettes"
NOTHING = Settings()


def requested(values: Mapping[str, Any], base: Settings = NOTHING) -> Settings:
    """The settings among the values, over those of the file `config`, or of a run.

    Contexts of one's own are read, and asked where no benchmark is named.
    """
    settings = updated(read(values["config"]) if values.get("config") else base, values)
    if settings.benchmark or not settings.context:
        return settings
    from ..builders.ci_vignettes.context import read_wording

    contexts = read_wording(map(Path, settings.context), None).sources
    return replace(settings, benchmark=tuple(f"{VIGNETTES}:{name}" for name in contexts if name))


def requested_benchmarks(config: Settings) -> dict[str, tuple[Builder, Benchmark]]:
    """Each benchmark of the configuration with its dataset's builder, in their order.

    A context or prompts of one's own are read here, and every error in them is told.
    """
    own: dict[str, Builder] = {}
    if config.context or config.prompts is not None:
        from ..builders.ci_vignettes.builder import builder_of
        from ..builders.ci_vignettes.context import read_wording

        prompts = None if config.prompts is None else Path(config.prompts)
        own[VIGNETTES] = builder_of(read_wording(map(Path, config.context), prompts))
    result = {name: benchmark(name, own=own) for name in config.benchmark}
    used = [source for _, bench in result.values() for source in bench.sources]
    for given in (*config.context, *filter(None, [config.prompts])):
        if not any(source.path.is_relative_to(given) for source in used):
            raise UsageError(
                f"no benchmark that is asked for is made of {given} "
                f"({', '.join(config.benchmark)}): ask for {VIGNETTES}:NAME, or leave it out"
            )
    return result


def sources_of(bench: Benchmark) -> dict[str, str]:
    """The SHA-256 of each file of one's own that the benchmark is made of, by the file's name."""
    hashes: dict[str, str] = {}
    for source in bench.sources:
        name, content = source.path.name, hashlib.sha256(source.content).hexdigest()
        if hashes.setdefault(name, content) != content:
            raise UsageError(
                f"{bench.name} is made of two files that are called {name!r}: name one of them "
                "otherwise, since a run keeps both in one folder"
            )
    return hashes


def keep_copies(bench: Benchmark, folder: Path) -> None:
    """What a run keeps of the files of one's own that the benchmark is made of, in the folder."""
    for source in bench.sources:
        copy = folder / source.path.name
        # the run itself may be where it was read from
        if not (copy.is_file() and copy.read_bytes() == source.content):
            with replacing(copy) as part:
                part.write_bytes(source.content)
