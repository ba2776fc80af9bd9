"""A hook of MkDocs: pages for the files outside ``docs`` that the documentation links to.

In the repository, such a link leads to the file itself. On the site it leads to a page that shows
the file or lists the folder. ``CHANGELOG.md`` and ``CONTRIBUTING.md`` become pages of their own.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Pages whose text stands outside ``docs``; the README is the start page of the repository.
ROOT_PAGES = {"changelog.md": ROOT / "CHANGELOG.md", "contributing.md": ROOT / "CONTRIBUTING.md"}
PAGE_OF = {path: uri for uri, path in ROOT_PAGES.items()} | {ROOT / "README.md": "index.md"}
LANGUAGES = {".py": "python", ".yaml": "yaml", ".conf": "nginx", ".csv": "text"}

_LINK = re.compile(r"(?<=\]\()(?P<target>[\w./-]+)(?P<anchor>#[\w-]+)?(?=\))")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_HEADER = "---\nsearch:\n  exclude: true\nhide: [navigation, toc]\n---\n\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root, and one for each file that some page links to."""
    for uri, path in ROOT_PAGES.items():
        files.append(File.generated(config, uri, content=path.read_text(encoding="utf-8")))
    linked: dict[Path, dict[str, str]] = {}  # the pages with a link to each file, by title
    for page in files.documentation_pages():
        for target in _targets(page.content_string, _origin(page.src_uri)):
            if _is_source(target):
                title = page.content_string.partition("# ")[2].partition("\n")[0]
                linked.setdefault(target, {})[title] = page.src_uri
    for path, pages in sorted(linked.items()):
        content = _source_page(path, linked, pages)
        files.append(File.generated(config, _source_uri(path), content=content))
    return files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Build no page for missing addresses: read from a disk, it would find no styles."""
    config.theme.static_templates.discard("404.html")
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let the links of a page lead to pages of the site."""
    uri = page.file.src_uri
    if uri.startswith("source/"):
        return markdown
    origin = _origin(uri)

    def rewrite(found: re.Match[str]) -> str:
        target = (origin.parent / found["target"]).resolve()
        if _is_source(target):
            return posixpath.relpath(_source_uri(target), posixpath.dirname(uri))
        if target in PAGE_OF or (target.is_relative_to(DOCS) and origin.parent == ROOT):
            inside = PAGE_OF.get(target) or target.relative_to(DOCS).as_posix()
            return posixpath.relpath(inside, posixpath.dirname(uri)) + (found["anchor"] or "")
        return found[0]

    parts = _FENCE.split(markdown)
    return "".join(p if p.startswith("```") else _LINK.sub(rewrite, p) for p in parts)


def _origin(uri: str) -> Path:
    """The file with the text of a page."""
    return ROOT_PAGES.get(uri, DOCS / uri)


def _targets(markdown: str, origin: Path) -> Iterator[Path]:
    for part in _FENCE.split(markdown):
        if not part.startswith("```"):
            for found in _LINK.finditer(part):
                yield (origin.parent / found["target"]).resolve()


def _is_source(path: Path) -> bool:
    """Whether a link to this path leads to a page that shows a file or a folder."""
    if path in PAGE_OF or not path.is_relative_to(ROOT) or not path.exists():
        return False
    return path.suffix in LANGUAGES if path.is_relative_to(DOCS) else path != ROOT


def _source_uri(path: Path) -> str:
    return f"source/{path.relative_to(ROOT).as_posix()}.md"


def _source_page(path: Path, linked: Collection[Path], pages: Mapping[str, str]) -> str:
    name = path.relative_to(ROOT).as_posix()
    folder = posixpath.dirname(_source_uri(path))
    back = ", ".join(f"[{title}]({posixpath.relpath(uri, folder)})" for title, uri in pages.items())
    head = f"{_HEADER}# {name}\n\nBack to: {back}\n\n"
    if path.is_dir():
        return f"{head}{_purpose(path / '__init__.py')}\n\n{_listing(path, linked)}"
    language = "docker" if path.name == "Dockerfile" else LANGUAGES.get(path.suffix, "text")
    text = path.read_text(encoding="utf-8").rstrip("\n")
    return f'{head}~~~~~~ {{.{language} title="{path.name}"}}\n{text}\n~~~~~~\n'


def _listing(folder: Path, linked: Collection[Path]) -> str:
    """A table of the modules and packages of a folder, with links to those that have a page."""
    rows = ["| file | what it is for |", "| --- | --- |"]
    for path in sorted(folder.iterdir()):
        if path.name.startswith(("_", ".")):
            continue
        name = f"`{path.name}`"
        if path in linked:
            start = _source_uri(folder).rpartition("/")[0]
            name = f"[{name}]({posixpath.relpath(_source_uri(path), start)})"
        rows.append(f"| {name} | {_purpose(path / '__init__.py' if path.is_dir() else path)} |")
    return "\n".join(rows) + "\n"


def _purpose(path: Path) -> str:
    """The first paragraph of a module's docstring, on one line."""
    if path.suffix != ".py" or not path.exists():
        return ""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")
