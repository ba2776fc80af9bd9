from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.tokens.token_cache import TokenCache
from anaphora.entities.tokens.tokenizers import blank
from anaphora.entities.words.lexicon import Lexicon
from anaphora.models.domain import RecognizerSpec
from anaphora.models.schema.builtin_entities import resolve_options
from tests.entities.helpers.model_builders import WEATHER, element, model
from tests.support.examples import examples

_LANGUAGES = ["en", "de", "fr", "ru", "es", "it", "tr"]


@cache
def _nlp(language: str) -> Language:
    return blank(language)


@cache
def _cuts(language: str) -> TokenCache:
    nlp = _nlp(language)

    def ask(text: str) -> list[tuple[str, int]]:
        return [(token.text, token.idx) for token in nlp.make_doc(text)]

    return TokenCache(nlp.tokenizer, ask, Lexicon(language))


def _cut(text: str, language: str = "en") -> list[tuple[str, int]] | None:
    cut = _cuts(language).tokenize(text)
    return None if cut is None else list(zip(cut[0], cut[1], strict=True))


def test_words_are_split_as_by_spacy():
    assert _cut("What's the weather, please?") == [
        ("What", 0), ("'s", 4), ("the", 7), ("weather", 11), (",", 18), ("please", 20), ("?", 26),
    ]  # fmt: skip
    cut = _cuts("en").tokenize("Lights off")
    assert cut is not None
    assert [word.lower for word in cut[2]] == ["lights", "off"]


@pytest.mark.parametrize(
    "text", ["", "two  blanks", "a\ttab", '"quoted"', "(so)", "ok :-)", "x" * 100, "a\xa0b", "-5"]
)
def test_what_only_the_tokenizer_can_tell_is_left_to_it(text):
    assert _cut(text) is None


def test_a_special_case_with_a_blank_inside_is_left_to_the_tokenizer():
    spanning = [rule for rule in _nlp("es").tokenizer.rules if " " in rule]
    assert spanning
    for rule in spanning:
        assert _cut(rule, "es") is None


def _texts(language: str) -> st.SearchStrategy[str]:
    rules = sorted(_nlp(language).tokenizer.rules)
    piece = st.one_of(
        st.sampled_from(rules),
        st.sampled_from(["London", "o'clock", "don't", "3pm", "5.30", "e-mail", "U.S.", "l'eau",
                         "Straße", "Москва", "k.o.", "1,000", "12:30", "20:15h", "x.y.com",
                         "A.", "no.", "we’ll", "New-York", "cannot", "10km", "İstanbul"]),
        st.text(st.sampled_from("aZé0ß.,:'’-?!;_"), min_size=1, max_size=8),
    )  # fmt: skip
    ends = st.sampled_from(["", "", "?", "!", ".", ",", ";", ":", "...", "?!"])
    pieces = st.lists(st.tuples(piece, ends).map("".join), min_size=1, max_size=6)
    return pieces.map(" ".join)


@pytest.mark.parametrize("language", _LANGUAGES)
@settings(deadline=None)
@given(data=st.data())
def test_the_cache_returns_the_tokens_of_spacy(language, data):
    text = data.draw(_texts(language))
    cut = _cut(text, language)
    if cut is not None:
        doc = _nlp(language).make_doc(text)
        assert cut == [(token.text, token.idx) for token in doc]
        assert _cut(text, language) == cut  # from what is remembered by now


def test_pieces_that_are_not_seen_again_are_forgotten(monkeypatch):
    monkeypatch.setattr("anaphora.entities.tokens.token_cache._SIZE", 3)
    asked = []

    def ask(text: str) -> list[tuple[str, int]]:
        asked.append(text)
        return [(text, 0)]

    cuts = TokenCache(_nlp("en").tokenizer, ask, Lexicon("en"))
    often, *others = [f"{number}pm" for number in range(7)]
    for number, piece in enumerate([*others, others[0]]):
        if number % 2 == 0:
            assert cuts.tokenize(often)
        assert cuts.tokenize(piece)
    assert asked == [often, *others, others[0]]


def test_the_tokenizer_is_not_asked_about_words_that_its_rules_leave_whole():
    def ask(text: str) -> list[tuple[str, int]]:
        raise AssertionError(text)

    cuts = TokenCache(_nlp("en").tokenizer, ask, Lexicon("en"))
    cut = cuts.tokenize("Lights, please!")
    assert cut is not None
    assert cut[0] == ["Lights", ",", "please", "!"]
    with pytest.raises(AssertionError, match="I'll"):
        cuts.tokenize("I'll")


_HOME = model(
    element("off", "turn off", sparse=True),
    element("lamp", values={"door": ["door"], "lock": ["door lock"], "desk": ["desk lamp"]}),
    element("any", "lamp", "new york", permute=True),
    element("locked", "is locked", sparse=True),
    reset=["forget it"],
)


@cache
def _readers(name: str) -> tuple[Pipeline, Pipeline]:
    known = {"weather": WEATHER, "home": _HOME}[name]
    return Pipeline(known), Pipeline(known, nlp=blank("en"))


_WORDS = """
turn the turns off is door doors lock locks locked desk lamp lamps New York forget it weather
forecasts in Tokyo, now? big apple (lamp) 'tomorrow'
"""
_words = st.sampled_from(_WORDS.split())


@pytest.mark.parametrize("name", ["weather", "home"])
@settings(max_examples=examples(200), deadline=None)
@given(text=st.lists(_words, max_size=9).map(" ".join))
def test_the_fast_path_gives_the_utterance_of_the_full_pipeline(name, text):
    quick, by_spans = _readers(name)
    one, other = quick(text), by_spans(text)
    assert (one.entities, one.resets, list(one.tokens), one.content_words) == (
        other.entities, other.resets, list(other.tokens), other.content_words,
    )  # fmt: skip


_BUILT_IN = (
    "date", "duration", "number", "money", "place", "limit", "sort", "relation", "coordinate",
    "email", "url", "boolean",
)  # fmt: skip
_SAID = """
tomorrow at 3pm Monday's 5 10km £20 $5.50 twenty-one o'clock New York, l'Aquila Paris-based Tokyo?
Berlin's next week until 2026-11-22 12:30 a@b.org www.example.org yes no top 3 cheapest first
less than half 1,000 51.5N, 0.1W завтра в Москве пять дней morgen in München um 14 Uhr à l'aube
"""


@cache
def _with_built_in(language: str) -> tuple[Pipeline, Pipeline]:
    recognized = (
        element(name, recognition=RecognizerSpec("built-in", name, resolve_options(name, {})))
        for name in _BUILT_IN
    )
    others = (one for one in WEATHER.elements if one.id not in _BUILT_IN)
    known = model(*recognized, *others, languages=(language,))
    return Pipeline(known), Pipeline(known, nlp=blank(language))


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "tr"])
@example(words=["week", "1,000"])
@given(words=st.lists(st.sampled_from(_SAID.split()), min_size=1, max_size=8))
def test_built_in_entities_are_those_that_are_found_in_a_doc(language, words):
    at = datetime(2026, 11, 22, 12, 30, tzinfo=UTC)
    ours, others = (reader(" ".join(words), at=at) for reader in _with_built_in(language))
    assert ours.entities == others.entities
    assert ours.tokens == others.tokens
