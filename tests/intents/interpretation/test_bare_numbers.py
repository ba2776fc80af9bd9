"""A bare number at a confirmation: a time, or the number of people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine, parse_model

SUNDAY = datetime(2026, 11, 29, 9, tzinfo=UTC)
GYM = """
id: gym
language: [en, es, de]
entities: [date, number]
dialog_acts: true
elements:
  - {id: join, synonyms: {en: [sign me up for], es: [apúntame a], de: [melde mich an für]}}
  - {id: courses, synonyms: {en: [courses], es: [clases], de: [Kurse]}}
  - {id: teacher, synonyms: {en: [who teaches], es: [quién da], de: [wer gibt]}}
  - {id: course, id_synonym: false, values: [yoga, pilates, zumba]}
  - {id: trainer, id_synonym: false, values: [Ana, Bob]}
intents:
  - {id: courses, slots: {courses: courses}, response: "yoga, pilates, zumba"}
  - {id: teacher, slots: {teacher: teacher, course: course}, response: "Ana: {{ course }}."}
  - id: join
    slots:
      join: join
      course: course
      when: {element: date, ask: "When?"}
      people: {element: number, optional: true}
    confirm: "{{ course }}, {{ when | time('HH:mm') }}{% if people %}, {{ people }}{% endif %}?"
    response: "Done."
offers:
  courses: {each: "['yoga', 'pilates', 'zumba']", entities: {course: "{{ item }}"}, then: join}
"""


@pytest.fixture(scope="module")
def gym() -> Engine:
    return Engine(parse_model(GYM))


def last(gym: Engine, language: str, *texts: str) -> str:
    gym.forget()
    return [gym.ask(text, at=SUNDAY, language=language).text for text in texts][-1]


YOGA = {
    "en": "sign me up for yoga on Friday at 10 am",
    "es": "apúntame a yoga el viernes a las 10",
    "de": "melde mich an für yoga am Freitag um 10 Uhr",
}


@pytest.mark.parametrize(
    ("language", "said", "end"),
    [
        ("en", ["no, 11"], "11:00?"),
        ("es", ["no, 11"], "11:00?"),
        ("de", ["nein, 11"], "11:00?"),
        ("en", ["for two"], "10:00, 2?"),
        ("es", ["para dos"], "10:00, 2?"),
        ("de", ["für zwei"], "10:00, 2?"),
        ("en", ["no, for two"], "10:00, 2?"),
        ("en", ["for two", "no, three"], "10:00, 3?"),
        ("en", ["no, at 11", "for two"], "11:00, 2?"),
        ("en", ["3 of us"], "10:00, 3?"),
        ("en", ["for two", "no 3 of us"], "10:00, 3?"),
        ("en", ["make it four of us, please"], "10:00, 4?"),
        ("es", ["no, 3 de nosotros"], "10:00, 3?"),
        ("de", ["nein, 3 von uns"], "10:00, 3?"),
    ],
)
def test_a_number_corrects_the_time_unless_a_word_makes_it_one_of_people(gym, language, said, end):
    assert last(gym, language, YOGA[language], *said).endswith(end)


@pytest.mark.parametrize(
    ("language", "courses", "second", "teacher", "follow_up"),
    [
        ("en", "courses", "the second one, Friday at 10 am", "who teaches yoga?", "and zumba?"),
        ("es", "clases", "la segunda, el viernes a las 10", "¿quién da yoga?", "¿y zumba?"),
        ("de", "Kurse", "der zweite, Freitag um 10 Uhr", "wer gibt yoga?", "und zumba?"),
    ],
)
def test_a_follow_up_of_a_question_in_between_takes_no_offer(
    gym, language, courses, second, teacher, follow_up
):
    answer = last(gym, language, courses, second, teacher, follow_up)
    assert answer.startswith("Ana: zumba. pilates, ")
