"""Forecasts from a service, which a local server stands in for."""

from __future__ import annotations

import json
import logging
import socket
import sys
import threading
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from anaphora.bots.weather.forecast import URL_VARIABLE, Forecast, fetch_forecast
from tests.bots.dialog import answer

pytest.importorskip("httpx")

DAILY = {
    "time": ["2026-01-06", "2026-01-07"],
    "temperature_2m_max": [12.4, 14.4],
    "temperature_2m_min": [3.0, None],
    "precipitation_probability_max": [10, 80],
    "precipitation_sum": [0.0, 3.2],
}


class Service:
    """A fake service: its response, and the requests that it received."""

    def __init__(self) -> None:
        self.status = 200
        self.body: bytes = json.dumps({"daily": DAILY}).encode()
        self.asked: list[str] = []


@pytest.fixture
def service(monkeypatch):
    played = Service()

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            played.asked.append(self.path)
            self.send_response(played.status)
            self.end_headers()
            self.wfile.write(played.body)

        def log_message(self, *arguments: object) -> None:
            """Log nothing, to keep the output of the tests clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv(URL_VARIABLE, f"http://127.0.0.1:{server.server_port}/")
        yield played
        server.shutdown()


def asked(first: date = date(2026, 1, 6), last: date = date(2026, 1, 7)) -> Forecast | None:
    return fetch_forecast(35.69, 139.69, first, last, "Asia/Tokyo", today=date(2026, 1, 5))


def test_without_a_url_there_is_no_request(monkeypatch):
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    assert asked() is None


def test_the_requested_days_are_fetched(service):
    assert asked() == Forecast(pytest.approx(13.4), 3.0, 0.8)
    (path,) = service.asked
    url = urlsplit(path)
    assert url.path == "/v1/forecast"
    given = {key: values[0] for key, values in parse_qs(url.query).items()}
    assert given["latitude"] == "35.69"
    assert (given["start_date"], given["end_date"]) == ("2026-01-06", "2026-01-07")
    assert given["timezone"] == "Asia/Tokyo"
    assert "temperature_2m_max" in given["daily"].split(",")


@pytest.mark.parametrize(("rain", "share"), [([0.0, 0.4], 0.0), ([0.0, 3.2], 1.0), ([None], 0.0)])
def test_for_past_days_the_actual_rain_counts(service, rain, share):
    daily = DAILY | {"precipitation_probability_max": [None, None], "precipitation_sum": rain}
    service.body = json.dumps({"daily": daily}).encode()
    assert asked().rain == share


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, b'{"error": true, "reason": "out of range"}'),
        (500, b""),
        (200, b"no JSON"),
        (200, b"[]"),
        (200, b"[" * 2_000_000),
        (302, b""),
        (200, b'{"daily": {"temperature_2m_max": [NaN], "temperature_2m_min": [Infinity]}}'),
        (200, b'{"daily": {}}'),
        (200, b'{"daily": {"temperature_2m_max": [null], "temperature_2m_min": [null]}}'),
        (200, b'{"daily": {"temperature_2m_max": ["warm"], "temperature_2m_min": [1]}}'),
    ],
)
def test_invalid_responses_are_logged_and_the_climate_answers(service, caplog, status, body):
    service.status, service.body = status, body
    with caplog.at_level(logging.WARNING):
        said = answer("weather", "What's the weather in Tokyo tomorrow?")
    assert "on average 10 °C by day" in said
    assert "no forecast from http://127.0.0.1" in caplog.text


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2025, 7, 1), date(2025, 7, 31)),
        (date(2026, 1, 5), date(2026, 2, 5)),
        (date(2030, 1, 1), date(2030, 12, 31)),
        (date.min, date.max),
    ],
)
def test_days_beyond_the_range_of_services_are_not_requested(service, caplog, first, last):
    assert asked(first, last) is None
    assert service.asked == []
    assert caplog.text == ""


def test_an_endless_response_is_aborted(service, monkeypatch, caplog):
    clock = iter(range(0, 1_000, 10))
    monkeypatch.setattr("anaphora.bots.weather.forecast.monotonic", lambda: next(clock))
    with caplog.at_level(logging.WARNING):
        assert asked() is None
    assert "the response takes longer than 3 seconds" in caplog.text


def test_a_silent_service_times_out(monkeypatch, caplog):
    monkeypatch.setattr("anaphora.bots.weather.forecast._SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(URL_VARIABLE, f"http://127.0.0.1:{silent.getsockname()[1]}")
        with caplog.at_level(logging.WARNING):
            assert asked() is None
    assert "ReadTimeout" in caplog.text


def test_an_unreachable_service_is_ignored(monkeypatch, caplog):
    monkeypatch.setenv(URL_VARIABLE, "http://127.0.0.1:9")
    with caplog.at_level(logging.WARNING):
        assert asked() is None
    assert "no forecast from" in caplog.text


def test_a_missing_library_is_logged(service, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with caplog.at_level(logging.WARNING):
        assert asked() is None
    assert "pip install 'anaphora[forecast]'" in caplog.text
    assert service.asked == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "What's the weather in Tokyo tomorrow?",
            "Tokyo, Tue 6 Jan: 13 °C by day, 3 °C by night; chance of rain 80%.",
        ),
        ("How warm is it in Tokyo, in F?", "Tokyo, Mon 5 Jan: 56 °F by day, 37 °F by night."),
        ("Will it rain in Reykjavik?", "Reykjavík, Mon 5 Jan: chance of rain 80%."),
        (
            "Какая завтра погода в Москве?",
            "Москва, вт, 6 янв: днём 13 °C, ночью 3 °C; вероятность дождя 80%.",
        ),
        (
            "Will it rain in Rome and Oslo?",
            "Rome, Mon 5 Jan: chance of rain 80%.\nOslo, Mon 5 Jan: chance of rain 80%.",
        ),
    ],
)
def test_the_bot_answers_with_the_forecast(service, question, said):
    assert answer("weather", question) == said


def test_a_forecast_covers_places_without_climate_data(service):
    assert answer("weather", "Will it rain in Cusco?") == "Cusco, Mon 5 Jan: chance of rain 80%."


def test_below_freezing_snow_is_forecast(service):
    daily = DAILY | {"temperature_2m_max": [-8.0], "temperature_2m_min": [-12.0]}
    service.body = json.dumps({"daily": daily}).encode()
    assert answer("weather", "Will it rain in Oslo?") == "Oslo, Mon 5 Jan: chance of snow 80%."
