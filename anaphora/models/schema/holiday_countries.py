"""The countries whose official days the package ``holidays`` knows."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["check_holiday_country"]


def check_holiday_country(code: str) -> None:
    """Raises ValueError, with a message for users, for a code that is none of a country (``DE``) or
    of a part of one (``DE-BY``). Without the package no code is checked."""
    if not find_spec("holidays"):
        return
    import holidays  # here: an extra of the package; takes 60 ms

    country, _, part = code.partition("-")
    parts = holidays.list_supported_countries().get(country)
    if parts is None:
        raise ValueError(f"unknown country '{code}': use a code such as US, DE or DE-BY")
    if part and part not in parts:
        listed = ", ".join(f"{country}-{one}" for one in parts) or "none"
        raise ValueError(f"unknown part of a country '{code}'; there are: {listed}")
