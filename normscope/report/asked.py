"""What was asked of whom: the benchmarks with their numbers, and how answers were drawn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..categorical import combined, first_rows, group_by
from ..format import count
from ..records.item import Item
from ..records.judgements import Judgements
from .words import EN, Words


@dataclass(frozen=True, slots=True)
class AskedOf:
    """One benchmark: its items, of how many, in how many prompts, languages, and who was read."""

    benchmark: str
    items: str
    of: str
    prompts: str
    languages: str
    criteria: str


def asked_of(
    config: Mapping[str, Any], items: list[Item], verdicts: Judgements, words: Words = EN
) -> tuple[AskedOf, ...]:
    """A row per benchmark of the run, from what it kept of its items."""
    known = ((config.get("provenance") or {}).get("responses") or {}).get("benchmarks") or {}
    return tuple(
        AskedOf(
            benchmark=benchmark,
            items=count(len({item.item_id for item in rows})),
            of=_dataset(known.get(benchmark)),
            prompts=count(len(rows)),
            languages=_languages(rows, words),
            criteria=", ".join(
                f"{words.name(criterion)} ({words.name(source)})"
                for criterion, source in _criteria(verdicts.of_benchmark(benchmark))
            ),
        )
        for benchmark, rows in group_by(items, lambda item: item.benchmark).items()
    )


def settings(config: Mapping[str, Any], words: Words = EN) -> str:
    """How the answers were drawn and read, in one line; empty where the configuration is silent."""
    decoding = config.get("decoding") or {}
    told = []
    if (temperature := decoding.get("temperature")) is not None:
        drawn = temperature if isinstance(temperature, list | tuple) else [temperature]
        told.append(words("temperature {t}", t=", ".join(f"{one:g}" for one in drawn)))
    if (samples := decoding.get("samples", 1)) > 1:
        told.append(words("{n} samples", n=samples))
    if channels := config.get("channels"):
        told.append(words("answers in {channels}", channels=", ".join(map(words.name, channels))))
    if config.get("option_orders") == "cyclic":
        told.append(words("options in every rotation"))
    if config.get("label_orders") == "both":
        told.append(words("labels in both orders"))
    if (least := config.get("min_coverage")) is not None:
        told.append(words("at least {share} of the mass on the scale", share=f"{least:g}"))
    return words("; ").join(told)


def _criteria(verdicts: Judgements) -> Iterator[tuple[str, str]]:
    """Each criterion with who was read, as they come."""
    for row in first_rows(combined(verdicts.criterion, verdicts.source)):
        yield verdicts.criterion.name(row) or "", verdicts.source.name(row) or ""


def _dataset(known: Mapping[str, Any] | None) -> str:
    size = (known or {}).get("items_in_dataset")
    return count(size) if size else ""


def _languages(items: list[Item], words: Words) -> str:
    held = group_by(items, lambda item: item.language)
    if len(held) == 1:
        return words.name(next(iter(held)))
    most = sorted(held.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    shown = [f"{words.name(name)} {count(len(rows))}" for name, rows in most[:4]]
    return ", ".join([*shown, *(["…"] if len(most) > len(shown) else [])])
