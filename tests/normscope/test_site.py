"""The documentation as a site: it builds strictly, asks no other host, and finds what is sought."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.docs
ROOT = Path(__file__).parents[2]
CLOSED = "http://127.0.0.1:9"
OUTSIDE = r"[\"']?((?:https?:)?//[^\"' >)]+)"
ASSETS = (
    re.compile(rf"<(?:script|img|iframe|source|video|object)\b[^>]*?\b(?:src|data)={OUTSIDE}"),
    re.compile(rf"<link\b(?![^>]*rel=[\"']?canonical)[^>]*?\bhref={OUTSIDE}"),
    re.compile(rf"(?:@import\s+|url\(){OUTSIDE}"),
)
"""What a page loads by itself from another host; a link that a reader may follow is none."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a request to another host would fail."""
    folder = tmp_path_factory.mktemp("built") / "site"
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), CLOSED)
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, **proxies, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    return folder


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    assets = {
        (path.relative_to(site).as_posix(), link)
        for path in site.rglob("*")
        if path.suffix in {".html", ".css"}
        for pattern in ASSETS
        for link in pattern.findall(path.read_text(encoding="utf-8"))
    }
    assert assets == set()


def test_no_page_names_a_folder_of_the_machine(site: Path) -> None:
    for path in [*site.rglob("*.html"), *site.rglob("*.js")]:
        assert str(ROOT) not in path.read_text(encoding="utf-8"), path


def parted(title: str) -> re.Pattern[str]:
    """The title, where an invisible space may stand between any two letters."""
    return re.compile("\u200b?".join(map(re.escape, title)))


@pytest.mark.parametrize(
    ("page", "words", "title"),
    [
        ("index.html", "wilson", "The metrics"),
        # a word within a sentence, which has no spaces
        ("zh/index.html", "量化", "Normscope：语言模型的安全与隐私规范"),
    ],
)
def test_the_search_finds_a_page_where_the_site_is_opened_as_files(
    site: Path, page: str, words: str, title: str
) -> None:
    from playwright.sync_api import expect, sync_playwright

    loaded: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        tab: Any = browser.new_page()
        tab.on("request", lambda request: loaded.append(request.url))
        tab.goto((site / page).as_uri())
        tab.locator("[data-md-component=search-query]").fill(words)
        # the index is made when the page is opened, which takes its time on a busy machine
        result = tab.locator(".md-search-result__item h1").first
        expect(result).to_have_text(parted(title), timeout=60_000)
        browser.close()
    assert [
        url for url in loaded if not url.startswith(("file:", "data:", "about:", "blob:"))
    ] == []
