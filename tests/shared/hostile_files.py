"""Files that somebody else gave us: broken, endless, or made to steer what reads them.

Files that swell once they are read are in `bombs`: uploads are read within limits, a file that a
user names on the command line is read whole.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Maker = Callable[[Path], object]
"""Writes a hostile file, or fills a folder, at the path."""

ROWS: dict[str, tuple[str, Maker]] = {}
"""Files of rows by name: the ending, and what makes the file."""

YAML: dict[str, Maker] = {}
"""Files that are read as a configuration, a context, a rubric, prompts or a list of models."""

MODELS: dict[str, Maker] = {}
"""Changes to a folder with a good model."""

_GOOD = {"id": "1", "question": "Why is the sky blue?", "response": "Air scatters blue light."}


def _csv(text: str | bytes) -> tuple[str, Maker]:
    data = text if isinstance(text, bytes) else text.encode()
    return ".csv", lambda path: path.write_bytes(data)


def _jsonl(*lines: str) -> tuple[str, Maker]:
    return ".jsonl", lambda path: path.write_text("\n".join(lines), encoding="utf-8")


def _parquet(make: Callable[[], pa.Table]) -> tuple[str, Maker]:
    return ".parquet", lambda path: pq.write_table(make(), path)


def _unique_keys() -> Iterator[str]:
    for row in range(60):
        yield json.dumps({**_GOOD, f"k{row}": 1})


_CRITERION = "id,question,response\n"
ROWS |= {
    "csv empty": _csv(""),
    "csv criterion alone": _csv(_CRITERION),
    "csv column twice": _csv("id,question,response,response\n1,q,a,b\n"),
    "csv lone carriage return": _csv(_CRITERION + "1,q,one\rtwo\n2,q,b\n"),
    "csv fields missing": _csv(_CRITERION + "1,q\n"),
    "csv fields too many": _csv(_CRITERION + "1,q,a,b,c\n"),
    "csv quote left open": _csv(_CRITERION + '1,q,"open\n2,q,b\n'),
    "csv nul": _csv(_CRITERION + "1,q\0,a\0\n"),
    "csv utf-16": _csv((_CRITERION + "1,q,a\n").encode("utf-16")),
    "csv latin-1": _csv((_CRITERION + "1,q,caf\xe9\n").encode("latin-1")),
    "csv semicolons": _csv((_CRITERION + "1,q,a\n").replace(",", ";")),
    "csv wide": _csv(",".join(f"c{n}" for n in range(20_000)) + "\n"),
    "csv long cell": _csv(_CRITERION + f"1,q,{'x' * 10_000}\n"),
    "csv formulas": _csv(_CRITERION + '=1+1,"@SUM(A1)","=HYPERLINK(""http://x"")"\n'),
    "csv surrogate": _csv(_CRITERION.encode() + b"1,q,\xed\xa0\x80\n"),
    "jsonl not objects": _jsonl("[1]", "2"),
    "jsonl cut off": _jsonl(json.dumps(_GOOD), '{"id": "2", "quest'),
    "jsonl deep": _jsonl('{"a":' * 50_000 + "1" + "}" * 50_000),
    "jsonl unique keys": (".jsonl", lambda p: p.write_text("\n".join(_unique_keys()))),
    "jsonl nan and infinity": _jsonl(json.dumps({**_GOOD, "x": [float("nan"), float("inf")]})),
    "jsonl lone surrogate": _jsonl(json.dumps({**_GOOD, "response": "\ud800", "\udfff": 1})),
    "jsonl huge number": _jsonl(json.dumps(_GOOD)[:-1] + f', "n": {"9" * 5000}}}'),
    "jsonl key twice": _jsonl(json.dumps(_GOOD)[:-1] + ', "response": "other"}'),
    "jsonl wrong types": _jsonl(json.dumps({"id": [1], "question": {"a": 1}, "response": 3})),
    "jsonl messages": _jsonl(json.dumps({"messages": [{"role": 3}, "x", None]})),
    "parquet no rows": _parquet(lambda: pa.table({"question": pa.array([], pa.string())})),
    "parquet other types": _parquet(
        lambda: pa.table({"question": [1.5], "response": [[b"\xff"]], "t": [np.datetime64("now")]})
    ),
    "parquet garbage": (".parquet", lambda path: path.write_bytes(os.urandom(4096))),
    "parquet columns of one name": _parquet(
        lambda: pa.Table.from_arrays([pa.array(["q"])] * 2, names=["response", "response"])
    ),
    "a pipe": (".jsonl", os.mkfifo),
    "endless": (".csv", lambda path: path.symlink_to("/dev/zero")),
    "a folder": (".csv", Path.mkdir),
}


def _text(text: str | bytes) -> Maker:
    data = text if isinstance(text, bytes) else text.encode()
    return lambda path: path.write_bytes(data)


_LAUGHS = "\n".join(
    ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
)
YAML |= {
    "empty": _text(""),
    "a word": _text("context"),
    "list as key": _text("? [a, b]\n: c\n"),
    "map as key": _text("{{a: 1}: 2}\n"),
    "timestamp": _text("name: 2026-01-01 00:00:00\nversion: !!timestamp nonsense\n"),
    "object": _text("name: !!python/object/apply:os.system [id]\n"),
    "laughs": _text(_LAUGHS),
    "many nodes": _text("name: [" + "a," * 300_000 + "]\n"),
    "deep": _text("a: " + "[" * 20_000 + "]" * 20_000),
    "deep by indent": _text("".join(f"{' ' * n}a:\n" for n in range(2000))),
    "key twice": _text("name: a\nname: b\n"),
    "tab": _text("name:\n\tb: 1\n"),
    "merge": _text("<<: [1, 2]\nname: x\n"),
    "binary": _text("name: !!binary nonsense%%\n"),
    "int of many digits": _text(f"name: {'9' * 10_000}\n"),
    "not utf-8": _text(b"name: caf\xe9\n"),
    "nul": _text(b"name: a\0b\n"),
    "two documents": _text("name: a\n---\nname: b\n"),
    "unknown tag": _text("name: !secret x\n"),
    "set": _text("name: !!set {a, b}\n"),
    "a pipe": os.mkfifo,
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
}


def _template(text: str) -> Maker:
    def change(folder: Path) -> None:
        (folder / "chat_template.jinja").write_text(text, encoding="utf-8")
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        config.pop("chat_template", None)
        (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")

    return change


def _setting(name: str, value: object) -> Maker:
    def change(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        (folder / "config.json").write_text(json.dumps({**config, name: value}), encoding="utf-8")

    return change


def _cut_weights(folder: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])


def _no_header(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\xff" * 64)


def _pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'id'\ntR.")


def _brings_code(folder: Path) -> None:
    classes = {"AutoConfig": "code.Config", "AutoModelForCausalLM": "code.Model"}
    _setting("auto_map", classes)(folder)
    _setting("model_type", "strange")(folder)
    (folder / "code.py").write_text("raise SystemExit('run')")


MODELS |= {
    "weights cut off": _cut_weights,
    "weights without a header": _no_header,
    "pickled weights": _pickle,
    "code of its own": _brings_code,
    "a pipe beside": lambda folder: os.mkfifo(folder / "extra.json"),
    "an endless file beside": lambda folder: (folder / "extra.json").symlink_to("/dev/zero"),
    "a pipe as vocabulary": lambda folder: os.mkfifo(folder / "vocab.json"),
    "an endless template": lambda f: (f / "extra.jinja").symlink_to("/dev/zero"),
    "a config that is a list": lambda folder: (folder / "config.json").write_text("[]"),
    "a deep config": lambda f: (f / "config.json").write_text("[" * 50_000),
    "a tokenizer that is none": lambda f: (f / "tokenizer.json").write_text("{}"),
    "an unknown family": _setting("model_type", "strange"),
    "layers of text": _setting("num_hidden_layers", "many"),
    "a note with markup": _setting("normscope_note", "[/bold]\x1b[2J<script>alert(1)</script>"),
    "a note that is a list": _setting("normscope_note", [1, {"a": None}]),
    "a template without end": _template("{% for a in range(10**9) %}{{ a }}{% endfor %}"),
    "a template of all memory": _template("{{ 'x' * 10**10 }}"),
    "a template that reaches out": _template("{{ ''.__class__.__mro__[1].__subclasses__() }}"),
    "a template that drops the question": _template("<|user|>Say hello.<|assistant|>"),
    "a template that is broken": _template("{% for turn in messages %}"),
}


def hostile_model(good: Path, to: Path, name: str) -> Path:
    """A copy of the good model, changed as the name says."""
    shutil.copytree(good, to)
    MODELS[name](to)
    return to
