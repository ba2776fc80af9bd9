"""``anaphora new``: write a starter model, or a starter project of some kind."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated

import typer

from anaphora.cli.terminal import create_console, write_new_file

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["STARTER_KINDS", "new", "starter_languages"]

STARTER_KINDS = ("order", "booking", "faq", "home")
_SCHEMA = "anaphora.schema.json"
_NAME = re.compile(r"[^\W\d_][\w-]*")
_YAML_KEYWORDS = frozenset({"true", "false", "null"})
_HANDLERS = {
    "de": " `handlers.py` hat die\nPython-Funktionen, die antworten.",
    "en": " `handlers.py` has the\nPython functions that answer.",
    "ru": " В `handlers.py`\nфункции Python, которые отвечают.",
}


def _complete_kind(incomplete: str) -> list[str]:
    return [kind for kind in STARTER_KINDS if kind.startswith(incomplete)]


def _complete_language(incomplete: str) -> list[str]:
    languages = {language for kind in STARTER_KINDS for language in starter_languages(kind)}
    return sorted(language for language in languages if language.startswith(incomplete))


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The id of the model.")],
    *,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="What to start from: order, booking, faq or home.",
            autocompletion=_complete_kind,
        ),
    ] = "order",
    language: Annotated[
        str,
        typer.Option(
            "--language",
            metavar="CODE",
            help="The language of the starter: en; of booking, faq and home also de, ru.",
            autocompletion=_complete_language,
        ),
    ] = "en",
    directory: Annotated[
        Path,
        typer.Option(
            "--directory", "-d", metavar="FOLDER", help="The folder to write to.", file_okay=False
        ),
    ] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Write a starter model or project.

    The kind order is one file with comments, NAME.yaml: a bot that takes orders. The other kinds
    are projects in a folder NAME: booking makes appointments and
    confirms them, faq answers questions, home switches lights and sets the heating. Each has its
    model, its handlers if it needs any, and a README; beside every model is the JSON Schema for
    editors.

    Example: anaphora new cinema --kind booking
    """
    _check_name(name)
    starter = _find_starter(kind, language)
    written = {"id": name, "name": name.replace("-", " ").replace("_", " ").capitalize()}
    if kind == "order":
        model = directory / f"{name}.yaml"
        texts = {model: _fill(starter, f"{language}.yaml", written)}
        schema = directory / _SCHEMA
        if force or not schema.exists():  # that of another model serves this one as well
            texts[schema] = _schema_text()
        _write(texts, force=force)
    else:
        model = directory / name / f"{name}.yaml"
        _write(_project_files(starter, model, language, written), force=force)
    out = create_console()
    out.print(f"Wrote {model if kind == 'order' else model.parent}. Try:")
    out.print(f"  anaphora check {model}")
    out.print(f"  anaphora chat {model}")


def starter_languages(kind: str) -> list[str]:
    """The languages in which there is a starter of this kind."""
    names = (entry.name for entry in _starters().joinpath(kind).iterdir())
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


def _starters() -> Traversable:
    return files(__package__).joinpath("starters")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise typer.BadParameter(
            f"'{name}' cannot be an id: use letters, digits, '-' and '_', starting with a letter"
        )
    if name.lower() in _YAML_KEYWORDS:
        raise typer.BadParameter(f"'{name}' cannot be an id: in YAML it is not a text")


def _find_starter(kind: str, language: str) -> Traversable:
    if kind not in STARTER_KINDS:
        raise typer.BadParameter(f"there is no kind '{kind}'; there are: {_list(STARTER_KINDS)}")
    languages = starter_languages(kind)
    if language not in languages:
        raise typer.BadParameter(
            f"there is no starter '{kind}' in '{language}'; there are: {_list(languages)}"
        )
    return _starters().joinpath(kind)


def _list(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(names)


def _fill(folder: Traversable, name: str, values: Mapping[str, str]) -> str:
    return Template(folder.joinpath(name).read_text(encoding="utf-8")).substitute(values)


def _project_files(
    starter: Traversable, model: Path, language: str, values: Mapping[str, str]
) -> dict[Path, str]:
    """The files of a project with their texts."""
    from yaml import safe_load

    text = _fill(starter, f"{language}.yaml", values)
    folder = model.parent
    found = {model: text}
    handlers = starter.joinpath("handlers.py.txt")
    if handlers.is_file():
        found[folder / "handlers.py"] = handlers.read_text(encoding="utf-8")
    data = safe_load(text)
    about = {
        **values,
        "description": data["description"],
        "example": data["samples"][0]["dialog"][0]["ask"],
        "handlers": _HANDLERS[language] if handlers.is_file() else "",
    }
    found[folder / "README.md"] = _fill(_starters(), f"README.{language}.md", about)
    found[folder / _SCHEMA] = _schema_text()
    return found


def _schema_text() -> str:
    from anaphora.models.schema.json_schema import json_schema

    return f"{json.dumps(json_schema(), indent=2, ensure_ascii=False)}\n"


def _write(texts: Mapping[Path, str], *, force: bool) -> None:
    """Write the files, none of them if one exists.

    Raises ``typer.BadParameter`` if one exists or cannot be written.
    """
    if not force and (existing := next((path for path in texts if path.exists()), None)):
        raise typer.BadParameter(f"{existing} already exists; --force overwrites it")
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise typer.BadParameter(f"cannot write {path}: {error.strerror}") from None
        write_new_file(path, text, force=force)
