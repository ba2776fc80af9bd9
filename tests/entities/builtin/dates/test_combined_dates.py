"""Two dates that are parts of one mean what one text with both would mean."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.combination import create_builtin_combiner
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import TokenizedText
from anaphora.models.schema.builtin_entities import resolve_options

MONDAY = datetime(2026, 11, 23, 15, tzinfo=UTC)

DAYS = {
    "en": ["on Friday", "tomorrow", "on December 5", "the 28th", "next Monday", "at Easter"],
    "de": ["am Freitag", "morgen", "am 5. Dezember", "nächsten Montag"],
    "fr": ["vendredi", "demain", "le 5 décembre"],
}
TIMES = {
    "en": ["at eight", "at 8 pm", "at 17:30", "in the evening", "from 5 to 7 pm", "at noon"],
    "de": ["um acht", "um 17:30", "am Abend", "abends"],
    "fr": ["à huit heures", "à 17h30", "le soir"],
}
SENTENCES = [
    (language, day, time)
    for language, days in DAYS.items()
    for day in days
    for time in TIMES[language]
]
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))


@lru_cache
def recognizer(language: str, prefer: str = "future"):
    return create_builtin("date", language, resolve_options("date", {"prefer": prefer}))


def read(text: str, at: datetime = MONDAY, *, language: str = "en", prefer: str = "future"):
    """The date that the whole text is, apart from prepositions."""
    mentions = recognizer(language, prefer)(TokenizedText(text, [text], [0]), at)
    found = [mention for mention in mentions if not mention.fallback] or list(mentions)
    assert len(found) == 1, text
    (one,) = found
    said = text[one.start : one.end]
    groups = frozenset({"date"})
    return Entity("date", groups, said, value=one.value, meta=one.meta, is_from_phrase=False)


def combine(old: Entity, new: Entity, at: datetime = MONDAY, *, prefer: str = "future"):
    combiner = create_builtin_combiner("date", "en", resolve_options("date", {"prefer": prefer}))
    assert combiner is not None
    return combiner.combine(old, new, at)


def complete(date: str, answer: str, language: str):
    combiner = create_builtin_combiner("date", "en", resolve_options("date", {}))
    assert combiner is not None
    return combiner.complete(read(date, language=language), answer, language, MONDAY)


def follow(*texts: str, language: str = "en", prefer: str = "future") -> str | None:
    """The value after a date and those that follow it."""
    first, *others = (read(text, language=language, prefer=prefer) for text in texts)
    for new in others:
        first = combine(first, new, prefer=prefer) or new
    return first.value


def is_today(date: Entity, at: datetime) -> bool:
    return date.meta["start"][:10] == at.isoformat()[:10]


@given(st.sampled_from(SENTENCES), MOMENTS)
@example(("en", "tomorrow", "at eight"), MONDAY)
def test_a_day_and_a_time_are_what_one_text_with_both_is(sentence, at):
    language, day, time = sentence
    old = read(day, at, language=language)
    assume(not is_today(old, at))
    combined = combine(old, read(time, at, language=language), at)
    assert combined is not None
    text = f"{day} {time}"
    whole = list(recognizer(language)(TokenizedText(text, [text], [0]), at))
    assume(len(whole) == 1)  # "the 28th in the evening" is no one date in the grammar
    assert combined.value == whole[0].value


@given(st.sampled_from(SENTENCES), MOMENTS)
def test_the_order_of_a_day_and_a_time_does_not_matter(sentence, at):
    language, *texts = sentence
    one, other = (read(text, at, language=language) for text in texts)
    assume(not is_today(one, at))  # the time may have passed
    forth, back = combine(one, other, at), combine(other, one, at)
    assert forth is not None
    assert back is not None
    assert (forth.value, forth.meta) == (back.value, back.meta)


@given(
    st.permutations(["on Friday", "in the evening", "at eight"]),
    MOMENTS,
)
def test_the_order_of_three_parts_does_not_matter(parts, at):
    first, *others = (read(part, at) for part in parts)
    for new in others:
        combined = combine(first, new, at)
        assert combined is not None
        first = combined
    assert first.value == read("on Friday evening at eight", at).value


@given(
    st.sampled_from(
        [("in May", "on the 5th"), ("in 2032", "on May 5"), ("in 2032", "in May")],
    ),
    MOMENTS,
)
def test_the_order_of_a_period_and_a_part_of_it_does_not_matter(parts, at):
    one, other = (read(part, at) for part in parts)
    forth, back = combine(one, other, at), combine(other, one, at)
    assume(forth is not None)  # the fifth of this month may have passed
    assert back is not None
    assert forth.value == back.value


@given(st.sampled_from(["on Friday", "tomorrow at eight", "in the evening", "in May"]), MOMENTS)
def test_a_date_does_not_combine_with_itself(text, at):
    assert combine(read(text, at), read(text, at), at) is None


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (("on Friday", "at eight", "at nine"), "2026-11-27T09:00"),
        (("on Friday", "at eight", "on Saturday"), "2026-11-28T08:00"),
        (("at eight", "in the evening"), "2026-11-23T20:00"),
        (("in the evening", "at eight", "on Friday"), "2026-11-27T20:00"),
        (("tomorrow at 8 pm", "at nine"), "2026-11-24T21:00"),
        (("tomorrow at 8 pm", "in the morning"), "2026-11-24T06:00/2026-11-24T12:00"),
        (("tomorrow in the morning", "at 10 pm"), "2026-11-24T22:00"),
        (("tomorrow at eight", "in the afternoon"), "2026-11-24T12:00/2026-11-24T18:00"),
        (("tomorrow at five", "in the evening"), "2026-11-24T17:00"),
        (("tomorrow at seven", "at night"), "2026-11-24T19:00"),
        (("today at eight", "tomorrow"), "2026-11-24T20:00"),
        (("Friday night at one", "at two"), "2026-11-28T02:00"),
        (("on Friday", "from five to seven"), "2026-11-27T17:00/2026-11-27T19:00"),
        (("in May", "the 5th", "at eight"), "2027-05-05T08:00"),
        (("the 5th", "in May"), "2027-05-05"),
        (("on December 20", "on the 24th"), "2026-12-24"),
        (("next week", "on Friday"), "2026-12-04"),
        (("next week", "on Friday at eight"), "2026-12-04T08:00"),
        (("next week", "on Friday", "on Thursday"), "2026-12-03"),
        (("next weekend", "on Sunday"), "2026-12-06"),
        (("May 5", "at eight", "in 2028"), "2028-05-05T08:00"),
        (("in 2028", "at Easter"), "2028-04-16"),
        (("in May 2027", "in June"), "2027-06"),
        (("next week", "at eight"), "2026-W49"),
        (("next week", "at eight", "on Friday"), "2026-12-04T08:00"),
        (("at eight", "next week", "on Friday"), "2026-12-04T08:00"),
        (("next week", "at 8 pm", "at nine", "on Friday"), "2026-12-04T21:00"),
        (("next week", "in the evening", "at eight", "on Friday"), "2026-12-04T20:00"),
        (("next week", "from five to 7 pm", "on Friday"), "2026-12-04T17:00/2026-12-04T19:00"),
        (("next week", "at eight", "next weekend", "on Sunday"), "2026-12-06T08:00"),
        (("on Friday at 8 pm", "next week", "on Thursday"), "2026-12-03T20:00"),
        (("in May", "at noon", "the 5th"), "2027-05-05T12:00"),
        (("in May", "at noon", "in 2028", "the 5th"), "2028-05-05T12:00"),
    ],
)
def test_what_is_new_completes_or_replaces_a_part(texts, value):
    assert follow(*texts) == value


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (("from Monday", "until Friday"), "2026-11-30/2026-12-04"),
        (("until Friday", "from Monday"), "2026-11-30/2026-12-04"),
        (("from Monday to Wednesday", "until Friday"), "2026-11-30/2026-12-04"),
        (("from Monday to Friday", "from Tuesday"), "2026-11-24/2026-11-27"),
        (("on Friday", "until ten"), "2026-11-27T00:00/2026-11-27T10:00"),
        (("on Friday", "after eight"), "2026-11-27T08:00/.."),
        (("until Friday", "at eight"), "2026-11-23T15:00/2026-11-27T08:00"),
        (("on Friday from 1 to 3 pm", "from 4 to 6"), "2026-11-27T16:00/2026-11-27T18:00"),
        (("on Friday from 8 to 10 am", "from 9 to 12"), "2026-11-27T09:00/2026-11-27T12:00"),
        (("on Friday 1pm to 3:30pm", "starting at 2"), "2026-11-27T14:00/2026-11-27T15:30"),
        (("on Friday 1pm to 3:30pm", "starting at 4"), "2026-11-27T16:00/.."),
        (
            ("tomorrow", "in the evening", "not before 8", "no later than 9"),
            "2026-11-24T20:00/2026-11-24T21:00",
        ),
        (("next Friday at 3", "Thursday"), "2026-12-03T03:00"),
        (("on Friday at 9", "from Monday to Wednesday"), "2026-11-30/2026-12-02"),
        (("tomorrow evening", "the first ten days of December"), "2026-12-01/2026-12-10"),
        (("on Friday at 9", "a day later", "the week after Christmas"), "2026-W53"),
        (("at 9", "from Monday to Wednesday", "on Tuesday"), "2026-12-01T09:00"),
        (("from Friday", "at eight"), "2026-11-27T08:00/.."),
        (("after eight", "on Friday"), "2026-11-27T08:00/.."),
        (("after eight", "before ten"), "2026-11-23T20:00/2026-11-23T22:00"),
        (("on Friday", "before noon"), "2026-11-27T00:00/2026-11-27T12:00"),
        (("on Friday at 8 pm", "before noon"), "2026-11-27T00:00/2026-11-27T12:00"),
        (("on Friday at 8 pm", "until noon"), "2026-11-27T00:00/2026-11-27T12:00"),
        (("on Friday at 8 pm", "before noon", "on Saturday"), "2026-11-28T00:00/2026-11-28T12:00"),
        (("on Friday at 8 pm", "before ten"), "2026-11-27T20:00/2026-11-27T22:00"),
        (("on Friday not before 10", "on Saturday"), "2026-11-28T10:00/.."),
        (("not before 10", "on Friday", "on Saturday"), "2026-11-28T10:00/.."),
        (("until Friday at noon", "Saturday"), "2026-11-23T15:00/2026-11-28T12:00"),
        (("on Friday at 9 am for two hours", "Saturday"), "2026-11-28T09:00/2026-11-28T11:00"),
        (("on Friday at 10 am", "until noon", "Saturday"), "2026-11-28T10:00/2026-11-28T12:00"),
        (("on Friday from 9 to 11 am", "in the evening"), "2026-11-27T18:00/2026-11-28T00:00"),
        (("on Friday from 5 to 7", "in the evening"), "2026-11-27T17:00/2026-11-27T19:00"),
        (("on Friday at 8 pm", "until 2 am"), "2026-11-27T20:00/2026-11-28T02:00"),
        (("on Friday from 9 to 11", "10 to 12"), "2026-11-27T10:00/2026-11-27T12:00"),
        (("on Friday from 9 to 11", "11 to 1"), "2026-11-27T11:00/2026-11-27T13:00"),
        (("on Friday from 9 to 11", "12 to 3"), "2026-11-27T12:00/2026-11-27T15:00"),
        (("on Friday from 2 pm to 4 pm", "three to five"), "2026-11-27T15:00/2026-11-27T17:00"),
        (("on Friday from 9 to 11", "10 to noon"), "2026-11-27T10:00/2026-11-27T12:00"),
        (("on Friday from 9 to 11", "ten minutes to twelve"), "2026-11-27T11:50"),
        (("on Friday from 9 to 11", "a quarter to ten"), "2026-11-27T09:45"),
        (("on Friday at 5", "10 to 6"), "2026-11-27T05:50"),
        (("on Friday at 5 pm", "the day after at 6"), "2026-11-28T18:00"),
        (("on Friday at 5 pm", "the day before at 6 pm"), "2026-11-26T18:00"),
        (("on Friday", "the day after at 9 am"), "2026-11-28T09:00"),
        (("on Friday at 5 pm", "the Monday after at 9 am"), "2026-11-30T09:00"),
        (
            ("on Friday from 2 pm to 4 pm", "the day after from 3 pm to 5 pm"),
            "2026-11-28T15:00/2026-11-28T17:00",
        ),
        (("on Friday for two hours", "at 3 pm"), "2026-11-27T15:00/2026-11-27T17:00"),
        (("today for two hours", "at 5 pm"), "2026-11-23T17:00/2026-11-23T19:00"),
        (("on Friday for two hours", "from 3 pm to 4 pm"), "2026-11-27T15:00/2026-11-27T16:00"),
        (("on Friday for two hours", "a day later"), "2026-11-28"),
        (("on Friday for three days", "a day later"), "2026-11-28/2026-11-30"),
    ],
)
def test_a_range_gets_its_other_end_or_its_day(texts, value):
    assert follow(*texts) == value


@pytest.mark.parametrize(
    ("language", "texts", "value"),
    [
        ("en", ("on Friday after 5 pm", "at 6"), "2026-11-27T18:00"),
        ("en", ("on Friday not before 5 pm", "6 on the dot"), "2026-11-27T18:00"),
        ("en", ("on Friday after 5 pm", "after 6"), "2026-11-27T18:00/.."),
        ("en", ("on Friday after 5 pm", "on Saturday"), "2026-11-28T17:00/.."),
        ("de", ("am Freitag ab 17 Uhr", "um 18 Uhr"), "2026-11-27T18:00"),
        ("ru", ("в пятницу после 17:00", "в 18:00"), "2026-11-27T18:00"),
    ],
)
def test_a_time_takes_the_place_of_a_limit(language, texts, value):
    assert follow(*texts, language=language) == value


@pytest.mark.parametrize(
    ("language", "date", "limit"),
    [
        ("ru", "в пятницу в 20:00", "до полудня"),
        ("uk", "у п'ятницю о 20:00", "до полудня"),
        ("de", "am Freitag um 20 Uhr", "vor 12 Uhr"),
        ("de", "am Freitag", "vor 12 Uhr"),
        ("fr", "vendredi à 20h", "avant midi"),
        ("es", "el viernes a las 20:00", "antes del mediodía"),
        ("it", "venerdì alle 20", "prima di mezzogiorno"),
        ("pt", "sexta-feira às 20:00", "antes do meio-dia"),
        ("ja", "金曜日の20時", "正午まで"),
    ],
)
def test_a_limit_stays_in_the_day(language, date, limit):
    assert follow(date, limit, language=language) == "2026-11-27T00:00/2026-11-27T12:00"


@pytest.mark.parametrize(
    ("language", "date", "answer", "value"),
    [
        ("en", "on Friday", "evening", "2026-11-27T18:00/2026-11-28T00:00"),
        ("en", "tomorrow at 8", "pm", "2026-11-24T20:00"),
        ("en", "tomorrow at 8:30", "pm", "2026-11-24T20:30"),
        ("en", "tomorrow at 8 pm", "am", "2026-11-24T08:00"),
        ("en", "tomorrow at 8 pm", "9", "2026-11-24T21:00"),
        ("ru", "завтра", "утра", "2026-11-24T06:00/2026-11-24T12:00"),
        ("ru", "завтра в 8", "вечера", "2026-11-24T20:00"),
        ("ru", "завтра в 20:00", "в девять", "2026-11-24T21:00"),
        ("ru", "в мае", "пятого", "2027-05-05"),
        ("ru", "в мае", "5-го", "2027-05-05"),
        ("ru", "в мае", "5", "2027-05-05"),
        ("ru", "в пятницу в 20:00", "15-го", "2026-12-15T20:00"),
        ("uk", "у п'ятницю о 20:00", "п'ятнадцятого", "2026-12-15T20:00"),
        ("uk", "завтра", "ранку", "2026-11-24T06:00/2026-11-24T12:00"),
        ("de", "morgen um 8", "abends", "2026-11-24T20:00"),
        ("fr", "demain à 20h", "matin", "2026-11-24T06:00/2026-11-24T12:00"),
        ("es", "mañana a las 8", "de la tarde", "2026-11-24T20:00"),
        ("it", "domani", "mattina", "2026-11-24T06:00/2026-11-24T12:00"),
        ("en", "tomorrow at 5 pm", "half past", "2026-11-24T17:30"),
        ("en", "tomorrow at 5 pm", "ten to", "2026-11-24T16:50"),
        ("en", "tomorrow at 5:30 pm", "quarter past", "2026-11-24T17:15"),
        ("en", "tomorrow at 5:30 pm", "quarter to", "2026-11-24T17:45"),
        ("de", "morgen um 17:00", "Viertel nach", "2026-11-24T17:15"),
        ("de", "morgen um 17:00", "halb", "2026-11-24T16:30"),
        ("fr", "demain à 9 heures", "et demie", "2026-11-24T09:30"),
        ("es", "mañana a las 9", "y media", "2026-11-24T09:30"),
        ("it", "domani alle 9", "e mezza", "2026-11-24T09:30"),
        ("pt", "amanhã", "noite", "2026-11-24T18:00/2026-11-25T00:00"),
    ],
)
def test_a_part_that_is_no_date_by_itself_completes_one(language, date, answer, value):
    found = complete(date, answer, language)
    assert found is not None
    assert (found.start, found.end, found.value) == (0, len(answer), value)


@pytest.mark.parametrize(
    ("date", "answer"),
    [
        ("on Friday", "pm"),
        ("on Friday", "people"),
        ("next week", "5"),
        ("on Friday", "the fifth of"),
        ("on Friday", "half past"),
        ("on Friday at 5 pm", "at"),
    ],
)
def test_other_words_complete_no_date(date, answer):
    assert complete(date, answer, "en") is None


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (("in May", "on the 5th"), "2026-05-05"),
        (("on May 20", "on the 18th"), "2026-05-18"),
        (("last year", "in May"), "2025-05"),
        (("last week", "on Friday"), "2026-11-20"),
    ],
)
def test_dates_of_the_past_combine_as_well(texts, value):
    assert follow(*texts, prefer="past") == value


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("on Friday", "on Saturday"),
        ("on Friday", "next week"),
        ("on Friday at eight", "tomorrow at nine"),
        ("on Friday", "in two hours"),
        ("in two hours", "at eight"),
        ("on December 20", "in January"),
        ("on December 20, 2026", "in January"),
        ("in February", "on the 31st"),
        ("today", "at 2 pm"),  # which has passed
    ],
)
def test_a_date_that_leaves_nothing_open_replaces_the_old_one(old, new):
    assert combine(read(old), read(new)) is None


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("on Friday", "at eight", "Friday at eight"),
        ("at eight", "on Friday", "Friday at eight"),
        ("until Friday", "from Monday", "from Monday until Friday"),
        ("on Friday at eight", "at nine", "at nine"),
    ],
)
def test_the_text_of_both_reads_as_one(old, new, text):
    combined = combine(read(old), read(new))
    assert combined is not None
    assert combined.text == text


def test_a_day_stays_the_same_day_over_midnight():
    thursday = datetime(2026, 11, 26, 23, 59, tzinfo=UTC)
    friday = datetime(2026, 11, 27, 0, 1, tzinfo=UTC)
    combined = combine(read("on Friday", thursday), read("at eight", friday), friday)
    assert combined is not None
    assert combined.value == "2026-11-27T08:00"
    tomorrow = combine(read("tomorrow", thursday), read("at eight", friday), friday)
    assert tomorrow is not None
    assert tomorrow.value == "2026-11-27T08:00"


def test_other_metadata_is_no_date():
    friday = read("on Friday")
    stranger = Entity("date", frozenset({"date"}), "x", meta={"grain": "day", "expression": ["x"]})
    assert combine(stranger, read("at eight")) is None
    assert combine(friday, stranger) is None


@pytest.mark.parametrize(
    ("language", "date", "shift", "value"),
    [
        ("en", "on Friday at 8 pm", "an hour later", "2026-11-27T21:00"),
        ("en", "on Friday at 8 pm", "half an hour earlier", "2026-11-27T19:30"),
        ("en", "on Friday at 8 pm", "half an hour sooner", "2026-11-27T19:30"),
        ("en", "on Friday at 8 pm", "another hour later", "2026-11-27T21:00"),
        ("en", "on Friday at 8 pm", "a day later", "2026-11-28T20:00"),
        ("en", "on Friday evening", "the day after", "2026-11-28T18:00/2026-11-29T00:00"),
        ("de", "morgen Vormittag", "eine Woche später", "2026-12-01T09:00/2026-12-01T12:00"),
        ("en", "on Friday evening", "an hour later", "2026-11-27T19:00"),
        ("en", "on Friday", "two days earlier", "2026-11-25"),
        ("en", "next week", "a week later", "2026-W50"),
        ("ru", "в пятницу в 20:00", "на час позже", "2026-11-27T21:00"),
        ("ru", "в пятницу в 20:00", "днем раньше", "2026-11-26T20:00"),
        ("uk", "у п'ятницю о 20:00", "на годину пізніше", "2026-11-27T21:00"),
        ("de", "am Freitag um 20 Uhr", "eine Stunde später", "2026-11-27T21:00"),
        ("de", "am Freitag um 20 Uhr", "die Woche darauf", "2026-12-04T20:00"),
        ("de", "am 5. Januar", "im Monat davor", "2026-12-05"),
        ("fr", "vendredi à 20h", "une heure plus tôt", "2026-11-27T19:00"),
        ("es", "el viernes a las 20:00", "una hora más tarde", "2026-11-27T21:00"),
        ("es", "el viernes a las 20:00", "otra hora antes", "2026-11-27T19:00"),
        ("it", "venerdì alle 20", "un'ora prima", "2026-11-27T19:00"),
        ("it", "venerdì alle 20", "un'altra ora più tardi", "2026-11-27T21:00"),
        ("pt", "sexta-feira às 20h", "uma hora mais cedo", "2026-11-27T19:00"),
        ("pt", "sexta-feira às 20h", "outra hora mais tarde", "2026-11-27T21:00"),
        ("zh", "周五晚上8点", "晚一个小时", "2026-11-27T21:00"),
        ("ja", "金曜日の20時", "一時間早く", "2026-11-27T19:00"),
    ],
)
def test_later_and_earlier_shift_what_was_said(language, date, shift, value):
    assert follow(date, shift, language=language) == value


@pytest.mark.parametrize(
    ("date", "shift", "value"),
    [
        ("on Friday from 9 to 11 am", "an hour later", "2026-11-27T10:00/2026-11-27T12:00"),
        ("on Friday from 9 to 11 am", "a week later", "2026-12-04T09:00/2026-12-04T11:00"),
        ("on Friday from 9 to 11 am", "the Monday after", "2026-11-30T09:00/2026-11-30T11:00"),
        ("on Friday at 9 am for two hours", "an hour earlier", "2026-11-27T08:00/2026-11-27T10:00"),
        ("on Friday from 8 to 11 pm", "two hours later", "2026-11-27T22:00/2026-11-28T01:00"),
        ("from May 1 to May 3", "a week later", "2027-05-08/2027-05-10"),
        ("on Friday not before 10", "a week later", "2026-12-04T10:00/.."),
        ("not before Friday", "a day later", "2026-11-28/.."),
        ("until Friday", "a week later", "2026-11-23T15:00/2026-12-05T00:00"),
    ],
)
def test_a_range_keeps_its_length_and_a_limit_its_side(date, shift, value):
    assert follow(date, shift) == value


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (("on Friday", "at 9 am Tokyo time"), "2026-11-27T00:00"),
        (("at 9 am Tokyo time", "on Friday"), "2026-11-27T00:00"),
        (("on Friday at 9 am Tokyo time", "at 10 am"), "2026-11-27T01:00"),
        (("on Friday at 9 am Tokyo time", "on Thursday"), "2026-11-26T00:00"),
        (("on Friday at noon", "at 9 am Tokyo time"), "2026-11-27T00:00"),
    ],
)
def test_a_time_in_another_zone_is_on_the_day_that_was_said(texts, value):
    assert follow(*texts) == value


@pytest.mark.parametrize("texts", [("on Friday", "at 5"), ("at 5", "on Friday")])
def test_the_usual_hours_decide_on_a_combined_time_as_well(texts):
    options = resolve_options("date", {"hours": "8-18"})
    find = create_builtin("date", "en", options)
    combiner = create_builtin_combiner("date", "en", options)
    assert combiner is not None
    said = []
    for text in texts:
        (one,) = find(TokenizedText(text, [text], [0]), MONDAY)
        words = text[one.start : one.end]
        groups = frozenset({"date"})
        said.append(
            Entity("date", groups, words, value=one.value, meta=one.meta, is_from_phrase=False)
        )
    whole = combiner.combine(*said, MONDAY)
    assert whole is not None
    assert whole.value == "2026-11-27T17:00"
    assert [other["value"] for other in whole.meta["alternatives"]] == ["2026-11-27T05:00"]


@pytest.mark.parametrize(
    ("texts", "others"),
    [
        (("on Friday", "at 5"), ["2026-11-27T17:00"]),
        (("on 3/4", "at 17:30"), ["2027-04-03T17:30"]),
        (("on Friday at 5 pm", "at 4"), []),
        (("on Friday", "at 17:30"), []),
    ],
)
def test_what_is_combined_has_the_readings_of_one_text(texts, others):
    whole = read(texts[0])
    for text in texts[1:]:
        whole = combine(whole, read(text))
    assert [other["value"] for other in whole.meta.get("alternatives", ())] == others


@given(st.sampled_from(["an hour", "ten minutes", "two days", "a week"]), MOMENTS)
def test_later_and_then_earlier_is_the_date_itself(duration, at):
    date = read("tomorrow at noon", at)
    later = combine(date, read(f"{duration} later", at), at)
    assert later is not None
    back = combine(later, read(f"{duration} earlier", at), at)
    assert back is not None
    assert back.value == date.value


def test_a_day_has_no_hour_later():
    assert combine(read("on Friday"), read("an hour later")) is None
