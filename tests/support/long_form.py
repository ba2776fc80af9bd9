"""Tests with a short form, which always runs, and a long one, which ``pytest -m MARKER`` runs."""

from __future__ import annotations

import pytest

__all__ = ["is_long_form"]


def is_long_form(request: pytest.FixtureRequest, marker: str) -> bool:
    """Whether the tests with this marker, and only they, were asked for."""
    return bool(request.config.getoption("markexpr") == marker)
