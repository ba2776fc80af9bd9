"""Many languages: bots that answer follow-ups in each, and the language of an utterance told."""

from __future__ import annotations

import pkgutil
from functools import cache
from pathlib import Path

import pytest
import spacy
import spacy.lang
import yaml
from hypothesis import given
from hypothesis import strategies as st

from anaphora import Engine
from anaphora.engine.samples.runner import run_dialog
from anaphora.entities.language_detection import select_likeliest
from anaphora.entities.languages import languages_with
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.spacy.language_pipelines import build_pipeline
from anaphora.entities.tokens.tokenizers import blank
from anaphora.entities.words.lexicon import Lexicon
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.orthography import load_orthography
from anaphora.models.loader import load_model
from tests.entities.helpers.model_builders import element, model

HERE = Path(__file__).parent
MODELS = sorted((HERE / "dialogs").glob("*.yaml"))
DETECTION = HERE / "detection"
TONGUES = languages_with("orthography")
CODES = sorted(module.name for module in pkgutil.iter_modules(spacy.lang.__path__) if module.ispkg)


def found(language: str, text: str, *elements) -> list[tuple[str, bool]]:
    """The elements in a text, each with whether it is written as in the model."""
    utterance = Pipeline(model(*elements, languages=(language,)))(text)
    return [(entity.element, entity.exact) for entity in utterance.entities]


# Dialogs


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_a_bot_of_that_language_resolves_follow_ups(file):
    it = load_model(file)
    engine = Engine(it)
    assert sum(len(dialog.steps) for dialog in it.samples) >= 5
    for dialog in it.samples:
        result = run_dialog(engine, dialog)
        assert result.passed, [turn for turn in result.steps if turn.failures]


def test_the_dialogs_include_the_most_different_languages():
    assert {"ar", "he", "zh", "ja", "uk", "ko", "hi", "tr", "th"} <= {file.stem for file in MODELS}


@pytest.mark.parametrize("code", CODES)
def test_every_language_of_spacy_finds_a_word_by_itself(code):
    doc = build_pipeline(model(element("word", "東京")), code)("(東京)")
    assert [span.text for span in doc.spans["anaphora"]] == ["東京"]


# How words are written


@pytest.mark.parametrize(
    ("language", "some", "other"),
    [
        ("ar", "أحمد", "احمد"),
        ("ar", "إلى", "الي"),
        ("ar", "مدرسة", "مدرسه"),
        ("ar", "مَدْرَسَةٌ", "مدرسة"),
        ("ar", "جـمـيـل", "جميل"),
        ("he", "שָׁלוֹם", "שלום"),
        ("he", "צה״ל", 'צה"ל'),
        ("ru", "ёлка", "елка"),
        ("uk", "за́мок", "замок"),
        ("zh", "臺灣", "台湾"),
        ("zh-TW", "天氣", "天气"),
        ("hi", "मुँबई", "मुंबई"),
        ("de", "Straße", "STRASSE"),
    ],
)
def test_two_ways_to_write_a_word_count_as_one(language, some, other):
    assert create_normalizer(language)(some) == create_normalizer(language)(other)


@pytest.mark.parametrize("forms", [
    "Київ Києва Києву Києвом Києві", "Львів Львова Львову Львовом Львові",
    "Харків Харкова Харкову Харкові", "погода погоди погоді погоду погодою",
    "рік року роком", "ранок ранку ранком", "вечір вечора вечором", "день дня дні",
    "піца піци піцу піцою", "готовий готова готового готову готові", "рейс рейсу рейси рейсів",
    "п'ятниця п'ятницю п’ятниці пятницю", "Одеса Одеси Одесі Одесу", "місто міста місті містом",
    "новий нова нове нового нову", "вулиця вулиці вулицю", "квиток квитка квитки квитків",
])  # fmt: skip
def test_the_cases_of_a_ukrainian_word_are_found(forms):
    lemma, *cases = forms.split()
    word = element("it", lemma)
    assert [case for case in cases if [one for one, _ in found("uk", case, word)] != ["it"]] == []


@pytest.mark.parametrize(
    "words", ["Київ Харків", "рік рука", "погода подія", "день дощ", "ранок вечір", "кава кавун"]
)
def test_different_ukrainian_words_have_different_stems(words):
    one, other = Lexicon("uk").words(words.split())
    assert one.stem != other.stem


@pytest.mark.parametrize(
    ("language", "known", "typed"),
    [
        ("fr", "météo", "meteo"),
        ("fr", "préférées", "preferees"),
        ("fr", "météo", "metéo"),
        ("fr", "cœur", "coeur"),
        ("fr", "déjà vu", "deja vu"),
        ("es", "mañana", "manana"),
        ("es", "teléfono", "telefono"),
        ("es", "telefono", "teléfono"),
        ("pt", "previsão", "previsao"),
        ("it", "lunedì", "lunedi"),
        ("de", "schön", "schoen"),
        ("de", "Muenchen", "München"),
        ("tr", "sıcaklık", "sicaklik"),
        ("pl", "Łódź", "Lodz"),
        ("da", "Århus", "Aarhus"),
        ("el", "Αθήνα", "Αθηνα"),
        ("vi", "Đà Nẵng", "da nang"),
        ("en", "São Paulo", "Sao Paulo"),
        ("en", "cafe", "café"),
        ("cs", "počasí", "pocasi"),
    ],
)
def test_marks_may_be_left_out_and_the_match_is_not_exact(language, known, typed):
    assert found(language, f"({typed})", element("it", known)) == [("it", False)]
    assert found(language, f"({known})", element("it", known)) == [("it", True)]


DOTTED = [
    ("İstanbul", "Istanbul"),
    ("İstanbul", "ISTANBUL"),
    ("İzmir", "IZMIR"),
    ("Iğdır", "IGDIR"),
    ("Diyarbakır", "DIYARBAKIR"),
]


@pytest.mark.parametrize(
    ("language", "known", "typed"),
    [
        *(("tr", *names) for names in DOTTED),
        *(("az", *names) for names in DOTTED),
        ("tr", "İzmir", "Izmirde"),  # there is no stemmer for az
    ],
)
def test_a_capital_without_its_dot_may_be_either_letter(language, known, typed):
    assert found(language, typed, element("it", known)) == [("it", False)]
    assert found(language, known.replace("İ", "i"), element("it", known)) == [("it", True)]


def test_a_capital_without_its_dot_is_first_of_all_what_is_written():
    both = element("thin", "ince"), element("light", "ınce")
    assert found("tr", "INCE ince", *both) == [("light", True), ("thin", True)]
    assert found("tr", "ınce", both[0]) == []


def test_a_written_enye_is_meant():
    year, ring = element("year", "año"), element("ring", "ano")
    assert found("es", "año ano", year, ring) == [("year", True), ("ring", True)]
    assert found("es", "año", ring) == []
    assert found("es", "ano", year) == [("year", False)]


@pytest.mark.parametrize(
    ("language", "known", "typed"),
    [("sv", "far", "får"), ("pl", "kat", "kąt"), ("bg", "краи", "край"), ("ja", "か", "が")],
)
def test_other_letters_are_no_marks(language, known, typed):
    assert found(language, typed, element("it", known)) == []


@pytest.mark.parametrize(
    ("language", "known", "typed"),
    [
        ("he", "מחר", "ומחר"),
        ("he", "תל אביב", "ושבתל אביב"),
        ("he", "ירושלים", "לירושלים"),
        ("ar", "غدا", "وغدا"),
        ("ar", "القاهرة", "وبالقاهرة"),
        ("ar", "دبي", "لدبي"),
        ("ko", "서울", "서울에서는"),
        ("ko", "날씨", "날씨가"),
        ("ko", "날씨", "날씨좀"),
        ("ko", "호텔", "호텔들은"),
    ],
)
def test_a_word_is_found_with_particles_attached(language, known, typed):
    assert found(language, typed, element("it", known)) == [("it", False)]


def test_a_word_that_the_model_has_keeps_its_first_letter():
    home, in_tea = element("home", "בית"), element("tea", "ית")
    assert found("he", "בית", home, in_tea) == [("home", True)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Tokyo?Kyoto"),
        ("ru", "Tokyo!Kyoto"),
        ("es", "Tokyo;Kyoto"),
        ("ar", "Tokyo،Kyoto"),
        ("fa", "Tokyo؟Kyoto"),
        ("ko", "Tokyo?!Kyoto"),
        ("hi", "Tokyo।Kyoto"),
        ("th", "Tokyo?Kyoto"),
        ("ja", "Tokyo？Kyoto"),
    ],
)
def test_the_blank_behind_a_mark_may_be_missing(language, text):
    both = element("one", "Tokyo"), element("other", "Kyoto")
    assert found(language, text, *both) == [("one", True), ("other", True)]


def test_marks_inside_of_addresses_part_nothing():
    nlp = blank("en")
    assert [token.text for token in nlp("http://a.com/?q=b;c|d or bob@a.com ;)")] == [
        "http://a.com/?q=b;c|d", "or", "bob@a.com", ";)",
    ]  # fmt: skip


def test_an_apostrophe_parts_words_in_french_and_italian():
    assert found("fr", "l’hôtel d'Aix", element("hotel", "hôtel"), element("aix", "Aix")) == [
        ("hotel", True),
        ("aix", True),
    ]
    assert found("it", "dell'Aquila", element("city", "Aquila")) == [("city", True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("北京烤鸭", ["duck", "city"]), ("南北京剧", []), ("上海", [])],
)
def test_chinese_words_are_found_inside_longer_phrases_but_not_across_words(text, expected):
    both = element("city", "北京"), element("duck", "北京烤鸭")
    assert [name for name, _ in found("zh", text, *both)] == expected


# The tables


@pytest.mark.parametrize("code", TONGUES)
@given(text=st.text(max_size=30))
def test_any_word_can_be_read_by_any_table(code, text):
    known = load_orthography(code)
    lower = create_normalizer(code)(text)
    assert create_normalizer(code)(text) == lower
    assert lower not in known.alternative_spellings(lower)
    assert lower not in known.unmarked_spellings(lower)
    assert isinstance(known.stem(lower), str)


@pytest.mark.parametrize("code", TONGUES)
def test_tables_are_those_of_languages_that_spacy_has(code):
    assert base_code(code) == code
    assert code in CODES


def test_a_language_without_a_table_is_written_as_any_other():
    assert load_orthography("lb").alternative_spellings("zürich") == ("zurich",)
    assert load_orthography("../en").alternative_spellings("zurich") == ()


def test_long_words_are_not_taken_apart():
    assert load_orthography("he").alternative_spellings("ב" * 100_000) == ()


@given(text=st.text() | st.text("กรุงเทพ ํี่ a1.\n_", max_size=20))
def test_letters_are_cut_so_that_the_text_stays_as_it_is(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert THAI(text).text == text


THAI = blank("th")


def test_thai_is_cut_into_letters_and_other_scripts_into_words():
    assert [token.text for token in THAI("ฝนตก in Paris, 25°")] == [
        "ฝ", "น", "ต", "ก", "in", "Paris", ",", "25", "°",
    ]  # fmt: skip


@pytest.mark.parametrize("code", ["th", "ko", "vi", "en"])
@pytest.mark.usefixtures("own_tokenizers")
def test_a_pipeline_with_another_tokenizer_can_be_saved(code, tmp_path):
    nlp = build_pipeline(model(element("city", "東京")), code)
    nlp.to_disk(tmp_path)
    doc = spacy.load(tmp_path)("東京?x !")
    assert [span.text for span in doc.spans["anaphora"]] == ["東京"]


# Which language it is


def told() -> list:
    table = yaml.load((DETECTION / "utterances.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    cases = []
    for language, utterances in table.items():
        for one in utterances:
            say, fails = (one, "") if isinstance(one, str) else (one["say"], one["fails"])
            marks = [pytest.mark.xfail(reason=fails, strict=True)] if fails else []
            cases.append(pytest.param(language, say, marks=marks, id=f"{language}-{say}"))
    return cases


@pytest.fixture(scope="module")
def polyglot() -> Pipeline:
    return Pipeline(load_model(DETECTION / "model.yaml"))


@pytest.mark.parametrize(("language", "text"), told())
def test_the_language_of_an_utterance_is_detected(polyglot, language, text):
    assert polyglot(text).language == language


def test_there_are_enough_utterances_to_tell():
    assert len(told()) >= 100
    assert len({case.values[0] for case in told()}) >= 6


@pytest.mark.parametrize("preferred", ["it", "he", "en"])
@pytest.mark.parametrize("text", ["", "?", "42", "Kyzyl 7"])
def test_the_preferred_language_stays_if_nothing_indicates_another(polyglot, text, preferred):
    assert polyglot(text, preferred=preferred).language == preferred


def test_a_question_in_another_language_changes_the_language(polyglot):
    assert polyglot("wie ist das Wetter in Paris", preferred="en").language == "de"


@given(text=st.text(max_size=60))
def test_any_text_is_in_some_language_and_always_the_same(text):
    readings = [read(text) for read in readers()]
    assert select_likeliest(readings) is select_likeliest(readings)
    assert select_likeliest(readings) in readings


@cache
def readers() -> list[Pipeline]:
    return [Pipeline(model(element("city", "Tokyo"), languages=(code,))) for code in ("en", "ja")]
