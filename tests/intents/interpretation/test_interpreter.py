"""Words that point at what the bot has offered or asks to confirm."""

from __future__ import annotations

from tests.support.dialogs import texts_of

MODEL = """
id: tables
dialog_acts: true
entities: [number]
elements:
  - {id: find, synonyms: [find a table]}
  - {id: book}
  - {id: address, synonyms: [where is]}
  - {id: name, id_synonym: false, refers: [thing, place], values: [Kiku, Sora]}
intents:
  - {id: find, slots: {find: find}, response: "There are tables."}
  - {id: address, slots: {address: address, name: name}, response: "{{ name }}: 1 Pier."}
  - id: book
    slots: {book: book, name: {}, guests: {element: number, ask: For how many?}}
    confirm: "{{ name }} for {{ guests }}?"
    response: "{{ name }} is booked for {{ guests }}."
offers:
  find: {each: "['Kiku', 'Sora']", entities: {name: "{{ item }}"}, then: book}
"""


def test_booking_it_confirms_what_the_bot_repeats(bot):
    texts = texts_of(bot(MODEL), "find a table", "the second one", "for two", "great, book it")
    assert texts[2:] == ["Sora for 2?", "Sora is booked for 2."]


def test_booking_it_confirms_the_corrected_question_and_not_the_accepted_offer(bot):
    texts = texts_of(
        bot(MODEL), "find a table", "the second one", "for two", "not Sora, Kiku", "great, book it"
    )
    assert texts[3:] == ["Kiku for 2?", "Kiku is booked for 2."]


def test_a_question_about_the_only_offer_leaves_it_on_the_table(bot):
    texts = texts_of(
        bot(MODEL), "find a table", "not Kiku", "where is it?", "that works, for two", "yes"
    )
    assert texts[2:] == ["Sora: 1 Pier.", "Sora for 2?", "Sora is booked for 2."]


def test_naming_the_only_offer_in_a_question_leaves_it_on_the_table(bot):
    texts = texts_of(
        bot(MODEL), "find a table", "not Kiku", "where is Sora?", "that works, for two", "yes"
    )
    assert texts[2:] == ["Sora: 1 Pier.", "Sora for 2?", "Sora is booked for 2."]
