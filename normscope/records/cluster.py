"""Where units are done, and where they are noted: no part of what is asked, kept nowhere."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from ..files import named
from ..yaml import convert
from .model_spec import setting


@dataclass(frozen=True, slots=True)
class WorkSettings:
    """Which Ray cluster does the units, with how many actors of what size; where the journal lies.

    `cluster` is `auto` (the one that RAY_ADDRESS names or that was begun on this machine),
    `ray://HOST:PORT` or `HOST:PORT`; null: none does. No number of actors: as many as there is room
    for.
    """

    cluster: str | None = setting(
        None, "A Ray cluster to work on: auto, HOST:6379, ray://HOST:10001."
    )
    cluster_actors: int | None = setting(None, "Models loaded on the cluster [as many as fit].")
    cluster_cpus: float = setting(1.0, "CPUs of each of them.")
    cluster_gpus: float = setting(0.0, "GPUs of each of them.")
    journal: str | None = setting(None, "A folder on a local disk for the journal [the run's own].")

    def __post_init__(self) -> None:
        """Refuses sizes that are none, and what belongs to a cluster where there is none."""
        for name, least in (("cluster_actors", 1), ("cluster_cpus", 0), ("cluster_gpus", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ConfigError(f"{name} is {value:g}: at least {least}")
        changed = [
            f.name
            for f in fields(self)
            if f.name != "journal" and getattr(self, f.name) != f.default
        ]
        if self.cluster is None and changed:
            raise ConfigError(f"{changed[0]} belongs to cluster: name one")

    @property
    def journal_folder(self) -> Path | None:
        """The folder for the journal; null: the run's."""
        return None if self.journal is None else named(Path(self.journal))

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "WorkSettings":
        """The settings among those that a command's option --set names."""
        given = options.get("settings", {})
        names = [field.name for field in fields(cls) if field.name in given]
        return convert({name: given[name] for name in names}, cls, name="--set")
