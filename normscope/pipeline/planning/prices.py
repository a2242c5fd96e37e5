"""What a run costs, by a table of prices that the user gives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import ConfigError, UsageError
from ...judges.engines.counting import Tokens
from ...messages import message
from ...yaml import load_yaml
from .ranges import Range, added

_MILLION = 1_000_000
_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model: by its tokens, by the hour of the machine that it runs on, or both.

    `input`, `cached` and `output` are for a million tokens; `cached` is for tokens of a prompt that
    the server has in its cache (null: as `input`). `hour` is for an hour of all its machines.
    """

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    hour: float = 0.0

    def __post_init__(self) -> None:
        """Refuses what is no price."""
        given = (self.input, self.output, self.cached or 0.0, self.hour)
        if any(not 0 <= each < float("inf") for each in given) or not any(given):
            raise ConfigError(
                message(
                    "a price is 0 or above, and one of input, output, cached and hour is above 0: "
                    "{given}",
                    given=", ".join(f"{each:g}" for each in given),
                )
            )

    def of(self, tokens: Tokens, replies: Range | None, seconds: Range | None) -> Range:
        """What so many tokens and so much time cost.

        From the limit at which the cache holds all that prompts have in common to the limit at
        which it holds nothing; the value lies at the upper, which is what must be there to be
        spent. Where the time is not known, a price by the hour cannot be told: a `UsageError`.

        >>> price = Price(input=2.0, cached=0.5, output=8.0)
        >>> price.of(Tokens(1_000_000, 200_000), Range.exact(50_000), None)  # 2 + 0.4, 0.8 less
        Range(value=2.4, low=1.2, high=2.4)
        """
        cached = self.input if self.cached is None else self.cached
        most = tokens.total * self.input / _MILLION
        least = (tokens.unique * self.input + (tokens.total - tokens.unique) * cached) / _MILLION
        parts = [Range(most, min(least, most), most)]
        if replies is not None:
            parts.append(replies.times(self.output / _MILLION))
        if self.hour:
            if seconds is None:
                raise UsageError(
                    message("a price by the hour needs the time: leave --calibrate 0 out")
                )
            parts.append(seconds.times(self.hour / _HOUR))
        return added(parts)


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of each model, by the name that it is given with, and the currency of all."""

    currency: str
    models: Mapping[str, Price]

    def of(self, model: str) -> Price | None:
        """The price of the model: by its whole name, or by that of a served model alone.

        >>> prices = Prices("USD", {"qwen": Price(input=1.0)})
        >>> prices.of("http://a/v1#qwen").input, prices.of("other")
        (1.0, None)
        """
        return self.models.get(model) or self.models.get(model.rpartition("#")[2])

    def refuse_lacking(self, models: Iterable[str]) -> None:
        """Refuses a table in which none of the models stands."""
        wanted = list(dict.fromkeys(models))
        if wanted and not any(self.of(model) for model in wanted):
            raise UsageError(
                message(
                    "no model that is asked has a price: {wanted}; the table has {known}",
                    wanted=", ".join(wanted),
                    known=", ".join(self.models) or message("none"),
                )
            )


def read_prices(path: Path) -> Prices:
    """The table of prices in a YAML file; an error names the line."""
    return load_yaml(path, Prices)
