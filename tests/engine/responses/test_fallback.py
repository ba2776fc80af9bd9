"""What a bot says when nothing fits."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from anaphora import Engine, HandlerError, Reject, Skip, parse_model
from anaphora.engine.answering.fallback import choose_fallback_text
from anaphora.models.domain import Fallback

MODEL = """\
id: tea
language: [en, fr]
elements:
  - {id: order, groups: [verb], synonyms: {en: ["{want|get}"], fr: [je voudrais]}}
  - {id: drink, values: {tea: {fr: [thé]}, coffee: {fr: [café]}}}
intents:
  - "intent=order term(verb)~{# == 'order'} term(drink)~{# == 'drink'}"
responses: {order: "{{ drink }}"}
reset: {en: [forget it], fr: [forget it]}
"""

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def bot(fallback, more="", **options):
    return Engine(parse_model(f"{MODEL}{more}\nfallback: {fallback}"), **options)


def texts(engine, *questions):
    return [engine.ask(question, at=NOW).text for question in questions]


def test_without_a_fallback_the_text_is_the_reason():
    reply = Engine(parse_model(MODEL)).ask("an elephant")
    assert reply.text == reply.reason == "nothing in it is known to this bot"


def test_one_text_is_for_all_reasons_and_the_reason_stays():
    engine = bot("I only sell drinks.", max_characters=40)
    for question in ("an elephant", "tea", "", "tea " * 20):
        reply = engine.ask(question, at=NOW)
        assert (reply.status, reply.text) == ("rejected", "I only sell drinks.")
        assert reply.reason not in ("", reply.text)


def test_a_text_is_in_the_language_of_the_question():
    engine = bot("{en: Only drinks., fr: Que des boissons.}")
    assert texts(engine, "an elephant", "thé", "un éléphant") == [
        "Only drinks.",
        "Que des boissons.",
        "Que des boissons.",
    ]


def test_a_text_in_the_language_of_the_question_goes_before_one_for_its_reason():
    engine = bot("{text: {en: Only drinks., fr: Que des boissons.}, incomplete: {en: To drink?}}")
    assert texts(engine, "tea", "un thé") == ["To drink?", "Que des boissons."]


REASONS = """
  text: other
  unknown: unknown
  incomplete: incomplete
  too_long: too long
  refused: refused
  empty: empty
"""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("an elephant", "unknown"),
        ("tea", "incomplete"),
        ("", "empty"),
        (" \n", "empty"),
        ("get me a tea and then another tea", "too long"),
        ("tea" * 40, "too long"),
        ("a bloody tea", "refused"),
    ],
)
def test_every_reason_may_have_a_text(question, text):
    limits = "limits: {max_words: 7, swear_words: [bloody], swear_words_allowed: false}"
    engine = bot(REASONS, limits, max_characters=100)
    assert engine.ask(question).text == text


@pytest.mark.parametrize(("language", "text"), [("en", "Forgotten."), ("fr", "Oublié, tea.")])
def test_a_reset_phrase_may_have_a_text(language, text):
    fallback = "{reset: {en: Forgotten., fr: 'Oublié, {{ examples }}.'}, examples: [tea]}"
    reply = bot(fallback).ask("forget it", language=language)
    assert (reply.status, reply.text) == ("reset", text)


def test_without_one_nothing_is_said():
    reply = bot("{text: Sorry?}").ask("forget it")
    assert (reply.status, reply.text) == ("reset", "")


def test_a_reason_without_a_text_has_the_general_one_or_else_itself():
    assert texts(bot("{text: Sorry?, empty: Yes?}"), "", "tea") == ["Yes?", "Sorry?"]
    assert texts(bot("{empty: Yes?}"), "", "tea") == ["Yes?", "for order it lacks: verb"]


def test_what_a_handler_rejects_with_is_what_the_user_reads():
    engine = bot(REASONS)

    @engine.on("order")
    def order(drink):
        raise Reject("We are out of tea." if drink == "tea" else "")

    assert texts(engine, "get me a tea", "get me a coffee") == ["We are out of tea.", "refused"]
    engine.on("order")(lambda: skip())
    assert texts(engine, "get me a tea") == ["refused"]


def skip():
    raise Skip


def test_a_no_to_an_offer_is_no_failure():
    engine = bot("Sorry?", "unused: ask")
    engine.ask("get me a tea with an elephant", at=NOW)
    reply = engine.ask("no", at=NOW)
    assert (reply.status, reply.reason) == ("rejected", "the offer was declined")
    assert reply.text != "Sorry?"


def test_an_answer_to_an_error_stays():
    engine = bot("Sorry?")
    engine.on("order")(lambda: 1 / 0)
    engine.hook("error")(lambda error: "Something went wrong.")
    assert texts(engine, "get me a tea") == ["Something went wrong."]


def test_the_hook_of_rejections_comes_first():
    engine = bot("Sorry?")
    engine.hook("rejection")(lambda reason: "Well." if "nothing" in reason else None)
    assert texts(engine, "an elephant", "tea") == ["Well.", "Sorry?"]


class TestTemplates:
    def test_they_name_what_is_unknown(self):
        engine = bot(
            '''"What is {{ unknown }}? {{ unknown | join('/') }} {{ unknown | length }}"'''
        )
        assert texts(engine, "a pink elephant with tea and a mouse") == [
            "What is pink elephant, mouse? pink elephant/mouse 2"
        ]

    def test_nothing_may_be_unknown(self):
        engine = bot('"{% if unknown %}What is {{ unknown }}?{% else %}Tea?{% endif %}"')
        assert texts(engine, "tea", "an elephant") == ["Tea?", "What is elephant?"]

    def test_they_show_examples_of_the_language(self):
        engine = bot("""
  text: "{{ examples }}|{{ examples | first }}"
  examples: {en: [Get me a tea!, I want coffee.], fr: [Je voudrais un thé.]}
""")
        assert texts(engine, "an elephant", "du thé") == [
            "Get me a tea! I want coffee.|Get me a tea!",
            "Je voudrais un thé.|Je voudrais un thé.",
        ]

    def test_they_know_the_question_and_what_is_wrong_with_it(self):
        engine = bot('"{{ user }}: {{ text }}: {{ kind }}: {{ reason }}: {{ failures }}"')
        assert texts(engine, "an elephant", "tea") == [
            "user: an elephant: unknown: nothing in it is known to this bot: 1",
            "user: tea: incomplete: for order it lacks: verb: 2",
        ]

    def test_an_empty_text_leaves_the_reason(self):
        assert texts(bot('"{% if false %}x{% endif %}"'), "tea") == ["for order it lacks: verb"]

    def test_one_that_fails_is_an_error_and_changes_nothing(self):
        engine = bot('"{{ 1 / (failures - 1) }}"')
        with pytest.raises(HandlerError, match="cannot be rendered"):
            engine.ask("tea", at=NOW)
        assert engine.conversation(at=NOW).rejections == 0


class TestEscalation:
    FALLBACK = "{text: Sorry?, empty: Yes?, after: 2, escalation: Call us at {{ failures }}.}"

    def bot(self):
        return bot(self.FALLBACK.replace("Call us at {{ failures }}.", '"Call {{ failures }}."'))

    def test_several_failures_in_a_row_have_a_text_of_their_own(self):
        assert texts(self.bot(), "tea", "", "elephant") == ["Sorry?", "Call 2.", "Call 3."]

    def test_an_answer_in_between_begins_anew(self):
        said = texts(self.bot(), "elephant", "get me a tea", "elephant", "elephant")
        assert said == ["Sorry?", "tea", "Sorry?", "Call 2."]

    def test_so_does_forgetting(self):
        said = texts(self.bot(), "mouse", "mouse", "mouse", "mouse", "mouse", "mouse")
        assert said == ["Sorry?", "Call 2.", "Call 3.", "Call 4.", "Sorry?", "Call 2."]

    def test_repeated_prompts_count_too(self):
        engine = bot(
            "{text: Sorry?, escalation: Call us.}",
            "prompts: {order: {drink: Which?}}\nconversation: {depth: 2}",
        )
        said = texts(engine, "get me", "elephant", "elephant", "elephant")
        assert said == ["Which?", "Which?", "Which?", "Call us."]


class TestSmallTalk:
    FALLBACK = Fallback(
        text={"": "other"},
        texts={"unknown": {"": "what?"}, "thanks": {"": "welcome"}},
        escalation={"": "call us"},
    )

    def test_it_has_a_text_of_its_own_or_is_unknown(self):
        assert choose_fallback_text(self.FALLBACK, "thanks", 1, "en") == {"": "welcome"}
        assert choose_fallback_text(self.FALLBACK, "greeting", 1, "en") == {"": "what?"}
        assert choose_fallback_text(Fallback({"": "other"}), "greeting", 1, "en") == {"": "other"}

    def test_it_is_no_reason_to_escalate(self):
        assert choose_fallback_text(self.FALLBACK, "thanks", 9, "en") == {"": "welcome"}
        assert choose_fallback_text(self.FALLBACK, "unknown", 9, "en") == {"": "call us"}


def test_small_talk_repeats_the_question_but_not_to_whoever_says_goodbye():
    engine = bot(
        "{thanks: With pleasure., farewell: Goodbye!}",
        more="dialog_acts: true\nprompts: {order: {drink: Tea or coffee?}}",
    )
    assert texts(engine, "I want something", "thanks", "bye", "coffee") == [
        "Tea or coffee?",
        "With pleasure. Tea or coffee?",
        "Goodbye!",
        "coffee",
    ]
