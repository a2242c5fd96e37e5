"""Pages of the site that are made of something else, for mkdocs (`hooks` in mkdocs.yml).

CONTRIBUTING.md, the reference of the metrics, and the notebooks, each as it was executed; and links
that leave the folder docs become the names of what they lead to.
"""

import posixpath
import re
import sys
from pathlib import Path

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbconvert import MarkdownExporter

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from metrics_page import offered  # noqa: E402 - it lies beside this file

UPWARD = re.compile(r"\[([^\]]*)\]\((\.\./[^)]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the site, with the pages that are made."""
    for name, content in {**contributing(), **metrics(), **notebooks()}.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """A page as the site has it: what stands outside of docs is named."""

    def named(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", page.file.src_uri, "..", link[2]))
        inside = target.startswith("docs/")
        return link[0] if inside else f"{link[1].strip()} (`{target}`)"

    if not page.file.src_uri.startswith("notebooks/"):
        # a notebook as a page; from there it is to be had as it is
        markdown = markdown.replace(".ipynb)", ".md)")
    return UPWARD.sub(named, markdown)


def contributing() -> dict[str, str | bytes]:
    """The page that stands at the top of the repository."""
    text = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return {"contributing.md": text.replace("](docs/", "](")}


def metrics() -> dict[str, str | bytes]:
    """The reference of the metrics: every function that docs/metrics.md lists."""
    lines = ["# The metrics", ""]
    for module, names in offered().items():
        lines += [f"## {module}", ""]
        for name in names:
            lines += [f"::: {module}.{name}", ""]
    return {"api/metrics.md": "\n".join(lines)}


def notebooks() -> dict[str, str | bytes]:
    """Every notebook as a page with its pictures; the notebook itself lies beside it."""
    pages: dict[str, str | bytes] = {}
    for path in sorted(DOCS.glob("notebooks/*.ipynb")):
        name = path.relative_to(DOCS).with_suffix("").as_posix()
        notebook = nbformat.read(path, as_version=4)
        exported, resources = MarkdownExporter().from_notebook_node(
            notebook, {"output_files_dir": path.stem}
        )
        pages |= {f"notebooks/{key}": data for key, data in resources["outputs"].items()}
        pages[f"{name}.md"] = f"{exported}\n\n[This notebook]({path.name})\n"
    return pages
