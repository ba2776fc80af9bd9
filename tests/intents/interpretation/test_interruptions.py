"""What a question in between does to a question that waits, and what it does not."""

from __future__ import annotations

import pytest

from tests.support.dialogs import check_dialog, describe_turn, texts_of

WORKSHOP = """
id: workshop
language: [en, ru, de]
dialog_acts: true
conversation: {timeout: 30m, depth: 8}
elements:
  - {id: fix, synonyms: {en: [fix], ru: [почините], de: [reparieren]}}
  - id: price
    synonyms: {en: ["how much {is|are}"], ru: [сколько стоит], de: [was kostet]}
  - {id: free, synonyms: {en: [who is free], ru: [кто свободен], de: [wer ist frei]}}
  - {id: undo, synonyms: {en: [cancel my repair], ru: [отмени ремонт], de: [Abbruch]}}
  - id: part
    several: true
    refers: thing
    id_synonym: false
    values:
      brake: {en: [brake], ru: [тормоз], de: [Bremse]}
      chain: {en: [chain], ru: [цепь], de: [Kette]}
      tyre: {en: [tyre], ru: [шина, шину], de: [Reifen]}
  - id: mechanic
    refers: person
    id_synonym: false
    values:
      Ada: {en: [Ada], ru: [Ада, Аде, Аду], de: [Ada]}
      Ben: {en: [Ben], ru: [Бен, Бену, Бена], de: [Ben]}
intents:
  - {id: price, slots: {price: price, part: {several: true}}, response: "It is 30."}
  - {id: free, slots: {free: free}, response: "Ada or Ben."}
  - {id: undo, slots: {undo: undo}, response: "Undone."}
  - id: fix
    slots:
      fix: fix
      part: {several: true, ask: "What?"}
      mechanic: {ask: "Who?"}
    confirm: "{{ part | join(', ') }}, {{ mechanic }}?"
    response: "{{ part | join(', ') }}, {{ mechanic }}."
offers:
  free: {each: "['Ada', 'Ben']", entities: {mechanic: "{{ item }}"}, then: fix}
fallback:
  text: "Sorry?"
  thanks: "My pleasure."
"""


@pytest.mark.parametrize(
    ("order", "search", "choice"),
    [
        ("fix the chain", "who is free?", "the second one"),
        ("почините цепь", "кто свободен?", "второй"),
        ("Kette reparieren", "wer ist frei?", "der zweite"),
    ],
)
def test_a_search_in_the_middle_of_a_form_keeps_the_form(bot, order, search, choice):
    assert texts_of(bot(WORKSHOP), order, search, choice) == ["Who?", "Ada or Ben.", "chain, Ben?"]


def test_after_a_search_a_question_about_the_offers_does_not_ask_for_the_form_again(bot):
    engine = bot(WORKSHOP)
    assert texts_of(engine, "fix the chain", "who is free?", "how much is a tyre?", "Ada") == [
        "Who?",
        "Ada or Ben.",
        "It is 30.",
        "chain, Ada?",
    ]


@pytest.mark.parametrize(
    ("order", "price", "more", "accept"),
    [
        ("fix the chain, Ada", "how much is a brake?", "and a tyre?", "yes"),
        ("почините цепь, Ада", "сколько стоит тормоз?", "а шина?", "да"),
        ("Kette reparieren, Ada", "was kostet eine Bremse?", "und ein Reifen?", "ja"),
    ],
)
def test_a_short_question_goes_on_with_the_one_in_between(bot, order, price, more, accept):
    engine = bot(WORKSHOP)
    assert texts_of(engine, order, price, more, accept) == [
        "chain, Ada?",
        "It is 30. chain, Ada?",
        "It is 30. chain, Ada?",
        "chain, Ada.",
    ]


def test_a_short_question_goes_on_with_the_last_one_that_was_answered(bot):
    check_dialog(
        bot(WORKSHOP),
        """
        > fix the chain, Ada
        fix? part=chain mechanic=Ada
        > yes
        fix part=chain mechanic=Ada
        > how much is a brake?
        price part=brake
        > and a tyre?
        price part=brake+tyre
        """,
    )


@pytest.mark.parametrize(
    ("order", "question"),
    [
        ("fix the chain and the brake, Ada", "is it with her?"),
        ("fix the chain and the brake, Ada", "is that okay for them?"),
        ("почините цепь и тормоз, Ада", "это с ней?"),
        ("Kette und Bremse reparieren, Ada", "wie teuer wird das?"),
        ("Kette und Bremse reparieren, Ada", "dann bei ihr"),
    ],
)
def test_a_word_for_what_waits_does_not_change_it(bot, order, question):
    assert texts_of(bot(WORKSHOP), order, question) == ["chain, brake, Ada?"] * 2


def test_a_word_for_a_list_means_all_of_it(bot):
    engine = bot(WORKSHOP)
    describe_turn(engine, "fix the chain and the brake, Ada")
    assert describe_turn(engine, "how much is that?")[""] == "price part=chain+brake"


@pytest.mark.parametrize(
    ("order", "price", "that"),
    [
        ("fix the chain, Ada", "how much is a brake?", "I'll take that one"),
        ("почините цепь, Ада", "сколько стоит тормоз?", "тогда это"),
        ("Kette reparieren, Ada", "was kostet eine Bremse?", "dann das"),
    ],
)
def test_that_one_is_the_one_of_the_question_in_between(bot, order, price, that):
    assert texts_of(bot(WORKSHOP), order, price, that)[-1] == "brake, Ada?"


@pytest.mark.parametrize("no", ["don't fix it", "don't fix the chain", "no, cancel that"])
def test_refusing_the_whole_drops_what_waits(bot, no):
    engine = bot(WORKSHOP)
    assert texts_of(engine, "fix the chain", no, "Ada")[1:] == [
        "All right, not that then.",
        "Sorry?",
    ]
    assert texts_of(engine, "fix the chain, Ada", no, "yes")[1:] == [
        "All right, not that then.",
        "All right.",
    ]


@pytest.mark.parametrize(
    ("order", "undo", "accept", "answer"),
    [
        ("fix the chain, Ada", "cancel my repair", "yes", "All right."),
        ("почините цепь, Ада", "отмени ремонт", "да", "Хорошо."),
    ],
)
def test_an_intent_that_cancels_drops_what_waits_for_a_yes(bot, order, undo, accept, answer):
    assert texts_of(bot(WORKSHOP), order, undo, accept) == ["chain, Ada?", "Undone.", answer]


@pytest.mark.parametrize(
    ("order", "no", "correction"),
    [
        ("fix the chain, Ada", "no", "with Ben"),
        ("почините цепь, Ада", "нет", "лучше Бен"),
        ("Kette reparieren, Ada", "nein", "mit Ben"),
    ],
)
def test_after_a_no_what_was_said_can_still_be_changed(bot, order, no, correction):
    assert texts_of(bot(WORKSHOP), order, no, correction)[-1] == "chain, Ben?"


def test_a_no_without_a_comma_corrects(bot):
    assert texts_of(bot(WORKSHOP), "fix the chain, Ada", "no Ben") == ["chain, Ada?", "chain, Ben?"]


def test_not_her_takes_the_person_back(bot):
    assert texts_of(bot(WORKSHOP), "fix the chain, Ada", "not her") == ["chain, Ada?", "Who?"]


def test_thanks_are_answered_before_the_question_is_repeated(bot):
    assert texts_of(bot(WORKSHOP), "fix the chain", "thanks") == ["Who?", "My pleasure. Who?"]


@pytest.mark.parametrize(
    ("order", "language"), [("почините цепь, Ада", "ru"), ("Kette reparieren, Ada", "de")]
)
def test_ok_is_a_word_of_the_language_that_is_spoken(bot, order, language):
    engine = bot(WORKSHOP)
    describe_turn(engine, order)
    describe_turn(engine, "ok")
    assert engine.conversation().language == language


def test_a_correction_of_a_finished_question_is_one_even_after_a_confirmation(bot):
    engine = bot(WORKSHOP)
    carried_out = []

    @engine.on("fix")
    def fix(mechanic: str, *, correction: bool) -> str:
        carried_out.append((mechanic, correction))
        return "Done."

    texts_of(engine, "fix the chain, Ada", "yes", "no, Ben", "yes", "fix the brake, Ada", "yes")
    assert carried_out == [("Ada", False), ("Ben", True), ("Ada", False)]


@pytest.mark.parametrize("second", ["2", "the 2nd", "the second one"])
def test_a_number_is_a_place_in_the_list_even_without_an_entity_for_numbers(bot, second):
    engine = bot(WORKSHOP)
    describe_turn(engine, "who is free?")
    assert describe_turn(engine, second)[""] == "fix? mechanic=Ben, asks for part"


@pytest.mark.parametrize(
    ("order", "day"),
    [("book", "the 2nd"), ("book", "on the second"), ("buche", "am zweiten"), ("buche", "am 2.")],
)
def test_an_ordinal_is_a_day_if_the_bot_asks_for_one(bot, order, day):
    engine = bot(
        """
        id: rooms
        language: [en, de]
        entities: [date, number]
        dialog_acts: true
        elements: [{id: book, synonyms: {de: [buche]}}]
        intents:
          - id: book
            slots: {book: book, date: {ask: When?}, number: {ask: How many?}}
        """
    )
    engine.ask(order)
    assert str(engine.ask(day).slots["date"].value).endswith("-02")
