import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from normscope.builders.chisafetybench.source import Group
from normscope.builders.sources import SourceFile, fetch, locate, read_columns, read_json
from normscope.errors import SourceError

CONTENT = b"word,number\nrain,1\n"
SHA = hashlib.sha256(CONTENT).hexdigest()
FILE = SourceFile("rain.csv", "https://example.org/rain.csv", SHA)


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMSCOPE_SOURCES", raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    (path / "weather").mkdir(parents=True)
    return path


@contextmanager
def serving(answer: bytes | None) -> Iterator[str]:
    """The address of a file on a server of our own; without an answer it says 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(answer or b"")))
            self.end_headers()
            self.wfile.write(answer or b"")

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/rain.csv"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("place", ["weather/rain.csv", "rain.csv"])
def test_a_file_is_found_in_the_dataset_s_folder_or_in_the_folder_itself(
    folder: Path, place: str
) -> None:
    (folder / place).write_bytes(CONTENT)
    assert locate("weather", [FILE], folder) == {"rain.csv": folder / place}


def test_the_variable_names_the_folder_when_no_source_is_given(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "rain.csv").write_bytes(CONTENT)
    monkeypatch.setenv("NORMSCOPE_SOURCES", str(folder))
    assert locate("weather", [FILE], None) == {"rain.csv": folder / "rain.csv"}


def test_a_missing_folder_is_named_with_what_named_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NORMSCOPE_SOURCES", str(tmp_path / "nowhere"))
    with pytest.raises(SourceError, match=r"nowhere does not exist .*NORMSCOPE_SOURCES"):
        locate("weather", [FILE], None)


def test_a_missing_file_is_named_with_both_places_and_its_address(folder: Path) -> None:
    with pytest.raises(SourceError) as caught:
        locate("weather", [FILE], folder)
    message = str(caught.value)
    for part in ("rain.csv", str(folder / "weather"), str(folder), FILE.url):
        assert part in message


def test_another_hash_is_an_error_with_both_hashes_and_the_remedy(folder: Path) -> None:
    (folder / "rain.csv").write_bytes(CONTENT[:-3])
    found = hashlib.sha256(CONTENT[:-3]).hexdigest()
    with pytest.raises(SourceError) as caught:
        locate("weather", [FILE], folder)
    message = str(caught.value)
    for part in (str(folder / "rain.csv"), found, SHA, "unpinned=True"):
        assert part in message


def test_a_download_is_kept_and_not_repeated() -> None:
    with serving(CONTENT) as url:
        path = fetch("weather", SourceFile("rain.csv", url, SHA))
    assert path.read_bytes() == CONTENT
    # the server is gone: a second download would fail
    assert fetch("weather", SourceFile("rain.csv", url, SHA)) == path


def test_a_damaged_download_is_replaced() -> None:
    with serving(CONTENT) as url:
        file = SourceFile("rain.csv", url, SHA)
        path = fetch("weather", file)
        path.write_bytes(CONTENT[:5])
        assert fetch("weather", file).read_bytes() == CONTENT


def test_other_content_at_the_address_is_refused_and_not_kept(tmp_path: Path) -> None:
    with (
        serving(b"moved") as url,
        pytest.raises(SourceError, match=r"not the pinned file.*source=DIR"),
    ):
        fetch("weather", SourceFile("rain.csv", url, SHA))
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_missing_network_names_the_address_and_the_remedy() -> None:
    with serving(CONTENT) as url:
        pass
    with pytest.raises(SourceError) as caught:
        fetch("weather", SourceFile("rain.csv", url, SHA))
    assert url in str(caught.value)
    assert "source=DIR" in str(caught.value)


def _csv(path: Path, text: str) -> Callable[[], object]:
    path.write_text(text, encoding="utf-8", newline="")
    return lambda: read_columns(path, ["word", "number"])


def test_columns_keep_blank_fields_and_line_breaks(tmp_path: Path) -> None:
    read = _csv(tmp_path / "a.csv", ',word,number\n0,"two\nlines",\n1,"he said ""no""",2\n')
    assert read() == {"word": ["two\nlines", 'he said "no"'], "number": ["", "2"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word\nrain\n", "a.csv has no column 'number'.*; mend it, or take it from its source"),
        ("word,number\nrain\n", "a.csv:2: 1 cells in a row under 2 columns"),
        ("", "is empty: its first line is to name the columns"),
    ],
)
def test_another_shape_is_told_with_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        _csv(tmp_path / "a.csv", text)()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"category": "c", "infos": [', "a.json is not JSON of ours"),
        ('[{"category": "c"}]', r"\(0\.infos: Field required\): .*take it from its source again"),
        ('[{"category": 3, "infos": []}]', r"\(0\.category: .*string"),
        ('{"category": "c", "infos": []}', "valid list"),
    ],
)
def test_json_of_another_shape_is_told_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        read_json(path, list[Group])
