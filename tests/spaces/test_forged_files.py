"""Files that a visitor names without having uploaded them, at everything that takes a file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from served_space import Served, called, client_of, get, upload

pytest.importorskip("gradio_client", reason="needs gradio_client: pip install 'normscope[space]'")

APART = "kept apart"
FILES = ("file", "uploadbutton")


def forged_file(path: str) -> dict[str, Any]:
    return {"path": path, "orig_name": "a.csv", "meta": {"_type": "gradio.FileData"}}


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Tables of the server, a path where nothing is, and a device."""
    folder = tmp_path_factory.mktemp("secret")
    row = {"question": APART, "answer": APART}
    (folder / "s.csv").write_text(f"question,answer\n{APART},{APART}\n")
    (folder / "s.jsonl").write_text(json.dumps(row))
    pq.write_table(pa.Table.from_pylist([row]), folder / "s.parquet")
    paths = [folder / name for name in ("s.csv", "s.jsonl", "s.parquet", "missing.csv")]
    return [*map(str, paths), "/dev/zero"]


def inputs_with_files(address: str) -> Iterator[tuple[Any, list[Any], int]]:
    """Every event of the page's config that takes a file: its inputs, and which is the file."""
    config = json.loads(get(address, "/config"))
    components = {component["id"]: component for component in config["components"]}
    for event in config["dependencies"]:
        inputs = [components[number] for number in event["inputs"]]
        for at, component in enumerate(inputs):
            if component["type"] in FILES:
                yield event, inputs, at


def test_no_file_is_read_that_was_not_uploaded(served: Served, forged: list[str]) -> None:
    events = list(inputs_with_files(served[0]))
    # a file of answers on its tab and by its endpoint, two buttons of four runs (of
    # which one takes two more inputs), a context
    assert len(events) >= 10
    for event, inputs, at in events:
        many = inputs[at]["props"].get("file_count") in {"multiple", "directory"}
        for path in forged:
            data = [component["props"].get("value") for component in inputs]
            data[at] = [forged_file(path)] if many else forged_file(path)
            reply = called(served[0], event, data)
            # the same for every path: nothing says whether something is there
            assert "The file was not uploaded here" in reply, (event["api_name"], path, reply)
            assert APART not in reply
            assert path not in reply


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "{}/gradio/../../log.txt", "http://127.0.0.1:1/a.csv"]
)
def test_neither_a_way_around_nor_a_web_address_is_followed(served: Served, path: str) -> None:
    file = forged_file(path.format(served[1] / "tmp"))
    reply = called(served[0], {"api_visibility": "public", "api_name": "score_file"}, [file])
    assert "The file was not uploaded here" in reply


def test_no_file_comes_in_by_another_kind_of_input(served: Served, forged: list[str]) -> None:
    file = forged_file(forged[0])
    config = json.loads(get(served[0], "/config"))
    for event in config["dependencies"]:
        if event["api_visibility"] == "public" and event["inputs"]:
            for value in (file, [{"nested": file}]):
                reply = called(served[0], event, [value] * len(event["inputs"]))
                assert "The file was not uploaded here" in reply, (event["api_name"], reply)


def test_an_upload_is_read(served: Served, answers: Path) -> None:
    client = client_of(served[0])
    summary, _ = client.predict(upload(answers), *[""] * 5, api_name="/score_file")
    client.close()
    assert summary["rows"] == 40
