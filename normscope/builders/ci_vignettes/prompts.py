"""The prompts that put a vignette to a model: variants of the question, orders of the answers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import ConfigError, nearest
from ...hub_folders import hub_folder
from ...problems import Problem, problem, refuse
from ...yaml import convert, plain, read_text
from ..taxonomy import LIKERT, LIKERT_WORDS
from .context_file import LANGUAGE_TAG, has_stray_brace, list_slots

FOLDER = hub_folder("datasets_builders") / "ci_vignettes"
CONTEXTS = FOLDER / "contexts"
PROMPTS = FOLDER / "prompts.yaml"

FORWARD = {"forward": tuple(range(len(LIKERT)))}

LANGUAGE = "prompt_language"
"""The column that says in which language each prompt is; without it all are English."""

_SEPARATORS = {"zh": "、"}
_SLOTS = ("scenario", "likert_scale")
_SCENARIO, _SCALE = "{scenario}", "{likert_scale}"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_VARIANTS = re.compile(r"^variants\s*:", re.MULTILINE)
_LONGEST_ANSWER = 100

# one array of strings holds at most 2 GiB; a prompt adds up to this much to its vignette
_MAX_BYTES = 1_800_000_000
_WORDS = 300


@dataclass(frozen=True, slots=True)
class Prompts:
    """The variants by id, and the orders in which the answers are listed.

    A scale order lists the places of the answers on the scale, from strongly unacceptable (0) to
    strongly acceptable (4). The variants are in one `language`, and so are the answers that they
    list. `answers` are the words of the five in this order; without them the language is one whose
    words are known (`LIKERT_WORDS`).
    """

    source: str
    variants: Mapping[str, str]
    language: str = "en"
    answers: tuple[str, ...] = ()
    scale_orders: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: FORWARD)

    @property
    def words(self) -> tuple[str, ...]:
        """The five answers as the prompts list them, from strongly unacceptable on."""
        return self.answers or LIKERT_WORDS[self.language]

    def render(self, variant_id: str, vignette: str, *, scale_order: str = "forward") -> str:
        """The prompt that asks how acceptable the vignette is."""
        before, after = self._around(variant_id, scale_order)
        return before + vignette + after

    def table(
        self, vignettes: pa.Table, *, scale_orders: tuple[str, ...] = ("forward",)
    ) -> pa.Table:
        """A row per vignette, scale order and variant, in this order, the variant changing fastest.

        Columns: `item_id`, `variant_id`, `scale_order`, `prompt`, then those of `vignettes` but
        for the text of the vignette, and `prompt_language` if that is not English.
        """
        ways = [(variant, order) for order in scale_orders for variant in self.variants]
        items, ways_at = len(vignettes), np.arange(len(ways))
        texts = vignettes.column("vignette").combine_chunks()
        if (size := (texts.nbytes + items * _WORDS) * len(ways)) > _MAX_BYTES:
            raise ConfigError(
                f"{items:,} vignettes asked in {len(ways)} ways are some {size / 1e9:.0f} GB; use "
                "fewer levels, variants or orders, or split the context"
            )
        around = [self._around(variant, order) for variant, order in ways]
        prompts = [pc.binary_join_element_wise(start, texts, end, "") for start, end in around]
        # the prompts stand way by way; a row's prompt is that of its item in its way
        by_item = (ways_at * items + np.arange(items)[:, None]).ravel()
        repeated = vignettes.drop_columns("vignette").take(np.repeat(np.arange(items), len(ways)))
        way = np.tile(ways_at, items)
        columns = {
            "item_id": repeated.column("item_id"),
            "variant_id": pa.array([variant for variant, _ in ways], pa.string()).take(way),
            "scale_order": pa.array([order for _, order in ways], pa.string()).take(way),
            "prompt": pa.concat_arrays(prompts).take(by_item),
        }
        rest = {name: repeated.column(name) for name in repeated.column_names if name != "item_id"}
        if self.language != "en":
            rest[LANGUAGE] = pa.array([self.language], pa.string()).take(np.zeros_like(way))
        return pa.table({**columns, **rest})

    def _around(self, variant_id: str, scale_order: str) -> tuple[str, str]:
        separator = _SEPARATORS.get(self.language, ", ")
        scale = separator.join(self.words[place] for place in self.scale_orders[scale_order])
        before, _, after = self.variants[variant_id].partition(_SCENARIO)
        return before.replace(_SCALE, scale), after.replace(_SCALE, scale)


def find_prompt_problems(prompts: Prompts) -> Iterator[Problem]:
    """An order that is no permutation, a variant without exactly its two slots, an odd name."""
    if not prompts.source.strip():
        yield problem(("source",), "it is empty; say where the wording comes from")
    yield from _answer_problems(prompts)
    if not prompts.variants:
        yield problem(("variants",), "there is none; give at least one")
    for kind in ("scale_orders", "variants"):
        for name in getattr(prompts, kind):
            if not _NAME.fullmatch(name):
                yield problem(
                    (kind, name),
                    "{name} must be lower-case letters, digits, hyphens and underscores",
                    name=repr(name),
                )
    for name, order in prompts.scale_orders.items():
        if sorted(order) != list(range(len(LIKERT))):
            yield problem(
                ("scale_orders", name),
                "{order} is no order of 0 to {last}",
                order=str(list(order)),
                last=len(LIKERT) - 1,
            )
    for name, template in prompts.variants.items():
        yield from _variant_problems(name, template)


def _variant_problems(name: str, template: str) -> Iterator[Problem]:
    slots = list_slots(template)
    for slot in dict.fromkeys(slots):
        if slot not in _SLOTS:
            yield problem(
                ("variants", name),
                "slot {slot} is none of a prompt's; {note}",
                slot=f"{{{slot}}}",
                note=nearest(slot, _SLOTS),
            )
    if any(slots.count(slot) != 1 for slot in _SLOTS):
        yield problem(
            ("variants", name),
            "it needs {scenario} and {scale}, each once, in {template}",
            scenario=_SCENARIO,
            scale=_SCALE,
            template=repr(template),
        )
    if has_stray_brace(template):
        yield problem(
            ("variants", name),
            "a brace without its partner in {template}",
            template=repr(template),
        )


def _answer_problems(prompts: Prompts) -> Iterator[Problem]:
    """A language that is none, and answers that are not five, or that cannot be told apart."""
    if not LANGUAGE_TAG.fullmatch(prompts.language):
        yield problem(
            ("language",),
            "{language} is not a language tag such as 'en' or 'zh'",
            language=repr(prompts.language),
        )
    elif not prompts.answers and prompts.language not in LIKERT_WORDS:
        yield problem(
            ("language",),
            "the words for the answers in {language} are not known (known: {known}); write the "
            "five under answers, from strongly unacceptable to strongly acceptable",
            language=repr(prompts.language),
            known=", ".join(LIKERT_WORDS),
        )
    if prompts.answers and len(prompts.answers) != len(LIKERT):
        yield problem(
            ("answers",),
            "there are {n}; write five, from strongly unacceptable to strongly acceptable",
            n=len(prompts.answers),
        )
    # which answer each spelling stands for; those of the languages that are known count as well
    places = {
        word.casefold(): at for words in LIKERT_WORDS.values() for at, word in enumerate(words)
    }
    for at, word in enumerate(prompts.answers):
        spot, spelt = ("answers", at), " ".join(word.split()).casefold()
        words = any(map(str.isalpha, word)) and word == word.strip() and not list_slots(word)
        if not words or "\n" in word or len(word) > _LONGEST_ANSWER:
            yield problem(
                spot,
                "{word} is not the words of an answer: letters, no blanks around them, at most "
                "{most} characters",
                word=repr(word),
                most=_LONGEST_ANSWER,
            )
        elif places.setdefault(spelt, at) != at:
            yield problem(
                spot,
                "{word} is already answer {n} of five; the five differ in their words",
                word=repr(word),
                n=places[spelt] + 1,
            )


def load_prompts(path: Path) -> Prompts:
    """The prompts of a YAML file; a `ConfigError` tells what is wrong with it, by line."""
    value, lines = plain(read_text(path), name=str(path))
    prompts = convert(value, Prompts, name=str(path), lines=lines)
    refuse(find_prompt_problems(prompts), str(path), lines=lines)
    return prompts


def is_prompts(path: Path) -> bool:
    """Whether the file holds prompts and no context, by its keys alone."""
    # parsing every bundled context twice would double what an import of them takes
    return _VARIANTS.search(read_text(path)) is not None


@cache
def bundled_prompts() -> Prompts:
    """The eleven variants of LLM-CI (Table 5)."""
    return load_prompts(PROMPTS)
