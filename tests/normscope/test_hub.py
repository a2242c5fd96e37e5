"""Pushes against a double of the Hub, by a client in a process of its own, as users have it."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hub_double as double
import pyarrow as pa
import pytest
from huggingface_hub import DatasetCard
from python_runner import PythonRunner

from normscope import __version__
from normscope.builders.ci_vignettes.context import bundled_contexts, load_context
from normscope.builders.ci_vignettes.contribute import write_context
from normscope.builders.ci_vignettes.prompts import CONTEXTS
from normscope.builders.ci_vignettes.vignettes import vignette_table
from normscope.builders.registry import builder
from normscope.builders.write import write_dataset

REPO = "lab/vignettes"
KEY = ("datasets", REPO)
PROPOSED = "refs/pr/1"
LOAD = """
import json, sys
from datasets import load_dataset
repo, *wanted = sys.argv[1:]
found = {}
for name in wanted:
    config, _, revision = name.partition("@")
    rows = load_dataset(repo, config or None, split="test", revision=revision or None)
    found[name] = [list(rows["item_id"]), [str(row.get("practice")) for row in rows]]
print(json.dumps(found))
"""
"""What a reader gets of configs, each with its revision: items and practices."""


@pytest.fixture
def hub() -> Iterator[Any]:
    with double.Hub() as running:
        yield running


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    """Real vignettes, of the smallest configs: 1,800, 120 and 48 rows."""
    contexts = bundled_contexts()
    return {
        "coppa": vignette_table(contexts["coppa"]),
        "coppa_null": vignette_table(contexts["coppa"], null_control=True),
        "public_records": vignette_table(contexts["public_records"]),
    }


def build(folder: Path, tables: dict[str, pa.Table]) -> Path:
    write_dataset(builder("ci-vignettes"), folder, tables)
    return folder


@dataclass(frozen=True)
class Client:
    """Somebody with a folder of their own, before a double of the Hub."""

    hub: Any
    folder: Path
    python: PythonRunner

    def pushing(self, folder: Path, *flags: str, target: str = "dataset:ci-vignettes") -> list[str]:
        """The command that pushes the folder."""
        return ["-m", "normscope", "push", target, "--folder", str(folder), *flags]

    def environment(self, token: str = double.TOKEN, **other: str) -> dict[str, str]:
        return {**self.hub.environment(self.folder / "home", token=token or None), **other}

    def push(
        self,
        folder: Path,
        *flags: str,
        target: str = "dataset:ci-vignettes",
        code: int = 0,
        **environment: str,
    ) -> str:
        """What a push printed."""
        flags = flags if "--to" in flags else (*flags, "--to", REPO)
        return self.ended(self.pushing(folder, *flags, target=target), code, **environment)

    def ended(self, command: list[str], code: int = 0, **environment: str) -> str:
        """What a command printed. Whatever happens, a token is not among it."""
        done = self.python.run(*command, environment=self.environment(**environment))
        return checked(done.code, done.out, done.err, expected=code)

    def load(self, *arguments: str) -> Any:
        """What a reader without a token, in a process with nothing but `datasets`, gets to see."""
        reader = self.hub.environment(self.folder / "reader", token=None) | {"USE_TORCH": "0"}
        done = self.python.run("-c", LOAD, *arguments, environment=reader)
        assert done.code == 0, done.err
        return json.loads(done.out)


def checked(code: int, out: str, err: str, *, expected: int) -> str:
    assert not [token for token in double.USERS if token in out + err]
    assert code == expected, out + err
    assert "Traceback" not in err
    return err if expected else out


@pytest.fixture
def client(hub: Any, tmp_path: Path, python_runner: PythonRunner) -> Client:
    return Client(hub, tmp_path, python_runner)


def configs(hub: Any) -> set[str]:
    data: Any = DatasetCard(hub.files(*KEY)["README.md"].decode()).data
    return {config["config_name"] for config in data["configs"]}


def test_what_is_pushed_is_what_load_dataset_gives(
    hub: Any, client: Client, tmp_path: Path, tables: dict[str, pa.Table]
) -> None:
    folder = build(tmp_path / "built", tables)
    client.push(folder)
    (first,) = hub.repos[KEY].history()[1:]
    small = tables["public_records"]
    client.push(build(folder, tables | {"public_records": small[:5]}))
    second = hub.repos[KEY].history()[-1]
    told = client.push(build(folder, tables | {"public_records": small[:7]}), "--pull-request")
    assert f"{hub.url}/datasets/{REPO}/discussions/1" in told
    assert hub.repos[KEY].history()[-1] == second

    rows = client.load(
        REPO, "", "public_records", *(f"public_records@{at}" for at in (first, PROPOSED))
    )
    assert rows[""][0] == tables["coppa"]["item_id"].to_pylist()
    ids, words = (small[name].to_pylist() for name in ("item_id", "practice"))
    assert rows["public_records"] == [ids[:5], words[:5]]
    assert rows[f"public_records@{first}"] == [ids, words]
    assert rows[f"public_records@{PROPOSED}"] == [ids[:7], words[:7]]


def test_a_context_of_ones_own_comes_back_with_its_anchors(
    hub: Any, client: Client, tmp_path: Path
) -> None:
    text = (CONTEXTS / "public_records.yaml").read_text(encoding="utf-8")
    own = text.replace("public_records", "library").replace("license: MIT", "license: CC-BY-4.0")
    file = tmp_path / "library.yaml"
    file.write_text(own.replace("A swindler", "A library"), encoding="utf-8")
    write_context(load_context(file), file, tmp_path / "built")
    client.push(tmp_path / "built", target="dataset")
    rows = client.load(REPO, "library", "library_anchors")
    sizes = {name: len(ids) for name, (ids, _) in rows.items()}
    assert sizes == {"library": 48, "library_anchors": 2}
    # the file comes along, so that a downloaded folder can be asked
    assert "contexts/library.yaml" in hub.files(*KEY)
    assert "license: cc-by-4.0" in hub.files(*KEY)["README.md"].decode()


def test_a_push_is_one_commit_and_an_unchanged_one_is_none(
    hub: Any, client: Client, tmp_path: Path, tables: dict[str, pa.Table]
) -> None:
    folder = build(tmp_path / "built", tables)
    client.push(folder)
    history = hub.repos[KEY].history()
    assert len(history) == 2  # the first is the one that makes the repository
    assert hub.repos[KEY].titles[history[-1]] == "ci-vignettes, built by normscope"
    expected = {f"{name}/test.parquet" for name in tables} | {"README.md", ".gitattributes"}
    assert hub.files(*KEY).keys() == expected
    assert "nothing is committed" in client.push(folder)
    # built anew elsewhere, by somebody who never pushed: the same bytes, so nothing to do either
    other = build(tmp_path / "other", tables)
    assert "nothing is committed" in client.push(other, token=double.OTHER_TOKEN)
    assert hub.repos[KEY].history() == history


def test_the_card_decides_which_configs_there_are_and_nothing_is_deleted(
    hub: Any, client: Client, tmp_path: Path, tables: dict[str, pa.Table]
) -> None:
    folder = build(tmp_path / "built", tables)
    client.push(folder)
    hub.commit(*KEY, {"figures/one.png": b"theirs"})
    build(folder, {name: tables[name] for name in ("coppa", "public_records")})
    client.push(folder)
    assert configs(hub) == {"coppa", "public_records"}
    assert {"figures/one.png", "coppa_null/test.parquet"} <= set(hub.files(*KEY))


def test_a_commit_of_somebody_else_meanwhile_ends_the_push_with_nothing_of_it(
    hub: Any, client: Client, tmp_path: Path, tables: dict[str, pa.Table]
) -> None:
    folder = build(tmp_path / "built", tables)

    def meanwhile() -> None:
        hub.before_commit = None
        hub.commit(*KEY, {"LICENSE": b"MIT"})

    hub.before_commit = meanwhile
    assert "somebody else pushed meanwhile" in client.push(folder, code=1)
    assert set(hub.files(*KEY)) == {".gitattributes", "LICENSE"}
    client.push(folder)
    assert {"LICENSE", "public_records/test.parquet"} <= set(hub.files(*KEY))


@pytest.mark.parametrize(
    "case",
    [
        ("", (), 2, "there is no Hugging Face token: run `hf auth login`"),
        ("hf_" + "0" * 32, (), 1, "the token is not accepted"),
        (double.READ_TOKEN, (), 1, "the token may not write there"),
        (double.TOKEN, ("--pull-request",), 1, "there is no such repository"),
        (double.TOKEN, ("--to", "lab"), 2, "'lab' names no owner; give org/name"),
        (double.TOKEN, ("--to", "a/b/c"), 2, "a/b/c"),
    ],
    ids=["no token", "wrong token", "read only", "no repository", "no owner", "no name"],
)
def test_a_refusal_says_what_to_do(
    hub: Any,
    client: Client,
    tmp_path: Path,
    tables: dict[str, pa.Table],
    case: tuple[str, tuple[str, ...], int, str],
) -> None:
    token, flags, code, said = case
    folder = build(tmp_path / "built", {"public_records": tables["public_records"]})
    told = client.push(folder, *flags, code=code, token=token)
    assert said in told
    assert token not in told or not token
    assert KEY not in hub.repos


def test_a_hub_that_fails_is_told_from_a_hub_that_is_not_there(
    hub: Any, client: Client, tmp_path: Path, tables: dict[str, pa.Table]
) -> None:
    folder = build(tmp_path / "built", {"public_records": tables["public_records"]})
    hub.refuse = {"/commit/": 500}
    assert "try again later" in client.push(folder, code=1)
    offline = client.push(folder, code=1, HF_HUB_OFFLINE="1")
    assert "HF_HUB_OFFLINE is set" in offline
    nowhere = client.push(folder, code=1, HF_ENDPOINT="http://127.0.0.1:9")
    assert "http://127.0.0.1:9 cannot be reached" in nowhere


@pytest.mark.slow
def test_a_space_is_pushed_with_its_wheel(hub: Any, client: Client) -> None:
    page = {".gitattributes", "README.md", "app.py", "requirements.txt"}
    wheel = f"normscope-{__version__}-py3-none-any.whl"
    push = ["-m", "normscope", "push", "space:normscope", "--to", "lab/page"]
    client.ended(push)
    assert hub.repos["spaces", "lab/page"].sdk == "gradio"
    files = hub.files("spaces", "lab/page")
    assert files.keys() == page | {wheel}
    address = f"{hub.url}/spaces/lab/page/resolve/main/{wheel}"
    sha256 = hashlib.sha256(files[wheel]).hexdigest()
    assert f"{address}#sha256={sha256}" in files["requirements.txt"].decode()
    assert "lab/page holds all of it already: nothing is committed" in client.ended(push)
