"""The model card: `card.md` is a template, which the reports of what was measured fill."""

from pathlib import Path

import jinja2

from ....files import read_json, write_text
from .leave_out import READERS

TEMPLATE = Path(__file__).parent / "card.md"
_NAMES = {
    "gptfuzz": "GPTFuzz",
    "do-not-answer": "Do-Not-Answer",
    "latent-en": "Latent Jailbreak, English answers",
    "latent-zh": "Latent Jailbreak, Chinese answers",
    "cvalues": "CValues",
    "jade": "JADE",
    "criskeval": "CRiskEval, ranks 1 and 4",
    "diasafety": "DiaSafety (chat)",
    "cold": "COLD (offensive texts)",
}


def write_card(folder: Path) -> None:
    """Fills `card.md` with the folder's reports and writes it as the folder's README."""
    environment = jinja2.Environment(  # noqa: S701 - Markdown, from figures of our own
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    card = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        names=_NAMES,
        readers=READERS,
        training=read_json(folder / "training.json"),
        measured=read_json(folder / "evaluation.json"),
        left_out=read_json(folder / "left_out.json"),
        overlap=read_json(folder / "overlap.json"),
    )
    write_text(folder / "README.md", card)
