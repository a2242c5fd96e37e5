"""What is wrong with a context that somebody writes, and what comes out of it."""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..builders.ci_vignettes.check import NAME
from ..builders.ci_vignettes.context_file import ContextFile
from ..builders.ci_vignettes.contribute import preview
from ..builders.ci_vignettes.review import review
from ..errors import ConfigError
from ..messages import replaced
from ..problems import Finding
from ..yaml import plain as plain_yaml
from ..yaml import read_text
from .texts import VisitorError

EXAMPLE = Path(__file__).parent / "example.yaml"
MAX_CHARACTERS = 60_000
SAMPLES = 6


@dataclass(frozen=True, slots=True)
class ContextReview:
    """The findings by line, and, without an error among them, counts and samples."""

    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    vignettes: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """How many findings keep it from being built."""
        return sum(not finding.warning for finding in self.findings)


def look(text: str) -> ContextReview:
    """Everything that `normscope context check` and `preview` tell of the file."""
    _refuse_long(text)
    # no file can hold a lone surrogate
    text = text.encode("utf-8", "replace").decode()
    # a context is checked as a file: its name has to be that of the file
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        path = Path(folder) / f"{file_name(text)}.yaml"
        path.write_text(text, encoding="utf-8")
        reviewed = review(path)
    if reviewed.result is None:
        return ContextReview(reviewed.findings, {})
    if not isinstance(reviewed.result, ContextFile):
        raise VisitorError(
            "This file holds prompt variants, not a context. Check it with normscope context check."
        )
    try:
        samples = preview(reviewed.result, size=SAMPLES)
    # what no check foresees shows when the vignettes are written out
    except ConfigError as error:
        return ContextReview((*reviewed.findings, Finding(0, error.message, warning=False)), {})
    return ContextReview(reviewed.findings, samples.counts, samples.vignettes, samples.prompts)


def file_name(text: str) -> str:
    """What the file with this YAML is called, safe in a path and in a command.

    >>> file_name("name: library"), file_name("name: ../library; rm"), file_name("[3]")
    ('library', 'context', 'context')
    """
    value = plain_yaml(text)[0]
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) and NAME.fullmatch(name) and len(name) < 60 else "context"  # noqa: PLR2004


def opened(path: Path) -> str:
    """The text of a visitor's YAML file, or an error that names it as the visitor does."""
    try:
        text = read_text(path)
    except ConfigError as error:
        raise ConfigError(replaced(error.message, str(path), path.name)) from None
    _refuse_long(text)
    return text


def plain(review: ContextReview) -> dict[str, Any]:
    """What was found as JSON values, for the API."""
    return {
        "errors": review.errors,
        "findings": [asdict(finding) for finding in review.findings],
        "counts": dict(review.counts),
        "vignettes": list(review.vignettes),
        "prompts": list(review.prompts),
    }


def _refuse_long(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise VisitorError(
            "The file has {length} characters; up to {most} are taken here. Check it "
            "on your own machine with normscope context check.",
            length=f"{len(text):,}",
            most=f"{MAX_CHARACTERS:,}",
        )
