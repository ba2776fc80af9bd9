"""Models whose elements are plain word lists, for tests that need no recognizers."""

from __future__ import annotations

from pathlib import Path

PLAIN_WEATHER = str(Path(__file__).parents[1] / "models" / "weather.yaml")
