"""The tab *Contribute a context*, and the endpoints `/check_context` and `/context_yaml`."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....datasets_builders.ci_vignettes.context_file import PARAMETERS
from ....format import count
from ....messages import Language, joined, marked, message, translate
from ....problems import Finding
from ....report.blocks import Block, Bullets, Caveat, Details, Facts, Paragraph, Section
from ....report.names import name_of
from ....untrusted import excerpt
from .. import limits
from ..context_form import (
    ABSENT,
    ANCHORS,
    CONSTANT,
    EXAMPLE,
    FIELDS,
    GENERAL,
    TIED,
    VARIES,
    filled_in,
    form_of,
    read,
    yaml_of,
)
from ..context_review import ContextReview, command, file_name, look, opened
from ..pages import answered, api_errors, notice, written
from ..texts import label, language_of

if TYPE_CHECKING:
    from .. import Space

MOST_FINDINGS = 20
_NOTED = (*GENERAL, "contributors", "template", "null_control", "anchor_acceptable")
AT = (*_NOTED, *(f"what_{name}" for name in PARAMETERS))
"""The fields that have a place for messages."""

_LABELS = {
    "name": (marked("Name"), marked("Lower-case letters, digits and underscores")),
    "title": (marked("Title"), ""),
    "language": (marked("Language (en, zh …)"), ""),
    "population": (
        marked("Whose norms?"),
        marked("The people or the jurisdiction, as exactly as you can"),
    ),
    "instrument": (marked("The survey or publication it comes from"), ""),
    "year": (marked("Year"), ""),
    "license": (marked("Licence"), ""),
    "source": (marked("Where the wording can be looked up"), ""),
    "contributors": (marked("Contributors, one a line"), ""),
    "template": (marked("Template, with a {slot} for each factor and no full stop"), ""),
    "null_control": (marked("The same without {transmission_principle}"), ""),
    "anchor_acceptable": (marked("Plainly acceptable"), ""),
    "because_acceptable": (marked("because …"), ""),
    "anchor_unacceptable": (marked("Plainly unacceptable"), ""),
    "because_unacceptable": (marked("because …"), ""),
}
"""What each field is called, and what else is said of it."""

_HOW = {
    VARIES: marked("varies – one level a line"),
    CONSTANT: marked("the same everywhere"),
    ABSENT: marked("there is none – say why"),
    TIED: marked("tied to another – edit it in the file"),
}

_COUNTS = {
    "vignettes": message("vignettes"),
    "in the null control": message("in the null control"),
    "anchors": message("anchors"),
}

PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}

# gradio's `input` follows key presses: it is deaf to deleting, pasting and input methods
_HEAR = """
for (const kind of ['input', 'compositionend']) {
  document.addEventListener(kind, (event) => {
    const box = event.target;
    if (event.isComposing || !box.matches?.('textarea, input[data-testid="textbox"]')) return;
    if (!box.closest('[id^="contribute-"]')) return;
    box.dispatchEvent(new KeyboardEvent('keypress', { key: 'Unidentified', bubbles: true }));
  });
}
// the editor indents at the tab key, and nobody without a mouse would ever leave it
document.addEventListener('keydown', (event) => {
  if (event.key === 'Tab' && event.target.closest?.('.cm-content')) event.stopPropagation();
}, true);
"""

_SAVE = """(text) => {
  const name = /^name:\\s*["']?([a-z][a-z0-9_]{0,58})["']?\\s*$/m.exec(text)?.[1] ?? 'context';
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  link.download = `${name}.yaml`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}"""


@dataclass(frozen=True, slots=True)
class _Components:
    """What stands on the tab: the fields and their messages, the file, what comes of it."""

    fields: dict[str, Any]
    notes: dict[str, Any]
    whole: Any
    text: Any
    shell: Any
    review: Any

    @property
    def in_order(self) -> list[Any]:
        """The fields in the order of `FIELDS`."""
        return [self.fields[name] for name in FIELDS]


def build(_: "Space") -> None:
    """Draws the tab and names its endpoints."""
    gr.Markdown(
        label(
            "A context is one file that says who sends what about whom to whom, and on which "
            "condition. Fill in the form or edit the file; each follows the other. Nothing is sent "
            "anywhere."
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
            fields, notes = _form()
        with gr.Column(scale=1, min_width=320):
            whole = gr.HTML(js_on_load=_HEAR, elem_id="contribute-whole", elem_classes="live")
            text = gr.Code(
                value=yaml_of(EXAMPLE),
                language="yaml",
                label=label("The file (YAML)"),
                wrap_lines=True,
                lines=20,
                elem_id="contribute-yaml",
            )
            save = gr.Button(
                label("Download the file"), variant="primary", elem_id="contribute-save"
            )
            shell = gr.Code(
                value=command(EXAMPLE["name"]),
                language="shell",
                wrap_lines=True,
                label=label(
                    "Then, in your clone of the repository: check it and open the pull request"
                ),
                interactive=False,
                elem_id="contribute-command",
            )
            review = gr.HTML(elem_id="contribute-found-all")
    components = _Components(fields, notes, whole, text, shell, review)
    _wire(components)
    _begin(components, file, (example, empty))
    save.click(None, text, None, js=_SAVE, api_visibility="private")
    _endpoints()


def _form() -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields by name, and the places of their messages."""
    begin = form_of(EXAMPLE)
    fields: dict[str, Any] = {}
    notes: dict[str, Any] = {}

    def box(name: str, title: str, *, info: str = "", **look: Any) -> None:
        fields[name] = gr.Textbox(
            value=begin[name],
            label=label(title),
            info=label(info) if info else None,
            max_lines=14,
            elem_id=f"contribute-{name}",
            **look,
        )
        if name in AT:
            notes[name] = gr.HTML(elem_classes="at-problem", elem_id=f"contribute-at-{name}")

    def labelled(name: str, lines: int = 1) -> None:
        title, info = _LABELS[name]
        box(name, title, info=info, lines=lines, max_length=8_000)

    with gr.Accordion(label("The flow of information"), open=True):
        for name in PARAMETERS:
            fields[f"how_{name}"] = gr.Dropdown(
                choices=[(label(title), how) for how, title in _HOW.items()],
                value=begin[f"how_{name}"],
                label=label(name_of(name)),
                elem_id=f"contribute-how_{name}",
            )
            box(f"what_{name}", name_of(name), show_label=False, lines=2, max_length=20_000)
    with gr.Accordion(label("The sentence"), open=True):
        labelled("template", 2)
        labelled("null_control", 2)
    with gr.Accordion(label("What it is"), open=True):
        for name in GENERAL:
            labelled(name)
        labelled("contributors", 2)
    with gr.Accordion(label("Anchors (nobody doubts the answer)"), open=False):
        for side in ANCHORS:
            labelled(f"anchor_{side}", 2)
            labelled(f"because_{side}")
    return fields, notes


def _wire(components: _Components) -> None:
    """Each follows the other: what is typed in one is put into the other, never back."""

    def from_form(request: gr.Request, before: str, *values: str | None) -> tuple[Any, Any]:
        text = gr.skip()
        with answered(language_of(request)) as page:
            form = {name: value or "" for name, value in zip(FIELDS, values, strict=True)}
            value = read(before or "")
            changed = filled_in(value, form)
            # the file says so already: it was typed there, and keeps its wording and comments
            text = gr.skip() if form_of(value) == form_of(changed) else yaml_of(changed)
        return text, page.html

    def from_text(text: str, request: gr.Request) -> list[Any]:
        waits = message(
            "The file cannot be read as YAML, so the form waits. Mend it, or start again."
        )
        language = language_of(request)
        values, note = [gr.skip()] * len(FIELDS), notice("status", waits, language)
        with answered(language):
            form = form_of(read(text or ""))
            values, note = [form[name] for name in FIELDS], ""
        return [*values, note]

    def looked(text: str, request: gr.Request) -> list[Any]:
        language = language_of(request)
        shell, at = gr.skip(), [""] * len(AT)
        with answered(language) as page:
            review = look(text or "")
            by_field = review.by_field()
            page.html = written(tuple(review_blocks(review, language)), language)
            shell = command(name_in(text))
            findings = (by_field.get(name, [])[:3] for name in AT)
            at = [
                written([_caveat(finding, language) for finding in several], language)
                if several
                else ""
                for several in findings
            ]
        return [page.html, shell, *at]

    order = components.in_order
    last: dict[str, Any] = {"trigger_mode": "always_last", **PRIVATE}
    typed = [field.input for field in order]
    gr.on(
        typed,
        from_form,
        [components.text, *order],
        [components.text, components.whole],
        queue=False,
        **last,
    )
    components.text.input(
        from_text, components.text, [*order, components.whole], queue=False, **last
    )
    results = [components.review, components.shell, *(components.notes[name] for name in AT)]
    components.text.change(looked, components.text, results, **limits.at_once("other"), **last)
    gr.on(None, looked, components.text, results, **PRIVATE)


def _begin(components: _Components, file: Any, starts: tuple[Any, Any]) -> None:
    """The ways to begin: from a file, from the example, from nothing."""

    def from_file(path: str | None, request: gr.Request) -> list[Any]:
        values = [gr.skip()] * (len(FIELDS) + 1)
        with answered(language_of(request)) as page:
            text = opened(Path(str(path)))
            form = form_of(read(text))
            values = [text, *(form[name] for name in FIELDS)]
        return [*values, page.html]

    def start(value: dict[str, Any]) -> list[Any]:
        form = form_of(value)
        return [yaml_of(value), *(form[name] for name in FIELDS), ""]

    everything = [components.text, *components.in_order, components.whole]
    file.upload(from_file, file, everything, queue=False, **PRIVATE)
    for button, value in zip(starts, (EXAMPLE, blank()), strict=True):
        button.click(partial(start, value), None, everything, queue=False, **PRIVATE)


def _endpoints() -> None:
    def check_context(yaml: str) -> dict[str, Any]:
        """Checks a context file: its findings by line, and, if it is sound, counts and samples."""
        with api_errors():
            return plain(look(yaml or ""))

    def context_yaml(form: dict[str, str], yaml: str = "") -> str:
        """The YAML of a form's fields; what else stands in `yaml` is kept."""
        with api_errors():
            value = read(yaml or "")
            sent = {str(name): str(text) for name, text in dict(form or {}).items()}
            return yaml_of(filled_in(value, form_of(value) | sent))

    gr.api(check_context, api_name="check_context", **limits.at_once("other"))
    gr.api(context_yaml, api_name="context_yaml", **limits.at_once("other"))


def blank() -> dict[str, Any]:
    """An empty context: all its keys, nothing in them but this year."""
    empty = dict.fromkeys(FIELDS, "") | {f"how_{name}": VARIES for name in PARAMETERS}
    return filled_in({}, empty | {"year": str(date.today().year)})


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
    yield Section(lead, (Facts(tuple(counts)),))
    yield Section(message("What was found"), tuple(findings))
    yield Section(message("Some of its vignettes, read them aloud"), samples)


def _caveat(finding: Finding, language: Language) -> Caveat:
    """A finding, and whether it keeps the context from being built."""
    about = message("Please look:") if finding.warning else message("Error:")
    # cut where it is shown: a message would be cut before it is translated
    text = excerpt(translate(finding.text, language), limit=400)
    line = [message("line {line}", line=finding.line)] if finding.line else []
    return Caveat(joined([*line, text], ": "), about=about, warns=not finding.warning)


def name_in(text: str) -> str:
    """The name in the YAML, safe in a command."""
    value = read(text)
    return file_name(value.get("name") if isinstance(value, dict) else None)


def plain(review: ContextReview) -> dict[str, Any]:
    """What was found as JSON values, for the API."""
    return {
        "errors": review.errors,
        "findings": [
            {"line": finding.line, "text": finding.text, "warning": finding.warning}
            for finding in review.findings
        ],
        "counts": dict(review.counts),
        "vignettes": list(review.vignettes),
        "prompts": list(review.prompts),
    }
