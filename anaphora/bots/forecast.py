"""The forecast of a service that answers as Open-Meteo does, where one is configured.

The environment variable ``ANAPHORA_FORECAST_URL`` names it, without ``/v1/forecast``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

__all__ = ["VARIABLE", "Forecast", "forecast"]

VARIABLE = "ANAPHORA_FORECAST_URL"

_SECONDS = 3.0  # a user waits for the answer
_DAILY = (
    "temperature_2m_max",
    "temperature_2m_min",
    "precipitation_probability_max",
    "precipitation_sum",
)
_WET = 1.0  # mm a day
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Forecast:
    """°C by day and by night, on average over the days, and the greatest chance of rain (0 to
    1)."""

    high: float
    low: float
    rain: float


def forecast(
    latitude: float, longitude: float, first: date, last: date, time_zone: str | None
) -> Forecast | None:
    """The weather from ``first`` to ``last``; None if no service is configured, or if it does
    not answer (which the log tells)."""
    address = os.environ.get(VARIABLE)
    if not address:
        return None
    parameters = {
        "latitude": str(latitude),
        "longitude": str(longitude),
        "daily": ",".join(_DAILY),
        "start_date": first.isoformat(),
        "end_date": last.isoformat(),
        "timezone": time_zone or "auto",
    }
    try:
        import httpx

        reply = httpx.get(f"{address.rstrip('/')}/v1/forecast", params=parameters, timeout=_SECONDS)
        reply.raise_for_status()
        return _read(reply.json()["daily"])
    except ImportError:
        _log.warning("%s is set, but httpx is missing: pip install 'anaphora[forecast]'", VARIABLE)
    except Exception as error:  # whatever a service may answer, there is an answer without it
        _log.warning("no forecast from %s: %s: %s", address, type(error).__name__, error)
    return None


def _read(daily: dict[str, Any]) -> Forecast:
    highs, lows, chances, sums = (_known(daily.get(name)) for name in _DAILY)
    if not highs or not lows:
        raise ValueError("it knows no temperatures of these days")
    wet = max(chances) / 100 if chances else float(any(one >= _WET for one in sums))
    return Forecast(sum(highs) / len(highs), sum(lows) / len(lows), min(max(wet, 0.0), 1.0))


def _known(values: Sequence[Any] | None) -> list[float]:
    return [float(value) for value in values or () if value is not None]
