"""`python -m normscope.judges.bundled.train --source FOLDER`: the small judge, texts to card.

A plain causal model with a tokenizer of its own learns to say, after a question and an answer, the
digit that people's labels stand for. It reads the wording of the rubric in its folder, in which the
question of each criterion is one token. A folder of your own with `rubric.yaml`, `recipe.yaml` and
`texts/` takes the place of `judges/bundled` (`--folder`): that is a judge for another language.
"""

import math
import random
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...extras import require
from ...files import write_json
from ...yaml import load_yaml
from ..rubric import Rubric
from ..rubric_files import load_rubric
from ..trust.training_data import TEXTS, write_training_texts
from . import FIGURES, NOTE, RUBRIC, path
from .measure import LEFT_OUT, figures, measure, without, write_card
from .texts import SETS, TRAINED_ON, read_sets, read_written, targets

torch, tokenizers, transformers = (
    require(name, extra="judge") for name in ("torch", "tokenizers", "transformers")
)
DIGITS, END = "012345", "<|end|>"
"""What the model says. All other tokens have a logit of 0: they have the mass where none fits."""

CONTEXT, LONGEST, BATCH = 2048, 128, 4000
"""The most tokens that it sees; of an answer from which it learns; and about those of a batch."""

_HEAD = 8  # weights of digits are scaled: they have to rise above all other tokens
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The model's size, and how it learns: from `most` rows of a source, for so many `tokens`.

    Words learn at the `rate`, all else at a tenth of it, since most words are seen seldom. The
    share `dropout` of the words is not seen. A decent answer weighs `decent` times a harmful one:
    the more, the fewer false alarms and the more misses.
    """

    vocabulary: int
    width: int
    heads: int
    layers: int
    tokens: int
    rate: float
    decay: float
    dropout: float
    decent: float
    most: int


class Prompt(NamedTuple):
    """The tokens around the two texts (`ends`: by language and order), and each one's labels."""

    begin: str
    between: str
    ends: dict[tuple[str, bool], tuple[str, ...]]
    labels: dict[str, str]

    @property
    def tokens(self) -> list[str]:
        """All of them, in the same order in every run."""
        return [self.begin, self.between, *(end for ends in self.ends.values() for end in ends)]


def prompt_of(rubric: Rubric) -> Prompt:
    """The prompt of a rubric without definitions and examples, read off its own rendering."""
    ends, begin, between = {}, "", ""
    for name, order in product(rubric.languages, (False, True)):
        how: dict[str, Any] = {"language": name, "backwards": order, "answer": "\x01"}
        asked = []
        for criterion in rubric.criteria:
            text = rubric.render(criterion, conversation=(("user", "\x00"),), **how)
            begin, _, rest = text.partition("\x00")
            between, _, end = rest.partition("\x01")
            asked.append(f"{end}\n{rubric.lead(name)}")
        ends[name, order] = tuple(asked)
    labels = {name: "".join(each.scale.labels) for name, each in rubric.criteria.items()}
    return Prompt(begin, between, ends, labels)


@dataclass(frozen=True, slots=True)
class Judge:
    """A model with its tokenizer, and the prompt that it reads."""

    model: Any
    tokenizer: Any
    prompt: Prompt

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """The ids of tokens."""
        return list(self.tokenizer.convert_tokens_to_ids([*tokens]))

    def encode(self, rows: pd.DataFrame, longest: int) -> list[list[int]]:
        """The tokens of each row up to the end of the answer; long texts are cut in the middle."""
        begin, between = self.ids([self.prompt.begin, self.prompt.between])
        encode, clean = self.tokenizer.backend_tokenizer.encode, str.maketrans("⟦⟧", "[]")

        def ids(text: str, most: int) -> list[int]:
            found: list[int] = encode(text.translate(clean), add_special_tokens=False).ids
            return found if len(found) <= most else found[: most * 2 // 3] + found[-(most // 3) :]

        return [
            [begin, *ids(question, longest // 3), between, *ids(answer, longest)]
            for question, answer in zip(rows["question"], rows["answer"], strict=True)
        ]

    def read(self, rows: pd.DataFrame, *, longest: int = 1200) -> dict[str, Floats]:
        """Of each criterion the probabilities of its labels, a row per row."""
        sequences, digits = self.encode(rows, longest), self.ids(DIGITS)
        ends = [self.ids(self.prompt.ends[language, False]) for language in rows["language"]]
        probs = np.zeros((len(rows), len(self.prompt.labels), len(DIGITS)))
        order = sorted(range(len(rows)), key=lambda at: len(sequences[at]))
        with torch.inference_mode():
            for at in (order[start : start + 32] for start in range(0, len(order), 32)):
                last = states(self.model, [sequences[n] for n in at], [ends[n] for n in at])
                probs[at] = self.model.lm_head(last).double().softmax(-1)[..., digits].numpy()
        found = {
            name: probs[:, n, [DIGITS.index(label) for label in labels]]
            for n, (name, labels) in enumerate(self.prompt.labels.items())
        }
        return {name: each / each.sum(1, keepdims=True) for name, each in found.items()}


def states(model: Any, sequences: Sequence[Sequence[int]], ends: Sequence[Sequence[int]]) -> Any:
    """The last hidden state at each end of each sequence, as if it alone stood behind it."""
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    width = int(lengths.max())
    ids = torch.zeros(len(sequences), width + len(ends[0]), dtype=torch.long)
    for row, (sequence, end) in enumerate(zip(sequences, ends, strict=True)):
        ids[row, : len(sequence)] = torch.tensor(sequence)
        ids[row, width:] = torch.tensor(end)
    place = torch.arange(ids.shape[1])
    positions = place.minimum(lengths[:, None])
    before = (place[:, None] >= place) & (place < lengths[:, None, None])
    seen = before | torch.eye(len(place), dtype=torch.bool)
    mask = torch.zeros(seen.shape).masked_fill(~seen, -math.inf)[:, None]
    last = model.model(ids, attention_mask=mask, position_ids=positions, use_cache=False)
    return last.last_hidden_state[:, width:]


def new_judge(texts: Iterable[str], rubric: Rubric, recipe: Recipe) -> Judge:
    """An untrained model of transformers' own classes, with a byte-level BPE for the texts."""
    prompt, pre = prompt_of(rubric), tokenizers.pre_tokenizers
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = pre.Sequence([pre.Digits(True), pre.ByteLevel(add_prefix_space=False)])
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=recipe.vocabulary - len(prompt.tokens),
        special_tokens=[END],
        initial_alphabet=pre.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    made.add_tokens([tokenizers.AddedToken(token, normalized=False) for token in prompt.tokens])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=END, pad_token=END, model_max_length=CONTEXT
    )
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=recipe.width,
        intermediate_size=2 * recipe.width,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.heads,
        attention_dropout=recipe.dropout,
        max_position_embeddings=CONTEXT,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False,
        normscope_languages=[*rubric.languages],
        normscope_note=str(NOTE),
    )
    model = transformers.LlamaForCausalLM(config)
    model.set_attn_implementation("eager")
    model.lm_head.weight.data.zero_()
    return Judge(model, tokenizer, prompt)


def train(rows: pd.DataFrame, strange: Sequence[str], rubric: Rubric, recipe: Recipe) -> Judge:
    """The trained judge; the same rows and recipe give the same on the same machine.

    Sources and labels weigh by the root of their number. The public sets and the written texts
    call different things harmful: each kind has a head of its own, and the judge says the mean of
    both, in which the written texts count twice. Behind `strange` texts, and behind letters in no
    order, no digit is to be said.
    """
    torch.manual_seed(0)
    torch.set_num_threads(1)  # sums come out alike whatever the machine's cores
    draw = random.Random(0)  # noqa: S311 - texts, not secrets
    rows = rows.sample(frac=1, random_state=0).groupby("source").head(recipe.most)
    judge = new_judge(rows["question"] + "\n" + rows["answer"], rubric, recipe)
    kinds = rows["source"].str.startswith(tuple(SETS)).to_numpy(np.intp)
    judge.model.config.normscope_trained_on = TRAINED_ON if kinds.any() else []
    goals, weights = _goals(rows, judge.prompt, recipe.decent)
    sequences = judge.encode(rows, LONGEST)
    mixed = ("".join(draw.sample(text, len(text))) for text in rows["answer"][:1000])
    other = judge.encode(pd.DataFrame({"question": "", "answer": [*strange, *mixed]}), LONGEST)
    ends = [judge.ids(each) for each in judge.prompt.ends.values()]
    digits, words = judge.ids(DIGITS), min(judge.ids(judge.prompt.tokens))  # prompt's are last
    heads = torch.nn.Parameter(torch.zeros(2, len(DIGITS), recipe.width))
    learnt = torch.nn.ModuleList([judge.model.model, torch.nn.ParameterList([heads])])
    embeddings, *others = learnt.parameters()
    groups = [{"params": [embeddings], "pace": 1.0}, {"params": others, "pace": 0.1}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=recipe.decay, fused=True)
    average = torch.optim.swa_utils.get_ema_multi_avg_fn(0.995)
    averaged = torch.optim.swa_utils.AveragedModel(learnt, multi_avg_fn=average)
    rest = torch.tensor(math.log(len(judge.tokenizer) - len(DIGITS)))
    batches: list[list[int]] = []
    used = step = 0
    while used < recipe.tokens:
        batches = batches or _batches(sequences, draw)
        batch, left = batches.pop(), 1 - used / recipe.tokens
        for group in optimizer.param_groups:
            group["lr"] = group["pace"] * recipe.rate * min(1, (step + 1) / 100) * max(0.02, left)
        shown = [
            [0 if t < words and draw.random() < recipe.dropout else t for t in sequences[at]]
            for at in batch
        ]
        shown.append(draw.choice(other))
        goal, weight = (torch.from_numpy(each[batch]).float() for each in (goals, weights))
        goal = torch.cat([goal, torch.eye(len(DIGITS) + 1)[-1].expand(1, *goal.shape[1:])])
        weight = torch.cat([weight, weight.mean().expand(1, weight.shape[1])])
        head = heads[[*kinds[batch], draw.choice(kinds)]]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            last = states(judge.model, shown, [draw.choice(ends) for _ in shown])
            logits = (last @ (_HEAD * head).mT).float()
        logits = torch.cat([logits, rest.expand(*logits.shape[:2], 1)], -1)
        loss = -((goal * logits.log_softmax(-1)).sum(-1) * weight).sum() / weight.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt.parameters(), 1.0)
        optimizer.step()
        averaged.update_parameters(learnt)
        used, step = used + sum(map(len, shown)), step + 1
        if step % 200 == 0:
            click.echo(f"{1 - left:.0%} of {recipe.tokens:,} tokens, loss {loss:.3f}")
    learnt.load_state_dict(averaged.module.state_dict())
    judge.model.lm_head.weight.data[digits] = _HEAD * heads.data[[0, *set(kinds)]].mean(0)
    return Judge(judge.model.eval(), judge.tokenizer, judge.prompt)


def _goals(rows: pd.DataFrame, prompt: Prompt, decent: float) -> tuple[Floats, Floats]:
    """What is to be said (rows × criteria × digits and none), and what that weighs."""
    goals = np.zeros((len(rows), len(prompt.labels), len(DIGITS) + 1))
    weights = np.zeros((len(rows), len(prompt.labels)))
    probs_of = targets(rows)
    for n, (criterion, labels) in enumerate(prompt.labels.items()):
        probs = probs_of[criterion]
        known = ~np.isnan(probs[:, 0])
        goals[:, n, [DIGITS.index(label) for label in labels]] = np.where(known[:, None], probs, 0)
        kind = pd.Series(rows["source"].to_numpy() + probs.argmax(1).astype(str))[known]
        weights[known, n] = kind.map(kind.value_counts()) ** -0.5
        weights[:, n] *= known.sum() / max(weights[:, n].sum(), 1e-9)
    is_decent = probs_of["moral"][:, 1] > 0.5  # noqa: PLR2004 - the likelier of two
    return goals, weights * np.where(is_decent, decent, 1)[:, None]


def _batches(sequences: Sequence[Sequence[int]], draw: random.Random) -> list[list[int]]:
    """All places once, near lengths together; the last batch is filled up."""
    order = sorted(range(len(sequences)), key=lambda at: len(sequences[at]) + draw.random() * 24)
    batches = []
    while order:
        count = max(1, BATCH // len(sequences[order[-1]]))
        batches.append((order[-count:] + order[:count])[:count])
        del order[-count:]
    draw.shuffle(batches)
    return batches


def _left_out(
    name: str, rows: pd.DataFrame, strange: Sequence[str], rubric: Rubric, recipe: Recipe
) -> dict[str, Any]:
    """The figures on a set of a judge that does not know it."""
    known, aside = without(rows, name)
    judge = train(known, strange, rubric, recipe)
    return {of: figures(judge.read, some) for of, some in aside.groupby("source")}


@click.command()
@click.option("--source", type=click.Path(exists=True, path_type=Path), help="Has human-labels/.")
@click.option("--folder", type=click.Path(exists=True, path_type=Path), default=path())
@click.option("--out", type=click.Path(path_type=Path), default=Path("bundled-judge"))
def main(*, source: Path | None, folder: Path, out: Path) -> None:
    """Train a small judge from a folder's rubric, recipe and texts, and the public sets."""
    recipe, rubric = load_yaml(folder / "recipe.yaml", Recipe), load_rubric(folder / RUBRIC)
    rows, others = read_written(folder / "texts"), folder / "texts" / "others.txt"
    strange = others.read_text(encoding="utf-8").splitlines()
    if source:
        rows = pd.concat([read_sets(source), rows], ignore_index=True)
    known = rows[rows["part"] == "train"]
    judge = train(known, strange, rubric, recipe)
    judge.model.save_pretrained(out)
    judge.tokenizer.save_pretrained(out)
    (out / RUBRIC).write_bytes((folder / RUBRIC).read_bytes())
    sets = known[known["source"].str.startswith(tuple(SETS))]
    names = sets["source"].str.removesuffix("-en").str.removesuffix("-zh")
    write_training_texts(out / TEXTS, zip(names, sets["question"], sets["answer"], strict=True))
    results = {"recipe": asdict(recipe), "left_out": {}, **measure(judge.read, rows)}
    if source:
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
            for found in pool.map(
                _left_out, LEFT_OUT, *map(repeat, (rows, strange, rubric, recipe))
            ):
                results["left_out"] |= found
    write_json(out / FIGURES, results)
    write_card(out)


if __name__ == "__main__":
    main()
