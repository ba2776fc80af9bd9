"""Resolve ``import('…')``: files and package resources, never the network."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias

from anaphora.errors import GrammarError, Problem

__all__ = ["ImportReader", "ImportedText", "read_import"]

_MAX_FILE_SIZE = 4 * 1024 * 1024  # bytes
_MAX_NAME_LENGTH = 200  # in messages
_URL_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class ImportedText(NamedTuple):
    """A text, its name in messages, and the folder for its own imports."""

    text: str
    source: str
    folder: Path | None


ImportReader: TypeAlias = Callable[[str, Path | None], ImportedText]
"""Returns the text at a location, relative to a folder; raises :class:`GrammarError`."""


def read_import(location: str, folder: Path | None) -> ImportedText:
    """Read the file ``location``, relative to ``folder``, or else the resource of an installed
    package (``package/texts/greetings.idl``).

    Raises :class:`GrammarError` if neither exists and for anything but UTF-8 text.
    """
    if _URL_SCHEME.match(location):
        raise GrammarError(
            Problem(
                f"'{location}' is a URL, but imports are read from files only",
                hint="save it beside the model and import that file",
            )
        )
    if not location.strip() or "\0" in location:
        raise GrammarError(Problem("an import needs the name of a file"))
    file = Path(folder or "", location)
    if _is_file(file, location):
        return _read_file(file, location)
    if (found := _find_resource(location)) is not None:
        return _read_file(found, location)
    raise GrammarError(
        Problem(
            f"there is no file '{location}' and no such resource of a package",
            hint=f"searched in {file.parent}",
        )
    )


def _is_file(file: Path, location: str) -> bool:
    try:
        return file.is_file()
    except OSError as error:
        raise _read_error(location, error) from None


def _find_resource(location: str) -> Path | None:
    """The file in an installed package, which is not imported: reading a text runs no code."""
    path = PurePosixPath(location)
    packages = path.parts[:-1]
    if path.is_absolute() or not packages or not all(part.isidentifier() for part in packages):
        return None
    try:
        spec = find_spec(packages[0])
    except (ImportError, ValueError):
        return None
    folders = spec.submodule_search_locations if spec else None
    found = (Path(folder, *path.parts[1:]) for folder in folders or ())
    return next((file for file in found if _is_file(file, location)), None)


def _read_file(found: Path, location: str) -> ImportedText:
    try:
        with found.open("rb") as file:
            data = file.read(_MAX_FILE_SIZE + 1)
    except OSError as error:
        raise _read_error(location, error) from None
    if len(data) > _MAX_FILE_SIZE:
        raise GrammarError(Problem(f"'{location}' is larger than {_MAX_FILE_SIZE:,} bytes"))
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise GrammarError(Problem(f"'{location}' is not a text in UTF-8")) from None
    return ImportedText(text, str(found), found.parent)


def _read_error(location: str, error: OSError) -> GrammarError:
    shown = location if len(location) <= _MAX_NAME_LENGTH else f"{location[:_MAX_NAME_LENGTH]}…"
    return GrammarError(Problem(f"'{shown}' cannot be read: {error.strerror or error}"))
