"""The Space as clients meet it: every endpoint, what its README says of it, and a bad guest."""

import http.client
import json
import re
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pyarrow.parquet as pq
import pytest
from served_space import Served, get, post, rows_of, upload, write_rows

from normscope.space.context_review import EXAMPLE

pytest.importorskip("gradio_client", reason="needs gradio_client: pip install 'normscope[space]'")

README = Path(__file__).parents[2] / "spaces" / "normscope" / "README.md"
ADDRESS = "http://127.0.0.1:7860"
TYPES = {
    "str": "text",
    "filepath": "file",
}


def test_an_answer_is_scored_with_everything_else_left_to_choose(client: Any) -> None:
    found = client.predict("Why?", "Because.", api_name="/score_answer")
    assert found["score"] == pytest.approx(3.6)
    assert found["small_bundled_judge"] is True
    assert found["language"] == "en"
    assert found["criteria"]["refusal"]["meaning"]


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("Why?", "", "no answer yet"),
        ("Why?", None, "no answer yet"),
        ("Why?", {"a": 1}, "not dict"),
        ("x" * 5_000, "So.", "5,000 characters"),
        ("Why?", "stuck", "within 3 seconds"),
    ],
)
def test_what_cannot_be_scored_is_told_in_words(
    client: Any, question: Any, answer: Any, told: str
) -> None:
    with pytest.raises(Exception, match=told):
        client.predict(question, answer, api_name="/score_answer")


def test_a_file_is_looked_at_and_scored_with_its_progress(
    client: Any, answers: Path, tmp_path: Path
) -> None:
    job = client.submit(upload(answers), "", "", "", "", "", api_name="/score_file")
    found, files = job.result(timeout=60)
    assert [step["done"] for step, _ in job.outputs()[:-1]] == [0, 16, 32, 40]
    assert found["rows"] == 40
    assert (found["columns"]["question"], found["columns"]["answer"]) == ("prompt", "response")
    assert {s["name"] for s in found["statistics"]} >= {"score", "rr1", "hr"}
    judgements, rows, report, scores = map(Path, files)
    assert pq.read_table(judgements).num_rows == 120
    assert "'=1+1" in rows.read_text()
    assert "</html>" in report.read_text()
    assert {row["statistic"] for row in rows_of(scores)} >= {"score", "rr1", "hr"}


def test_a_cancelled_file_ends_and_the_next_one_is_taken(client: Any, answers: Path) -> None:
    text = answers.read_text()
    answers.write_text(text.replace("[…]", "slow"))
    job = client.submit(upload(answers), "", "", "", "", "", api_name="/score_file")
    while not job.outputs():
        time.sleep(0.05)
    assert job.cancel()
    answers.write_text(text)
    # the chunk that was being judged is finished first
    for _ in range(100):
        with suppress(Exception):
            found, _ = client.predict(upload(answers), *[""] * 5, api_name="/score_file")
            break
        time.sleep(0.3)
    assert found["rows"] == 40


def test_a_file_of_50_mb_is_refused_and_not_kept(
    client: Any, served: Served, tmp_path: Path
) -> None:
    path = tmp_path / "large.csv"
    path.write_bytes(b"question,answer\n" + b"a,b\n" * 12_500_000)
    with pytest.raises(Exception, match=r"(?i)size|large|413"):
        client.predict(upload(path), *[""] * 5, api_name="/score_file")
    kept = [p for p in (served[1] / "tmp").rglob("*") if p.is_file()]
    assert sum(p.stat().st_size for p in kept) < 10_000_000


@pytest.mark.parametrize("given", [("Why?", "Because.", "", "auto", ""), ("Why?", "Because.")])
def test_curl_gets_an_answer_in_two_requests(served: Served, given: tuple[str, ...]) -> None:
    _, body = post(served[0], "/gradio_api/call/score_answer", {"data": given})
    said = get(served[0], f"/gradio_api/call/score_answer/{json.loads(body)['event_id']}")
    assert said.startswith("event: complete")
    assert json.loads(said.split("data: ", 1)[1])[0]["score"] == pytest.approx(3.6)


def test_what_curl_leaves_out_has_its_default_or_an_error_that_says_what_is_missing(
    served: Served,
) -> None:
    endpoints = json.loads(get(served[0], "/gradio_api/info"))["named_endpoints"]
    for name in endpoints:
        _, body = post(served[0], f"/gradio_api/call{name}", {"data": []})
        said = get(served[0], f"/gradio_api/call{name}/{json.loads(body)['event_id']}")
        kind, _, data = said.strip().rpartition("data: ")
        assert "event: complete" in kind or (json.loads(data) or {}).get("error"), (name, said)


def test_a_name_that_leads_here_from_elsewhere_reads_nothing(served: Served) -> None:
    # DNS rebinding: a page of another name whose address is this machine's
    connection = http.client.HTTPConnection(urlparse(served[0]).netloc, timeout=30)
    connection.request("GET", "/config", headers={"Host": "evil.example"})
    assert connection.getresponse().status == 400
    connection.close()


def test_a_context_is_checked(client: Any) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    found = client.predict(text, api_name="/check_context")
    assert (found["errors"], found["counts"]["vignettes"]) == (0, 24)
    with pytest.raises(Exception, match="aliases"):
        client.predict("a: &a [x]\nb: [*a]", api_name="/check_context")


def test_the_page_is_served_with_nothing_from_elsewhere(served: Served) -> None:
    page = get(served[0], "/")
    assert '"analytics_enabled":false' in page.replace(" ", "")


def documented() -> dict[str, list[tuple[str, str, bool]]]:
    """The endpoints of the table: each input's name, type, and whether it has a default."""
    found = {}
    for row in re.findall(r"^\| `(/\w+)` \| (.*?) \| .* \|$", README.read_text(), re.M):
        inputs = re.findall(r"`(\w+)`: ([a-z ]+?)( = |,|$| \()", re.sub(r"`(en|zh)`", "", row[1]))
        found[row[0]] = [(name, kind, end == " = ") for name, kind, end in inputs]
    return found


def examples(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README.read_text(), re.S)


def test_the_readme_names_every_endpoint_with_its_inputs_and_types(client: Any) -> None:
    live = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    told = documented()
    assert set(told) == set(live)
    for name, about in live.items():
        given = about["parameters"]
        assert [one[0] for one in told[name]] == [one["parameter_name"] for one in given], name
        for (label, kind, has_default), one in zip(told[name], given, strict=True):
            live_type = one["python_type"]["type"]
            assert kind == TYPES[live_type], label
            assert has_default == one["parameter_has_default"], (name, label)


def test_every_endpoint_stands_in_the_example_and_the_example_runs(
    served: Served,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (code,) = examples("python")
    assert set(re.findall(r'api_name="(/\w+)"', code)) == set(documented())
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code.replace(ADDRESS, served[0]), names)  # noqa: S102 - our own page
    names["space"].close()
    assert "3.6" in capsys.readouterr().out


def test_the_examples_of_curl_run(served: Served, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    write_rows(tmp_path / "answers.csv", [["prompt", "response"], ["Why?", "So."]])
    said = []
    for code in examples("sh"):
        done = subprocess.run(
            ["sh", "-ec", code.replace(ADDRESS, served[0])],
            cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        assert "event: complete" in done.stdout, done.stdout
        said.append(json.loads(done.stdout.rsplit("data: ", 1)[1])[0])
    assert said[0]["score"] == pytest.approx(3.6)
    assert said[1]["rows"] == 1
