"""CLDR locales by language, and phrases for open intervals, which CLDR lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from typing import Literal, TypeAlias

from babel import Locale, UnknownLocaleError
from babel.lists import format_list

__all__ = ["OpenDirection", "find_locale", "format_open_interval", "join_list", "join_range"]

OpenDirection: TypeAlias = Literal["later", "earlier"]
"""The direction in which an interval is open."""

ListStyle: TypeAlias = Literal["standard", "unit"]
"""``standard`` has an "and" before the last item, ``unit`` joins the parts of one quantity."""


@lru_cache(maxsize=128)
def find_locale(language: str) -> Locale:
    """The locale of a language tag (``en``, ``es-MX``), or of the language without the region, or
    English."""
    tag = language.replace("_", "-")
    for candidate in (tag, tag.partition("-")[0]):
        try:
            return Locale.parse(candidate, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return Locale("en")


def format_open_interval(text: str, end: OpenDirection, locale: Locale) -> str:
    """Format an interval with an open end."""
    phrases = _OPEN_PHRASES.get(locale.language)
    if phrases is not None:
        return phrases[end == "earlier"].replace("{}", text)
    return join_range(text, "…", locale) if end == "later" else join_range("…", text, locale)


def join_range(low: str, high: str, locale: Locale) -> str:
    """Join both ends of a range as the locale joins intervals."""
    pattern: str = locale.interval_formats[None]
    return pattern.replace("{0}", low).replace("{1}", high)


def join_list(parts: Sequence[str], style: ListStyle, locale: Locale) -> str:
    """Format a list. If Babel lacks patterns of the style, one pattern joins all items."""
    known = locale.list_patterns
    patterns: Mapping[str, str] = next((known[one] for one in _STYLES[style] if one in known), {})
    if len(parts) < 2 or patterns.keys() >= {"2", "start", "middle", "end"}:
        return format_list(parts, style, locale)
    pair = patterns.get("2") or patterns.get("middle") or "{0}, {1}"
    return reduce(lambda one, other: pair.replace("{0}", one).replace("{1}", other), parts)


_STYLES: Mapping[ListStyle, Sequence[str]] = {  # each with its fallbacks
    "standard": ("standard",),
    "unit": ("unit", "unit-short", "standard"),
}

# Intervals include their ends.
_OPEN_PHRASES: Mapping[str, tuple[str, str]] = {
    "ar": ("{} أو بعد ذلك", "{} أو قبل ذلك"),
    "az": ("{} və ya daha sonra", "{} və ya daha əvvəl"),
    "bg": ("{} или по-късно", "{} или по-рано"),
    "cs": ("{} nebo později", "{} nebo dříve"),
    "da": ("{} eller senere", "{} eller tidligere"),
    "de": ("ab {}", "bis {}"),
    "en": ("{} or later", "{} or earlier"),
    "es": ("{} o después", "{} o antes"),
    "et": ("{} või hiljem", "{} või varem"),
    "fa": ("{} یا بعد از آن", "{} یا قبل از آن"),
    "fi": ("{} tai myöhemmin", "{} tai aiemmin"),
    "fr": ("{} ou plus tard", "{} ou plus tôt"),
    "he": ("{} או מאוחר יותר", "{} או מוקדם יותר"),
    "hi": ("{} या उसके बाद", "{} या उससे पहले"),
    "hu": ("{} vagy később", "{} vagy korábban"),
    "it": ("{} o dopo", "{} o prima"),
    "ja": ("{}以降", "{}以前"),
    "ko": ("{} 이후", "{} 이전"),
    "nb": ("{} eller senere", "{} eller tidligere"),
    "nl": ("{} of later", "{} of eerder"),
    "no": ("{} eller senere", "{} eller tidligere"),
    "pl": ("{} lub później", "{} lub wcześniej"),
    "pt": ("{} ou depois", "{} ou antes"),
    "ru": ("не раньше {}", "не позже {}"),
    "sv": ("{} eller senare", "{} eller tidigare"),
    "th": ("{} หรือหลังจากนั้น", "{} หรือก่อนหน้านั้น"),
    "tr": ("{} veya sonrası", "{} veya öncesi"),
    "uk": ("не раніше {}", "не пізніше {}"),
    "vi": ("{} hoặc muộn hơn", "{} hoặc sớm hơn"),
    "zh": ("{}或之后", "{}或之前"),
}
