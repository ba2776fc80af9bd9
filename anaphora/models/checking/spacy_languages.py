"""Which languages spaCy has, without importing it for one that it has."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

__all__ = ["describe_unknown_language", "is_spacy_language"]


def is_spacy_language(code: str) -> bool:
    """Whether spaCy has a language, by itself or from another package."""
    spec = find_spec("spacy")
    folders = (spec and spec.submodule_search_locations) or ()
    if any((Path(folder) / "lang" / code).is_dir() for folder in folders):
        return True
    import spacy.util  # takes a second

    try:
        spacy.util.get_lang_class(code)
    except ImportError:
        return False
    return True


def describe_unknown_language(language: str) -> tuple[str, str]:
    """A message and a hint for a language that spaCy lacks."""
    hint = "codes are like 'en', 'fr' or 'ru'; 'xx' stands for any language"
    return f"'{language}' is not a language that spaCy knows", hint
