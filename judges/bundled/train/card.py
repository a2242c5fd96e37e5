"""The model card: `card.md` is a template, which the reports of what was measured fill."""

from pathlib import Path

import click
import jinja2

from ....files import read_json, write_text

TEMPLATE = Path(__file__).parent / "card.md"
_NAMES = {
    "gptfuzz": "GPTFuzz",
    "do-not-answer": "Do-Not-Answer",
    "latent-en": "Latent Jailbreak, English answers",
    "latent-zh": "Latent Jailbreak, Chinese answers",
    "cvalues": "CValues",
    "jade": "JADE",
    "cold": "COLD (task of its own)",
    "diasafety": "DiaSafety (task of its own)",
}
_READERS = ("judge", "words and characters", "and the question", "keywords")


def write_card(folder: Path, reports: Path) -> None:
    """Fills `card.md` with the reports and writes it as the folder's README."""
    training = read_json(folder / "training.json")
    left_out = reports / "left_out.json"
    environment = jinja2.Environment(  # noqa: S701 - Markdown, from figures of our own
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    card = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        names=_NAMES,
        readers=_READERS,
        training=training,
        stages=[stage for stage in (training["begun_from"], training) if stage],
        measured=read_json(reports / "evaluation.json"),
        left_out=read_json(left_out) if left_out.is_file() else {},
        overlap=read_json(reports / "overlap.json"),
    )
    write_text(folder / "README.md", card)


@click.command()
@click.option("--folder", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--reports", type=click.Path(exists=True, path_type=Path), required=True)
def main(folder: Path, reports: Path) -> None:
    """Write the card of a trained judge from its reports."""
    write_card(folder, reports)


if __name__ == "__main__":
    main()
