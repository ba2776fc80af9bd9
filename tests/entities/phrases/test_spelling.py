"""Words with wrong letters: what is taken for what the model has, and what is not."""

from __future__ import annotations

import random
import time
from functools import cache
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace
from rapidfuzz.distance import OSA

from anaphora import Engine, parse_model
from anaphora.core.utterance import Entity
from anaphora.entities.phrases.edit_distance import MIN_LENGTH, SpellingIndex
from anaphora.entities.phrases.stem_candidates import CandidateFinder, PhraseVocabulary
from anaphora.entities.phrases.trie_builder import TrieBuilder
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.spacy.language_pipelines import build_pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.entities.words.lexicon import Lexicon
from anaphora.models.domain import Element, RecognizerSpec, StopWords
from tests.entities.helpers.model_builders import element, model, part, pattern
from tests.support.line_counter import count_lines

WEATHER = element("weather", "weather", "weather forecast", typos=2)
CITY = element(
    "city",
    values={"Tokyo": ["Tokyo"], "New York": ["New York", "big apple"], "Bonn": ["Bonn"]},
    typos=1,
)


def entities(text: str, *elements: Element, language: str = "en", **more) -> tuple[Entity, ...]:
    return Pipeline(model(*elements, languages=(language,), **more))(text).entities


def found(text: str, *elements: Element, **more) -> list[str]:
    return [str(entity) for entity in entities(text, *elements, **more)]


# What is found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wether in Tokio", ["weather", "city=Tokyo"]),
        ("waether in okyo", ["weather", "city=Tokyo"]),
        ("yokyo", ["city=Tokyo"]),
        ("Tokyoo", ["city=Tokyo"]),
        ("TOYKO!", ["city=Tokyo"]),
        ("watherr", ["weather"]),
        ("weather forcats", ["weather"]),
        ("New Yrok", ["city=New York"]),
        ("the big appel", ["city=New York"]),
        ("New-Yorrk", ["city=New York"]),
        ("bonm", ["city=Bonn"]),
    ],
)
def test_a_word_with_a_wrong_letter_is_taken_for_the_one_that_is_meant(text, expected):
    assert found(text, WEATHER, CITY) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Tikio", "two letters, where one may be wrong"),
        ("wthrr", "three letters"),
        ("bon", "a short word"),
        ("Toky0", "a digit"),
        ("New Yrko York", "New York needs its words one after the other"),
        ("kyoto", "another city"),
        ("new yorkers yrkoers", "far too many letters"),
    ],
)
def test_words_beyond_the_edit_distance_are_not_found(text, why):
    assert "misspelt" not in {mark for one in entities(text, WEATHER, CITY) for mark in one.marks}


def test_without_typos_nothing_is_taken_for_anything():
    assert found("wether in tokio", element("weather", "weather"), element("c", "Tokyo")) == []


def test_the_entity_says_that_it_is_misspelt():
    wrong, right = entities("Tokio and Tokyo", CITY)
    assert (wrong.text, wrong.value, wrong.exact, wrong.marks) == (
        "Tokio",
        "Tokyo",
        False,
        {"misspelt"},
    )
    assert (right.exact, right.marks) == (True, frozenset())


@pytest.mark.parametrize(
    ("language", "known", "typed"),
    [
        ("ru", "погода", "пагоду"),
        ("ru", "Москва", "Мсокве"),
        ("de", "Wettervorhersage", "Wettervorhersge"),
        ("fr", "météo", "mtééo"),
        ("fr", "météo", "meteoo"),
        ("de", "München", "Muencehn"),
        ("uk", "погода", "пгода"),
        ("uk", "понеділок", "панеділка"),
        ("es", "mañana", "mñana"),
        ("el", "Αθήνα", "Ατήνα"),
        ("hi", "दिल्ली", "दील्ली"),
        ("ko", "서울시청", "서을시청"),
        ("ar", "القاهرة", "القاهرت"),
    ],
)
def test_it_works_in_other_languages_and_in_other_forms_of_the_word(language, known, typed):
    assert found(typed, element("it", known, typos=1), language=language) == ["it"]


@pytest.mark.parametrize(
    ("language", "known", "typed"),
    [
        ("he", "לונדון", "בלונדן"),
        ("he", "ירושלים", "ולירשלים"),
        ("ar", "بيروت", "ببيروط"),
        ("ko", "샌프란시스코", "셴프란시스코에서는"),
        ("tr", "İstanbul", "İstnbul'da"),
        ("tr", "Diyarbakır", "DIYARBKIR"),
        ("uk", "Одеса", "Одессі"),
    ],
)
def test_an_attached_particle_is_no_typo(language, known, typed):
    (entity,) = entities(f"({typed})", element("it", known, typos=1), language=language)
    assert (entity.text, entity.marks) == (typed, {"misspelt", "bracketed"})
    assert found(typed, element("it", known), language=language) == []


def test_what_is_left_of_a_short_word_is_not_misspelt():
    assert found("בבנן", element("it", "בנק", typos=1), language="he") == []


def test_only_the_element_that_allows_it_is_found():
    strict, lax = element("strict", "weather"), element("lax", "weather", typos=1)
    assert found("wether", strict, lax) == ["lax"]
    once, twice = element("once", "forecast", typos=1), element("twice", "forecast", typos=2)
    assert found("forcats", once, twice) == ["twice"]
    assert found("forcast", once, twice) == ["once", "twice"]


def test_of_several_words_the_nearest_is_meant_and_equals_are_all_possible():
    near = element("near", values={"stations": ["stations"], "nations": ["nations"]}, typos=2)
    assert found("natiosn", near) == ["near=nations"]
    both = element("both", values={"cart": ["cart"], "card": ["card"]}, typos=1)
    assert found("carx", both) == ["both=cart", "both=card"]


# What is never misspelt


def test_a_word_that_the_model_has_is_never_misspelt():
    hostel = element("hostel", "hostels")
    assert found("hostel", element("hotel", "hotel", typos=1), hostel) == ["hostel"]
    assert found("hostel", element("hotel", "hotel", typos=1)) == ["hotel"]
    assert found("hostel", element("hotel", "hotel", typos=1), reset=["hostel"]) == []


def test_a_stop_word_is_never_misspelt():
    assert found("what will there be", element("e", "whatt", "theri", "willx", typos=1)) == []
    own = StopWords(additional=frozenset({"tokio"}))
    assert found("tokio", CITY, stop_words=own) == []


def test_a_word_that_a_recognizer_knows_is_never_misspelt():
    mail = Element("mail", frozenset({"mail"}), recognition=RecognizerSpec("built-in", "email"))
    near = element("near", "example", typos=2)
    assert found("exampel", near, mail) == ["near"]
    assert found("exampel@exampel.com", near, mail) == ["mail=exampel@exampel.com"]


def test_numbers_are_never_misspelt():
    assert found("12346 a1234x", element("n", "12345", "a1234b", typos=2)) == []


# With all else that phrases can be


def test_words_of_sparse_and_permuted_phrases_may_be_misspelt():
    sparse = element("off", "turn lights off", sparse=True, permute=True, typos=1)
    (off,) = entities("turn the ligths please off", sparse)
    assert (off.text, off.marks) == ("turn ligths off", {"misspelt"})
    (off,) = entities("ligths turn", element("off", "turn lights", permute=True, typos=1))
    assert off.marks == {"misspelt", "permuted"}


def test_a_stricter_sparse_phrase_is_not_misled_by_a_misspelt_word():
    lax = element("lax", "table green", sparse=True, typos=1)
    strict = element("strict", "table red", sparse=True)
    found = entities("table tabel now red green", lax, strict)
    assert {(one.element, one.tokens) for one in found} == {
        ("lax", (1, 4)),
        ("lax", (0, 4)),  # as it is spelled
        ("strict", (0, 3)),
    }


def test_skipped_stop_words_may_stand_in_a_misspelt_phrase():
    report = element("report", "status report", typos=1)
    (entity,) = entities("statsu of the reprot", report, stop_words=StopWords(skipped=True))
    assert (entity.gaps, entity.marks) == (2, {"misspelt"})


def test_an_entity_with_a_misspelt_part_is_misspelt():
    color = element("color", "yellow", typos=1)
    lamp = element("lamp", (part("# == 'color'"), "lamp"))
    entity, _ = entities("the yelow lamp", color, lamp)
    assert (entity.element, entity.marks) == ("lamp", {"misspelt"})
    assert entity.exact is False


def test_a_word_beside_a_pattern_may_be_misspelt():
    level = element("level", (*pattern("[0-9]+"), "percent"), typos=1)
    assert found("20 pecrent", level) == ["level"]


def test_a_span_of_what_has_a_misspelt_part_says_so():
    lamp = element("lamp", (part("# == 'color'"), "lamp"))
    doc = build_pipeline(model(element("color", "yellow", typos=1), lamp), "en")("yelow lamp")
    assert {(one.label_, one.id_) for one in doc.spans["anaphora"]} == {
        ("color", "typo"),
        ("lamp", "typo"),
    }


def test_a_saved_pipeline_still_knows_what_may_be_misspelt(tmp_path):
    nlp = build_pipeline(model(CITY), "en")
    doc = nlp.from_bytes(nlp.to_bytes())("Tokio, Tokyo")
    assert [span.id_ for span in doc.spans["anaphora"]] == ["typo", "exact"]


# Ranking


def test_readings_with_misspelt_words_come_last():
    exact, stem, typo = (
        Entity("e", frozenset({"e"}), "x", (0,), exact=True),
        Entity("s", frozenset({"s"}), "x", (0,), exact=False),
        Entity("t", frozenset({"t"}), "x", (0,), exact=False, marks=frozenset({"misspelt"})),
    )
    utterance = Pipeline(model())("x")
    ranked = find_variants(replace(utterance, entities=(typo, stem, exact)))
    assert [variant.entities[0].element for variant in ranked] == ["e", "s", "t"]


def test_a_dialog_goes_on_though_words_are_misspelt():
    bot = Engine(
        parse_model("""
            id: weather
            elements:
              - {id: weather, typos: 1}
              - {id: city, typos: 1, values: {Tokyo: [], Kyoto: [], New York: []}}
            intents:
              - intent=weather term(topic)~{# == 'weather'} term(city)~{# == 'city'}
        """)
    )
    assert bot.ask("waether in tokoy").slots["city"].value == "Tokyo"
    reply = bot.ask("and in Kyotto?")
    assert (reply.status, reply.slots["city"].value) == ("matched", "Kyoto")
    assert bot.ask("new yorkk").slots["city"].value == "New York"


# Rules that always hold

LETTERS = "abcdefgh"
WORDS = st.text(LETTERS, min_size=1, max_size=10)


def allowed(word: str, typos: int) -> int:
    return 0 if len(word) < MIN_LENGTH else min(typos, 1) if len(word) < 7 else typos


@given(words=st.lists(WORDS, min_size=1, max_size=8, unique=True), typed=WORDS,
       typos=st.integers(1, 2))  # fmt: skip
def test_a_word_is_found_if_and_only_if_it_is_among_the_nearest_that_are_near_enough(
    words, typed, typos
):
    tolerant = element("it", values={word: [word] for word in words}, typos=typos)
    near = {
        word: distance
        for word in words
        if len(typed) >= MIN_LENGTH
        and (distance := OSA.distance(typed, word)) <= allowed(word, typos)
    }
    expected = {word for word, distance in near.items() if distance == min(near.values())}
    if typed in words:
        expected = {typed}
    utterance = Pipeline(model(tolerant, languages=("xx",)))(typed)
    assert {entity.value for entity in utterance.entities} == expected


@given(
    word=st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=12),
    at=st.floats(0, 0.99),
    kind=st.sampled_from(["change", "drop", "add", "swap"]),
    letter=st.sampled_from("abcdefghijklmnopqrstuvwxyz"),
)
def test_one_wrong_letter_is_always_forgiven_from_four_letters_on(word, at, kind, letter):
    i = int(at * len(word))
    typed = {
        "change": word[:i] + letter + word[i + 1 :],
        "drop": word[:i] + word[i + 1 :],
        "add": word[:i] + letter + word[i:],
        "swap": word[:i] + word[i : i + 2][::-1] + word[i + 2 :],
    }[kind]
    assume(len(typed) != MIN_LENGTH or typed == word)  # which may be another word
    assume(kind != "drop" or i > 0 or word[0] != "e")  # the rest is a word: see the next test
    expected = 1 if len(typed) >= MIN_LENGTH else 0
    assert len(entities(f"{typed}", element("it", word, typos=1), language="xx")) == expected


def test_what_follows_the_e_of_email_is_a_word_of_its_own_and_no_typo():
    tolerant = element("it", "email", typos=1)
    assert entities("e-mail", tolerant, language="xx")
    assert not entities("mail", tolerant, language="xx")


@given(st.lists(st.tuples(WORDS, st.integers(1, 2)), min_size=1, max_size=30), WORDS)
def test_ruling_words_out_by_their_letters_loses_none(words, typed):
    known = dict(words)
    near = SpellingIndex({(word, word): typos for word, typos in known.items()}).find_nearest(
        typed, typed
    )
    all_ = {
        word: distance
        for word, typos in known.items()
        if (distance := OSA.distance(typed, word)) <= (min(typos, 1) if len(word) < 7 else typos)
    }
    if len(typed) < MIN_LENGTH:
        all_ = {}
    nearest = sorted(word for word, distance in all_.items() if distance == min(all_.values()))
    assert [word for word, _ in near] == nearest[:8]


@given(text=st.text(max_size=60))
def test_any_text_can_be_read_with_tolerance(text):
    lax()(text)


@cache
def lax() -> Pipeline:
    return Pipeline(model(WEATHER, CITY))


# Bounds


def test_the_cache_of_misspelt_words_is_bounded():
    lexicon = Lexicon("en")
    vocabulary = PhraseVocabulary(lexicon)
    (word,) = lexicon.read_phrase_words(["weather"])
    vocabulary.add_word(word, 1)
    builder = TrieBuilder()
    builder.add([word], 0)
    trie = builder.build()
    candidates = CandidateFinder(vocabulary, [trie.stems], trie.is_phrase)
    for number in range(12_000):
        candidates.find(lexicon.read_phrase_words([f"wether{_letters_of(number)}"]))
    assert 0 < len(candidates._find_near_cached) <= 10_000


def test_a_long_text_of_unknown_words_is_read_in_bounded_time():
    chance = random.Random(4)
    names = {"".join(chance.choices("abcdefghijklmnop", k=8)): [] for _ in range(20_000)}
    pipeline = Pipeline(model(element("name", values={n: [n] for n in names}, typos=2)))
    text = " ".join("".join(chance.choices("abcdefghijklmnop", k=8)) for _ in range(1_100))
    pipeline("wxyzwxyz")
    started = time.process_time()
    pipeline(text[:10_000])
    assert time.process_time() - started < 2  # 0.1 s on a quiet machine


@pytest.mark.parametrize("language", ["en", "de", "he", "ko"])
def test_of_one_text_no_more_words_are_looked_up_than_allowed(language, monkeypatch):
    looked_up = []
    near = SpellingIndex.find_nearest
    monkeypatch.setattr(
        SpellingIndex,
        "find_nearest",
        lambda self, *word: looked_up.append(word) or near(self, *word),
    )
    pipeline = Pipeline(model(WEATHER, CITY, languages=(language,)))
    letters = "bcdfghijklmnopqrsuvw"
    words = [f"we{one}{two}her" for one, two in product(letters, repeat=2)]
    pipeline(" ".join(map("-".join, zip(*[iter(words)] * 5, strict=False))))
    texts = [text for lower, stem, meant in looked_up for text in {lower, stem, *meant}]
    assert 100 < len(texts) < 350


def test_a_text_of_one_misspelt_word_costs_little_for_each():
    pipeline = Pipeline(model(WEATHER, CITY))
    pipeline("tokio")
    small, _ = count_lines(lambda: pipeline("tokio " * 100))
    large, _ = count_lines(lambda: pipeline("tokio " * 1_000))
    assert large < 12 * small


def _letters_of(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
