"""Find and read model files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import ModelError, Problem
from anaphora.models import catalog
from anaphora.models.reading.source import replace_unprintable

__all__ = ["MAX_FILE_SIZE", "FileFormat", "check_size", "file_format", "find_model", "read_text"]

MAX_FILE_SIZE = 32_000_000
"""The maximum size of a model file in bytes."""

FileFormat: TypeAlias = Literal["yaml", "json"]

_FORMATS: dict[str, FileFormat] = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}

_MAX_NAME_LENGTH = 500  # in messages


def find_model(source: str | Path) -> Path:
    """The path of a model file, from a path or the name of a bundled model.

    Raises :class:`~anaphora.errors.ModelError` if there is no such file.
    """
    path, name = Path(source), replace_unprintable(str(source)[:_MAX_NAME_LENGTH])
    try:
        if path.is_file():
            return path
        if name in catalog.model_names():
            return catalog.model_path(name)
        if path.is_dir():
            raise _file_error(path, "this is a directory, not a model file", _folder_hint(path))
        if path.exists():
            raise _file_error(path, "this is not a regular file")
    except (OSError, ValueError) as error:
        raise _file_error(name, f"cannot be read: {_error_reason(error)}") from error
    bundled = catalog.model_names()
    hint = _missing_hint(path, name)
    listed = f"; the bundled models are {', '.join(bundled)}" if bundled else ""
    raise ModelError(
        Problem(f"there is neither a file nor a bundled model '{name}'{listed}", hint=hint)
    )


def _folder_hint(folder: Path) -> str:
    """A hint for a folder in the place of a model: what is in it."""
    found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in _FORMATS]
    if any(path.stem == "domain" for path in found):
        return f"'anaphora import rasa {folder}' translates a Rasa project"
    return f"name a file in it: {', '.join(map(str, found))}" if 0 < len(found) <= 5 else ""


def _missing_hint(path: Path, name: str) -> str:
    """A hint for a path that does not exist: a model file beside it, or a bundled model."""
    try:
        files = [one for one in path.parent.iterdir() if one.suffix.lower() in _FORMATS]
    except (OSError, ValueError):
        files = []
    for one in files:
        if one.stem == path.stem:
            return f"did you mean '{one}'?"
    return did_you_mean(name, (*map(str, sorted(files)), *catalog.model_names()))


def file_format(path: Path) -> FileFormat:
    """The format of a file by its suffix; raises ``ModelError`` for an unknown one."""
    if found := _FORMATS.get(path.suffix.lower()):
        return found
    raise _file_error(path, "this is no model file: its name must end in .yaml, .yml or .json")


def read_text(path: Path) -> str:
    """Read a model file.

    Raises :class:`~anaphora.errors.ModelError` for a file that is too large or not UTF-8 text.
    """
    try:
        check_size(path, path.stat().st_size)
        with path.open("rb") as file:
            data = file.read(MAX_FILE_SIZE + 1)
    except OSError as error:
        raise _file_error(path, f"cannot be read: {_error_reason(error)}") from error
    check_size(path, len(data))
    return _decode(path, data)


def check_size(source: Path | str, size: int) -> None:
    """Raise ``ModelError`` if ``size`` (in bytes or characters) is too large for a model."""
    if size > MAX_FILE_SIZE:
        raise _file_error(
            source, f"a model file may have {MAX_FILE_SIZE:,} bytes, and this one has {size:,}"
        )


def _decode(path: Path, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        raise ModelError(
            Problem(
                "not UTF-8" if b"\0" not in data else "this is a binary file, not a text",
                source=str(path),
                line=data.count(b"\n", 0, error.start) + 1,
                column=len(data[start : error.start].decode("utf-8", "replace")) + 1,
                hint="save the file as UTF-8",
            )
        ) from None
    if "\0" in text:
        raise _file_error(path, "this is a binary file, not a text")
    return text


def _error_reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _file_error(path: Path | str, message: str, hint: str = "") -> ModelError:
    return ModelError(Problem(message, source=str(path), hint=hint))
