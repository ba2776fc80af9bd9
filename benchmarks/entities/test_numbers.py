"""How long do numbers take: in an utterance with none, one and two, and at the first use of a
language?

Each round reads the texts again; the words are cached, as in a service.
"""

import pytest

from anaphora.entities.builtin import atoms
from anaphora.entities.builtin.numbers import number_phrases, prefilter, units
from anaphora.entities.builtin.numbers.number_recognizer import NumberRecognizer
from anaphora.entities.builtin.numbers.numerals import numeral_reader, numeral_vocabulary
from anaphora.entities.builtin.numbers.quantities import amounts

UTTERANCES = {
    "none": {
        "en": "what will the weather be like in Tokyo tomorrow morning",
        "fr": "éteins la lumière dans la cuisine",
        "de": "wie wird das Wetter morgen früh in der Stadt",
        "es": "apaga las luces de la cocina",
        "it": "che tempo fa domani a Roma",
        "pt": "como estará o tempo amanhã em Lisboa",
        "ru": "какая погода будет завтра утром в Москве",
        "uk": "яка погода буде завтра вранці у Києві",
        "ja": "明日の朝の東京の天気はどうですか",
        "zh": "明天早上东京的天气怎么样",
        "ar": "كيف سيكون الطقس غدا في طوكيو",
        "he": "מה מזג האוויר מחר בטוקיו",
    },
    "one": {
        "en": "set the thermostat to 72 degrees please",
        "fr": "mets le chauffage à vingt et un degrés",
        "de": "stell die Heizung auf einundzwanzig Grad",
        "es": "pon la calefacción a veintiún grados",
        "it": "imposta il timer su venti minuti",
        "pt": "põe o termostato em vinte graus",
        "ru": "поставь таймер на двадцать пять минут",
        "uk": "постав таймер на двадцять п'ять хвилин",
        "ja": "エアコンを25度にして",
        "zh": "空调调到二十六度",
        "ar": "اضبط المؤقت على خمس دقائق",
        "he": "כוון טיימר לחמש דקות",
    },
    "two": {
        "en": "find more than twenty five hotels within 3 km please now",
        "fr": "trouve plus de deux hôtels à moins de 3 km d'ici",
        "de": "finde mehr als fünfundzwanzig Hotels im Umkreis von 3 km",
        "es": "busca más de dos hoteles a menos de 3 km",
        "it": "trova più di due alberghi a meno di 3 km",
        "pt": "encontra mais de dois hotéis a menos de 3 km",
        "ru": "найди больше двадцати пяти отелей не дальше 3 км",
        "uk": "знайди більше двадцяти готелів не далі 3 км",
        "ja": "3キロメートル以内のホテルを二十五件探して",
        "zh": "找三公里以内的二十五家酒店",
        "ar": "أريد فندقين على بعد أقل من 5 كم لمدة ثلاثة أيام",
        "he": "מצא יותר מעשרים מלונות במרחק 3 קמ",
    },
}
COUNTS = {"none": 0, "one": 1, "two": 2}
OF_LANGUAGES = (
    *(amounts._get_reader, prefilter.build_prefilter, numeral_reader.get_numeral_reader),
    *(units.load_units, numeral_vocabulary.load_vocabulary, number_phrases.load_number_phrases),
)


@pytest.mark.parametrize("language", UTTERANCES["none"])
@pytest.mark.parametrize("count", UTTERANCES)
def test_numbers_in_an_utterance(benchmark, count, language):
    """Below 3, 25 and 50 µs, including the splitting of the text into atoms."""
    text = UTTERANCES[count][language]
    recognize = NumberRecognizer(language)
    recognize.find_mentions(text)

    def setup():
        atoms._get_cached_atoms.cache_clear()
        amounts._find_amounts_cached.cache_clear()
        return (text,), {}

    found = benchmark.pedantic(recognize.find_mentions, setup=setup, rounds=2_000, warmup_rounds=50)
    assert len(found) == COUNTS[count]


@pytest.mark.parametrize("language", ["en", "de", "ru", "ja", "ar"])
def test_the_first_use_of_a_language(benchmark, language):
    """Reading and preparing the tables: below 50 ms."""

    def setup():
        for cached in OF_LANGUAGES:
            cached.cache_clear()

    def first_use():
        return NumberRecognizer(language).find_mentions("5 km")

    assert benchmark.pedantic(first_use, setup=setup, rounds=10)
