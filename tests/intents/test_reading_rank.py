"""How a sentence is read comes before what it is about: memory does not decide it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anaphora import Engine, Reply, parse_model
from tests.conftest import Clock
from tests.support.examples import examples

MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)

BANK = """
    id: bank
    entities: [date, number]
    elements:
      - {id: send, groups: [topic], topic: true, synonyms: [send, pay, "get sent"]}
      - {id: payee, typos: 1, values: {Ann: [], Mary: [], landlord: [rent], plumber: []}}
    intents:
      - "intent=send term(send)~{# == 'send'} term(amount)~{# == 'number'}
         term(payee)~{# == 'payee'} term(date)~{# == 'date'}?"
    prompts: {send: {send: What shall I do?, amount: How much?, payee: To whom?}}
"""

SHOP = """
    id: shop
    elements:
      - {id: title, values: {Dune: [], Paris: []}}
      - {id: city, values: {Paris: [], Rome: []}}
    intents:
      - "intent=have term(title)~{# == 'title'} term(city)~{# == 'city'}?"
"""

STAY = """
    id: stay
    entities: [date, duration]
    elements:
      - {id: room, topic: true}
    intents:
      - "intent=book term(room)~{# == 'room'} term(date)~{# == 'date'}
         term(length)~{# == 'duration'}?"
"""


def values(reply: Reply) -> dict[str, object]:
    return {name: slot.value for name, slot in reply.slots.items()}


@pytest.fixture
def talk(bot, clock):
    clock.now = MONDAY

    def ask(model: str, *questions: str) -> Reply:
        engine = bot(model)
        return [engine.ask(question, explain=True) for question in questions][-1]

    return ask


def test_a_date_is_no_amount_because_the_amount_was_said_before(talk):
    reply = talk(BANK, "Send 100 to Ann", "tomorrow", "no, on May 5")
    slots = values(reply)
    assert (slots["amount"], slots["date"]) == ("100", "2027-05-05")
    assert "number=5 from '5', a part of 'May 5'" in str(reply.explanation)


def test_a_sentence_that_is_complete_by_itself_is_not_completed_otherwise(talk):
    reply = talk(SHOP, "Do you have Dune?", "Do you have Paris?")
    assert values(reply) == {"title": "Paris"}
    assert (
        reply.explanation.matches[0].rank_reason
        == "in this reading the sentence is complete by itself"
    )


def test_what_only_a_city_can_be_is_still_added_to_the_title(talk):
    assert values(talk(SHOP, "Do you have Dune?", "in Rome?")) == {"title": "Dune", "city": "Rome"}


def test_a_span_of_time_is_no_duration_because_a_date_was_said_before(talk):
    alone = talk(STAY, "a room for the next two weeks")
    later = talk(STAY, "a room on December 20", "the next two weeks")
    assert values(later) == values(alone) | {"room": "room"}
    assert "length" not in values(later)


def test_a_length_of_time_is_no_number_because_the_number_was_said_before(bot):
    engine = bot(
        """
        id: inn
        entities: [duration, number]
        elements: [{id: book, synonyms: [book]}]
        intents:
          - intent=stay term(act)~{# == 'book'} term(room)~{# == 'number'}
            term(long)~{# == 'duration'}?
        """
    )
    engine.ask("book room 12")
    engine.ask("for three nights")
    reply = engine.ask("no, two weeks")
    assert values(reply) == {"act": "book", "room": "12", "long": "P2W"}


def test_a_date_does_not_answer_how_much(talk):
    reply = talk(BANK, "Send money to Ann", "on May 5")
    assert (reply.status, reply.prompt) == ("incomplete", "How much?")
    assert values(reply)["date"] == "2027-05-05"


def test_nor_does_it_in_the_first_question(talk):
    reply = talk(BANK, "Send Ann on May 5")
    assert (reply.status, reply.prompt) == ("incomplete", "How much?")
    reply = talk(BANK, "to Ann on May 5")
    assert (reply.status, reply.missing) == ("incomplete", ("send", "amount"))


@pytest.mark.parametrize(
    ("language", "command", "refusal", "said"),
    [
        ("en", "send", "do not send", "do not send 50 to Ann"),
        ("en", "send", "never send", "never send Ann 50"),
        ("de", "sende", "sende nicht", "sende nicht an Ann 50"),
        ("ru", "отправь", "не отправь", "не отправь 50 Ann"),
        ("fr", "envoie", "n'envoie pas", "n'envoie pas 50 à Ann"),
    ],
)
def test_who_understands_the_not_goes_before_who_does_not(bot, language, command, refusal, said):
    engine = bot(f"""
        id: refusal
        language: {language}
        entities: [number]
        elements:
          - {{id: send, synonyms: [{command}]}}
          - {{id: refusal, id_synonym: false, synonyms: ["{refusal}"]}}
          - {{id: payee, values: [Ann]}}
        intents:
          - "intent=send term={{# == 'send'}} term={{# == 'number'}} term={{# == 'payee'}}"
          - "intent=refuse term={{# == 'refusal'}}"
    """)
    reply = engine.ask(said, explain=True)
    assert reply.intent == "refuse"
    assert (
        "negating or restricting words unused (0 against 1)"
        in reply.explanation.matches[0].rank_reason
    )
    assert engine.ask(f"{command} Ann 50").intent == "send"


def test_a_not_is_understood_though_memory_could_complete_the_rest(talk):
    model = BANK.replace(
        "      - {id: payee", "      - {id: refusal, synonyms: [do not send]}\n      - {id: payee"
    ).replace("    prompts:", "      - \"intent=refuse term={# == 'refusal'}\"\n    prompts:")
    assert talk(model, "Send 50 to Ann", "Do not send 20 to Mary").intent == "refuse"
    assert talk(model, "Send 50 to Ann", "no, send 20 to Mary").intent == "send"


def test_an_exact_name_is_meant_before_a_misspelt_one_that_stands_first(talk):
    reply = talk(BANK, "Pay the plumbar 50, no, Mary")
    assert values(reply)["payee"] == "Mary"
    assert values(talk(BANK, "Send 50 to the plumbar"))["payee"] == "plumber"


@pytest.mark.parametrize("said", ["the rest of my debt", "what you sent", "a bent cent"])
def test_another_word_of_four_letters_is_no_misspelt_one(talk, said):
    assert values(talk(BANK, f"Pay 50 {said}")).get("payee") is None


@pytest.mark.parametrize("said", ["rnet", "rentt"])
def test_letters_that_are_swapped_or_doubled_are(talk, said):
    assert values(talk(BANK, f"Pay 50 for the {said}"))["payee"] == "landlord"


def test_a_match_that_comes_of_several_readings_keeps_its_best_place(bot):
    engine = bot("""
        id: several
        elements:
          - {id: a, synonyms: [coral]}
          - {id: b, synonyms: [ruby]}
          - {id: d, synonyms: [coral]}
        intents:
          - "intent=first term(a)~{# == 'a'}?"
          - "intent=second term(d)~{# == 'd'}? term(b)~{# == 'b'}?"
    """)
    assert engine.ask("coral amber coral", user="alone").intent == "first"
    engine.ask("ruby")
    reply = engine.ask("coral amber coral", explain=True)
    assert reply.intent == "first"
    assert all(match.rank_reason != "they are equal" for match in reply.explanation.matches)


# -- for all models ----------------------------------------------------------------------------

WORDS = ("ruby", "amber", "coral", "ivory")
ELEMENTS = ("a", "b", "c", "d")
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join)
elements = st.fixed_dictionaries(
    {name: st.lists(phrases, min_size=1, max_size=3, unique=True) for name in ELEMENTS}
)
terms = st.tuples(st.sampled_from(ELEMENTS), st.sampled_from(["", "?"]))
intents = st.lists(
    st.lists(terms, min_size=1, max_size=3, unique_by=lambda term: term[0]), min_size=1, max_size=3
)
sentences = st.lists(st.sampled_from((*WORDS, "the")), min_size=1, max_size=4).map(" ".join)


def engine_of(synonyms: dict[str, list[str]], wanted: list[list[tuple[str, str]]]) -> Engine:
    lines = ["id: any", "elements:"]
    lines += [f"  - {{id: {name}, synonyms: {said}}}" for name, said in synonyms.items()]
    lines += ["intents:"]
    for number, parts in enumerate(wanted):
        text = " ".join(f"term({name})~{{# == '{name}'}}{many}" for name, many in parts)
        lines.append(f'  - "intent=i{number} {text}"')
    return Engine(parse_model("\n".join(lines)), clock=Clock())


def taken_from_sentence(reply: Reply) -> list[tuple[str, tuple[int, ...]]]:
    assert reply.explanation is not None
    match = reply.explanation.matches[0]
    said = (one.entity for _, one in match.taken if one.source == "sentence")
    return sorted((entity.element, entity.tokens) for entity in said)


def reading_rank(reply: Reply) -> tuple[int, int, int]:
    """More words read, then in fewer and longer entities."""
    spans = [tokens for _, tokens in taken_from_sentence(reply)]
    return sum(map(len, spans)), -len(spans), sum(len(span) ** 2 for span in spans)


@settings(max_examples=examples(60))
@given(elements, intents, st.lists(sentences, min_size=1, max_size=3), sentences)
def test_memory_changes_the_reading_only_to_one_that_covers_the_sentence_better(
    synonyms, wanted, before, sentence
):
    engine = engine_of(synonyms, wanted)
    alone = engine.ask(sentence, user="alone", explain=True)
    assume(alone.status == "matched")
    for earlier in before:
        engine.ask(earlier)
    later = engine.ask(sentence, explain=True)
    assert later.status == "matched"
    if later.explanation.reading != alone.explanation.reading:
        assert reading_rank(later) > reading_rank(alone)


@settings(max_examples=examples(40))
@given(elements, intents, st.lists(sentences, max_size=2), sentences)
def test_no_part_of_a_longer_entity_is_taken_where_the_whole_would_be(
    synonyms, wanted, before, sentence
):
    engine = engine_of(synonyms, wanted)
    for earlier in before:
        engine.ask(earlier)
    reply = engine.ask(sentence, explain=True)
    assume(reply.status == "matched")
    takes = dict(wanted[int(reply.intent[1:])])
    taken = taken_from_sentence(reply)
    read = {index for _, tokens in taken for index in tokens}
    for element, tokens in taken:
        for whole in reply.explanation.entities:
            if set(tokens) < set(whole.tokens) and not read - set(whole.tokens):
                assert whole.element not in takes or whole.element == element


NAMES = ("Marianne", "Benedict", "Veronica", "Leopold")


@settings(max_examples=examples(30))
@given(st.permutations(NAMES), st.integers(1, 6), st.booleans())
def test_a_misspelt_name_never_wins_over_an_exact_one(names, place, is_first):
    exact, other = names[0], names[1]
    wrong = other[:place] + "x" + other[place + 1 :]
    lines = ["id: names", "elements:", "  - id: payee", "    typos: 1", "    values:"]
    lines += [f"      {name}: []" for name in NAMES]
    lines += ["intents:", "  - \"intent=pay term(payee)={# == 'payee'}\""]
    engine = Engine(parse_model("\n".join(lines)), clock=Clock())
    said = f"{wrong} and {exact}" if is_first else f"{exact} and {wrong}"
    assert engine.ask(said).slots["payee"].value == exact
    assert engine.ask(wrong).slots["payee"].value == other
