"""The tab *Contribute a context*, and the endpoints `/check_context` and `/context_yaml`."""

from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from ....datasets_builders.ci_vignettes.context_file import PARAMETERS
from ....errors import NormscopeError
from .. import limits
from ..context_form import (
    ANCHORS,
    EXAMPLE,
    FIELDS,
    GENERAL,
    HOWS,
    filled_in,
    form_of,
    read,
    written,
)
from ..context_review import ContextReview, command, file_name, look, opened
from ..pages import answered, api_error, fragment
from ..words import Language, Words, language_of

if TYPE_CHECKING:
    from .. import Space

MOST_FINDINGS = 20
_NOTED = (*GENERAL, "contributors", "template", "null_control", "anchor_acceptable")
AT = (*_NOTED, *(f"what_{name}" for name in PARAMETERS))
"""The fields that have a place for messages."""

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
class _Parts:
    """What stands on the tab: the fields and their messages, the file, what comes of it."""

    fields: dict[str, Any]
    notes: dict[str, Any]
    whole: Any
    text: Any
    shell: Any
    found: Any

    @property
    def in_order(self) -> list[Any]:
        """The fields in the order of `FIELDS`."""
        return [self.fields[name] for name in FIELDS]


def build(space: "Space") -> None:
    """Draws the tab and names its endpoints."""
    words = space.words
    gr.Markdown(words.of("contribute_intro"), elem_classes="quiet")
    with gr.Row():
        example = gr.Button(words.of("contribute_example"), size="sm", elem_id="contribute-example")
        empty = gr.Button(words.of("contribute_empty"), size="sm", elem_id="contribute-empty")
        file = gr.UploadButton(
            words.of("contribute_open"),
            file_types=[".yaml", ".yml"],
            size="sm",
            elem_id="contribute-open",
        )
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=320):
            fields, notes = _form(words)
        with gr.Column(scale=1, min_width=320):
            whole = gr.HTML(js_on_load=_HEAR, elem_id="contribute-whole", elem_classes="live")
            text = gr.Code(
                value=written(EXAMPLE),
                language="yaml",
                label=words.of("contribute_yaml"),
                wrap_lines=True,
                lines=20,
                elem_id="contribute-yaml",
            )
            save = gr.Button(
                words.of("contribute_download"), variant="primary", elem_id="contribute-save"
            )
            shell = gr.Code(
                value=command(EXAMPLE["name"]),
                language="shell",
                label=words.of("contribute_command"),
                interactive=False,
                elem_id="contribute-command",
            )
            found = gr.HTML(elem_id="contribute-found-all")
    parts = _Parts(fields, notes, whole, text, shell, found)
    _wire(space.words, parts)
    _begin(space.words, parts, file, (example, empty))
    save.click(None, text, None, js=_SAVE, api_visibility="private")
    _endpoints()


def _form(words: Words) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields by name, and the places of their messages."""
    begin = form_of(EXAMPLE)
    fields: dict[str, Any] = {}
    notes: dict[str, Any] = {}

    def box(name: str, lines: int = 1, *, label: str = "") -> None:
        info = f"contribute_{name}_info"
        fields[name] = gr.Textbox(
            value=begin[name],
            label=words.of(label or f"contribute_{name}"),
            info=words.of(info) if info in words.texts else None,
            lines=lines,
            max_lines=14,
            max_length=8_000,
            elem_id=f"contribute-{name}",
        )
        if name in AT:
            notes[name] = gr.HTML(elem_classes="at-problem", elem_id=f"contribute-at-{name}")

    with gr.Accordion(words.of("contribute_flow"), open=True):
        for name in PARAMETERS:
            fields[f"how_{name}"] = gr.Dropdown(
                choices=[(words.of(f"contribute_how_{how}"), how) for how in HOWS],
                value=begin[f"how_{name}"],
                label=words.of(f"vignettes_factor_{name}"),
                elem_id=f"contribute-how_{name}",
            )
            fields[f"what_{name}"] = gr.Textbox(
                value=begin[f"what_{name}"],
                label=words.of(f"vignettes_factor_{name}"),
                show_label=False,
                lines=2,
                max_lines=14,
                max_length=20_000,
                elem_id=f"contribute-what_{name}",
            )
            where = f"contribute-at-what_{name}"
            notes[f"what_{name}"] = gr.HTML(elem_classes="at-problem", elem_id=where)
    with gr.Accordion(words.of("contribute_sentence"), open=True):
        box("template", 2)
        box("null_control", 2)
    with gr.Accordion(words.of("contribute_about"), open=True):
        for name in GENERAL:
            box(name)
        box("contributors", 2)
    with gr.Accordion(words.of("contribute_anchors"), open=False):
        for side in ANCHORS:
            box(f"anchor_{side}", 2)
            box(f"because_{side}")
    return fields, notes


def _wire(words: Words, parts: _Parts) -> None:
    """Each follows the other: what is typed in one is put into the other, never back."""

    def from_form(request: gr.Request, was: str, *values: str | None) -> tuple[Any, Any]:
        now = gr.skip()
        with answered(words, language_of(request)) as page:
            form = {name: value or "" for name, value in zip(FIELDS, values, strict=True)}
            before = read(was or "")
            made = filled_in(before, form)
            # the file says so already: it was typed there, and keeps its wording and comments
            now = gr.skip() if form_of(before) == form_of(made) else written(made)
        return now, page.html

    def from_text(now: str, request: gr.Request) -> list[Any]:
        told = language_of(request)
        waits = fragment("note", words, told, text=words.say("contribute_unreadable", told))
        found = [gr.skip()] * len(FIELDS)
        with answered(words, told):
            form = form_of(read(now or ""))
            found, waits = [form[name] for name in FIELDS], ""
        return [*found, waits]

    def looked(now: str, request: gr.Request) -> list[Any]:
        told = language_of(request)
        shell, at = gr.skip(), [""] * len(AT)
        with answered(words, told) as page:
            seen = look(now or "")
            by_field = seen.by_field()
            page.html = page_of(seen, words, told)
            shell = command(name_in(now))
            at = [note(by_field.get(name, []), words, told) for name in AT]
        return [page.html, shell, *at]

    order = parts.in_order
    last: dict[str, Any] = {"trigger_mode": "always_last", **PRIVATE}
    typed = [one.input for one in order]
    gr.on(typed, from_form, [parts.text, *order], [parts.text, parts.whole], queue=False, **last)
    parts.text.input(from_text, parts.text, [*order, parts.whole], queue=False, **last)
    results = [parts.found, parts.shell, *(parts.notes[name] for name in AT)]
    group = {"concurrency_limit": limits.AT_ONCE["other"], "concurrency_id": "other"}
    parts.text.change(looked, parts.text, results, **group, **last)
    gr.on(None, looked, parts.text, results, **PRIVATE)


def _begin(words: Words, parts: _Parts, file: Any, starts: tuple[Any, Any]) -> None:
    """The ways to begin: from a file, from the example, from nothing."""

    def from_file(path: str | None, request: gr.Request) -> list[Any]:
        found = [gr.skip()] * (len(FIELDS) + 1)
        with answered(words, language_of(request)) as page:
            now = opened(Path(str(path)))
            form = form_of(read(now))
            found = [now, *(form[name] for name in FIELDS)]
        return [*found, page.html]

    def start(value: dict[str, Any]) -> list[Any]:
        form = form_of(value)
        return [written(value), *(form[name] for name in FIELDS), ""]

    everything = [parts.text, *parts.in_order, parts.whole]
    file.upload(from_file, file, everything, queue=False, **PRIVATE)
    for button, value in zip(starts, (EXAMPLE, blank()), strict=True):
        button.click(partial(start, value), None, everything, queue=False, **PRIVATE)


def _endpoints() -> None:
    def check_context(yaml: str) -> dict[str, Any]:
        """Checks a context file: its findings by line, and, if it is sound, counts and samples."""
        try:
            return plain(look(yaml))
        except NormscopeError as error:
            raise api_error(error) from error

    def context_yaml(form: dict[str, str], yaml: str = "") -> str:
        """The YAML of a form's fields; what else stands in `yaml` is kept."""
        try:
            value = read(yaml)
            whole = form_of(value) | {str(name): str(one) for name, one in dict(form).items()}
            return written(filled_in(value, whole))
        except NormscopeError as error:
            raise api_error(error) from error

    shared = {"concurrency_limit": limits.AT_ONCE["other"], "concurrency_id": "other"}
    gr.api(check_context, api_name="check_context", **shared)
    gr.api(context_yaml, api_name="context_yaml", **shared)


def blank() -> dict[str, Any]:
    """An empty context: all its keys, nothing in them but this year."""
    empty = dict.fromkeys(FIELDS, "") | {f"how_{name}": HOWS[0] for name in PARAMETERS}
    return filled_in({}, empty | {"year": str(date.today().year)})


def note(findings: list[Any], words: Words, told: Language) -> str:
    """The messages at one field; empty if there is none."""
    if not findings:
        return ""
    return fragment("at_field", words, told, findings=findings[:3])


def page_of(seen: ContextReview, words: Words, told: Language) -> str:
    """What was found and what it makes, as HTML."""
    return fragment(
        "context",
        words,
        told,
        errors=seen.errors,
        findings=seen.findings[:MOST_FINDINGS],
        more=max(0, len(seen.findings) - MOST_FINDINGS),
        counts=tuple(seen.counts.items()),
        vignettes=seen.vignettes,
        prompts=seen.prompts,
    )


def name_in(text: str) -> str:
    """The name in the YAML, safe in a command."""
    value = read(text)
    return file_name(value.get("name") if isinstance(value, dict) else None)


def plain(seen: ContextReview) -> dict[str, Any]:
    """What was found as JSON values, for the API."""
    return {
        "errors": seen.errors,
        "findings": [
            {"line": one.line, "text": one.text, "warning": one.warning} for one in seen.findings
        ],
        "counts": dict(seen.counts),
        "vignettes": list(seen.vignettes),
        "prompts": list(seen.prompts),
    }
