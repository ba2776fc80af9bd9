"""Reads documents: text, Markdown, HTML and PDF files, and folders of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from anaphora.agents.archive.document import Document, DocumentError
from anaphora.agents.archive.parsers import parse_html, parse_markdown, parse_pdf, parse_text
from anaphora.errors import AnaphoraError

__all__ = ["Document", "DocumentError", "read_document", "read_documents"]

_MAX_BYTES = 100_000_000

_Parser: TypeAlias = Callable[[str, bytes], Document]
_PARSERS: dict[str, _Parser] = {
    **dict.fromkeys(("", ".txt", ".text", ".rst", ".log", ".csv", ".tsv"), parse_text),
    **dict.fromkeys((".md", ".markdown"), parse_markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), parse_html),
    ".pdf": parse_pdf,
}


def read_documents(
    paths: Iterable[str | Path],
    *,
    on_skip: Callable[[Path, str], object] | None = None,
    max_bytes: int = _MAX_BYTES,
) -> Iterator[Document]:
    """Read files, and those in folders (and their subfolders) by name, one at a time.

    Hidden files and folders inside a folder, links to folders, and files that cannot be read are
    skipped: ``on_skip`` is called with the path and the reason. Without ``on_skip``, a file that
    cannot be read raises its :class:`DocumentError`, unless it lies in a folder and has another
    format.
    """
    for path in map(Path, paths):
        for file, reason in _find_files(path):
            if not reason:
                try:
                    yield read_document(file, max_bytes=max_bytes)
                    continue
                except DocumentError as error:
                    if on_skip is None:
                        raise
                    reason = str(error).removeprefix(f"{file}: ")
            if on_skip is not None:
                on_skip(file, reason)


def read_document(path: str | Path, *, max_bytes: int = _MAX_BYTES) -> Document:
    """Read a file. Its suffix decides on the format: ``.md`` and ``.markdown``, ``.html``, ``.htm``
    and ``.xhtml``, ``.pdf``; ``.txt``, ``.text``, ``.rst``, ``.log``, ``.csv``, ``.tsv`` and none
    are plain text.

    Raises :class:`DocumentError` if the file is missing, empty, damaged, encrypted, binary, larger
    than ``max_bytes``, or of another format; :class:`AnaphoraError` if the libraries are missing.
    """
    path = Path(path)
    parser = _PARSERS.get(path.suffix.lower())
    if parser is None:
        raise DocumentError(f"{path}: {_other_format(path)}")
    data = _read_bytes(path, max_bytes)
    if not data.strip():
        raise DocumentError(f"{path}: the file is empty")
    try:
        document = parser(path.as_posix(), data)
    except ImportError as error:
        raise AnaphoraError(
            "reading documents needs further libraries: pip install 'anaphora[documents]'"
        ) from error
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from error
    if not any(section.text.strip() for section in document.sections):
        raise DocumentError(f"{path}: the file contains no text")
    return replace(document, title=document.title.strip() or path.stem)


def _find_files(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of a folder, or the path itself, each with the reason to skip it or ""."""
    if not path.is_dir():
        yield path, ""
        return
    for folder, folders, files in os.walk(path):
        hidden = [name for name in (*folders, *files) if name.startswith(".")]
        yield from [(Path(folder, name), "hidden") for name in sorted(hidden)]
        folders[:] = sorted(set(folders) - set(hidden))
        for name in sorted(set(files) - set(hidden)):
            file = Path(folder, name)
            yield file, "" if file.suffix.lower() in _PARSERS else _other_format(file)


def _other_format(path: Path) -> str:
    return f"files of the format {path.suffix} are not read"


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe might never end
            raise DocumentError(f"{path}: this is no regular file")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise DocumentError(f"{path}: {error.strerror or error}") from error
    if len(data) > max_bytes:
        raise DocumentError(f"{path}: the file has more than {max_bytes:,} bytes")
    return data
