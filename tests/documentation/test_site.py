"""The site that `make docs` builds: complete, without dead links, and without the network."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

import anaphora
import anaphora.client
from tests.documentation.examples import ROOT
from tests.support.chromium import chromium_path

TOOLS = ("mkdocs", "material", "mkdocstrings")
MISSING = [name for name in TOOLS if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"needs {', '.join(MISSING)}: pip install 'anaphora[docs]'"
)

# What a browser loads by itself, as opposed to what a reader may follow.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}

CLIENTS = [
    anaphora.Engine,
    anaphora.AsyncEngine,
    anaphora.LongTermMemory,
    anaphora.AsyncLongTermMemory,
    anaphora.client.Client,
    anaphora.client.AsyncClient,
    anaphora.client.AgentClient,
    anaphora.client.AsyncAgentClient,
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site. Each warning of the tools is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class _Page(HTMLParser):
    """The ids, the links and the loaded addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {value for name, value in attrs if name in ("id", "name") and value}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"] or "")
        elif tag in LOADED and values.get("rel") != "canonical":
            self.loaded.append(values.get(LOADED[tag]) or "")


@cache
def read_page(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def pages(site: Path) -> Iterator[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 50
    yield from found


def test_every_link_has_a_target(site: Path) -> None:
    dead = []
    for path in pages(site):
        for link in read_page(path).links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(url.fragment)
            found = target.is_file() and (
                not anchor or target.suffix != ".html" or anchor in read_page(target).ids
            )
            if not found:
                dead.append(f"{path.relative_to(site)}: {link}")
    assert not dead


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = {
        f"{path.relative_to(site)}: {address}"
        for path in pages(site)
        for address in read_page(path).loaded
        if urlsplit(address).netloc
    }
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        addresses = re.findall(r"(?:url\(|@import )[\"']?(https?:[^\"')]*)", text)
        loaded |= {f"{sheet.relative_to(site)}: {address}" for address in addresses}
    assert not loaded


def test_every_page_of_the_folder_is_in_the_navigation(site: Path) -> None:
    start = read_page(site / "index.html")
    linked = {link.partition("#")[0] for link in start.links}
    sources = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    assert linked >= {path.with_suffix(".html").as_posix() for path in sources} - {"index.html"}


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    ids = set().union(*(read_page(path).ids for path in (site / "api").glob("*.html")))
    public = {f"anaphora.{name}" for name in anaphora.__all__ if name[0] != "_"}
    public |= {f"anaphora.client.{name}" for name in anaphora.client.__all__}
    assert not public - ids


@pytest.mark.parametrize("cls", CLIENTS, ids=lambda cls: cls.__name__)
def test_the_reference_lists_every_method_of_what_asks_and_answers(site: Path, cls: type) -> None:
    module = "anaphora.client" if cls.__module__.startswith("anaphora.client") else "anaphora"
    ids = set().union(*(read_page(path).ids for path in (site / "api").glob("*.html")))
    methods = {
        f"{module}.{cls.__name__}.{name}"
        for name, member in vars(cls).items()
        if name[0] != "_" and callable(member)
    }
    assert not methods - ids


def test_the_texts_of_docstrings_are_not_shown_as_markup(site: Path) -> None:
    for path in (site / "api").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r":(class|func|meth|attr|exc|data):", text), path.name
        assert "<blockquote" not in text, f"{path.name}: a session is shown as a quotation"


def test_what_is_copied_from_a_session_are_its_commands(site: Path) -> None:
    sessions = [
        found
        for path in pages(site)
        for found in re.findall(r'<div class="language-console[^>]*>', path.read_text("utf-8"))
    ]
    assert len(sessions) > 30
    for session in sessions:
        copied = re.search(r'data-copy="([^"]*)"', session)
        assert copied, session
        assert not copied[1].startswith("$"), session


def test_what_users_say_to_a_bot_is_marked(site: Path) -> None:
    said = re.findall(r'<span class="said">(.*?)</span>', (site / "index.html").read_text("utf-8"))
    assert "&gt; And in Kyoto?" in said


def test_a_page_with_a_file_leads_back_to_the_step_of_the_tutorial(site: Path) -> None:
    file = site / "source/docs/tutorial/4-looking-things-up/handlers.py.html"
    back = {(file.parent / link).resolve() for link in read_page(file).links}
    assert site / "tutorial/4-looking-things-up.html" in back


def test_comments_for_the_tests_are_not_on_the_pages(site: Path) -> None:
    for path in pages(site):
        assert not re.search(r"<!-- (run|file|model|part)", path.read_text("utf-8")), path.name


def test_the_search_works_from_a_disk_without_a_network(site: Path) -> None:
    chromium = chromium_path()
    if chromium is None:
        pytest.skip("needs Chromium: apt install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.context.set_offline(True)
        page.goto(f"{(site / 'index.html').as_uri()}?q=eviction")
        expect(page.locator(".md-search-result__item").first).to_contain_text("How it works")
        browser.close()
