"""The context and the levels of the tab *Vignettes* in the page's address, each by its name."""

import json
from typing import Any

from ...datasets_builders.ci_vignettes.context import bundled_contexts
from .links import chosen, one_chosen, writer
from .vignettes import Levels, begin_with, levels_of

CONTEXT = "context"


def keys() -> tuple[str, ...]:
    """The context, and every factor of any of them."""
    return (CONTEXT, *dict.fromkeys(name for at in bundled_contexts() for name in levels_of(at)))


def follow(context: Any, factors: list[Any], uploaded: Any) -> None:
    """Writes the context and its levels into the address when a visitor chooses others.

    The menu of a factor is another factor's in another context. `uploaded` is the event after which
    a file has chosen all of them.
    """
    names = json.dumps({name: list(levels_of(name)) for name in bundled_contexts()})
    others = json.dumps(dict.fromkeys(keys()))
    private: dict[str, Any] = {"api_visibility": "private"}
    context.input(
        None, context, None, js=writer(f"(name) => ({{ ...{others}, {CONTEXT}: name }})"), **private
    )
    patch = (
        f"(name, ...levels) => ({{ ...{others}, {CONTEXT}: name, "
        f"...Object.fromEntries({names}[name].map((factor, at) => [factor, levels[at]])) }})"
    )
    for factor in factors:
        factor.input(None, [context, *factors], None, js=writer(patch), **private)
    uploaded.then(None, [context, *factors], None, js=writer(patch, push=False), **private)


def linked(request: Any, first: str, most: int) -> tuple[str, Levels]:
    """The context and the levels in the address; `first`, and what one begins with, without any."""
    name = one_chosen(request, CONTEXT, bundled_contexts(), first)
    levels = {factor: chosen(request, factor, known) for factor, known in levels_of(name).items()}
    given = {factor: several for factor, several in levels.items() if several is not None}
    return name, begin_with(name, most=most) | given
