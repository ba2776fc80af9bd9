"""The locales of CLDR for a language, and what is derived from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from anaphora.entities.words.normalization import base_code
from anaphora.storage.cache import Cache
from anaphora.storage.shipped_tables import table_parts

if TYPE_CHECKING:
    from babel import Locale

__all__ = ["LocaleTable", "parse_locales"]

T = TypeVar("T")

_LOCALES = {
    "zh": ("zh", "zh_Hant"), "pt": ("pt", "pt_PT"), "es": ("es", "es_MX"), "en": ("en", "en_GB")
}  # fmt: skip


class LocaleTable:
    """Data of languages that is derived once from CLDR by ``build`` (from the code of a language),
    or read from a cache as that ``kind``. Importing Babel alone takes longer than reading it."""

    def __init__(self, kind: str, build: Callable[[str], dict[str, str]]) -> None:
        self._kind = kind
        self._build = build
        self._loaded: dict[str, dict[str, str]] = {}

    def __call__(self, language: str, cache: Cache | None = None) -> dict[str, str]:
        """The data of a language."""
        code = base_code(language)
        if code not in self._loaded:
            parts = table_parts(cache, self._kind, code, _babel_version())
            self._loaded[code] = parts(code, lambda: self._build(code))
        return self._loaded[code]

    def clear(self) -> None:
        """Forget what was derived or read."""
        self._loaded.clear()


def parse_locales(code: str) -> Iterator[Locale]:
    """The locales of a language; none, if CLDR lacks it."""
    from babel import Locale, UnknownLocaleError

    for name in _LOCALES.get(code, (code,)):
        try:
            yield Locale.parse(name)
        except (UnknownLocaleError, ValueError):
            continue


def _babel_version() -> str:
    from importlib.metadata import version

    return version("babel")
