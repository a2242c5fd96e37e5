"""The tab *Contribute a context*, and the endpoint `/check_context`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ...builders.ci_vignettes.contribute import starter
from ...format import count
from ...messages import Language, joined, message, translate
from ...problems import Finding
from ...report.blocks import Block, Bullets, Caveat, Details, Facts, Paragraph, Section
from ...untrusted import excerpt
from .. import limits
from ..context_review import EXAMPLE, ContextReview, look, opened, plain
from ..pages import answered, api_errors, written
from ..texts import label, language_of

if TYPE_CHECKING:
    from ..served import Judges

MOST_FINDINGS = 20

_COUNTS = {
    "vignettes": message("vignettes"),
    "in the null control": message("in the null control"),
    "anchors": message("anchors"),
}


def build(_: "Judges") -> None:
    """Draws the tab and names its endpoint."""
    gr.Markdown(
        label(
            "A context is one file that says who sends what about whom to whom, and on which "
            "condition. Edit it here: what is wrong and what it makes stands beside it. Nothing is "
            "sent anywhere: download the file, and open a pull request with it."
        ),
        elem_classes="quiet",
    )
    with gr.Row():
        example = gr.Button(
            label("Start from the example"), size="sm", elem_id="contribute-example"
        )
        empty = gr.Button(label("Start empty"), size="sm", elem_id="contribute-empty")
        file = gr.UploadButton(
            label("Open a YAML file"),
            file_types=[".yaml", ".yml"],
            size="sm",
            elem_id="contribute-open",
        )
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=320):
            text = gr.Code(
                value=EXAMPLE.read_text(encoding="utf-8"),
                language="yaml",
                label=label("The file (YAML)"),
                wrap_lines=True,
                lines=20,
                elem_id="contribute-yaml",
            )
            save = gr.Button(
                label("Download the file"), variant="primary", elem_id="contribute-save"
            )
        with gr.Column(scale=1, min_width=320):
            review = gr.HTML(elem_id="contribute-review", elem_classes="live")

    def looked(text: str, request: gr.Request) -> str:
        language = language_of(request)
        with answered(language) as page:
            page.html = written(tuple(review_blocks(look(text or ""), language)), language)
        return page.html

    def from_file(path: str | None, request: gr.Request) -> tuple[Any, Any]:
        text: Any = gr.skip()
        with answered(language_of(request)) as page:
            text = opened(Path(str(path)))
        return text, page.html

    def check_context(yaml: str) -> dict[str, Any]:
        """Checks a context file: its findings by line, and, if it is sound, counts and samples."""
        with api_errors():
            return plain(look(yaml or ""))

    text.change(
        looked,
        text,
        review,
        trigger_mode="always_last",
        show_progress="hidden",
        **limits.at_once("other"),
    )
    gr.on(None, looked, text, review, show_progress="hidden")
    file.upload(from_file, file, [text, review], queue=False)
    example.click(lambda: EXAMPLE.read_text(encoding="utf-8"), None, text, queue=False)
    empty.click(lambda: starter("my_context"), None, text, queue=False)
    save.click(None, text, None, js="(text) => window.saveContext(text)")
    gr.api(check_context, api_name="check_context", **limits.at_once("other"))


def review_blocks(review: ContextReview, language: Language) -> Iterator[Block]:
    """What is wrong with the file, and what it makes."""
    lead = message("It can be built")
    if review.errors:
        lead = message("{n} to mend before it can be built", n=review.errors)
    more = len(review.findings) - MOST_FINDINGS
    findings: list[Block] = [_caveat(each, language) for each in review.findings[:MOST_FINDINGS]]
    if more > 0:
        findings.append(Paragraph(message("And {n} more.", n=more), note=True))
    counts = ((_COUNTS.get(what, what), count(n)) for what, n in review.counts.items())
    prompts = Details(message("As a model is asked"), (Bullets(review.prompts),))
    samples = (Bullets(review.vignettes), prompts) if review.vignettes else ()
    yield Section(lead, (Facts(tuple(counts)), *findings))
    yield Section(message("Some of its vignettes, read them aloud"), samples)


def _caveat(finding: Finding, language: Language) -> Caveat:
    """A finding, and whether it keeps the context from being built."""
    about = message("Please look:") if finding.warning else message("Error:")
    # cut where it is shown: a message would be cut before it is translated
    text = excerpt(translate(finding.text, language), limit=400)
    line = [message("line {line}", line=finding.line)] if finding.line else []
    return Caveat(joined([*line, text], ": "), about=about, warns=not finding.warning)
