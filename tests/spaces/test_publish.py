import ast
import hashlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from normscope import __version__
from normscope.errors import DataError, UsageError
from normscope.metrics import names
from normscope.space import publish
from normscope.space.publish import addressed, metric_files, pack, space_files

ROOT = Path(__file__).parents[2]
ADDRESS = "https://hub.example/spaces/lab"
ALL = ["normscope", *names()]


def files(name: str) -> dict[str, Path]:
    return space_files(name) if name == "normscope" else metric_files(name)


def requirements(text: str) -> dict[str, Requirement]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {found.name: found for found in map(Requirement, lines)}


def front(name: str) -> dict[str, Any]:
    text = files(name)["README.md"].read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n"))
    return read


def text_of(sent: Mapping[str, Path | bytes]) -> str:
    content = sent["requirements.txt"]
    assert isinstance(content, bytes)
    return content.decode()


@pytest.fixture(scope="module")
def tested() -> dict[str, str]:
    """The versions of constraints.txt."""
    text = (ROOT / "constraints.txt").read_text()
    return dict(line.split("==") for line in text.splitlines() if "==" in line)


@pytest.mark.parametrize("name", ALL)
def test_a_space_is_its_page_card_and_requirements_and_a_metric_its_script(name: str) -> None:
    page = {"app.py"} if name == "normscope" else {"index.html", f"{name}.py"}
    assert files(name).keys() == {"README.md", "requirements.txt"} | page


@pytest.mark.parametrize("name", ALL)
def test_the_front_matter_is_what_the_hub_takes(name: str, tested: dict[str, str]) -> None:
    told = front(name)
    assert told["license"] == "apache-2.0"
    if name == "normscope":
        assert (told["sdk"], told["app_file"]) == ("gradio", "app.py")
        assert told["sdk_version"] == tested["gradio"]
        # a string: 3.10 would be read as 3.1
        assert told["python_version"] == "3.11"
    else:
        assert told["sdk"] == "static"
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {told["colorFrom"], told["colorTo"]} <= colours
    assert told["title"]
    assert told["emoji"]
    assert told["tags"]
    assert len(told.get("short_description", "")) <= 60
    if name != "normscope":
        assert set(told["tags"]) == {"evaluate", "metric"}


@pytest.mark.parametrize("name", ALL)
def test_the_requirements_are_within_the_package_s_and_the_tested(
    name: str, tested: dict[str, str]
) -> None:
    asked = requirements(files(name)["requirements.txt"].read_text())
    text = (ROOT / "pyproject.toml").read_text()
    ours = requirements("\n".join(re.findall(r'"([a-z0-9-]+>=[\d.]+)"', text)))
    extras = asked.pop("normscope").extras
    assert extras == ({"judge", "space"} if name == "normscope" else set())
    for other in asked.values():
        assert tested[other.name] in other.specifier
        pinned = other.specifier == SpecifierSet(f"=={tested[other.name]}")
        assert pinned or other.specifier == ours[other.name].specifier, other.name


@pytest.mark.parametrize("name", ALL)
def test_what_is_imported_is_required(name: str) -> None:
    asked = set(requirements(files(name)["requirements.txt"].read_text()))
    for path in files(name).values():
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                # beside a page on the Hub there is no package
                assert node.level == 0, path
                imported = [node.module or ""]
            elif isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            else:
                continue
            tops = {module.partition(".")[0] for module in imported}
            assert tops <= asked | sys.stdlib_module_names, path


def test_normscope_comes_from_the_wheel_that_is_sent_along() -> None:
    own = files("normscope")["requirements.txt"]
    sent = addressed(own)(f"{ADDRESS}/page")
    wheel, content = pack()
    assert sent.keys() == {wheel, "requirements.txt"}
    assert sent[wheel] == content
    text = text_of(sent)
    asked = requirements(text)
    where = f"{ADDRESS}/page/resolve/main/normscope-{__version__}-py3-none-any.whl"
    assert asked["normscope"].url == f"{where}#sha256={hashlib.sha256(content).hexdigest()}"
    assert asked["normscope"].extras == {"judge", "space"}
    # all other lines are as they were
    before = own.read_text().splitlines()
    assert [line for line in text.splitlines() if " @ " not in line] == before[1:]


def test_a_metric_s_repository_is_called_like_its_script() -> None:
    told = addressed(files("norm_consensus")["requirements.txt"], repo="norm_consensus")
    assert told(f"{ADDRESS}/norm_consensus")
    with pytest.raises(UsageError, match="like the repository: norm_consensus, not shift"):
        told(f"{ADDRESS}/shift")


@pytest.mark.parametrize(
    ("text", "lines"),
    [("gradio\n", 0), ("normscope\nnormscope[judge]\n", 2), ("normscope>=1\n", 0)],
)
def test_requirements_that_do_not_ask_for_normscope_once_are_refused(
    text: str, lines: int, tmp_path: Path
) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text(text)
    with pytest.raises(DataError, match=f"requirements.txt: {lines} lines ask for normscope"):
        addressed(path)


def test_a_space_of_one_s_own_needs_the_same_files(tmp_path: Path) -> None:
    for name in ("README.md", "requirements.txt"):
        (tmp_path / name).write_text("x")
    with pytest.raises(DataError, match=r"has no app\.py: a Space needs README\.md, app\.py"):
        space_files("normscope", tmp_path)
    (tmp_path / "app.py").write_text("x")
    assert set(space_files("normscope", tmp_path).values()) == set(tmp_path.iterdir())
    with pytest.raises(DataError, match=r"has no index\.html, norm_consensus\.py"):
        metric_files("norm_consensus", tmp_path)


def test_a_name_that_does_not_exist_names_the_nearest() -> None:
    assert publish.spaces() == ["normscope"]
    with pytest.raises(UsageError, match="no Space 'normscop' to push; did you mean 'normscope'"):
        space_files("normscop")
    with pytest.raises(
        UsageError, match="no metric 'norm_consesnus': did you mean 'norm_consensus'"
    ):
        metric_files("norm_consesnus")
