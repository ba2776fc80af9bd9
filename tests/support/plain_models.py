"""Models whose elements are lists of words and nothing else, for tests of other things."""

from __future__ import annotations

from pathlib import Path

PLAIN_WEATHER = str(Path(__file__).parents[1] / "models" / "weather.yaml")
