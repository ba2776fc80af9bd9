"""The region of a language tag."""

from __future__ import annotations

__all__ = ["region_of"]


def region_of(language: str) -> str:
    """The code of the country in a language tag (``TW`` of ``zh-Hant-TW``); '' if it has none."""
    for part in language.replace("_", "-").split("-")[1:]:
        if len(part) == 1:
            break  # of an extension
        if len(part) == 2 and part.isalpha():
            return part.upper()
    return ""
