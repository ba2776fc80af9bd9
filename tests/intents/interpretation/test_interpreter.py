"""Words that point at what the bot has offered or asks to confirm."""

from __future__ import annotations

from tests.support.dialogs import check_dialog, texts_of

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


def test_an_intent_that_takes_all_goes_before_one_that_takes_a_part(bot):
    check_dialog(
        bot(
            """
            id: tables
            dialog_acts: true
            entities: [number]
            elements:
              - {id: find}
              - {id: book}
              - {id: place, values: [Kiku, Umi]}
              - {id: seat, values: [bar]}
            intents:
              - {id: find, slots: {find: find, number: number}}
              - id: book
                slots: {book: book, place: place, number: number, seat: {ask: At the bar?}}
            """
        ),
        """
        > find for 2
        find number=2
        > book Umi for 4
        book? place=Umi number=4, asks for seat
        > bar
        book place=Umi number=4 seat=bar
        """,
    )


def test_a_predicate_that_fails_refuses_the_question(bot):
    engine = bot(
        """
        id: tables
        dialog_acts: true
        elements: [{id: find}, {id: book}, {id: place, values: [Kiku, Umi]}]
        intents:
          - "intent=find term(find)~{# == 'find'}"
          - "intent=book term(book)={# == 'book'} term(place)={# == 'place' && 1 / length('') == 1}"
        prompts: {book: {place: Where?}}
        """
    )
    engine.ask("find")
    assert engine.ask("book Umi").status == "rejected"
