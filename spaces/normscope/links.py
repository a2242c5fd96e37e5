"""The state of a tab in the page's address, so that it can be linked to and gone back to.

`page.js` writes the address (`normscope.state`) and presses a hidden button of each tab whose keys
Back or Forward changed; gradio sends the address's keys with every event, so that a tab reads them
from the request, the same when it is opened by a link and when it is gone back to.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any


class Links:
    """Which keys of the address are whose."""

    def __init__(self) -> None:
        """No tab has any."""
        self.keys: dict[str, tuple[str, ...]] = {}

    def reopened(self, tab: str, keys: Sequence[str]) -> list[Any]:
        """The events after which the tab has to be as the address says: it was opened, or Back.

        `keys` are those of the address that the tab alone reads and writes.
        """
        import gradio as gr

        self.keys[tab] = tuple(keys)
        button = gr.Button(visible="hidden", elem_id=f"{tab}-reopen")
        return [gr.context.Context.root_block.load, button.click]

    def follow(self, tab: str, components: Mapping[str, Any]) -> list[Any]:
        """The same, for a tab of which each key is the value of a component.

        What a visitor chooses there is written into the address, as a step that Back undoes.
        """
        for key, component in components.items():
            script = writer(f"(value) => ({{ {json.dumps(key)}: value }})")
            component.input(None, component, None, js=script, api_visibility="private")
        return self.reopened(tab, tuple(components))


def writer(patch: str, *, push: bool = True) -> str:
    """The script of an event that writes its inputs into the address, as `js=…`.

    `patch` is a JavaScript function from their values to the keys that change. Without `push` there
    is no step that Back undoes.
    """
    step = json.dumps({"push": push})
    return f"(...values) => {{ normscope.state(({patch})(...values), {step}); }}"


def chosen(request: Any, key: str, known: Collection[str]) -> list[str] | None:
    """The values of the key in the address, those that are known; null where it is not there.

    >>> from types import SimpleNamespace
    >>> from starlette.datastructures import QueryParams
    >>> request = SimpleNamespace(query_params=QueryParams("models=a&models=x&rows=*"))
    >>> chosen(request, "models", "abc"), chosen(request, "rows", "abc"), chosen(request, "n", "a")
    (['a'], [], None)
    """
    query: Any = getattr(request, "query_params", {})
    if key not in query:
        return None
    return [value for value in dict.fromkeys(query.getlist(key)) if value in known]


def one_chosen(request: Any, key: str, known: Collection[str], default: str) -> str:
    """The first known value of the key in the address, or the default."""
    return (chosen(request, key, known) or [default])[0]
