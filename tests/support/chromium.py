"""The browser in which tests open pages."""

from __future__ import annotations

import shutil

__all__ = ["chromium_path"]

# Without the parts around a page, it takes less than half of the processor time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")


def chromium_path() -> str | None:
    """The path of Chromium's headless shell, else of the whole browser, if one is installed."""
    return next(filter(None, map(shutil.which, _NAMES)), None)
