"""A lemma goes before a stem, and both behind what is spelled as in the model."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.entities.words import dictionary as dictionaries
from anaphora.entities.words.dictionary import compile_table
from anaphora.entities.words.lexicon import Lexicon
from anaphora.entities.words.normalization import create_batch_normalizer, create_normalizer
from anaphora.entities.words.orthography import load_orthography
from tests.entities.helpers.model_builders import element, model

WORDS = [
    "Café",
    "ΣΊΣΥΦΟΣ",
    "straße",
    "don’t",
    "ﬁsh",
    "со\u0301ль",
    "ёлка",
    "שָׁלוֹם",
    "של\u200eום",
    "I",
]


def entities(text: str, *elements, language: str = "en"):
    return Pipeline(model(*elements, languages=(language,)))(text).entities


def test_words_that_share_a_stem_alone_are_other_words():
    assert entities("casa", element("case", "caso"), language="es") == ()
    assert entities("puerta", element("port", "puerto"), language="es") == ()


def test_irregular_forms_are_found():
    for text, synonym in (("children", "child"), ("went", "go"), ("knives", "knife")):
        (entity,) = entities(text, element("x", synonym))
        assert (entity.exact, entity.marks) == (False, frozenset())


def test_a_word_that_no_dictionary_has_is_found_by_its_stem_and_marked():
    (entity,) = entities("two widgetrons", element("x", "widgetron"))
    assert (entity.exact, entity.marks) == (False, frozenset({"stem"}))


def test_exact_spelling_takes_precedence_over_a_lemma_and_that_over_a_stem():
    exact, lemma = element("exact", "children"), element("lemma", "child")
    utterance = Pipeline(model(lemma, exact))("children")
    assert find_variants(utterance)[0].entities[0].element == "exact"


@pytest.mark.parametrize("language", ["en", "de", "ru", "tr", "el", "he", "uk", "ar"])
def test_many_words_are_normalised_as_each_of_them(language):
    each = list(map(create_normalizer(language), WORDS))
    assert create_batch_normalizer(language)(WORDS) == each


@pytest.mark.parametrize("language", ["de", "fr", "ru", "vi", "en"])
def test_many_words_lose_their_marks_as_each_of_them(language):
    words = ["größe", "café", "naïve", "plain", "ёлка", "straße"]
    ways = zip(*load_orthography(language).unmarked_spellings_in_lines(words), strict=True)
    found = [set(way) - {word} for way, word in zip(ways, words, strict=True)]
    assert found == [set(load_orthography(language).unmarked_spellings(word)) for word in words]


def test_lower_case_takes_precedence_over_a_name_and_marks_over_none():
    entries = [("Leben", "Leben"), ("leben", "leben"), ("löste", "lösen"), ("loste", "losen")]
    words = dictionaries.Dictionary(compile_table(entries, "de"))
    assert words.get("leben") == ("leben", "")
    assert words.get("loste") == ("losen", "lösen")
    assert words.get("löste") == ("lösen", "")
    assert words.get("nothing") is None


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch):
    """A process that has read no dictionary."""
    monkeypatch.setattr(dictionaries, "_entries", lambda code: [("words", "word")])
    dictionaries.load_dictionary.cache_clear()
    yield
    dictionaries.load_dictionary.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_a_dictionary_is_prepared_once_on_a_machine(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("ANAPHORA_CACHE", str(tmp_path))
    with caplog.at_level(logging.INFO):
        for _ in range(2):
            words = dictionaries.load_dictionary("en")
            assert words is not None
            assert words.get("words") == ("word", "")
            dictionaries.load_dictionary.cache_clear()
    told = [one.message for one in caplog.records if "preparing the dictionary" in one.message]
    assert len(told) == 1


@pytest.mark.usefixtures("fresh")
def test_a_machine_without_a_place_for_dictionaries_does_without(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("in the place of a folder")
    monkeypatch.setenv("ANAPHORA_CACHE", str(file))
    words = dictionaries.load_dictionary("en")
    assert words is not None
    assert "words" in words


@pytest.mark.usefixtures("fresh")
def test_a_user_without_a_home_has_dictionaries(monkeypatch):
    monkeypatch.delenv("ANAPHORA_CACHE", raising=False)
    monkeypatch.setattr(
        dictionaries, "user_cache_path", lambda name: Path("~nobody-of-that-name") / name
    )
    words = dictionaries.load_dictionary("en")
    assert words is not None
    assert "words" in words


@pytest.mark.usefixtures("fresh")
def test_a_dictionary_is_loaded_when_the_first_word_needs_it(tmp_path, monkeypatch):
    monkeypatch.setenv("ANAPHORA_CACHE", str(tmp_path))
    lexicon = Lexicon("en")
    assert dictionaries.load_dictionary.cache_info().currsize == 0
    assert lexicon.word("words").stem == "word"
    assert dictionaries.load_dictionary.cache_info().currsize == 1


def test_particles_are_taken_off_no_word_of_the_dictionary():
    word = Lexicon("he").word("ורד")  # a rose, and no "and Rad"
    assert word.in_dictionary
    assert word.alternatives == ()


def test_lemmas_that_are_written_in_parts_are_whole():
    words = dictionaries.Dictionary(compile_table([("overgenomen", "over_nemen")], "nl"))
    assert words.get("overgenomen") == ("overnemen", "")


def test_a_word_of_longer_phrases_may_still_be_a_form_of_another():
    reader = Pipeline(
        model(
            element("book", "reservar", "fazer reserva"),
            element("mine", "minha reserva"),
            languages=("pt",),
        )
    )
    assert [one.element for one in reader("reserva uma mesa").entities] == ["book"]
    assert [one.text for one in reader("fazer reserva").entities] == ["fazer reserva"]


@pytest.mark.parametrize(
    ("language", "form", "lemma"),
    [
        ("en", "rebuilt", "rebuild"),  # an irregular verb behind a prefix
        ("en", "thieves", "thief"),
        ("es", "juego", "jugar"),  # a verb by "juegan"
        ("es", "enséñame", "enseñar"),
        ("es", "baratas", "barato"),  # an adjective by "baratamente"
        ("fr", "traduit", "traduire"),
        ("it", "riscritto", "riscrivere"),
        ("pt", "composta", "compor"),
    ],
)
def test_forms_that_are_other_words_as_well_are_found(language: str, form: str, lemma: str) -> None:
    found = entities(form, element("one", lemma), language=language)
    assert [one.element for one in found] == ["one"]


@pytest.mark.parametrize(
    ("language", "word", "other"),
    [("es", "puerta", "portar"), ("fr", "menu", "mener"), ("en", "supper", "sup")],
)
def test_words_are_no_forms_of_verbs_that_have_no_such_form(
    language: str, word: str, other: str
) -> None:
    assert entities(word, element("one", other), language=language) == ()


@pytest.mark.parametrize(
    ("language", "synonym", "found", "apart"),
    [
        ("ru", "закрыть", "карта закрыта", "карта"),
        ("ru", "оплатить", "счёт оплачен", "счёт"),
        ("pl", "otworzyć", "okna są otwarte", "okna"),
        ("uk", "вимкнути", "світло вимкнено", "світло"),
        ("pt", "dor", "muitas dores", "meu filho não dorme"),
        ("en", "see", "I saw it", "a seed"),
    ],
)
def test_participles_are_forms_and_other_words_are_none(language, synonym, found, apart):
    reader = Pipeline(model(element("it", synonym), languages=(language,)))
    assert [one.element for one in reader(found).entities] == ["it"]
    assert reader(apart).entities == ()
