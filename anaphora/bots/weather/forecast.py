"""Fetch forecasts from a service with the API of Open-Meteo, if one is configured.

The environment variable ``ANAPHORA_FORECAST_URL`` is its URL without ``/v1/forecast``. A failing or
slow service is logged, and the bot answers without it.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import isfinite
from time import monotonic
from typing import Any

from anaphora.storage.forks import forks_delayed

__all__ = ["URL_VARIABLE", "Forecast", "fetch_forecast"]

URL_VARIABLE = "ANAPHORA_FORECAST_URL"

_SECONDS = 3.0  # the user is waiting
_MAX_BYTES = 1_000_000
# Services cover some weeks: a question about next summer need not wait for one.
_PAST, _AHEAD = timedelta(days=90), timedelta(days=15)
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
    """Mean daily high and low in °C, and the highest daily chance of rain (0 to 1)."""

    high: float
    low: float
    rain: float


def fetch_forecast(
    latitude: float,
    longitude: float,
    first: date,
    last: date,
    time_zone: str | None,
    *,
    today: date,
) -> Forecast | None:
    """Fetch the forecast from ``first`` to ``last``. None if no service is configured, if the days
    are too far from ``today``, or if the request fails (which is logged)."""
    address = os.environ.get(URL_VARIABLE)
    if not address or today - first > _PAST or last - today > _AHEAD:
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
        return _parse_daily(_fetch_json(f"{address.rstrip('/')}/v1/forecast", parameters)["daily"])
    except ImportError:
        _log.warning(
            "%s is set, but httpx is missing: pip install 'anaphora[forecast]'", URL_VARIABLE
        )
    except Exception as error:  # the bot can answer without the service
        _log.warning("no forecast from %s: %s: %s", address, type(error).__name__, error)
    return None


def _fetch_json(address: str, parameters: dict[str, str]) -> Any:
    """Fetch JSON. Raises errors of httpx, TimeoutError if the whole answer takes too long (the
    timeout of httpx holds for each chunk), and ValueError if it is too long or not JSON."""
    with forks_delayed():
        import httpx

    end, body = monotonic() + _SECONDS, bytearray()
    with httpx.stream("GET", address, params=parameters, timeout=_SECONDS) as reply:
        reply.raise_for_status()
        for piece in reply.iter_bytes():
            body += piece
            if len(body) > _MAX_BYTES:
                raise ValueError(f"the response is longer than {_MAX_BYTES:,} bytes")
            if monotonic() > end:
                raise TimeoutError(f"the response takes longer than {_SECONDS:g} seconds")
    return json.loads(body)


def _parse_daily(daily: dict[str, Any]) -> Forecast:
    highs, lows, chances, sums = (_finite_values(daily.get(name)) for name in _DAILY)
    if not highs or not lows:
        raise ValueError("the response has no temperatures for these days")
    wet = max(chances) / 100 if chances else float(any(one >= _WET for one in sums))
    return Forecast(sum(highs) / len(highs), sum(lows) / len(lows), min(max(wet, 0.0), 1.0))


def _finite_values(values: Sequence[Any] | None) -> list[float]:
    numbers = (float(value) for value in values or () if value is not None)
    return [number for number in numbers if isfinite(number)]
