"""The option ``holidays``: official days of countries."""

import subprocess
import sys
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from anaphora.entities.builtin.dates import date_recognizer
from anaphora.entities.builtin.dates.date_parser import DateParser
from anaphora.entities.builtin.dates.named_days import day_names
from anaphora.entities.builtin.registry import create_builtin
from anaphora.errors import ModelError
from anaphora.models.schema.builtin_entities import find_invalid_options, resolve_options
from anaphora.storage.cache import Cache

ASKED = datetime(2026, 3, 2, 9, tzinfo=ZoneInfo("Europe/Berlin"))


def values(text, countries, language="en", cache=None):
    options = resolve_options("date", {"holidays": countries})
    recognizer = create_builtin("date", language, options, cache=cache)
    return [mention.value for mention in recognizer.read(text, ASKED)]


@pytest.mark.parametrize(
    ("countries", "text", "expected"),
    [
        ([], "Independence Day", "2026-07-04"),
        (["IN"], "Independence Day", "2026-08-15"),
        (["CA"], "Thanksgiving Day", "2026-10-12"),
        (["CA"], "thanksgiving", "2026-10-12"),
        (["US", "CA"], "thanksgiving", "2026-11-26"),
        (["CA", "US"], "thanksgiving", "2026-10-12"),
        (["DE"], "Tag der Deutschen Einheit", "2026-10-03"),
        (["DE"], "german unity day 2030", "2030-10-03"),
        (["DE-BY"], "on Fronleichnam", "2026-06-04"),
        (["US"], "Independence Day (observed)", "2026-07-03"),
        (["US-CA"], "Cesar Chavez Day", "2026-03-31"),
        (["TR"], "Kurban Bayramı", "2026-05-27/2026-05-30"),
        (["JP"], "敬老の日", "2026-09-21"),
        (["GB"], "on Boxing Day", "2026-12-26"),
    ],
)
def test_the_days_of_countries_are_found_by_their_official_names(countries, text, expected):
    assert values(text, countries) == [expected]


def test_official_names_are_found_in_the_language_of_the_model():
    assert values("am Unabhängigkeitstag", ["US"], "de") == ["2026-07-04"]
    assert values("le jour de l'Unité allemande", ["DE"], "fr") == []
    assert values("à la Fête nationale", ["CH"], "fr") == ["2026-08-01"]


def test_other_names_keep_their_days():
    assert values("on Diwali", ["DE"]) == ["2026-11-08"]


def test_the_names_of_a_country_come_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(day_names, "_tables", {})
    monkeypatch.setattr(date_recognizer, "get_date_parser", DateParser)  # no shared one
    cache = Cache(tmp_path)
    assert values("Memorial Day", ["US"], cache=cache) == ["2026-05-25"]
    (kept,) = [path for path in tmp_path.iterdir() if "official" in path.name]
    monkeypatch.setattr(day_names, "_tables", {})
    monkeypatch.setattr(day_names, "find_official_names", None)  # not looked for again
    assert values("Memorial Day", ["US"], cache=cache) == ["2026-05-25"]
    assert kept.exists()


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (["XX"], "unknown country 'XX': use a code such as US, DE or DE-BY"),
        (["Germany"], "unknown country 'Germany'"),
        (["US", "AT-XX"], "unknown part of a country 'AT-XX'; there are: AT-1, AT-2"),
        (["BG-1"], "unknown part of a country 'BG-1'; there are: none"),
        (5, "expected a text or a list of texts"),
    ],
)
def test_an_unknown_country_is_an_error(written, message):
    (wrong,) = find_invalid_options("date", {"holidays": written})
    assert wrong.key == "holidays"
    assert message in wrong.message


def test_without_the_package_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(date_recognizer, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"needs the package holidays") as caught:
        values("Easter", ["DE"])
    assert "pip install 'anaphora[holidays]'" in str(caught.value)


def test_the_package_is_imported_only_for_days_that_need_it():
    script = (
        "import sys\n"
        "from datetime import UTC, datetime\n"
        "from anaphora.entities.builtin.dates.date_parser import get_date_parser\n"
        "from anaphora.entities.builtin.dates.date_recognizer import DateRecognizer\n"
        "read = DateRecognizer(get_date_parser('en')).read\n"
        "read('from Christmas to Passover or Chinese New Year', datetime(2026, 3, 2, tzinfo=UTC))\n"
        "assert 'holidays' not in sys.modules\n"
        "assert read('on Diwali', datetime(2026, 3, 2, tzinfo=UTC))[0].value == '2026-11-08'\n"
        "assert 'holidays' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
