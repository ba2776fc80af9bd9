"""What is kept of one exchange is bounded, and the record says what was cut."""

from __future__ import annotations

from dataclasses import replace

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from anaphora import Entity
from anaphora.ltm.ingestion import records
from anaphora.ltm.ingestion.truncation import ExchangeLimits, truncate_exchange, truncate_text
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.indexing import exchange_terms
from anaphora.ltm.retrieval.store import UserKey
from tests.ltm.sample_exchanges import ANN, make_exchange

SMALL = ExchangeLimits(question=20, answer=30, slot_value=10, slots=3, memory=2)
TEXTS = st.text(st.sampled_from("ab \n\t\u0301\u200d👩👧🇩🇪각ก้\ud800é"), max_size=300) | st.text()


@given(text=TEXTS, limit=st.integers(1, 120))
@example(text="👩‍👧" * 10, limit=4)
@example(text="e" + "\u0301" * 300, limit=20)
@example(text=" " * 50 + "x", limit=20)
def test_a_truncated_text_ends_between_graphemes(text, limit):
    cut = truncate_text(text, limit)
    assert text.startswith(cut)
    assert len(cut) <= limit
    assert (cut == text) == (len(text) <= limit)
    ends = {match.end() for match in regex.finditer(r"\X", text)}
    if any(end <= limit for end in ends) and not cut == cut.rstrip() == "":
        assert not cut or len(cut) in ends or text[len(cut)].isspace()
    assert truncate_text(cut, limit) == cut


def test_a_text_is_cut_between_words():
    assert truncate_text("one two three", 9) == "one two"
    assert truncate_text("one two three", 7) == "one two"
    assert truncate_text("onetwothree", 7) == "onetwot"


@given(
    question=TEXTS,
    answer=TEXTS,
    slots=st.dictionaries(st.text(max_size=3), st.lists(TEXTS, max_size=4).map(tuple), max_size=5),
    count=st.integers(0, 5),
)
def test_a_truncated_exchange_fits_and_records_what_was_cut(question, answer, slots, count):
    memory = (Entity("city", frozenset({"city"}), "Tokyo"),) * count
    exchange = replace(make_exchange(question, answer, slots=slots), memory=memory)
    kept = truncate_exchange(exchange, SMALL)
    assert len(kept.question) <= 20
    assert len(kept.answer) <= 30
    assert sum(map(len, kept.slots.values())) <= 3
    assert all(len(value) <= 10 for values in kept.slots.values() for value in values)
    assert len(kept.memory) <= 2
    expected = {
        "question": len(question) if kept.question != question else None,
        "answer": len(answer) if kept.answer != answer else None,
        "slots": sum(map(len, slots.values())) if kept.slots != slots else None,
        "memory": count if kept.memory != memory else None,
    }
    assert kept.truncated == {name: size for name, size in expected.items() if size is not None}
    assert truncate_exchange(kept, SMALL) == kept
    _, read = records.load_record(records.dump_record(ANN, kept))
    assert read == kept


def test_a_truncated_memory_keeps_who_said_what():
    memory = tuple([Entity("city", frozenset({"city"}), name) for name in ("Oslo", "Rome", "Bonn")])
    exchange = replace(make_exchange("q"), memory=memory, by_bot=memory[1:])
    assert truncate_exchange(exchange, SMALL).by_bot == memory[1:2]


def test_an_exchange_within_the_limits_is_unchanged():
    exchange = make_exchange("weather in Tokyo", "sunny")
    assert truncate_exchange(exchange, ExchangeLimits()) is exchange


def test_a_huge_question_is_stored_and_indexed_in_part(tmp_path):
    question = " ".join(f"word{number}" for number in range(300_000))
    with LongTermMemory(f"sqlite:///{tmp_path}/memory.db", summarizer=None) as memory:
        memory.add(ANN, make_exchange(question, "That is too long."))
        assert memory.flush()
        (kept,) = memory.latest(ANN, 1)
        assert len(kept.question) <= 10_000
        assert kept.truncated == {"question": len(question)}
        (passage,) = memory.recall(UserKey("ann"), "word7").passages
        assert passage.exchange == kept
        assert memory.recall(UserKey("ann"), "word299999").passages == ()
    assert sum(path.stat().st_size for path in tmp_path.iterdir() if path.is_file()) < 1 << 20


def test_the_terms_of_an_exchange_are_limited():
    text = " ".join(f"word{number}" for number in range(5_000))
    exchange = make_exchange(text, intent="order_tea", slots={"size": ("large",)})
    terms = exchange_terms(exchange)
    assert len(set(terms)) < 2_100
    assert {"order", "tea", "large"} <= set(terms)
    repeated = make_exchange("tea " * 5_000)
    assert exchange_terms(repeated).count("tea") == 5_000


@pytest.mark.parametrize("name", ["question", "answer", "slot_value", "slots", "memory"])
def test_limits_below_one_are_rejected(name):
    with pytest.raises(ValueError, match="at least 1"):
        ExchangeLimits(**{name: 0})
