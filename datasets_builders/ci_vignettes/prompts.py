"""The prompts that put a vignette to a model: variants of the question, orders of the answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import ConfigError, UsageError, nearest
from ...yaml import load_yaml
from ..taxonomy import LIKERT
from .template import list_slots

PROMPTS = Path(__file__).parent / "prompts.yaml"

_SCENARIO, _SCALE = "{scenario}", "{likert_scale}"


@dataclass(frozen=True, slots=True)
class Prompts:
    """The variants by id, the orders in which the answers are listed, and what stands between them.

    A scale order lists the places of the answers on the scale, from strongly unacceptable (0) to
    strongly acceptable (4).
    """

    source: str
    separator: str
    scale_orders: Mapping[str, tuple[int, ...]]
    variants: Mapping[str, str]

    def __post_init__(self) -> None:
        """Refuses an order that is no permutation and a variant without exactly its two slots."""
        if problems := list(self._problems()):
            raise ConfigError("\n".join(f"prompts: {told}" for told in problems))

    def _problems(self) -> Iterator[str]:
        for name, order in self.scale_orders.items():
            if sorted(order) != list(range(len(LIKERT))):
                yield f"scale_orders.{name}: {list(order)} is no order of 0 to {len(LIKERT) - 1}"
        for name, template in self.variants.items():
            if sorted(list_slots(template)) != ["likert_scale", "scenario"]:
                yield f"variants.{name}: needs {_SCENARIO} and {_SCALE}, each once, in {template!r}"

    def render(self, variant_id: str, vignette: str, *, scale_order: str = "forward") -> str:
        """The prompt that asks how acceptable the vignette is."""
        before, after = self._around(variant_id, scale_order)
        return before + vignette + after

    def table(
        self, vignettes: pa.Table, *, scale_orders: tuple[str, ...] = ("forward",)
    ) -> pa.Table:
        """A row per vignette, scale order and variant, in this order, the variant changing fastest.

        Columns: `item_id`, `variant_id`, `scale_order`, `prompt`, then those of `vignettes` but
        for the text of the vignette.
        """
        ways = [(variant, order) for order in scale_orders for variant in self.variants]
        items, ways_at = len(vignettes), np.arange(len(ways))
        texts = vignettes.column("vignette").combine_chunks()
        asked = [self._ask(texts, variant, order) for variant, order in ways]
        # the prompts stand way by way; a row's prompt is that of its item in its way
        by_item = (ways_at * items + np.arange(items)[:, None]).ravel()
        repeated = vignettes.drop_columns("vignette").take(np.repeat(np.arange(items), len(ways)))
        way = np.tile(ways_at, items)
        columns = {
            "item_id": repeated.column("item_id"),
            "variant_id": pa.array([variant for variant, _ in ways], pa.string()).take(way),
            "scale_order": pa.array([order for _, order in ways], pa.string()).take(way),
            "prompt": pa.concat_arrays(asked).take(by_item),
        }
        rest = {name: repeated.column(name) for name in repeated.column_names if name != "item_id"}
        return pa.table({**columns, **rest})

    def _ask(self, vignettes: pa.StringArray, variant_id: str, scale_order: str) -> pa.StringArray:
        before, after = self._around(variant_id, scale_order)
        return pc.binary_join_element_wise(before, vignettes, after, "")

    def _around(self, variant_id: str, scale_order: str) -> tuple[str, str]:
        if variant_id not in self.variants:
            known = nearest(variant_id, list(self.variants))
            raise UsageError(f"no prompt variant {variant_id!r}; {known}")
        if scale_order not in self.scale_orders:
            known = nearest(scale_order, list(self.scale_orders))
            raise UsageError(f"no scale order {scale_order!r}; {known}")
        scale = self.separator.join(LIKERT[place] for place in self.scale_orders[scale_order])
        before, _, after = self.variants[variant_id].partition(_SCENARIO)
        return before.replace(_SCALE, scale), after.replace(_SCALE, scale)


@cache
def bundled_prompts() -> Prompts:
    """The eleven variants of LLM-CI (Table 5)."""
    return load_yaml(PROMPTS, Prompts)
