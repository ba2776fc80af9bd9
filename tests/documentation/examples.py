"""Read the examples of the documentation pages.

The comment before an example, or its language, gives its kind:

- ``<!-- file: NAME -->`` is a file of the page, which exists when the examples run; ``<!-- file:
  NAME, with mistakes -->`` is wrong on purpose; ``<!-- file: NAME`` … ``-->`` is hidden from
  readers. Models are loaded and their samples run. A folder beside the page with the page's name
  has further files of it.
- ``<!-- part of: NAME -->`` is a part of a file in that folder.
- ``<!-- model -->`` is a part of a model file. A frame completes it: an id, the intent ``any``
  and an element or, for ``<!-- model: a b -->``, the elements ``a`` and ``b``.
- ``idl`` is a text in the intent language, ``console`` has commands and their output (lines that
  begin with ``>`` are typed in; ``…`` stands for any text, alone on a line for any lines), with
  the exit code 0 or that of ``<!-- exit: 1 -->``.
- ``<!-- run -->`` is Python that prints what its comments show, ``<!-- served -->`` the same with
  a service at ``http://localhost:8080`` (``test_readme.py``, ``client/test_page.py``).
- ``<!-- scripted: NAME -->`` is Python that talks to a chat model at
  ``http://localhost:8080/v1``, which plays a script (``test_agent_pages.py``).
- ``<!-- values -->``, ``<!-- expands -->``, ``<!-- finds -->``, ``<!-- says: idl -->`` and
  ``<!-- says: synonym -->``: see ``test_docs.py``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("*/*.md")))

_BLOCK = re.compile(
    r"(?:^<!-- (?P<comment>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_HIDDEN = re.compile(r"^<!-- file: (?P<name>\S+)\n(?P<text>.*?\n)-->$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"file: (?P<name>[^\s,]+)(?P<wrong>, with mistakes)?")
_TOP_KEY = re.compile(r"^(\w+):", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A code block on a page, and the comment before it."""

    page: Path
    line: int
    language: str
    comment: str
    text: str

    @property
    def kind(self) -> str:
        """The first word of the comment."""
        return self.comment.partition(":")[0].partition(" ")[0]

    @property
    def arguments(self) -> str:
        """The comment after its first word."""
        return self.comment.removeprefix(self.kind).lstrip(": ")

    @property
    def file(self) -> str:
        """The name of the file, '' if the example is not a file."""
        found = _FILE.fullmatch(self.comment)
        return found["name"] if found else ""

    @property
    def has_mistakes(self) -> bool:
        """Whether the file is wrong on purpose."""
        found = _FILE.fullmatch(self.comment)
        return bool(found and found["wrong"])

    @property
    def model(self) -> str:
        """The part of a model, completed by a frame."""
        given = set(_TOP_KEY.findall(self.text))
        elements = self.arguments.split() or ["thing"]
        frame = {
            "id": "id: example\n",
            "elements": "elements:\n" + "".join(f"  - id: {e}\n" for e in elements),
            "intents": "intents: ['intent=any term(any)={true}+']\n",
        }
        return self.text + "".join(text for key, text in frame.items() if key not in given)

    def __str__(self) -> str:
        return f"{self.page.stem}:{self.line}"


def examples(*, kind: str | None = None, language: str | None = None) -> list[Example]:
    """The examples of all pages, of one kind or in one language, in order."""
    return [
        example
        for page in PAGES
        for example in page_examples(page)
        if kind in (None, example.kind) and language in (None, example.language)
    ]


def page_examples(page: Path) -> Iterator[Example]:
    """The examples of one page."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start("text"))
        yield Example(page, line, found["language"], found["comment"] or "", found["text"])


def write_files(page: Path, folder: Path) -> None:
    """Write the files of a page to a folder, including hidden ones and those of its own folder."""
    if page.with_suffix("").is_dir():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(page.with_suffix(""), folder, ignore=ignored, dirs_exist_ok=True)
    hidden = _HIDDEN.finditer(page.read_text(encoding="utf-8"))
    shown = {example.file: example.text for example in page_examples(page) if example.file}
    for name, text in ({found["name"]: found["text"] for found in hidden} | shown).items():
        (folder / name).write_text(text, encoding="utf-8")
