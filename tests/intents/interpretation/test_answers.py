"""A yes, a no, and answers that leave the choice to the bot."""

from __future__ import annotations

import pytest

from tests.support.dialogs import texts_of

MODEL = """
id: salon
language: [en, ru, de]
dialog_acts: true
elements:
  - {id: book, id_synonym: false, synonyms: {en: [book], ru: [записать], de: [buche]}}
  - {id: find, id_synonym: false, synonyms: {en: [find]}}
  - id: cut
    id_synonym: false
    refers: [thing]
    values: {trim: {ru: [стрижка], de: [Schnitt]}, shave: {ru: [бритье], de: [Rasur]}}
  - id: who
    id_synonym: false
    values: {Anna: {ru: [Анна]}, Bruno: {ru: [Бруно]}}
intents:
  - {id: find, slots: {find: find}, response: "Trim or shave?"}
  - id: book
    slots:
      book: book
      cut: {ask: What?}
      who: {optional: true, ask: With whom?}
    confirm: "{{ cut }} {{ who }}?"
    response: "Booked."
offers:
  find: {each: "['trim', 'shave']", entities: {cut: "{{ item }}"}, then: book}
"""


@pytest.mark.parametrize(
    "answer",
    [
        "not exactly", "not great", "do not confirm", "never do it", "yes, cancel it",
        "yes, I changed my mind", "не верно", "не точно", "никогда не бронируй", "ага, щас",
        "да, отмени", "да ну его", "nicht richtig", "nicht in Ordnung", "ja, abbrechen",
    ],
)  # fmt: skip
def test_a_negated_yes_drops_what_waits_for_a_yes(bot, answer):
    *_, refused, again = texts_of(bot(MODEL), "book a trim with Anna", answer, "yes")
    assert refused in ("All right, not that then.", "Хорошо, оставим это.", "Gut, dann nicht.")
    assert again != "Booked."


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("book a trim", "anyone"),
        ("book a trim", "doesn't matter"),
        ("book a trim", "nobody special, thanks"),
        ("записать стрижка", "мне всё равно"),
        ("записать стрижка", "к кому угодно"),
        ("buche Schnitt", "egal"),
        ("buche Schnitt", "bei irgendwem"),
    ],
)
def test_whoever_does_not_mind_leaves_an_optional_slot_empty(bot, question, answer):
    assert texts_of(bot(MODEL), question, answer)[1] == "trim ?"


def test_whoever_does_not_mind_is_told_that_it_is_required(bot):
    assert texts_of(bot(MODEL), "book with Anna", "I don't care") == [
        "What?",
        "I need that from you. What?",
    ]


@pytest.mark.parametrize("answer", ["either one", "I don't mind", "любую", "whichever you like"])
def test_whoever_does_not_mind_takes_the_first_offer(bot, answer):
    assert texts_of(bot(MODEL), "find", answer, "anyone") == [
        "Trim or shave?",
        "With whom?",
        "trim ?",
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("book a trim", "with anyone but Anna"), ("book a trim", "anybody except Bruno")],
)
def test_whoever_is_excluded_is_not_taken(bot, question, answer):
    assert texts_of(bot(MODEL), question, answer)[1] == "With whom?"


@pytest.mark.parametrize(
    ("language", "yes"), [("pl", "Tak!"), ("sv", "ja tack"), ("ko", "네"), ("hi", "जी हाँ")]
)
def test_a_language_without_a_table_of_cues_has_a_yes(bot, language, yes):
    model = f"""
id: films
language: {language}
dialog_acts: true
elements:
  - {{id: seek, synonyms: [xyz]}}
  - {{id: order, synonyms: [qwe]}}
  - {{id: film, values: [Dune]}}
intents:
  - {{id: seek, slots: {{seek: seek}}, response: "Dune?"}}
  - {{id: order, slots: {{order: order, film: film}}, response: "Booked."}}
offers:
  seek: {{each: "['Dune']", entities: {{film: "{{{{ item }}}}"}}, then: order}}
"""
    engine = bot(model)
    assert engine.ask("xyz").quick_replies
    assert engine.ask(yes).text == "Booked."


SHOP = """
id: salon
language: {language}
dialog_acts: true
elements:
  - {{id: find, id_synonym: false, synonyms: [xfind]}}
  - {{id: book, id_synonym: false, synonyms: [xbook]}}
  - {{id: cut, id_synonym: false, refers: [thing], values: {{trim: [xtrim], shave: [xshave]}}}}
  - {{id: who, id_synonym: false, values: {{Anna: [], Bruno: []}}}}
intents:
  - {{id: find, slots: {{find: find}}, response: "Trim or shave?"}}
  - id: book
    slots: {{book: book, cut: {{ask: What?}}, who: {{ask: Who?}}}}
    confirm: "{{{{ cut }}}} {{{{ who }}}}?"
    response: "Booked {{{{ cut }}}} {{{{ who }}}}."
offers:
  find: {{each: "['trim', 'shave']", entities: {{cut: "{{{{ item }}}}"}}, then: book}}
"""
SAID = {
    "en": "the second one/Anna/no, Bruno/not Bruno/Anna/yes please/anyone/sure/I'll take the last",
    "nl": "de tweede/Anna/nee, Bruno/niet Bruno/Anna/ja graag/wie dan ook/ja/doe de laatste",
    "pl": "drugi/Anna/nie, Bruno/nie Bruno/Anna/tak, poproszę/wszystko jedno/jasne/biorę ostatni",
    "tr": "ikincisi/Anna/hayır, Bruno/Bruno değil/Anna/evet/fark etmez/tabii/sonuncuyu alayım",
    "ar": "الثاني/Anna/لا، Bruno/ليس Bruno/Anna/نعم/لا يهم/أكيد/سآخذ الأخير",
    "he": "השני/Anna/לא, Bruno/לא Bruno/Anna/כן בבקשה/לא משנה לי/בטח/אקח את האחרון",
}


@pytest.mark.parametrize("language", SAID)
def test_an_offer_is_taken_and_what_was_said_is_taken_back(bot, language):
    said = SAID[language].split("/")
    texts = texts_of(bot(SHOP.format(language=language)), *said_in_order(said))
    assert texts[1:7] == [
        "Who?", "shave Anna?", "shave Bruno?", "Who?", "shave Anna?", "Booked shave Anna.",
    ]  # fmt: skip
    assert texts[7:] == [
        "trim Anna?", "trim Anna?", "Booked trim Anna.", "Trim or shave?", "shave Anna?",
    ]  # fmt: skip


def said_in_order(said: list[str]) -> list[str]:
    """The questions of a conversation, with those of its own words between the answers."""
    return ["xfind", *said[:6], "xbook xtrim", *said[6:8], "xfind", said[8]]
