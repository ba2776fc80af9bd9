"""Where the texts lie that ``import('…')`` names: in files and in packages, never in a network."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias

from anaphora.errors import GrammarError, Problem

__all__ = ["Imported", "Reader", "read_import"]

_LARGEST = 4 * 1024 * 1024  # bytes
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class Imported(NamedTuple):
    """A text, the name that messages give it, and the folder that its own imports start from."""

    text: str
    source: str
    folder: Path | None


Reader: TypeAlias = Callable[[str, Path | None], Imported]
"""Gives the text at a location, as seen from a folder; raises :class:`GrammarError`."""


def read_import(location: str, folder: Path | None) -> Imported:
    """The text of the file ``location``, relative to ``folder``; if there is none, of the
    resource of an installed package (``package/texts/greetings.idl``).

    Raises :class:`GrammarError` when there is neither, and for what is no text.
    """
    if _ADDRESS.match(location):
        raise GrammarError(
            Problem(
                f"'{location}' lies in a network, and imports are read from files only",
                hint="save it beside the model and import that file",
            )
        )
    if not location.strip() or "\0" in location:
        raise GrammarError(Problem("an import needs the name of a file"))
    file = Path(folder or "", location)
    if file.is_file():
        return Imported(_text_of(file.read_bytes, location), str(file), file.parent)
    if (data := _resource(location)) is not None:
        return Imported(_text_of(lambda: data, location), location, None)
    raise GrammarError(
        Problem(
            f"there is no file '{location}' and no such resource of a package",
            hint=f"it was sought in {file.parent}",
        )
    )


def _resource(location: str) -> bytes | None:
    path = PurePosixPath(location)
    packages = path.parts[:-1]
    if path.is_absolute() or ".." in packages or not packages:
        return None
    if not all(part.isidentifier() for part in packages):
        return None
    try:
        found = resources.files(".".join(packages)).joinpath(path.name)
        return found.read_bytes() if found.is_file() else None
    except (ImportError, OSError, TypeError, ValueError):
        return None


def _text_of(read: Callable[[], bytes], location: str) -> str:
    try:
        data = read()
        if len(data) > _LARGEST:
            raise GrammarError(Problem(f"'{location}' is larger than {_LARGEST:,} bytes"))
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise GrammarError(Problem(f"'{location}' cannot be read: {reason}")) from None
    except UnicodeDecodeError:
        raise GrammarError(Problem(f"'{location}' is not a text in UTF-8")) from None
