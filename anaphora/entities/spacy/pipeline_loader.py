"""Load the spaCy pipelines that a model file names: installed packages, and folders."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import spacy
from spacy.language import Language

from anaphora.entities.words.normalization import base_code
from anaphora.errors import ModelError, Problem
from anaphora.models.domain import Model

__all__ = ["format_error", "load_pipelines"]

_MISSING = ("[E050]", "[E052]", "[E053]")  # no package, no folder, no configuration in it
_ANY_LANGUAGE = "xx"  # spaCy's code of pipelines for several languages


def load_pipelines(model: Model, *, given: Container[str]) -> dict[str, Language]:
    """Load the pipelines of the model by language, each for it alone, except for languages in
    ``given``.

    A pipeline that the model names for all of its languages serves the language that it is trained
    for. Raises :class:`ModelError` for a pipeline that is missing, broken, or trained for other
    languages.
    """
    wanted = {code: name for code, name in model.pipelines.items() if code not in given}
    found: dict[str, Language] = {}
    others: dict[str, tuple[str, str]] = {}  # name to its language and another one
    for language, name in wanted.items():
        if name in others and not _supports_language(others[name][0], language):
            continue
        nlp = _load(name, model)
        made_for = nlp.lang or _ANY_LANGUAGE
        if _supports_language(made_for, language):
            found[language] = nlp
        else:
            others[name] = made_for, language
    serving = {wanted[language] for language in found}
    for name, (made_for, language) in others.items():
        if name not in serving:
            raise _wrong_language_error(name, made_for, language, model)
    return found


def _supports_language(made_for: str, language: str) -> bool:
    return made_for in (_ANY_LANGUAGE, base_code(language))


def _load(name: str, model: Model) -> Language:
    try:
        return spacy.load(Path(name) if _is_folder(name) else name)
    except Exception as error:  # a pipeline may run any code
        if isinstance(error, OSError) and any(code in str(error) for code in _MISSING):
            raise _missing_error(name, model) from None
        raise ModelError(
            Problem(
                f"the spaCy pipeline '{name}' cannot be loaded: {format_error(error)}",
                model.source,
                hint="'python -m spacy validate' checks whether it fits the installed spaCy",
            )
        ) from error


def format_error(error: Exception) -> str:
    """Format an error in one line, without the configuration that spaCy adds to its own."""
    return " ".join(f"{type(error).__name__}: {error}".partition("\n{")[0].split())


def _is_folder(name: str) -> bool:
    return "/" in name or "\\" in name


def _missing_error(name: str, model: Model) -> ModelError:
    if _is_folder(name):
        message = f"there is no spaCy pipeline in the folder '{name}'"
        hint = "a folder is relative to that of the model file; nlp.to_disk writes one"
    else:
        message = f"the spaCy pipeline '{name}' is not installed"
        hint = f"python -m spacy download {name}; a folder is written with a slash: ./{name}"
    return ModelError(Problem(message, model.source, hint=hint))


def _wrong_language_error(name: str, made_for: str, language: str, model: Model) -> ModelError:
    return ModelError(
        Problem(
            f"the spaCy pipeline '{name}' is made for '{made_for}', and not for '{language}'",
            model.source,
            hint="write pipeline: {LANGUAGE: NAME, …} for those languages that have one",
        )
    )
