"""The places that a text mentions, with their metadata."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from anaphora.entities.builtin.places.matching.prefilter import PlacePrefilter
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.tokens.tokenizers import blank
from anaphora.models.schema.builtin_entities import resolve_options
from tests.support.examples import examples

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
LANGUAGES = ("en", "ru", "de", "ja", "zh", "he", "uk", "ko")


@lru_cache(maxsize=16)
def create_recognizer(language, **options):
    return blank(language), create_builtin("place", language, resolve_options("place", options))


def find_places(text, language="en", **options):
    nlp, recognize = create_recognizer(language, **options)
    return list(recognize(nlp(text), AT))


def test_a_mention_covers_the_name_and_describes_the_place():
    mention = find_places("weather in nizhny novgorod today")[0]
    assert (mention.start, mention.end) == (11, 26)
    assert mention.value == "Nizhny Novgorod"
    described = {key: mention.meta[key] for key in ("kind", "country", "country_name", "timezone")}
    assert described == {
        "kind": "city",
        "country": "RU",
        "country_name": "Russia",
        "timezone": "Europe/Moscow",
    }
    assert mention.meta["population"] > 1_000_000
    assert json.loads(json.dumps(mention.meta)) == mention.meta


def test_several_places_of_one_name_are_as_many_mentions_the_largest_first():
    mentions = find_places("weather in Cambridge")
    assert len(mentions) > 1
    assert len({mention.meta["id"] for mention in mentions}) == len(mentions)
    assert {(one.start, one.end) for one in mentions} == {(11, 20)}
    people = [one.meta["population"] for one in mentions]
    assert people == sorted(people, reverse=True)


def test_the_option_ambiguity_limits_the_mentions_of_a_name():
    assert len(find_places("weather in Springfield", ambiguity=1)) == 1
    assert len(find_places("weather in Springfield", ambiguity=3)) == 3


@pytest.mark.parametrize(
    "text",
    ["Paris, Texas", "Paris TX", "Paris in Texas", "Paris, USA", "paris, texas", "Paris (Texas)"],
)
def test_a_container_behind_a_name_selects_the_place_and_belongs_to_the_mention(text):
    (mention,) = find_places(text)
    assert mention.meta["region"] == "Texas"
    assert text[mention.start : mention.end].rstrip(")") == text.rstrip(")")


def test_a_place_that_does_not_contain_the_name_before_it_is_another_mention():
    values = [mention.value for mention in find_places("Tokyo, Germany", ambiguity=1)]
    assert values == ["Tokyo", "Germany"]


def test_the_option_kinds_leaves_the_others_out():
    only = [
        one.meta["kind"] for one in find_places("from Georgia to Paris, France", kinds=("country",))
    ]
    assert only == ["country", "country"]


def test_the_option_population_leaves_smaller_cities_out_but_no_capitals():
    assert find_places("weather in Heidelberg", population=1_000_000) == []
    assert [one.value for one in find_places("weather in Bern", population=1_000_000)] == ["Bern"]


@pytest.mark.parametrize("text", ["Paris", "oxford", "Heidelberg!", "madison", "東京", "Тверь"])
def test_a_name_alone_is_an_answer(text):
    assert len(find_places(text, "ru" if text == "Тверь" else "en", ambiguity=1)) == 1


@pytest.mark.parametrize("text", ["nice", "reading", "mobile", "orange", "most", "order", "раз"])
def test_a_common_word_alone_is_none(text):
    assert find_places(text, "ru" if text == "раз" else "en") == []


def test_a_fixed_phrase_that_starts_with_a_place_name_is_no_place():
    assert (
        find_places("Peking duck and a Panama hat, said Paris Hilton to Michael Jordan in jest")
        == []
    )
    assert [one.value for one in find_places("Peking and Panama", ambiguity=1)] == [
        "Beijing",
        "Panama",
    ]


def test_a_state_code_in_lower_case_selects_a_place_but_a_word_does_not():
    (austin,) = find_places("weather in austin tx")
    assert (austin.meta["region"], austin.end) == ("Texas", 20)
    assert [one.end for one in find_places("is it portland or boston", ambiguity=1)] == [14, 24]


def test_a_name_that_the_language_gives_to_another_place_has_its_own_meaning():
    (french,) = find_places("météo mexico", "fr", ambiguity=1)
    (english,) = find_places("weather mexico", "en", ambiguity=1)
    assert (french.meta["kind"], english.meta["kind"]) == ("city", "country")


def test_a_language_without_a_table_still_finds_names():
    assert find_places("Weer in Amsterdam morgen", "nl")[0].meta["country"] == "NL"


def test_a_region_in_the_code_of_the_language_makes_no_difference():
    nlp, recognize = blank("ru"), create_builtin("place", "ru-RU", resolve_options("place", {}))
    assert [one.value for one in recognize(nlp("погода в Казани"), AT)] == ["Kazan"]


def test_a_shorter_name_in_a_longer_japanese_word_is_not_found():
    assert {one.value for one in find_places("東京都の天気", "ja")} == {"Tokyo"}
    assert find_places("パリーグの試合", "ja") == []


def test_an_abbreviation_in_capitals_differs_from_the_word_in_lower_case():
    assert find_places("tell us more") == []
    assert [one.value for one in find_places("flights to the US")] == ["United States"]


@given(st.text(max_size=60), st.sampled_from(LANGUAGES))
@settings(max_examples=examples(200), deadline=None)
def test_any_text_is_read_the_same_way_twice_and_never_fails(text, language):
    nlp, recognize = create_recognizer(language)
    doc = Doc(nlp.vocab, words=[text]) if not text.strip() and text else nlp(text)
    first = list(recognize(doc, AT))
    assert first == list(recognize(doc, AT))
    for mention in first:
        assert 0 <= mention.start < mention.end <= len(doc.text)


@lru_cache(maxsize=1)
def recognizers_without_prefilter():
    """Recognizers that read every text in full."""
    return {one: create_builtin("place", one, resolve_options("place", {})) for one in LANGUAGES}


def find_without_prefilter(text, language):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PlacePrefilter, "has_no_place", lambda self, text: False)
        return list(recognizers_without_prefilter()[language](blank(language)(text), AT))


WORDS = """
set Set an the The in In from city of hague york new New nice Nice bath, reading reading, uk UK us
US the, order Order order, texas tx TX al paris Paris-Nord weather march march, maine (uk) tell st.
в В из городе орле Орле мирный мирный, москве, раз дел новый год нижнем новгороде in. Essen essen
nach la paz Louis louis s' Hertogenbosch ל ב ירושלים בירושלים 東京 天気
"""


@given(st.lists(st.sampled_from(WORDS.split()), max_size=8), st.sampled_from(LANGUAGES))
@settings(max_examples=examples(100), deadline=None)
def test_the_prefilter_rejects_no_text_with_places(words, language):
    text = " ".join(words)
    assert find_places(text, language) == find_without_prefilter(text, language)


def test_a_word_in_the_prefilter_cache_is_found_in_another_context():
    assert find_places("a nice reading order") == []
    assert [one.value for one in find_places("reading, uk")] == ["Reading"]
    assert find_places("tell us") == []
    assert [one.value for one in find_places("in the us")] == ["United States"]


NAMES = [
    "new",
    "York",
    "san",
    "in",
    "Paris",
    "texas",
    "TX",
    ",",
    "St.",
    "the",
    "US",
    "北京",
    "日本",
    "-",
]


@given(st.lists(st.sampled_from(NAMES), max_size=25))
@settings(max_examples=examples(200), deadline=None)
def test_mentions_of_different_names_never_overlap(words):
    spans = sorted({(one.start, one.end) for one in find_places(" ".join(words))})
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize(
    "text",
    [
        "5" * 10_000,
        "а" * 10_000,
        "new " * 2_500,
        "San José de " * 800,
        "北京" * 5_000,
        "ア" * 10_000,
        "Paris, " * 1_400,
        "\u0301" * 10_000,
        "x" * 10_000,
        "в " * 5_000,
        "St." * 3_000,
        "US " * 3_000,
        "-'" * 5_000,
    ],
    ids=lambda text: text[:4],
)
@pytest.mark.parametrize("language", ["en", "ru", "zh"])
def test_hostile_texts_take_no_quadratic_time(text, language):
    nlp, recognize = create_recognizer(language)
    doc = Doc(nlp.vocab, words=[text])
    short = Doc(nlp.vocab, words=[text[: len(text) // 10]])
    list(recognize(doc, AT)), list(recognize(short, AT))
    seconds = _seconds(recognize, doc)
    assert seconds < 5  # some 0.1 s; squared, it is minutes
    assert seconds < 100 * max(_seconds(recognize, short), 0.01)


def test_many_japanese_tokens_take_no_quadratic_time():
    nlp, recognize = create_recognizer("ja")
    doc = Doc(nlp.vocab, words=["東京", "の"] * 2_500)
    assert len(list(recognize(doc, AT))) == 2_500
    assert _seconds(recognize, doc) < 5  # some 0.1 s


def _seconds(recognize, doc):
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        list(recognize(doc, AT))
        best = min(best, time.process_time() - start)
    return best
