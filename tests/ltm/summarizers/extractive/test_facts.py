import pytest

from anaphora.ltm.summarizers.extractive.facts import FactWeights, extract_facts, is_question

STRONG = FactWeights().noun


def told(*sentences, language="en", values=()):
    """The facts of sentences of one clause each that count more than a word."""
    found = extract_facts(
        [[sentence] for sentence in sentences], [language] * len(sentences), values=values
    )
    return [{fact for fact, worth in one[0].items() if worth > STRONG} for one in found]


@pytest.mark.parametrize(
    ("sentence", "language", "kept"),
    [
        ("We met Anna in New York.", "en", {"anna", "new", "york"}),
        ("My iPhone knows LGBTQ people.", "en", {"iphone", "lgbtq"}),
        ("I think that I'm OK.", "en", set()),
        ("It costs 3.50 or three pounds.", "en", {"3.50", "three"}),
        ("The party is on Monday in may.", "en", {"monday"}),
        ("We came last week.", "en", {"last week"}),
        ("Вчера Ольга купила два билета.", "ru", {"вчера", "ольга", "два"}),
        ("Pizzaを2枚、スパゲッティもください。", "ja", {"pizza", "スパゲッティ", "2枚"}),
        ("How are you today, my friend?", "en", set()),
    ],
)
def test_names_numbers_and_dates_are_facts(sentence, language, kept):
    assert told(sentence, language=language) == [kept]


def test_a_first_word_is_a_name_if_capitalized_elsewhere():
    assert told("Rome is hot.", "I like Rome.") == [{"rome"}, {"rome"}]
    assert told("Rome is hot.") == [set()]


def test_vocatives_count_little():
    assert told("Thanks, John!", "I saw Mary.", "Hey John, it rains.") == [set(), {"mary"}, set()]
    assert told("Thanks, John!", "I saw John.", "My brother is John Smith.")[1] == {"john"}


def test_capitalized_nouns_are_not_names():
    german = ["Der Hund liegt auf der Wiese im Park.", "Das Haus hat einen Garten mit Baum."]
    assert told(*german, language="de") == [set(), set()]


def test_slot_values_are_facts_as_whole_words_in_any_case():
    assert told("a big PEANUT butter", values=["peanut", ""]) == [{"peanut"}]
    assert told("peanuts are nuts", values=["peanut"]) == [set()]
    assert told("北京の天気", language="ja", values=["北京"]) == [{"北京"}]


def test_names_and_numbers_are_found_in_unknown_languages():
    assert told("oi Zanzibar 12 foo", language="xx") == [{"zanzibar", "12"}]
    assert told("oi Zanzibar 12 foo", language="") == [{"zanzibar", "12"}]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [("Is it?", True), ('"Is it?" ', True), ("本当？", True), ("No.", False)],
)
def test_a_question_ends_with_a_question_mark(sentence, question):
    assert is_question(sentence) is question


def test_forms_of_a_word_are_one_fact_and_forms_of_stop_words_tell_little():
    ((first,), (second,)) = extract_facts(
        [["My children went shopping."], ["A child goes shopping."]], ["en"] * 2
    )
    assert min(first["child"], second["child"]) > max(first["go"], second["go"])
