"""How far a negation reaches."""

from __future__ import annotations

from msgspec.structs import replace

from anaphora.entities.cues.cue_finder import find_cues
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.cues.negation import find_negated
from tests.entities.cues.cue_phrases import utterance_of


def negated(text: str, language: str = "en") -> list[str]:
    utterance, entities = utterance_of(language, text)
    cues = find_cues(utterance, load_cue_words(language))
    return [entities[index].text for index in sorted(find_negated(entities, utterance, cues))]


def test_a_list_is_negated_as_a_whole():
    assert negated("without [onions], [ham] and [olives]") == ["onions", "ham", "olives"]
    assert negated("no [onions] or [ham]") == ["onions", "ham"]


def test_what_only_a_comma_separates_is_not_negated():
    assert negated("not [Tokyo], [Kyoto]") == ["Tokyo"]


def test_entities_of_different_kinds_are_no_list():
    assert negated("no [onions] and [large:size]") == ["onions"]


def test_a_list_may_have_its_conjunction_in_a_word():
    assert negated("بدون [بصل]، [زيتون] [وجبن]", "ar") == ["بصل", "زيتون", "وجبن"]
    assert negated("אני אלרגי ל[אגוזים] [וחלב]", "he") == ["אגוזים", "וחלב"]
    assert negated("אני אלרגי ל[אגוזים] [חלב]", "he") == ["אגוזים"]


def test_a_contrast_ends_the_negation():
    assert negated("not [Tokyo] but [Kyoto]") == ["Tokyo"]
    assert negated("without [ham] but with [corn]") == ["ham"]


def test_a_determiner_negates_the_whole_noun_phrase():
    assert negated("no [red:color] [onions]") == ["red", "onions"]
    assert negated("not [Tokyo] [tomorrow:date]") == ["Tokyo"]


def test_what_is_not_to_be_done_is_negated_with_the_verb():
    assert negated("don't [book:topic] a [manicure]") == ["book", "manicure"]


def test_what_is_replaced_is_one_entity():
    assert negated("instead of [Friday], [Saturday] and [Sunday]") == ["Friday"]


def test_a_negation_does_not_reach_into_the_next_sentence():
    assert negated("I don't like that. [Kyoto]") == []
    assert negated("No. [Kyoto]") == []


def test_politeness_does_not_stop_a_negation():
    assert negated("remove, please, the [onions]") == ["onions"]


def test_an_utterance_without_entities_has_nothing_negated():
    assert negated("without onions") == []


def test_what_is_exchanged_is_of_the_kind_of_its_replacement():
    assert negated("change [Friday] to [Saturday]") == ["Friday"]
    assert negated("change my [booking:topic] to [Saturday:date]") == []


def test_a_verb_of_change_within_a_name_replaces_nothing():
    utterance, entities = utterance_of("en", "book an [oil change] for [Friday]")
    cues = find_cues(replace(utterance, entities=tuple(entities)), load_cue_words("en"))
    assert not find_negated(entities, utterance, cues)
    assert negated("change the [oil] for [water]") == ["oil"]
