"""A reply names what of the sentence it did not use; a bot may ask about that."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime, timedelta

import pytest

from anaphora import Engine, ModelError, parse_model

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)

BANK = """
id: bank
entities: [money]
elements:
  - {id: send, synonyms: ["{send|pay|transfer}"]}
  - {id: person, values: [Peter, Mary, Ann]}
  - {id: close, synonyms: [close]}
  - {id: account, values: ["1001", "1002"]}
intents:
  - "intent=pay term(act)~{# == 'send'} term(to)~{# == 'person'} term(amount)~{# == 'money'}"
  - "intent=close term(act)={# == 'close'} term(account)={# == 'account'}"
prompts:
  pay: {to: To whom?, amount: How much?}
responses:
  pay: "Paid {{ to }}.{% if unused %} Not used: {{ unused | join('; ') }}.{% endif %}"
  close: "Closed {{ account }}."
reset: [forget it]
"""


class Talk:
    """A conversation with a bot, a question a second."""

    def __init__(self, more: str = "", model: str = BANK) -> None:
        self.engine = Engine(parse_model(model + more))
        self.now = NOON

    def __call__(self, text: str):
        self.now += timedelta(seconds=1)
        return self.engine.ask(text, at=self.now, explain=True)


def left(reply) -> list[str]:
    return [one.text for one in reply.unused]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("send Peter 50 euros", []),
        ("please send 50 euros to Peter", []),
        ("I would like to send 50 euros to Peter, thanks", []),
        ("Would you mind sending Peter 50 euros?", []),
        ("send Peter 50 euros and Mary 30 euros", ["Mary 30 euros"]),
        ("close 1001 and 1002", ["1002"]),
        ("send Peter 50 euros tomorrow", ["tomorrow"]),
        ("urgently send Peter 50 euros tomorrow", ["urgently", "tomorrow"]),
        ("send Peter 50 euros, Mary and Ann", ["Mary and Ann"]),
    ],
)
def test_a_reply_names_what_it_did_not_use(text, expected):
    reply = Talk()(text)
    assert left(reply) == expected
    assert all(text[one.start : one.end] == one.text for one in reply.unused)


def test_what_is_left_over_are_entities_and_words():
    (rest,) = Talk()("send Peter 50 euros and quickly Mary 30 euros").unused
    assert rest.text == "quickly Mary 30 euros"
    assert [str(entity) for entity in rest.entities] == ["person=Mary", "money=30 EUR"]
    assert rest.words == ("quickly",)


def test_what_is_said_twice_is_not_left_over():
    assert not left(Talk()("pay, send Peter 50 euros to Peter"))
    assert left(Talk()("send Peter 50 euros and Peter 30 euros")) == ["30 euros"]


def test_an_incomplete_reply_names_it_as_well():
    reply = Talk()("send Peter, Mary")
    assert (reply.status, left(reply)) == ("incomplete", ["Mary"])


def test_a_rejected_question_has_used_nothing_of_which_it_could_speak():
    assert not Talk()("what a nice day").unused


@pytest.mark.parametrize("first", ["Monthly", "tomorrow", "Vera"])
def test_another_word_before_a_comma_is(first):
    assert left(Talk()(f"{first}, pay Ann 50 euros")) == [first]


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        ("cannot send Ann 50 euros", ["cannot"]),
        ("I didn’t send Ann 50 euros", ["didn’t"]),
    ],
)
def test_what_is_left_over_is_quoted_in_whole_words(said, rest):
    assert left(Talk()(said)) == rest


def test_where_no_blanks_stand_between_words_only_what_is_left_over_is_quoted():
    chinese = """
id: taxi
language: zh
elements: [{id: call, synonyms: [叫出租车]}, {id: airport, synonyms: [机场]}]
intents: ["intent=ride term={# == 'call'} term(to)={# == 'airport'}"]
"""
    (rest,) = Talk(model=chinese)("叫出租车去机场带猫").unused
    assert "猫" in rest.text
    assert "叫出租车" not in rest.text


@pytest.mark.parametrize("said", ["No, 50 euros to Ann", "Hello, pay Ann 50 euros"])
def test_an_answer_or_a_greeting_before_a_comma_is_not_left_over(said):
    talk = Talk("unused: ask\n")
    talk("pay Mary 20 euros")
    assert talk(said).text == "Paid Ann."


def test_words_of_a_reset_phrase_are_used():
    assert left(Talk()("forget it, send Peter 50 euros")) == []


def test_only_this_sentence_counts():
    talk = Talk()
    assert left(talk("send Peter, Mary")) == ["Mary"]
    assert left(talk("50 euros")) == []


def test_a_template_can_say_it():
    talk = Talk()
    assert talk("send Peter 50 euros and Mary 30 euros").text == (
        "Paid Peter. Not used: Mary 30 euros."
    )
    assert talk("send Ann 50 euros").text == "Paid Ann."


def test_plain_data_has_it():
    plain = Talk()("close 1001 and then 1002").to_dict()
    assert plain["unused"] == [
        {
            "text": "1002",
            "start": 20,
            "end": 24,
            "entities": [{"element": "account", "value": "1002", "text": "1002"}],
            "words": [],
        }
    ]


def test_replies_with_it_can_be_compared_and_pickled():
    one, other = (Talk()("close 1001 and 1002") for _ in range(2))
    assert one.unused == other.unused
    assert pickle.loads(pickle.dumps(one.unused)) == one.unused
    assert len(one.unused) == 1
    assert one.unused[0].text in repr(one.unused)


# Asking about it


def test_a_bot_asks_instead_of_carrying_out_a_part():
    talk = Talk("unused: ask")
    reply = talk("send Peter 50 euros and Mary 30 euros")
    assert (reply.status, reply.intent, reply.missing) == ("incomplete", "pay", ())
    assert reply.prompt == reply.text
    assert "Mary 30 euros" in reply.text
    assert left(reply) == ["Mary 30 euros"]
    assert reply.slots["to"].value == "Peter"
    assert reply.memory == ()
    assert "Mary 30 euros" in str(reply.explanation)


def test_yes_carries_out_what_was_understood():
    talk = Talk("unused: ask")
    talk("send Peter 50 euros and Mary 30 euros")
    reply = talk("yes")
    assert (reply.status, reply.slots["to"].value) == ("matched", "Peter")
    assert reply.slots["amount"].value == "50 EUR"
    assert left(reply) == []
    assert talk("and Ann").slots["amount"].value == "50 EUR"  # it is remembered


@pytest.mark.parametrize("said", ["go on", "OK, do it", "carry on, please", "continue without it"])
def test_to_go_on_is_a_yes(said):
    talk = Talk("unused: ask")
    talk("send Peter 50 euros and Mary 30 euros")
    assert talk(said).text == "Paid Peter."


@pytest.mark.parametrize("said", ["stop", "cancel it", "never mind", "leave it", "no, stop"])
def test_to_stop_is_a_no(said):
    talk = Talk("unused: ask")
    talk("send Peter 50 euros and Mary 30 euros")
    assert (talk(said).status, talk("yes").status) == ("rejected", "rejected")


@pytest.mark.parametrize(
    ("said", "intent"), [("cancel", "stop"), ("please stop", "stop"), ("do it", "go")]
)
def test_an_intent_that_takes_the_whole_command_goes_first(said, intent):
    commands = BANK.replace(
        "intents:",
        """  - {id: stop, synonyms: [cancel]}
  - {id: go, synonyms: [do it]}
intents:
  - "intent=stop term={# == 'stop'}"
  - "intent=go term={# == 'go'}"
""".rstrip(),
    )
    talk = Talk("unused: ask", commands)
    talk("send Peter 50 euros and Mary 30 euros")
    assert talk(said).intent == intent


def test_no_drops_it():
    talk = Talk("unused: ask")
    talk("send Peter 50 euros and Mary 30 euros")
    assert (talk("no").status, talk("yes").status) == ("rejected", "rejected")


@pytest.mark.parametrize("said", ["stop", "cancel", "never mind, please"])
def test_whoever_is_asked_for_more_may_stop_too(said):
    talk = Talk()
    assert talk("send Peter").prompt == "How much?"
    assert (talk(said).status, talk("50 euros").status) == ("rejected", "rejected")


def test_a_question_of_its_own_drops_it():
    talk = Talk("unused: ask")
    talk("send Peter 50 euros and Mary 30 euros")
    assert talk("close 1001").status == "matched"
    assert talk("yes").status == "rejected"


@pytest.mark.parametrize("questions", [["close 1001"], ["close", "1001"]])
def test_nor_does_it_come_back_in_a_dialog_with_two_sides(questions):
    asking = BANK.replace("\nresponses:", "\n  close: {account: Which one?}\nresponses:")
    talk = Talk("dialog_acts: true\nunused: ask", asking)
    talk("send Peter 50 euros and Mary 30 euros")
    *_, last = [talk(question).text for question in questions]
    assert last == "Closed 1001."
    assert talk("yes").status == "rejected"


def test_a_correction_is_taken_up():
    talk = Talk("unused: ask")
    talk("send Peter 50 euros and Mary 30 euros")
    reply = talk("60 euros")
    assert reply.status == "matched"
    assert (reply.slots["to"].value, reply.slots["amount"].value) == ("Peter", "60 EUR")


def test_what_else_is_said_does_not_settle_the_question():
    dated = BANK.replace("entities: [money]", "entities: [money, date]").replace(
        "term(amount)~{# == 'money'}", "term(amount)~{# == 'money'} term(day)~{# == 'date'}?"
    )
    talk = Talk("unused: ask", dated)
    talk("send Ann 5 euros")
    assert "Vera" in talk("send Vera 200 euros").text
    reply = talk("tomorrow")
    assert (reply.status, reply.slots["day"].value) == ("incomplete", "2026-11-24")
    assert "Vera" in reply.text
    assert talk("Peter").text == "Paid Peter."


@pytest.mark.parametrize("then", ["Peter", "the 60 euros", "send"])
def test_a_not_stays_until_a_yes_or_a_no(then):
    talk = Talk("unused: ask\n")
    assert talk("Don't send Peter 50 euros").status == "incomplete"
    reply = talk(then)
    assert (reply.status, reply.missing) == ("incomplete", ())
    assert "Don't" in reply.text
    assert talk("no").status == "rejected"


@pytest.mark.parametrize("said", ["pay Peter not 50 euros", "pay not 50 euros to Peter"])
def test_an_amount_that_takes_up_the_not_does_not_hide_it(said):
    talk = Talk("unused: ask\n")
    reply = talk(said)
    assert reply.status == "incomplete"
    assert left(reply) == ["not"]


def test_whatever_else_is_said_the_question_stands():
    talk = Talk("unused: ask")
    asked = talk("send Peter 50 euros and Mary 30 euros").text
    assert talk("hm").text == asked
    assert talk("yes").status == "matched"


def test_what_is_left_of_an_incomplete_question_is_asked_about_when_it_is_complete():
    talk = Talk("unused: ask")
    assert talk("send Peter, Mary").prompt == "How much?"
    reply = talk("50 euros")
    assert reply.status == "incomplete"
    assert "Mary" in reply.text
    assert talk("yes").slots["to"].value == "Peter"


def test_a_complete_question_is_carried_out_at_once():
    assert Talk("unused: ask")("send Peter 50 euros").status == "matched"


def test_one_intent_asks_in_words_of_its_own():
    talk = Talk("unused: {close: \"What about {{ unused | join(', ') }}? Only {{ account }}?\"}")
    assert talk("send Peter 50 euros and Mary 30 euros").status == "matched"
    reply = talk("close 1001 and 1002")
    assert (reply.status, reply.text) == ("incomplete", "What about 1002? Only 1001?")
    assert talk("what?").text == "What about 1002? Only 1001?"
    assert talk("yes").text == "Closed 1001."


def test_the_words_are_in_the_language_of_the_question():
    russian = BANK.replace("id: bank", "id: bank\nlanguage: ru").replace("[close]", "[закрой]")
    reply = Talk("unused: ask", russian)("закрой 1001 и 1002")
    assert reply.text == "Я не понял: 1002. Продолжить без этого?"
    talk = Talk("unused: ask", russian)
    talk("закрой 1001 и 1002")
    assert talk("да").status == "matched"


def test_a_reset_phrase_and_the_timeout_drop_it():
    talk = Talk("unused: ask")
    talk("send Peter 50 euros and Mary 30 euros")
    assert talk("forget it").status == "reset"
    assert talk("yes").status == "rejected"
    talk("send Peter 50 euros and Mary 30 euros")
    talk.now += timedelta(minutes=6)
    assert talk("yes").status == "rejected"


def test_it_survives_a_store(tmp_path):
    with Engine(parse_model(BANK + "unused: ask"), store=f"sqlite:///{tmp_path}/bot.db") as engine:
        engine.ask("send Peter 50 euros and Mary 30 euros", at=NOON)
        assert "Mary" in engine.ask("hm", at=NOON).text
        assert engine.ask("yes", at=NOON).status == "matched"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("unused: {cloze: No.}", "unknown intent 'cloze'"),
        ("unused: aks", "expected .*ignore.*ask"),
        ('unused: {pay: "{{ usused }}"}', "unknown variable 'usused'"),
    ],
)
def test_mistakes_are_reported(more, message):
    with pytest.raises(ModelError, match=message):
        parse_model(BANK + more)


_SALON = """
id: salon
language: [en, ru, de]
entities: [money]
dialog_acts: true
unused: ask
elements:
  - {id: book, synonyms: {en: [I need], ru: [мне нужен], de: [ich brauche]}}
  - {id: find, synonyms: [who is free]}
  - {id: who, id_synonym: false, values: {Boris: {ru: [Борис]}, Clara: {ru: [Клара]}}}
intents:
  - {id: find, slots: {find: find}, response: "Boris for $70?"}
  - id: book
    slots: {book: book, who: {ask: Who?}}
    confirm: "{{ who }}?"
    response: "Booked {{ who }}."
offers:
  find: {each: "['Boris']", entities: {who: "{{ item }}", money: $70}, then: book}
"""


@pytest.mark.parametrize(
    ("question", "correction"),
    [
        ("I need Boris", "not Boris but Clara"),
        ("I need Boris", "Clara instead of Boris"),
        ("мне нужен Борис", "не Борис, а Клара"),
        ("ich brauche Boris", "nicht Boris, sondern Clara"),
        ("ich brauche Boris", "nicht mit Boris sondern mit Clara"),
    ],
)
def test_what_is_taken_back_is_used(question, correction):
    talk = Talk(model=_SALON)
    assert talk(question).text == "Boris?"
    reply = talk(correction)
    assert (reply.text, left(reply)) == ("Clara?", [])


def test_what_is_taken_back_without_a_word_for_it_is_used():
    talk = Talk(model=_SALON)
    talk("I need Boris")
    assert [talk(one).text for one in ("not Boris", "Clara")] == ["Who?", "Clara?"]
    assert talk("I need Boris, not Clara").text == "Boris?"


def test_an_accepted_value_that_no_slot_takes_is_not_unused():
    talk = Talk(model=_SALON)
    talk("who is free")
    reply = talk("I need him, Boris")
    assert (reply.text, left(reply)) == ("Boris?", [])
