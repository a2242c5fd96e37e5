"""How many tokens of replies a second are written: ways beside one another, on one machine.

    python benchmarks/replies.py [--shape S] [--new-tokens 256] [--json out.json]

Same random model, prompts, seeds and end tokens for all. Every hundredth token ends a reply
(`--ends-every`), so that replies differ in length as drawn ones do. Repeats alternate between the
ways; the median and the spread are shown. Ways that draw with our seeds must write the same tokens
but for ties within rounding: the share that is the same is shown. transformers' continuous batching
and vLLM draw with their own numbers, so that their replies are others of the same lengths on
average.
"""

import argparse
import importlib.util
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers
from machine import machine
from throughput_cases import SHAPES, random_model

from normscope.builders.registry import benchmark
from normscope.judges.engines import load
from normscope.judges.engines.chat import render
from normscope.judges.engines.local import replies
from normscope.judges.engines.local.reads import Prompt, seed_of
from normscope.records.model_spec import ModelSpec

UNIT = 64
Way = Callable[[Sequence[Prompt]], list[tuple[int, ...]]]


def main() -> None:
    asked = _arguments()
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    if asked.threads:
        torch.set_num_threads(asked.threads)
    clock = time.process_time if asked.cpu_time else time.perf_counter
    report: dict[str, Any] = {"arguments": " ".join(sys.argv[1:]), "machine": machine()}
    report["lines"] = []
    print(json.dumps(report["machine"]))
    questions = _questions()
    with tempfile.TemporaryDirectory() as scratch:
        texts = [text for some in questions.values() for text in some]
        folder = random_model(asked.shape, Path(scratch), texts, asked.dtype)
        vocabulary = transformers.AutoConfig.from_pretrained(folder).vocab_size
        ends = list(range(0, vocabulary, asked.ends_every))
        transformers.GenerationConfig(eos_token_id=ends).save_pretrained(folder)
        engine = load(
            ModelSpec(model=str(folder), dtype=asked.dtype, pack_tokens=asked.pack_tokens)
        )
        ways = {
            name: way
            for name, way in _ways(engine, folder, asked.dtype).items()
            if any(part in name for part in asked.ways.split(","))
        }
        for case, some in questions.items():
            if asked.only.lower() in case.lower():
                prompts = _prompts(engine, some, asked)
                lines = _measure(case, prompts, ways, asked, clock)
                report["lines"] += lines
        if asked.json:
            asked.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def _measure(
    case: str, prompts: list[Prompt], ways: dict[str, Way], asked: Any, clock: Any
) -> list[dict[str, Any]]:
    lengths = [len(prompt.ids) for prompt in prompts]
    print(f"\n{case}: {len(prompts)} prompts of {min(lengths)} to {max(lengths)} tokens")
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    said = {}
    for _ in range(asked.repeats):
        for name, way in ways.items():
            start = clock()
            said[name] = way(prompts)
            seconds[name].append(clock() - start)
    first, lines = next(iter(ways)), []
    print("  way                                tokens  tokens/s      spread   times  same replies")
    for name, taken in seconds.items():
        tokens = sum(map(len, said[name]))
        rates = sorted(tokens / each for each in taken)
        same = sum(a == b for a, b in zip(said[name], said[first], strict=True)) / len(prompts)
        ratio = statistics.median(
            tokens / each / (sum(map(len, said[first])) / base)
            for each, base in zip(taken, seconds[first], strict=True)
        )
        lines.append(
            {"case": case, "way": name, "tokens": tokens, "rates": rates}
            | {"same": same, "times": ratio}
        )
        print(
            f"  {name:34} {tokens:6} {statistics.median(rates):9.1f} "
            f"{rates[0]:6.0f}-{rates[-1]:<6.0f}{ratio:6.2f} {same:8.0%}",
            flush=True,
        )
    return lines


def _ways(engine: Any, folder: Path, dtype: str) -> dict[str, Way]:
    plain = {"ends": engine._ends, "pack_tokens": engine._spec.pack_tokens}
    ways: dict[str, Way] = {
        f"generate, batches of {size}": partial(
            replies.generate, engine._model, batch_size=size, **plain
        )
        for size in (8, 16, 32, 64)
    }
    ways["rows that come and go (ours)"] = partial(replies.write, engine._model, **plain)
    ways["transformers' generate_batch"] = partial(_paged, engine._model, engine._ends)
    if importlib.util.find_spec("vllm") is None:
        print("vLLM: not measured, it is not installed")
    else:
        ways["vLLM"] = partial(_vllm, _vllm_of(folder, dtype), engine._ends)
    return ways


def _paged(model: Any, ends: frozenset[int], prompts: Sequence[Prompt]) -> list[tuple[int, ...]]:
    """Continuous batching with paged attention, as transformers has it."""
    model.set_attn_implementation("sdpa")
    written = model.generate_batch(
        [list(prompt.ids) for prompt in prompts],
        generation_config=transformers.GenerationConfig(
            max_new_tokens=prompts[0].max_new_tokens,
            do_sample=prompts[0].temperature > 0,
            temperature=prompts[0].temperature or 1.0,
            top_k=0,
            top_p=1.0,
            eos_token_id=sorted(ends),
            pad_token_id=0,
        ),
    )
    return [tuple(output.generated_tokens) for output in written.values()]


def _vllm_of(folder: Path, dtype: str) -> Any:
    import vllm

    return vllm.LLM(str(folder), dtype=dtype, enable_prefix_caching=True)


def _vllm(llm: Any, ends: frozenset[int], prompts: Sequence[Prompt]) -> list[tuple[int, ...]]:
    import vllm

    params = [
        vllm.SamplingParams(
            max_tokens=prompt.max_new_tokens,
            temperature=prompt.temperature,
            seed=prompt.seed,
            stop_token_ids=sorted(ends),
            detokenize=False,
        )
        for prompt in prompts
    ]
    given = [{"prompt_token_ids": list(prompt.ids)} for prompt in prompts]
    outputs = llm.generate(given, params, use_tqdm=False)
    return [tuple(output.outputs[0].token_ids) for output in outputs]


def _questions() -> dict[str, list[str]]:
    """A unit of each kind: alike vignettes, unlike questions, few questions sampled often."""
    vignettes = sorted(item.question for item in _items("ci-vignettes:iot"))
    asked = sorted({item.question for item in _items("safety-gradient")})
    middle = len(vignettes) // 2
    return {
        "IoT vignettes": vignettes[middle : middle + UNIT],
        "IoT vignettes of like length": sorted(vignettes, key=len)[middle : middle + UNIT],
        "unlike questions": asked[:: max(1, len(asked) // UNIT)][:UNIT],
        "8 samples of 8 questions": sorted(asked[:: len(asked) // 8][:8] * 8),
    }


def _items(name: str) -> list[Any]:
    made, bench = benchmark(name)
    return bench.items(made.tables(None)[bench.config])


def _prompts(engine: Any, questions: list[str], asked: Any) -> list[Prompt]:
    texts = [render(engine._tokenizer, (("user", question),), "") for question in questions]
    return [
        Prompt(ids, asked.new_tokens, asked.temperature, seed_of(number, ids))
        for number, ids in enumerate(engine._reader.encode(texts))
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", default="A", choices=sorted(SHAPES))
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--new-tokens", type=int, default=256, help="the longest reply [256]")
    parser.add_argument(
        "--ends-every", type=int, default=100, help="how rare end tokens are: one in so many [100]"
    )
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--pack-tokens", type=int, default=1024)
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--ways", default="", help="ways whose name has one of these, by commas")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, help="of torch [all cores]")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="processor time instead of the wall's: for a machine that others use as well",
    )
    parser.add_argument("--json", type=Path, help="file for every figure")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
