"""Tell languages that write months with a capital letter from those that write them small."""

from __future__ import annotations

from functools import cache

__all__ = ["has_capital_months"]


@cache
def has_capital_months(code: str) -> bool:
    """Whether a language, by its code, writes months with a capital (May, Mai; French mai)."""
    from babel import Locale, UnknownLocaleError  # takes 10 ms

    try:
        return str(Locale.parse(code).months["format"]["wide"][1]).istitle()
    except (UnknownLocaleError, ValueError):
        return False
