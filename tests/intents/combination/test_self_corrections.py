"""A sentence may correct its own time: "tomorrow at ten, no wait, eleven"."""

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

WEDNESDAY = datetime(2026, 11, 18, 10, 30, tzinfo=UTC)

ROOMS = """
id: rooms
language: {language}
dialog_acts: true
entities: [date, number]
elements:
  - {{id: book, synonyms: [book, buche, réserve, reserva, prenota, забронируй]}}
  - {{id: room, values: [Mars, Venus, Марс, Marte]}}
intents:
  - id: book
    slots:
      book: book
      room: {{ask: Which?}}
      date: {{ask: When?}}
      count: {{element: number, optional: true}}
    response: "{{{{ date }}}} {{{{ count }}}}"
"""


def ask(language, *questions):
    engine = Engine(parse_model(ROOMS.format(language=language)), clock=lambda: WEDNESDAY)
    return [engine.ask(text).text.strip() for text in questions][-1]


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("en", "book Mars tomorrow at 10, no wait, 11", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at 10, sorry, at 11", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at ten, oh no, I mean eleven", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at 10 no at 11", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at 10 or rather at 11", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at ten no eleven", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at 10, no wait, 11, no, 12", "2026-11-19T12:00"),
        ("en", "book Mars tomorrow at 10, no, on Friday", "2026-11-20T10:00"),
        (
            "en",
            "book Mars tomorrow from 9 to 10, sorry, from 10 to 11",
            "2026-11-19T10:00/2026-11-19T11:00",
        ),
        ("de", "buche Mars morgen um 10, ach nein, um 11", "2026-11-19T11:00"),
        ("fr", "réserve Mars demain à 10h, non, à 11h", "2026-11-19T11:00"),
        ("ru", "забронируй Марс завтра в 10, нет, в 11", "2026-11-19T11:00"),
        # Without a comma
        ("en", "book Mars tomorrow at 10 actually 11", "2026-11-19T11:00"),
        ("de", "buche Mars morgen um 10 nein um 11", "2026-11-19T11:00"),
        ("de", "buche Mars morgen um zehn Quatsch elf", "2026-11-19T11:00"),
        ("de", "buche Mars morgen um 10 sorry am Freitag", "2026-11-20T10:00"),
        ("de", "buche Mars morgen um 10 für 4 nein für 5", "2026-11-19T10:00 5"),
        ("fr", "réserve Mars demain à 10h non à 11h", "2026-11-19T11:00"),
        ("es", "reserva Marte mañana a las diez perdón a las once", "2026-11-19T11:00"),
        ("it", "prenota Marte domani alle 10 no alle 11", "2026-11-19T11:00"),
        ("ru", "забронируй Марс завтра в 10 ой нет лучше в 11", "2026-11-19T11:00"),
        # Times that have nothing in common
        ("en", "book Mars at 3 pm actually at 4 pm", "2026-11-18T16:00"),
        ("de", "buche Mars um 15 Uhr eigentlich um 16 Uhr", "2026-11-18T16:00"),
        ("de", "buche Mars um 15 Uhr, lieber um 16 Uhr", "2026-11-18T16:00"),
        ("ru", "забронируй Марс в 15:00 вообще-то в 16:00", "2026-11-18T16:00"),
        # What does not suit
        ("en", "book Mars tomorrow at 10 is too early, 11", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at 10 doesn't work, at 11", "2026-11-19T11:00"),
        ("it", "prenota Marte domani, alle 10 è troppo presto, alle 11", "2026-11-19T11:00"),
        ("ru", "забронируй Марс завтра в 10 слишком рано, в 11", "2026-11-19T11:00"),
    ],
)
def test_the_time_behind_the_correction_is_that_of_the_day_before_it(language, text, answer):
    assert ask(language, text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("book Mars tomorrow at 10 not at 11", "2026-11-19T10:00"),
        ("book Mars tomorrow at 10, no thanks", "2026-11-19T10:00"),
        ("book Mars tomorrow at 10, sorry about yesterday", "2026-11-19T10:00"),
        ("book Mars tomorrow at 10, sorry for the trouble on Monday", "2026-11-19T10:00"),
        ("book Mars tomorrow at 10, no lunch at 12 please", "2026-11-19T10:00"),
        ("book Mars tomorrow at 10 for 4, no, 5", "2026-11-19T10:00 5"),
        ("book Mars for 4, no, 5 tomorrow at 10", "2026-11-19T10:00 5"),
    ],
)
def test_what_is_denied_or_counted_is_no_time(text, answer):
    assert ask("en", text) == answer


@pytest.mark.parametrize(
    ("language", "first", "then", "answer"),
    [
        ("en", "book Mars tomorrow from 2 to 4", "no, from 1", "13:00/16:00"),
        ("en", "book Mars tomorrow from 2 to 4", "no, 5", "14:00/17:00"),
        ("en", "book Mars tomorrow from 2 to 4", "no, 1", "13:00/16:00"),
        ("en", "book Mars tomorrow afternoon", "no, 2 to 4", "14:00/16:00"),
        ("en", "book Mars tomorrow at 5pm", "no, 5.30", "17:30"),
        ("en", "book Mars tomorrow at 5pm", "no, Venus, 6", "18:00"),
        ("en", "book Mars today at 5pm", "no, 6 tomorrow", "18:00"),
        ("en", "book Mars tomorrow at 10", "no, one thirty", "13:30"),
        ("en", "book Mars tomorrow from 10 to 12", "no, from 9 to 11", "09:00/11:00"),
        ("en", "book Mars tomorrow at 5pm", "no, from 6", "18:00/.."),
        ("de", "buche Mars morgen von 14 bis 16 Uhr", "nein, ab 13", "13:00/16:00"),
        ("de", "buche Mars morgen von 14 bis 16 Uhr", "nein, bis 17", "14:00/17:00"),
        ("de", "buche Mars morgen um 17 Uhr", "nein, ab 18", "18:00/.."),
    ],
)
def test_a_number_corrects_the_start_or_the_end_if_none_was_said(language, first, then, answer):
    assert ask(language, first, then).replace("2026-11-19T", "") == answer


def test_a_range_of_bare_hours_is_no_number_unless_one_was_said():
    booked = "buche Mars morgen um 8"
    assert ask("de", booked, "von 8 bis 10") == "2026-11-19T08:00/2026-11-19T10:00"
    assert ask("de", f"{booked} für 3", "von 8 bis 10") == "2026-11-19T08:00 8..10"


def test_an_hour_longer_is_not_added_to_a_number_of_people():
    questions = "book Mars tomorrow at 8 for 6", "an hour longer", "on Friday"
    assert ask("en", *questions) == "2026-11-20T08:00 6"


@pytest.mark.parametrize(
    ("language", "questions", "answer"),
    [
        # A count that was said after a time is what a bare number corrects.
        (
            "en",
            ["book Mars tomorrow at 5pm", "an hour later", "no, two", "for 2 people", "no, 3"],
            "2026-11-19T19:00 3",
        ),
        (
            "de",
            ["buche Mars morgen um 8", "für 3", "um 9", "von 10 bis 12"],
            "2026-11-19T10:00/2026-11-19T12:00 3",
        ),
        (
            "ru",
            ["забронируй Марс завтра в 10", "с 9 до 11", "нет, до 12"],
            "2026-11-19T09:00/2026-11-19T12:00",
        ),
        (
            "fr",
            ["réserve Mars demain à 10h", "pour 3 personnes", "à 11h", "de 9h à 11h"],
            "2026-11-19T09:00/2026-11-19T11:00 3",
        ),
        (
            "fr",
            ["réserve Mars demain à 10h pour 3 personnes", "lundi réserve Venus à 11h"],
            "2026-11-23T11:00 3",
        ),
    ],
)
def test_hours_and_counts_are_told_apart(language, questions, answer):
    assert ask(language, *questions) == answer


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("de", "buche Mars nein Venus morgen um 10", "2026-11-19T10:00"),
        ("de", "buche Mars morgen um 10 eigentlich 2 Termine", "2026-11-19T10:00 2"),
        ("de", "buche Mars morgen um 10 bitte für 4", "2026-11-19T10:00 4"),
        ("es", "reserva Marte mañana a las 10 no a las 11", "2026-11-19T10:00"),  # not at 11
    ],
)
def test_a_no_in_the_sentence_corrects_only_what_is_alike(language, text, answer):
    assert ask(language, text) == answer


@pytest.mark.parametrize(
    ("language", "question", "follow_up", "answer"),
    [
        ("en", "book Mars tomorrow at 10", "10 is too early, 11", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at 10", "at 10 is too early, at 11", "2026-11-19T11:00"),
        ("en", "book Mars tomorrow at 10", "tomorrow is bad, Friday", "2026-11-20T10:00"),
        ("de", "buche Mars morgen um 10", "10 ist zu früh, 11", "2026-11-19T11:00"),
        ("de", "buche Mars morgen um 10", "morgen ist schlecht, Freitag", "2026-11-20T10:00"),
        ("fr", "réserve Mars demain à 10h", "10h c'est trop tôt, 11h", "2026-11-19T11:00"),
        ("es", "reserva Marte mañana a las 10", "mañana me va mal, el viernes", "2026-11-20T10:00"),
        ("ru", "забронируй Марс завтра в 10", "завтра мне неудобно, в пятницу", "2026-11-20T10:00"),
        # What would be better
        ("en", "book Mars tomorrow at 3", "4 would be better", "2026-11-19T04:00"),
        ("en", "book Mars tomorrow", "Friday is better for me", "2026-11-20"),
        (
            "en",
            "book Mars tomorrow",
            "morning would be better",
            "2026-11-19T06:00/2026-11-19T12:00",
        ),
        ("de", "buche Mars morgen um 3", "4 wäre mir lieber", "2026-11-19T04:00"),
        ("fr", "réserve Mars demain à 15h", "16h ce serait mieux", "2026-11-19T16:00"),
        ("es", "reserva Marte mañana a las 3", "a las 4 me va mejor", "2026-11-19T04:00"),
        ("it", "prenota Marte domani alle 3", "alle 4 sarebbe meglio", "2026-11-19T04:00"),
        ("pt", "reserva Marte amanhã às 15h", "sexta seria melhor", "2026-11-20T15:00"),
        ("ru", "забронируй Марс завтра", "в пятницу было бы лучше", "2026-11-20"),
        # Of people, and no hour
        ("fr", "réserve Mars demain à 11h", "pour deux", "2026-11-19T11:00 2"),
        ("en", "book Mars tomorrow until 8 pm", "no, 9", "2026-11-19T00:00/2026-11-19T21:00"),
        ("en", "book Mars until 8 pm tomorrow", "no, 9", "2026-11-18T10:30/2026-11-19T21:00"),
        ("de", "buche Mars morgen um 5", "nein, 5.30", "2026-11-19T05:30"),
    ],
)
def test_what_does_not_suit_gives_way(language, question, follow_up, answer):
    assert ask(language, question, follow_up) == answer


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("de", "buche Mars morgen um 10 nein 11", "2026-11-19T11:00"),
        ("de", "buche Mars morgen um zehn nein elf", "2026-11-19T11:00"),
        ("ru", "забронируй Марс завтра в 10 нет 11", "2026-11-19T11:00"),
    ],
)
def test_a_model_without_numbers_takes_a_bare_hour_as_well(language, text, answer):
    model = parse_model(
        ROOMS.format(language=language)
        .replace("[date, number]", "[date]")
        .replace("      count: {element: number, optional: true}\n", "")
        .replace("{{ count }}", "")
    )
    engine = Engine(model, clock=lambda: WEDNESDAY)
    assert engine.ask(text).text.strip() == answer


@pytest.mark.parametrize(
    ("language", "questions", "answer"),
    [
        ("en", ["book Mars tomorrow at 3 pm", "same time next week"], "2026-11-26T15:00"),
        ("en", ["book Mars tomorrow at 3 pm", "next week, same time"], "2026-11-26T15:00"),
        ("en", ["book Mars tomorrow at 3 pm", "same time a week later"], "2026-11-26T15:00"),
        ("en", ["book Mars tomorrow at 3 pm", "the same time on Friday"], "2026-11-20T15:00"),
        ("de", ["buche Mars morgen um 15 Uhr", "nächste Woche um dieselbe Zeit"],
         "2026-11-26T15:00"),
        ("fr", ["réserve Mars demain à 15h", "même heure la semaine prochaine"],
         "2026-11-26T15:00"),
        ("es", ["reserva Marte mañana a las 15", "la próxima semana a la misma hora"],
         "2026-11-26T15:00"),
        ("ru", ["забронируй Марс завтра в 15", "в то же время на следующей неделе"],
         "2026-11-26T15:00"),
    ],
)  # fmt: skip
def test_the_same_time_next_week_is_that_of_what_was_said(language, questions, answer):
    assert ask(language, *questions) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("book Mars no the Venus tomorrow", "Venus"),
        ("book Mars no Venus tomorrow", "Mars"),  # a no may negate a name
    ],
)
def test_a_no_before_an_article_corrects(text, answer):
    engine = Engine(parse_model(ROOMS.format(language="en")), clock=lambda: WEDNESDAY)
    assert engine.ask(text).slots["room"].value == answer
