"""Templates write dates, durations, recurring times, money and numbers as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from babel.dates import format_time
from babel.numbers import format_currency, format_decimal
from hypothesis import given
from hypothesis import strategies as st

from anaphora import Engine, HandlerError, ModelError, Request, parse_model
from anaphora.models.templates.entity_text import EntityText
from anaphora.models.templates.formatting.filters import FILTERS, FormatLocale

each = pytest.mark.parametrize

MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)
WORD = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{THIN SPACE}"


def plain(text: str) -> str:
    """The text with blanks of one kind."""
    for blank in WORD:
        text = text.replace(blank, " ")
    return text


def filled(
    filter: str, value: object, *arguments: object, language: str = "en", **options: object
) -> str:
    return plain(FILTERS[filter](FormatLocale(language, UTC), value, *arguments, **options))


def told(entity: str, template: str, text: str, language: str = "en", **options: object) -> str:
    """What a bot with one slot says to a text."""
    model = parse_model(f"""
id: bot
language: {language}
entities: [{entity}]
intents: ["intent=any term(x)={{# == '{entity}'}}{"[1,3]" if options.pop("several", 0) else ""}"]
responses: {{any: "{template}"}}
""")
    return plain(Engine(model).ask(text, at=MONDAY, **options).text)


@each(
    ("value", "english", "russian", "german"),
    [
        ("2026-11-28", "November 28, 2026", "28 ноября 2026 г.", "28. November 2026"),
        ("2026-W47", "November 16 – 22, 2026", "16–22 ноября 2026 г.", "16.–22. November 2026"),
        ("2026-11", "November 2026", "ноябрь 2026 г.", "November 2026"),
        ("2026-Q4", "4th quarter 2026", "4-й квартал 2026 г.", "4. Quartal 2026"),
        ("2026", "2026", "2026", "2026"),
        (
            "2026-11-28/2026-12-02",
            "November 28 – December 2, 2026",
            "28 ноября – 2 декабря 2026 г.",
            "28. November – 2. Dezember 2026",
        ),
        (
            "2026-12-30/2027-01-02",
            "December 30, 2026 – January 2, 2027",
            "30 декабря 2026 г. – 2 января 2027 г.",
            "30. Dezember 2026 – 2. Januar 2027",
        ),
        (
            "2026-11-28/..",
            "November 28, 2026 or later",
            "не раньше 28 ноября 2026 г.",
            "ab 28. November 2026",
        ),
        (
            "../2026-11-28",
            "November 28, 2026 or earlier",
            "не позже 28 ноября 2026 г.",
            "bis 28. November 2026",
        ),
        ("2026-11-28T17:30", "November 28, 2026", "28 ноября 2026 г.", "28. November 2026"),
        (
            "2026-11-26T10:00/2026-11-29T00:00",  # "until the 28th"
            "November 26 – 28, 2026",
            "26–28 ноября 2026 г.",
            "26.–28. November 2026",
        ),
        (
            "2026-11-28T22:00/2026-11-29T06:00",
            "November 28 – 29, 2026",
            "28–29 ноября 2026 г.",
            "28.–29. November 2026",
        ),
        (
            "2026-11-28T22:00/..",
            "November 28, 2026 or later",
            "не раньше 28 ноября 2026 г.",
            "ab 28. November 2026",
        ),
    ],
)
def test_every_value_of_a_date_is_written_in_the_language(value, english, russian, german):
    assert filled("date", value) == english
    assert filled("date", value, language="ru") == russian
    assert filled("date", value, language="de") == german


@each(
    ("value", "english", "russian"),
    [
        ("2026-11-28T17:30", "5:30 PM", "17:30"),
        ("2026-11-28T17:30:05", "5:30:05 PM", "17:30:05"),
        ("2026-11-28T17:00/2026-11-28T19:00", "5:00 – 7:00 PM", "17:00–19:00"),
        ("2026-11-28T22:00/2026-11-29T06:00", "10:00 PM – 6:00 AM", "22:00–06:00"),
        ("2026-11-28T17:00/..", "5:00 PM or later", "не раньше 17:00"),
        ("../2026-11-28T17:00", "5:00 PM or earlier", "не позже 17:00"),
        ("2026-11-28", "", ""),
        ("2026-W47", "", ""),
    ],
)
def test_the_time_of_the_day_of_a_date(value, english, russian):
    assert filled("time", value) == english
    assert filled("time", value, language="ru") == russian


@each(
    ("value", "english"),
    [
        ("2026-11-28", "November 28, 2026"),
        ("2026-11-28T17:30", "November 28, 2026, 5:30 PM"),
        ("2026-11-28T17:00/2026-11-28T19:00", "November 28, 2026, 5:00 – 7:00 PM"),
        (
            "2026-11-28T22:00/2026-11-29T06:00",
            "November 28, 2026, 10:00 PM – November 29, 2026, 6:00 AM",
        ),
        ("2026-11-28T17:00/..", "November 28, 2026, 5:00 PM or later"),
    ],
)
def test_days_and_times_together(value, english):
    assert filled("datetime", value) == english


@each(
    ("value", "format", "expected"),
    [
        ("2026-11-28", "full", "Saturday, November 28, 2026"),
        ("2026-11-28", "medium", "Nov 28, 2026"),
        ("2026-11-28", "short", "11/28/26"),
        ("2026-11-28", "EEEE, d MMM", "Saturday, 28 Nov"),
        ("2026-11", "medium", "Nov 2026"),
        ("2026-W47", "full", "Monday, November 16 – Sunday, November 22, 2026"),
        ("2026-W47", "d MMM", "16 Nov – 22 Nov"),
        ("2026-W47", "medium", "Nov 16 – 22, 2026"),
        ("2026-11-28/..", "d MMM", "28 Nov or later"),
    ],
)
def test_dates_in_a_format_of_ones_own(value, format, expected):
    assert filled("date", value, format) == expected


@each(
    ("value", "english", "russian"),
    [
        ("P3D", "3 days", "3 дня"),
        ("PT1H30M", "1 hour, 30 minutes", "1 час 30 минут"),
        ("P1Y6M", "1 year, 6 months", "1 год 6 месяцев"),
        ("P2W", "2 weeks", "2 недели"),
        ("PT0.5H", "0.5 hours", "0,5 часа"),
        ("150 min", "150 minutes", "150 минут"),
        (5400, "1 hour, 30 minutes", "1 час 30 минут"),
        (timedelta(days=2, seconds=5), "2 days, 5 seconds", "2 дня 5 секунд"),
        (0, "0 seconds", "0 секунд"),
        ("P3D..P4D", "3 – 4 days", "3 – 4 дня"),
        ("PT90M..PT2H", "90 minutes – 2 hours", "90 минут – 2 часа"),
        (">=P2D", "≥ 2 days", "≥ 2 дня"),
    ],
)
def test_durations(value, english, russian):
    assert filled("duration", value) == english
    assert filled("duration", value, language="ru") == russian


@each("language", ["ar", "de", "fr", "he", "hi", "ja", "th", "tr", "zh", "xx"])
def test_durations_in_other_languages(language):
    said = filled("duration", "P1DT1H20M", language=language)
    assert "20" in said
    assert "duration" not in said
    assert len(filled("duration", "P1DT1H", language=language)) < len(said)


@each(
    ("value", "english", "russian"),
    [
        ("50 EUR", "€50.00", "50,00 €"),
        ("1234.5 USD", "$1,234.50", "1 234,50 $"),
        ("500 JPY", "¥500", "500 ¥"),
        ("5..10 EUR", "€5.00 – €10.00", "5,00 € – 10,00 €"),
        ("<20 USD", "< $20.00", "< 20,00 $"),
        (">=20 USD", "≥ $20.00", "≥ 20,00 $"),
    ],
)
def test_money(value, english, russian):
    assert filled("money", value) == english
    assert filled("money", value, language="ru") == russian


def test_an_amount_without_a_currency_is_written_as_a_number():
    assert filled("money", "1500") == "1,500"
    assert filled("money", "1500", language="de") == "1.500"


@each(
    ("value", "english", "german"),
    [
        ("12.5", "12.50", "12,50"),
        ("1234.5", "1,234.50", "1.234,50"),
        ("12", "12", "12"),
        (12.5, "12.50", "12,50"),
        ("12.345", "12.345", "12,345"),
        ("5..7.5", "5.00 – 7.50", "5,00 – 7,50"),
        ("100 USDT", "100 USDT", "100 USDT"),
        ("0.5 BTC", "0.5 BTC", "0,5 BTC"),
        ("1.234567 BTC", "1.234567 BTC", "1,234567 BTC"),
        ("5..10 USDT", "5 – 10 USDT", "5 – 10 USDT"),
        (">3 DOGE", "> 3 DOGE", "> 3 DOGE"),
    ],
)
def test_an_amount_has_two_decimals_or_none_and_any_currency(value, english, german):
    assert filled("money", value) == english
    assert filled("money", value, language="de") == german


PATTERNS = (
    *("0", "0.0", "0.00", "#,##0", "#,##0.00", "#,##0.0#", "0.###", "#,##0.000", "000", "00.0"),
    *("¤0", "¤#,##0.0", "#,##0.00 ¤", "#,##0 ¤", "0.0 ¤¤", "¤¤ #,##0.##", "0 ¤¤¤", "(¤0.0)"),
    *("¤ #,##0;-¤ #,##0", "'about' 0 ¤", "#,##,##0.0 ¤", "+0.0;-0.0"),
)


@each("pattern", PATTERNS)
@each("value", ["1234.5", "-12", "500", "0.126"])
@each("language", ["en", "de", "hi"])
def test_a_pattern_is_kept_to_as_it_stands(pattern, value, language):
    number = Decimal(value)
    expected = format_decimal(number, pattern, language)
    if "¤" not in pattern:
        assert filled("number", value, pattern, language=language) == plain(expected)
        assert filled("money", value, language=language, format=pattern) == plain(expected)
    for currency in ("EUR", "JPY", "USDT"):
        written = format_currency(number, currency, pattern, language, currency_digits=False)
        amount = f"{value} {currency}"
        assert filled("money", amount, language=language, format=pattern) == plain(written)


@each("zone", ["Asia/Tokyo", "America/New_York", "UTC"])
@each("width", ["full", "long", "HH:mm zzzz", "HH:mm z", "HH:mm xxx"])
def test_a_time_names_the_zone_of_the_one_who_asks(zone, width):
    here = FormatLocale("en", ZoneInfo(zone))
    moment = datetime(2026, 7, 1, 17, 30, tzinfo=ZoneInfo(zone))
    expected = format_time(moment, width, tzinfo=ZoneInfo(zone), locale="en")
    assert plain(FILTERS["time"](here, "2026-07-01T17:30", width)) == plain(expected)
    assert plain(FILTERS["time"](here, moment.isoformat(), width)) == plain(expected)


def test_a_time_in_a_zone_without_a_name():
    here = FormatLocale("en", timezone(timedelta(hours=5, minutes=30)))
    assert plain(FILTERS["time"](here, "2026-07-01T17:30", "HH:mm xxx")) == "17:30 +05:30"
    assert "UTC" not in FILTERS["time"](here, "2026-07-01T17:30", "full").replace("UTC+05:30", "")


def test_a_number_is_money_in_the_currency_that_the_template_names():
    assert filled("money", "500", "EUR") == "€500.00"
    assert filled("money", 12.5, "EUR", language="de") == "12,50 €"
    assert filled("money", "50 USD", "EUR") == "$50.00"  # what was said goes first


@each(
    ("value", "english", "russian"),
    [
        ("205", "205", "205"),
        ("1234567.25", "1,234,567.25", "1 234 567,25"),
        ("0.75", "0.75", "0,75"),
        ("-3", "-3", "-3"),
        ("5 %", "5%", "5 %"),
        ("5.5 %", "5.5%", "5,5 %"),
        ("20 °C", "20°C", "20 °C"),
        (">5", "> 5", "> 5"),
        (">=3 km", "≥ 3 km", "≥ 3 км"),
        ("2..4", "2 – 4", "2 – 4"),
        ("2<..<4 km", "2 – 4 km", "2 – 4 км"),
        ("2..4 %", "2 – 4%", "2 – 4 %"),
        ("~5", "≈ 5", "≈ 5"),
        ("!=5", "≠ 5", "≠ 5"),
        ("3 mmHg", "3 mmHg", "3 мм рт. ст."),
        ("3 rpm", "3 rpm", "3 rpm"),
        (3, "3", "3"),
        (2.5, "2.5", "2,5"),
        (5.0, "5", "5"),
    ],
)
def test_numbers(value, english, russian):
    assert filled("number", value) == english
    assert filled("number", value, language="ru") == russian


def test_numbers_in_a_format_of_ones_own():
    assert filled("number", "1234.5", "#,##0.00") == "1,234.50"
    assert filled("number", "3 km", "long") == "3 kilometers"
    assert filled("number", "5 EUR") == "€5.00"


@each("filter", sorted(FILTERS))
def test_what_is_not_there_is_written_as_nothing(filter):
    assert filled(filter, None) == ""
    assert filled(filter, []) == ""


@each(
    ("filter", "value"),
    [
        ("date", "tomorrow"),
        ("date", "5 km"),
        ("date", "P3D"),
        ("date", "2026-13-45"),
        ("date", "2026-W77"),
        ("date", 5),
        ("time", "5"),
        ("datetime", "2026-11-31T10:00"),
        ("duration", "2026-11-28"),
        ("duration", "P"),
        ("duration", "5 km"),
        ("money", "five"),
        ("money", "5 km"),
        ("number", "Paris"),
        ("number", True),
        ("number", "1e999"),
        ("number", float("nan")),
        ("number", {}),
    ],
)
def test_another_value_is_an_error_that_names_filter_and_value(filter, value):
    with pytest.raises(ValueError, match=rf"the filter '{filter}' .*{value!r}".replace("+", ".")):
        filled(filter, value)


def test_a_format_that_is_none_is_an_error():
    with pytest.raises(ValueError, match=r"the filter 'money' .*'EURO'"):
        filled("money", "5", "EURO")


def test_the_error_names_the_response():
    with pytest.raises(HandlerError, match=r"response '.*' cannot .*filter 'date' .*'5 km'"):
        told("number", "{{ x | date }}", "5 km")


def test_a_list_is_joined_as_the_language_does():
    days = ["2026-11-28", "2026-12-02"]
    assert filled("date", days) == "November 28, 2026 and December 2, 2026"
    assert filled("date", days, language="ru") == "28 ноября 2026 г. и 2 декабря 2026 г."
    said = told(
        "number", "{{ x | number }}; {{ x | map('number') | join('+') }}", "1 and 2", several=1
    )
    assert said == "1 and 2; 1+2"


@each(
    ("language", "expected"),
    [
        ("ja", "2026年11月16日～22日"),
        ("zh-Hans", "2026年11月16日至22日"),
        ("en-GB", "16–22 November 2026"),
        ("xx", "November 16 – 22, 2026"),  # no such language is known: as in English
        ("ru-XX", "16–22 ноября 2026 г."),
    ],
)
def test_other_languages(language, expected):
    assert filled("date", "2026-W47", language=language) == expected


def test_a_language_without_words_for_it_has_an_open_end():
    assert filled("date", "2026-11-28/..", language="sw") == "28 Novemba 2026 – …"


@each(
    ("text", "date", "time"),
    [
        ("tomorrow", "November 24, 2026", ""),
        ("next week", "November 30 – December 6, 2026", ""),
        ("this weekend", "November 28 – 29, 2026", ""),
        ("from May to July 2027", "May – July 2027", ""),
        ("next winter", "December 2026 – February 2027", ""),
        ("the 90s", "1990 – 1999", ""),
        ("tomorrow at 5pm", "November 24, 2026", "5:00 PM"),
        ("tomorrow from 5pm to 7pm", "November 24, 2026", "5:00 – 7:00 PM"),
        ("from Saturday on", "November 28, 2026 or later", ""),
        ("since 1990", "January 1, 1990 – November 23, 2026", ""),
    ],
)
def test_what_people_say_comes_back_as_they_read_it(text, date, time):
    assert told("date", "{{ x | date }}|{{ x | time }}", text) == f"{date}|{time}"


def test_a_week_that_begins_on_sunday_is_written_as_such():
    model = parse_model("""
id: bot
elements: [{id: when, recognizer: date, config: {week: sunday}}]
intents: ["intent=any term(x)={# == 'when'}"]
responses: {any: "{{ x | date }}"}
""")
    said = Engine(model).ask("this week", at=MONDAY).text
    assert plain(said) == "November 22 – 28, 2026"


def test_a_moment_with_an_offset_is_written_in_the_time_zone_of_the_question():
    template = "{{ '2026-11-23T23:30:00Z' | datetime }}"
    tokyo = Request(time_zone="Asia/Tokyo")
    assert told("number", template, "5", request=tokyo) == "November 24, 2026, 8:30 AM"
    moment = datetime(2026, 11, 23, 23, 30, tzinfo=UTC)
    assert plain(FILTERS["time"](FormatLocale("en", ZoneInfo("Asia/Tokyo")), moment)) == "8:30 AM"


def test_the_language_is_that_of_the_question():
    model = parse_model("""
id: bot
language: [en, ru]
entities: [date]
elements: [{id: go, synonyms: {en: [go], ru: [едем]}}]
intents: ["intent=any term(go)={# == 'go'} term(x)={# == 'date'}"]
responses: {any: "{{ x | date }}"}
""")
    engine = Engine(model)
    assert plain(engine.ask("go tomorrow", at=MONDAY).text) == "November 24, 2026"
    assert plain(engine.ask("едем завтра", at=MONDAY).text) == "24 ноября 2026 г."


def test_an_optional_slot_that_is_empty_is_written_as_nothing():
    model = parse_model("""
id: bot
entities: [date]
elements: [{id: go}]
intents: ["intent=any term(go)={# == 'go'} term(x)={# == 'date'}?"]
responses: {any: "Go{% if x %} {{ x | date }}{% endif %}: {{ x | date or 'any day' }}"}
""")
    assert Engine(model).ask("go", at=MONDAY).text == "Go: any day"


def test_a_misspelt_filter_is_found_when_the_model_is_loaded():
    with pytest.raises(ModelError, match="unknown filter 'dat' in the template"):
        told("date", "{{ x | dat }}", "tomorrow")


@given(
    st.dates(),
    st.dates(),
    st.sampled_from(["en", "ru", "ja", "ar", "xx"]),
    st.sampled_from([None, "full", "long", "medium", "short"]),
)
def test_any_two_days_can_be_written(one, other, language, format):
    first, last = sorted([one, other])
    arguments = () if format is None else (format,)
    written = filled("date", f"{first}/{last}", *arguments, language=language)
    alone = filled("date", str(first), *arguments, language=language)
    assert written
    assert (first == last) <= (written == alone)


@given(st.integers(-(10**15), 10**15), st.sampled_from(["en", "ru", "de", "hi", "xx"]))
def test_every_digit_of_a_number_is_written(number, language):
    digits = [one for one in filled("number", str(number), language=language) if one.isdigit()]
    assert "".join(digits) == str(abs(number))


@each(
    ("text", "english", "russian", "german"),
    [
        ("every day at 9", "every day at 9:00 AM", "каждый день в 09:00", "jeden Tag um 09:00"),
        ("every two weeks", "every 2 weeks", "каждые 2 недели", "alle 2 Wochen"),
        (
            "every Monday and Thursday at 9:00 and 18:30",
            "every Monday and Thursday at 9:00 AM and 6:30 PM",
            "по понедельникам и четвергам в 09:00 и 18:30",
            "jeden Montag und Donnerstag um 09:00 und 18:30",
        ),
        (
            "every weekday from 9 to 17",
            "every weekday, 9:00 AM–5:00 PM",
            "по будням, 09:00–17:00",
            "an jedem Werktag, 09:00–17:00",
        ),
        (
            "every other Tuesday",
            "every 2 weeks on Tuesday",
            "каждые 2 недели по вторникам",
            "alle 2 Wochen am Dienstag",
        ),
        ("three times a week", "3 times a week", "три раза в неделю", "3-mal pro Woche"),
        (
            "the first and third Sunday of each month",
            "on the first and third Sunday of every month",
            "в первое и в третье воскресенье каждого месяца",
            "am ersten und dritten Sonntag jedes Monats",
        ),
        (
            "every last day of the month",
            "on the last day of every month",
            "в последний день каждого месяца",
            "am letzten Tag jedes Monats",
        ),
        ("every May 5", "every year on May 5", "каждый год 5 мая", "jedes Jahr am 5. Mai"),
        (
            "every Friday until June",
            "every Friday until June 30, 2027",
            "по пятницам до 30 июня 2027 г. включительно",
            "jeden Freitag bis 30. Juni 2027",
        ),
    ],
)
def test_recurring_times(text: str, english: str, russian: str, german: str) -> None:
    assert told("recurrence", "{{ x | recurrence }}", text) == english
    model = parse_model("""
id: bot
entities: [recurrence]
intents: ["intent=any term(x)={# == 'recurrence'}"]
responses: {any: "{{ x | recurrence }}"}
""")
    slot = Engine(model).ask(text, at=MONDAY).slots["x"]
    entity = EntityText(slot.entities[0])
    assert filled("recurrence", entity, language="ru") == russian
    assert filled("recurrence", entity, language="de") == german


@each(
    "language",
    [
        "en",
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "ru",
        "uk",
        "ja",
        "zh",
        "ar",
        "he",
        "ko",
        "nl",
        "pl",
        "tr",
        "sw",
    ],
)
@each(
    "rule",
    [
        "FREQ=SECONDLY;INTERVAL=5",
        "FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0,30;BYSETPOS=1,4",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU;COUNT=5",
        "FREQ=MONTHLY;BYDAY=-2MO,1SU,5WE",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=17;BYMINUTE=0",
        "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1,15,-1",
        "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;UNTIL=20301231T235959",
    ],
)
def test_each_language_tells_each_rule(rule: str, language: str) -> None:
    told = filled("recurrence", rule, language=language)
    assert told
    assert "{" not in told
    assert "FREQ" not in told


@each(
    ("language", "rule", "expected"),
    [
        ("nl", "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0", "elke maandag en donderdag om 09:00"),
        ("nl", "FREQ=MONTHLY;BYDAY=-1FR", "op de laatste vrijdag van elke maand"),
        ("pl", "FREQ=WEEKLY;BYDAY=WE,FR", "w środy i w piątki"),
        ("pl", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "co 2 tygodnie we wtorki"),
        ("pl", "FREQ=MONTHLY;BYDAY=1SA", "w pierwszą sobotę każdego miesiąca"),
        ("tr", "FREQ=MONTHLY;BYMONTHDAY=15", "her ayın 15. günü"),
        ("tr", "FREQ=DAILY;INTERVAL=3", "3 gün arayla"),
        ("ko", "FREQ=WEEKLY;BYDAY=MO;COUNT=5", "매주 월요일, 5회"),
        ("ko", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=5", "매년 5월 5일"),
        ("he", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "כל שבועיים ביום שלישי"),
        ("he", "FREQ=MONTHLY;BYDAY=1SU", "ביום ראשון הראשון של כל חודש"),
        ("ar", "FREQ=WEEKLY;BYDAY=MO,TH", "كل أسبوع يوم الاثنين ويوم الخميس"),
        ("ar", "FREQ=MONTHLY;BYMONTHDAY=-1", "آخر يوم من كل شهر"),
        ("en", "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "on day 13 of every month (Friday)"),
    ],
)
def test_recurring_times_of_further_languages(language: str, rule: str, expected: str) -> None:
    assert filled("recurrence", rule, language=language) == expected


def test_months_are_those_of_the_language_whatever_was_told_before() -> None:
    rule = "FREQ=MONTHLY;BYMONTH=3,9;BYMONTHDAY=1"
    told = [filled("recurrence", rule, language=one) for one in ("he", "de", "ru", "he")]
    assert told[1] == "am 1. jedes Monats (März und September)"
    assert told[2] == "1 числа каждого месяца (март и сентябрь)"
    assert "(מרץ וספטמבר)" in told[0] == told[3]


@each("value", ["every Monday", 7, "2026-11-28", "FREQ=NEVER", "FREQ=DAILY;COUNT=x"])
def test_what_is_no_rule_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="the filter 'recurrence' cannot format"):
        filled("recurrence", value)
