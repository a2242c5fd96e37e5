"""The page: every section's rows put into one template.

Nothing here writes HTML. The template escapes whatever it is handed, and `visible` takes out what
escaping leaves in, so text from a model or a file stands on the page as text.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .data import ReportData
from .distributions import Distribution, distributions
from .heatmap import NormSection, norm_sections
from .ladder import Ladder, ladders
from .provenance import Provenance, coverage_threshold, distinct, provenance
from .samples import SampleSection, sample_sections
from .scores import ScoreSection, score_section, title_of
from .untrusted import visible
from .verdicts import read_verdicts

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class View:
    """Everything that the template reads."""

    data: ReportData
    models: tuple[str, ...]
    judges: tuple[str, ...]
    scores: tuple[ScoreSection, ...]
    distributions: tuple[Distribution, ...]
    ladders: tuple[Ladder, ...]
    norms: tuple[NormSection, ...]
    samples: tuple[SampleSection, ...]
    made_with: Provenance


def render(data: ReportData) -> str:
    """The report as one HTML document that refers to nothing outside itself.

    The same data give the same bytes.
    """
    return _environment().get_template("template.html").render(view=_view(data))


def _view(data: ReportData) -> View:
    verdicts = read_verdicts(data.judgements)
    return View(
        data=data,
        models=distinct(data.responses, "model") or distinct(data.judgements, "model"),
        judges=distinct(data.judgements, "judge"),
        scores=tuple(score_section(scores) for scores in data.scores),
        distributions=distributions(verdicts, threshold=coverage_threshold(data.config)),
        ladders=ladders(data.items, verdicts),
        norms=norm_sections(data.items, verdicts),
        samples=sample_sections(data.responses, verdicts),
        made_with=provenance(data.config, data.judgements),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["title_of"] = title_of
    return environment


def _seen(value: Any) -> Any:
    """What is printed of a value: markup of our own macros as it is, other text made visible."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
