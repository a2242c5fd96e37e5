"""The messages of the sources and of the catalogues: `make messages` brings the two together.

English is the key. What a translator has written is kept, what no source says is dropped, what is
new stands there without a translation.
"""

import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from normscope.builders.ci_vignettes.context import bundled_contexts
from normscope.builders.published import published_results, published_sources
from normscope.builders.taxonomy import CFSAFETY, CHISAFETYBENCH, LIKERT
from normscope.metrics.definitions import DEFINITIONS

ROOT = Path(__file__).parents[2]
LOCALE = ROOT / "normscope" / "locale"
TEMPLATE = LOCALE / "normscope.pot"
ROOMS = ("normscope", "datasets_builders")
KEYWORDS = {
    **dict.fromkeys(("message", "marked", "_", "words", "label", "VisitorError")),
    **dict.fromkeys(("problem", "_amiss"), (2,)),
}
"""What the sources mark a message with; `words` is the translator that templates are given."""

METHODS = {".py": "python", ".html": "jinja2", ".jinja": "jinja2", ".md": "jinja2"}
SEPARATORS = (", ", "; ")


def sources() -> Iterator[Path]:
    """The files that messages stand in; the training of the bundled judge speaks to nobody."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in METHODS and "train" not in path.parts and path.is_file():
                yield path


def extracted() -> set[str]:
    """Every message that the sources mark."""
    named = {category.title for category in (*CFSAFETY, *CHISAFETYBENCH)}
    # a context is in its own language: who adds one need not translate it, who does puts its title
    # and levels into a catalogue
    known = {text for path in catalogues() for text in translations(path)}
    of_contexts = bundled_contexts().values()
    contexts = {context.title for context in of_contexts}
    for context in of_contexts:
        contexts.update(*(factor.levels for factor in context.factors.values()))
    contexts &= known
    defined = {text for each in DEFINITIONS.values() for text in (each.name, each.text, each.alone)}
    found = {*SEPARATORS, *LIKERT, *named, *contexts, *published(), *defined}
    for path in sources():
        method = METHODS[path.suffix]
        if method == "jinja2" and "{{" not in path.read_text(encoding="utf-8"):
            continue
        options = {"encoding": "utf-8", "silent": "false"}
        for _, text, _, _ in extract_from_file(method, path, KEYWORDS, (), options):
            if isinstance(text, str):
                found.add(text)
    return found - {""}


def published() -> Iterator[str]:
    """What must be said of published numbers, which stands in their files."""
    for source in published_sources():
        yield from source.caveats
        yield from (row.note for name in source.items for row in published_results(name))


def catalogues() -> list[Path]:
    """The file of each language."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/normscope.po"))


def translations(path: Path) -> dict[str, str]:
    """The catalogue's translations by the English; an empty one is missing yet."""
    with path.open("rb") as file:
        return {str(entry.id): str(entry.string) for entry in read_po(file) if entry.id}


def written(translated: dict[str, str], language: str | None) -> bytes:
    """The file of the catalogue, in one spelling; without a language, that of the template."""
    file = BytesIO()
    write_po(
        file,
        _catalogue(translated, language),
        width=100,
        sort_output=True,
        omit_header=not language,
    )
    return file.getvalue()


def compiled(translated: dict[str, str], language: str) -> bytes:
    """The compiled catalogue."""
    file = BytesIO()
    write_mo(file, _catalogue(translated, language))
    return file.getvalue()


def slots(text: str) -> set[str]:
    """The names in braces."""
    return set(re.findall(r"\{(\w+)\}", text))


class _Catalogue(Catalog):
    """A catalogue without dates and versions: its file changes where a message does."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Project-Id-Version", "Normscope"),
            ("Language", self.locale_identifier or ""),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]


def _catalogue(translated: dict[str, str], language: str | None) -> Catalog:
    catalogue = _Catalogue(locale=language, fuzzy=False)
    catalogue.header_comment = f"# Normscope's messages in {language}."
    for text, other in translated.items():
        # babel takes "95 % interval" for a format of Python's, and a slot is no format either
        catalogue.add(text, other).flags.clear()
    return catalogue


def main() -> None:
    """Writes the template, and each catalogue with its compiled form."""
    known = extracted()
    TEMPLATE.write_bytes(written(dict.fromkeys(known, ""), None))
    for path in catalogues():
        language = path.parts[-3]
        before = translations(path)
        after = {text: before.get(text, "") for text in known}
        path.write_bytes(written(after, language))
        path.with_suffix(".mo").write_bytes(compiled(after, language))
        missing = sum(not other for other in after.values())
        dropped = len(before.keys() - known)
        sys.stdout.write(
            f"{language}: {len(after)} messages, {missing} missing, {dropped} dropped\n"
        )


if __name__ == "__main__":
    main()
