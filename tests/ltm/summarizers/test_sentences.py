import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.summarizers.sentences import split_clauses, split_sentences

TEXTS = st.text() | st.text("aB1. ,;!?…。\n—-:«»\"'и，3", max_size=60)


@pytest.mark.parametrize(
    "wanted",
    [
        ["It rains.", "Take a coat!", "Really?!", "Yes..."],
        ["Dr. Smith met J. R. Tolkien in St. Ives.", "It was late."],
        ["It costs 3.5 euros, i.e. less than No. 5.", "Good."],
        ["No.", "I will not."],
        ['"Go away."', "He went."],
        ["i like it.", "it is cheap"],
        ["Wir kommen am 3. Mai, z. B. mit Hrn. Krause.", "Bis dann!"],
        ["Ich war 12.", "Das war schön."],
        ["Он жил на ул. Ленина, т. е. в центре.", "Правда?"],
        ["В 2019 г. было 5 тыс. человек.", "Теперь меньше…"],
        ["¿Vienes mañana?", "¡Sí!", "El Sr. López también."],
        ["Nice 😀", "See you"],
    ],
)
def test_texts_are_split_into_sentences(wanted):
    assert [one.strip() for one in split_sentences(" ".join(wanted))] == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        ["東京へ行きました。", "とても楽しかった！", "本当？"],
        ["我去了北京。", "天气很好！"],
        ["one line\n", "another"],
    ],
)
def test_sentences_may_end_without_a_space(wanted):
    assert list(split_sentences("".join(wanted))) == wanted


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("I went to Rome, and it was hot.", ["I went to Rome, ", "and it was hot."]),
        ("I stayed because it rained a lot.", ["I stayed because it rained a lot."]),
        ("We stayed at home because it rained.", ["We stayed at home ", "because it rained."]),
        ("It costs 1,5 euros at 10:30 or later.", ["It costs 1,5 euros at 10:30 or later."]),
        ("Wir blieben zu Hause, weil es regnete.", ["Wir blieben zu Hause, ", "weil es regnete."]),
        ("Я остался дома, потому что шёл дождь.", ["Я остался дома, ", "потому что шёл дождь."]),
        ("我昨天去了北京，今天早上回来了。", ["我昨天去了北京，", "今天早上回来了。"]),
        (
            "When I was ten, I lived in Rome, but I was unhappy.",
            ["When I was ten, I lived in Rome, ", "but I was unhappy."],
        ),
        ("Wenn es heute regnet, bleibe ich hier.", ["Wenn es heute regnet, bleibe ich hier."]),
        ("It rained, so what?", ["It rained, so what?"]),
        ("Wow, that is so cool!", ["Wow, that is so cool!"]),
    ],
)
def test_a_clause_has_at_least_three_words(sentence, parts):
    assert list(split_clauses(sentence)) == parts


@given(TEXTS)
def test_sentences_joined_are_the_text(text):
    assert "".join(split_sentences(text)) == text
    assert all(split_sentences(text))


@given(TEXTS)
def test_clauses_joined_are_the_sentence(text):
    assert "".join(split_clauses(text)) == text


@pytest.mark.parametrize("scrap", [".", "!😀", "😀 ", ". ", "a.", ", ", "—", '"', "\n ", "1."])
def test_long_texts_take_linear_time(scrap):
    """What grows faster than the text would not end within the time of the tests."""
    text = "Go" + scrap * 20_000
    assert "".join(split_sentences(text)) == text
    assert "".join(split_clauses(text)) == text
