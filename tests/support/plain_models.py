"""Models whose elements are plain word lists, for tests that need no recognizers."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "models"

PLAIN_WEATHER = str(_FOLDER / "weather.yaml")
CINEMA = str(_FOLDER / "cinema.yaml")  # a bot that makes offers, and has them confirmed
