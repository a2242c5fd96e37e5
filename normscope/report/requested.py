"""What was requested of whom: models, benchmarks with their numbers, how answers were drawn."""

from collections.abc import Iterator, Sequence

from ..categorical import Categorical, combined, first_rows, group_by
from ..format import count, percent
from ..messages import joined, known, message
from ..records.config import RunConfig
from ..records.item import Item
from ..records.judgements import Judgements
from .data import ReportData
from .names import name_of

_MOST_LANGUAGES = 4


def models(data: ReportData) -> str:
    """The models under test, by the names in the responses."""
    return _distinct(data, "model") or message("none recorded")


def judges(data: ReportData) -> str:
    """The judges, by the names in the judgements."""
    return _distinct(data, "judge") or message("none: read from the model under test")


def _distinct(data: ReportData, column: str) -> str:
    for table in (data.responses, data.judgements):
        if column in table.column_names and (names := Categorical.of(table[column]).seen().names):
            return ", ".join(filter(None, names))
    return ""


def settings(config: RunConfig) -> str:
    """How the answers were drawn and read, in one line."""
    if (imported := config.provenance.imported) is not None:
        texts: list[str] = [message("{n} imported answers", n=count(imported.answers))]
    else:
        drawn = ", ".join(f"{temperature:g}" for temperature in config.decoding.temperatures)
        texts = [message("temperature {t}", t=drawn)]
        if config.decoding.samples > 1:
            texts.append(message("{n} samples", n=config.decoding.samples))
    texts.append(message("answers in {channels}", channels=joined(map(name_of, config.channels))))
    if config.judge_channels != ("labels",):
        channels = joined(map(name_of, config.judge_channels))
        texts.append(message("verdicts in {channels}", channels=channels))
    if config.option_orders == "cyclic":
        texts.append(message("options in every rotation"))
    if config.label_orders == "both":
        texts.append(message("labels in both orders"))
    if config.rule == "published":
        texts.append(message("scored by the published rules"))
    if config.threshold is not None:
        texts.append(message("norms of {share} of the answers", share=percent(config.threshold)))
    if not _in_text_alone(config):
        share = f"{config.min_coverage:g}"
        texts.append(message("at least {share} of the mass on the scale", share=share))
    return joined(texts, "; ")


def _in_text_alone(config: RunConfig) -> bool:
    """Whether every answer or verdict was read from text, which has no mass on a scale."""
    channels = [
        config.judge_channels if about.rubric else config.channels if about.labelled else ("text",)
        for about in config.provenance.benchmarks.values()
    ]
    return bool(channels) and all(each == ("text",) for each in channels)


def sizes(data: ReportData) -> dict[str, str]:
    """Of each benchmark how many items were asked, of how many where that is known."""
    return {
        benchmark: _size(data.config, benchmark, items)
        for benchmark, items in _by_benchmark(data.items).items()
    }


def details(data: ReportData, judgements: Judgements) -> dict[str, str]:
    """Of each benchmark its items, prompts, languages, and which criteria were read from whom."""
    return {
        benchmark: joined(
            (
                *_title(data.config, benchmark),
                _size(data.config, benchmark, items),
                message("{n} prompts", n=count(len(items))),
                _languages(items),
                joined(_criteria(judgements.of_benchmark(benchmark))),
            ),
            " · ",
        )
        for benchmark, items in _by_benchmark(data.items).items()
    }


def _by_benchmark(items: Sequence[Item]) -> dict[str, list[Item]]:
    return group_by(items, lambda item: item.benchmark)


def _title(config: RunConfig, benchmark: str) -> Iterator[str]:
    """What a context is called, where the run noted it."""
    taken = config.provenance.benchmarks.get(benchmark)
    if taken is not None and taken.title:
        yield known(taken.title)


def _size(config: RunConfig, benchmark: str, items: Sequence[Item]) -> str:
    n = count(len({item.item_id for item in items}))
    taken = config.provenance.benchmarks.get(benchmark)
    if taken is None or not taken.items_in_dataset:
        return message("{n} items", n=n)
    return message("{n} of {m} items", n=n, m=count(taken.items_in_dataset))


def _languages(items: Sequence[Item]) -> str:
    """The language, or of several the commonest with their numbers of prompts."""
    by_language = group_by(items, lambda item: item.language)
    if len(by_language) == 1:
        return name_of(items[0].language)
    # ties by name: a page has the same bytes whatever the order of the rows
    ordered = sorted(by_language.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    shown = [
        message("{what} {n}", what=name_of(language), n=count(len(of)))
        for language, of in ordered[:_MOST_LANGUAGES]
    ]
    return joined([*shown, *(["…"] if len(ordered) > len(shown) else [])])


def _criteria(judgements: Judgements) -> Iterator[str]:
    """Each criterion with who was read, in the order of the judgements."""
    criterion, source = judgements.criterion, judgements.source
    for row in first_rows(combined(criterion, source)):
        names = [name_of(column.name(row) or "") for column in (criterion, source)]
        yield message("{name} ({of})", name=names[0], of=names[1])
