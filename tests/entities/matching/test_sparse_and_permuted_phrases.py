"""Phrases that are found though other words stand in them, or in another order, and what is
known of how an entity stands in its text."""

from __future__ import annotations

import pickle

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.phrases.trie import SearchedText
from anaphora.entities.phrases.trie_builder import TrieBuilder
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.spacy.language_pipelines import build_pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.entities.words.lexicon import Lexicon
from anaphora.grammar.patterns import Pattern
from anaphora.models.domain import Element, StopWords, UtteranceLimits
from tests.entities.helpers.model_builders import element, model, part, pattern
from tests.support.line_counter import count_lines

SKIPPED = StopWords(skipped=True)


def reading(text: str, *elements: Element, **more) -> Utterance:
    return Pipeline(model(*elements, **more))(text)


def texts(utterance: Utterance) -> list[str]:
    return [entity.text for entity in utterance.entities]


# Sparse


def test_other_words_may_stand_inside_a_sparse_phrase():
    off = element("off", "turn off", sparse=True)
    utterance = reading("Turn the red light off, please", off, element("light", "light"))
    (entity, light) = utterance.entities
    assert (entity.text, entity.tokens, entity.gaps) == ("Turn off", (0, 4), 3)
    assert (entity.start, entity.end, entity.stem) == (0, 22, "turn off")
    assert (entity.exact, entity.marks) == (True, frozenset())
    (variant,) = find_variants(utterance)
    assert variant.entities == (entity, light)
    assert variant.uncovered == 1  # "red"


def test_two_sparse_phrases_do_not_mix():
    off = element("off", "turn off", sparse=True)
    utterance = reading("turn the light off and turn the fan off", off)
    assert [entity.tokens for entity in utterance.entities] == [(0, 3), (5, 8)]


def test_a_contiguous_sparse_phrase_has_no_gaps():
    (entity,) = reading("turn  off now", element("off", "turn off", sparse=True)).entities
    assert (entity.text, entity.tokens, entity.gaps) == ("turn  off", (0, 1, 2), 0)


def test_sparse_and_permuted_means_any_order():
    off = element("off", "turn off", sparse=True, permute=True)
    (entity,) = reading("off it must turn", off).entities
    assert (entity.text, entity.gaps, entity.exact) == ("off turn", 2, False)
    assert entity.marks == {"permuted"}
    assert reading("off it must turn", element("off", "turn off", sparse=True)).entities == ()


def test_a_shorter_sparse_phrase_inside_a_longer_one_of_its_element_is_dropped():
    off = element("off", "turn off", "turn off light", "turn", sparse=True, permute=True)
    assert texts(reading("turn the light off", off)) == ["turn light off"]
    all_ = Element("off", off.groups, off.phrases, sparse=True, permute=True, greedy=False)
    assert texts(reading("turn the light off", all_)) == ["turn light off", "turn off", "turn"]


def test_the_values_of_a_sparse_element_are_distinguished():
    switch = element("switch", values={"on": ["turn on"], "off": ["turn off"]}, sparse=True)
    utterance = reading("turn the lamp on and turn the fan off", switch)
    assert [(e.value, e.tokens) for e in utterance.entities] == [("on", (0, 3)), ("off", (5, 8))]


OFF = element("off", "turn off", sparse=True)


@pytest.mark.parametrize(
    "text",
    [
        "Turn it up. The party starts off badly",
        "Turn left! Then off you go",
        "Turn left? I am off",
        "Turn left?Off we go",
        "Turn left... I am off",
        "Turn left… I am off",
        "Turn it up; the party starts off badly",
        "turn it up\nwe are off",
        "turn it up\r\n\r\nwe are off",
        "turn right\u2028off we go",
        "turn left。off we go",
        "turn left！off we go",
        "Turn to Dr. Smith. The off switch",
    ],
)
def test_a_sparse_phrase_ends_with_its_sentence(text):
    assert texts(reading(text, OFF)) == []


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("turn the lamp of Dr. Jones off", "en", "turn off"),
        ("turn approx. 5 lights off", "en", "turn off"),
        ("turn lamp no. 5 off", "en", "turn off"),
        ("turn the 3.5 kW heater off", "en", "turn off"),
        ("turn the lights, e.g. the lamp, off", "en", "turn off"),
        ("turn the lamp: the red (door) one off", "en", "turn off"),
        ("schalte z. B. das Licht aus", "de", "schalte aus"),
        ("schalte ca. 5 Lampen aus", "de", "schalte aus"),
        ("mets env. 5 lampes en marche", "fr", "mets en marche"),
        ("включи на ул. Садовой свет", "ru", "включи свет"),
    ],
)
def test_the_period_of_an_abbreviation_or_number_ends_no_sentence(text, language, said):
    (found,) = reading(text, element("off", said, sparse=True), languages=(language,)).entities
    assert found.text == said


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("Turn on the music, not the lights off", "en", "turn off"),
        ("turn the light not off", "en", "turn off"),
        ("turn it, but never the heater, off", "en", "turn off"),
        ("turn what isnt broken off", "en", "turn off"),
        ("schalte das Licht nicht aus", "de", "schalte aus"),
        ("mach kein Licht aus", "de", "mach aus"),
        ("mets la lampe, pas la radio, en marche", "fr", "mets en marche"),
        ("pon la radio, no la lámpara, en marcha", "es", "pon en marcha"),
        ("zet de lamp niet uit", "nl", "zet uit"),
        ("сделай свет, а не музыку, тише", "ru", "сделай тише"),
        ("zrób światło, nie muzykę, ciszej", "pl", "zrób ciszej"),
        ("sätt inte på lampan", "sv", "sätt på"),
    ],
)
def test_a_sparse_phrase_spans_no_negation(text, language, said):
    assert texts(reading(text, element("off", said, sparse=True), languages=(language,))) == []


@pytest.mark.parametrize("order", [False, True])
def test_a_negation_of_its_own_is_a_word_of_a_sparse_phrase(order):
    quiet = element("quiet", "do not disturb", "never ring", sparse=True, permute=order)
    (found,) = reading("do please not disturb me", quiet).entities
    assert (found.text, found.gaps) == ("do not disturb", 1)
    assert texts(reading("never ever ring", quiet)) == ["never ring"]
    assert texts(reading("do not, no, disturb me", quiet)) == []


def test_a_polite_phrase_with_a_negation_may_stand_in_a_sparse_phrase():
    (found,) = reading("turn the light, if you don't mind, off", OFF).entities
    assert found.text == "turn off"


def test_at_most_six_words_stand_between_two_words_of_a_sparse_phrase():
    six = "turn the big red lamp, upstairs there, off"
    assert texts(reading(six, OFF)) == ["turn off"]
    assert texts(reading(six.replace("red", "very red"), OFF)) == []
    # Each gap is measured by itself.
    three = element("off", "turn lamps off", sparse=True)
    assert texts(reading("turn all of the big red lamps that you have got there off", three)) == [
        "turn lamps off"
    ]


def test_in_scripts_without_blanks_six_words_are_more_letters():
    close = element("close", "把 关掉", sparse=True)
    assert texts(reading("把二楼卧室里的两个大灯关掉", close, languages=("zh",))) == ["把 关 掉"]
    assert texts(reading("把" + "二楼卧室里的" * 4 + "关掉", close, languages=("zh",))) == []


def test_an_element_may_have_a_greatest_gap_of_its_own():
    near = element("off", "turn off", sparse=True, max_gap=1)
    assert texts(reading("turn it off", near)) == ["turn off"]
    assert texts(reading("turn the lamp off", near)) == []
    far = element("off", "turn off", sparse=True, max_gap=50)
    assert texts(reading(f"turn {'very ' * 50}much off", near)) == []
    assert texts(reading(f"turn {'very ' * 50}off", far)) == ["turn off"]


def test_of_two_gaps_the_one_that_is_narrow_enough_is_taken():
    text = "turn the light in the hall, I mean turn the lamp off"
    (found,) = reading(text, OFF).entities
    assert found.tokens == (9, 12)
    # The nearest word of the phrase leads nowhere, a later one does.
    long = element("path", "a b c", sparse=True, max_gap=2)
    (found,) = reading("a b x b x x c", long).entities
    assert found.tokens == (0, 3, 6)


# Permuted


def test_neighbouring_words_of_a_permuted_phrase_may_change_places():
    name = element("name", values={"Ada": ["Ada King Lovelace"]}, permute=True)
    (entity,) = reading("call King Ada Lovelace", name).entities
    assert (entity.text, entity.value, entity.exact) == ("King Ada Lovelace", "Ada", False)
    assert entity.marks == {"permuted"}
    (entity,) = reading("call ada king lovelace", name).entities
    assert (entity.exact, entity.marks) == (True, frozenset())
    assert texts(reading("call Lovelace King Ada", name)) == []
    assert texts(reading("call King Lovelace", name)) == []


def test_patterns_keep_their_place_in_a_permuted_phrase():
    level = element("level", (Pattern("[0-9]+"), "percent"), permute=True)
    assert texts(reading("percent 50", level)) == []
    assert texts(reading("50 percent", level)) == ["50 percent"]


def test_a_phrase_and_its_own_permutation_are_one_entity():
    both = element("both", "red light", "light red", permute=True)
    (entity,) = reading("light red", both).entities
    assert (entity.exact, entity.marks) == (True, frozenset())
    assert texts(reading("bye bye", element("bye", "bye bye", permute=True))) == ["bye bye"]


# Stop words inside phrases


def test_stop_words_inside_a_phrase_may_be_skipped():
    off = element("status", "status report")
    utterance = reading("the status of the report is", off, stop_words=SKIPPED)
    (entity,) = utterance.entities
    assert (entity.text, entity.tokens) == ("status of the report", (1, 2, 3, 4))
    assert (entity.gaps, entity.exact, entity.marks) == (2, False, frozenset())
    assert texts(reading("the status of the report is", off)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("status of the of the report", ["status of the of the report"]),
        ("status of the of the of report", []),
        ("status of blue report", []),
        ("status, report", []),
        ("status of the", []),
    ],
)
def test_at_most_four_stop_words_in_a_row_are_skipped_and_nothing_else(text, found):
    assert texts(reading(text, element("s", "status report"), stop_words=SKIPPED)) == found


def test_a_stop_word_that_continues_the_phrase_is_part_of_it():
    some = element("some", "king of spades", "king spades")
    (entity,) = reading("king of spades", some, stop_words=SKIPPED).entities
    assert (entity.gaps, entity.exact) == (0, True)
    assert texts(reading("king of of spades", some, stop_words=SKIPPED)) == ["king of of spades"]


def test_where_words_stand_together_none_between_them_are_skipped():
    two = ("in it", "in them", "in house", "on it", "on them", "on house")
    place = element("place", *two, "light", "turn light off")
    utterance = reading("in it on them", place, stop_words=SKIPPED)
    assert texts(utterance) == ["in it", "on them"]
    assert texts(reading("in the house", place, stop_words=SKIPPED)) == ["in the house"]
    assert texts(reading("turn the light off", place, stop_words=SKIPPED)) == ["turn the light off"]


def test_a_word_that_distinguishes_elements_of_a_group_is_not_skipped():
    on = element("on", "switch light on", "light on", "switch it on", groups=["act"])
    off = element("off", "switch off light", "switch it off", groups=["act"])
    hall = element("hall", "hall off stairs")
    utterance = reading("switch off the light on stairs", on, off, stop_words=SKIPPED)
    assert {(one.element, one.text) for one in utterance.entities} == {
        ("off", "switch off the light"),
        ("on", "light on"),
    }
    assert texts(reading("switch the light on", on, hall, stop_words=SKIPPED)) == [
        "switch the light on"
    ]
    # What both are said with tells nothing.
    assert texts(reading("switch it then on", on, off, stop_words=SKIPPED)) == ["switch it then on"]


@pytest.mark.parametrize("text", ["do not turn", "never do never turn", "do n't turn"])
def test_a_word_that_negates_is_not_skipped(text):
    assert texts(reading(text, element("s", "do turn"), stop_words=SKIPPED)) == []


def test_stop_words_between_parts_and_patterns_are_skipped_too():
    day = element("day", "monday")
    both = element("from", ("from", part("# == 'day'"), Pattern("[0-9]+")))
    utterance = reading("from the monday at 5", both, day, stop_words=SKIPPED)
    (entity, _) = utterance.entities
    assert (entity.text, entity.gaps) == ("from the monday at 5", 2)
    assert [str(one) for one in entity.parts] == ["day"]


@pytest.mark.parametrize(
    ("said", "named", "act"),
    [
        ("turn on the light in the hall", "on", "turn the light"),
        ("turn the light on in the hall", "on", "turn the light"),
        ("turn all of the light", "all of", "turn the light"),
    ],
)
def test_a_stop_word_that_is_an_entity_by_itself_is_passed_over_and_not_taken(said, named, act):
    turn, state = element("act", "turn light"), element("state", named)
    utterance = reading(said, turn, state, stop_words=SKIPPED)
    (variant,) = find_variants(utterance)
    assert {entity.element: entity.text for entity in variant.entities} == {
        "act": act, "state": named,
    }  # fmt: skip
    hidden = element("state", named, abstract=True)
    (entity,) = reading(said, turn, hidden, stop_words=SKIPPED).entities
    # "all" means something by itself: it is passed over, and no part of the act.
    assert entity.text == said[: said.index("light") + 5].replace("all ", "")


@given(
    st.lists(st.sampled_from(["x", "the", "of", "y"]), min_size=2, max_size=4),
    st.lists(st.sampled_from(["x", "the", "of", "y"]), max_size=9),
)
def test_what_is_skipped_is_what_a_search_through_all_ways_skips(phrase, said):
    words = Lexicon("en").words(said)
    builder = TrieBuilder()
    builder.add(Lexicon("en").words(phrase), 0)
    known = builder.build()

    def ends(at: int, left: list[str]) -> set[int]:
        """Where the rest of the phrase may end."""
        if not left:
            return {at}
        found = set()
        for skipped in range(5 if len(left) < len(phrase) else 1):
            if any(said[i : i + 1] not in (["the"], ["of"]) for i in range(at, at + skipped)):
                break
            if said[at + skipped : at + skipped + 1] == left[:1]:
                found |= ends(at + skipped + 1, left[1:])
        return found

    matches = known.find(
        SearchedText(words, skippable=[not word.is_content_word for word in words])
    )
    assert {(match.start, match.end) for match in matches} == {
        (start, end) for start in range(len(said)) for end in ends(start, phrase)
    }
    assert all(match.gaps == match.end - match.start - len(phrase) for match in matches)


@pytest.mark.parametrize("text", ["the " * 400, "the of " * 200, "x the " * 200])
def test_skipping_does_not_multiply_the_ways(text):
    builder = TrieBuilder()
    for phrase in ("the the the the the the the the x", "x the the the the the the y"):
        builder.add(Lexicon("en").words(phrase.split()), 0)
    known = builder.build()

    def walk(said: list[str]) -> int:
        words = Lexicon("en").words(said)
        return count_lines(lambda: known.find(SearchedText(words, skippable=[True] * len(said))))[0]

    small, large = walk(text.split()[:100]), walk(text.split()[:200])
    assert 0 < large < 2.5 * small
    assert large < 200 * 15_000


# Stop words of a model


def test_a_model_has_stop_words_of_its_own():
    words = StopWords(additional=frozenset({"Bots"}), excluded=frozenset({"off"}))
    utterance = reading("The bot is off", stop_words=words)
    assert [token.text for token in utterance.tokens if token.is_content_word] == ["off"]
    assert [t.text for t in reading("The bot is off").tokens if t.is_content_word] == ["bot"]


def test_they_stay_with_the_pipeline_as_it_changes_and_is_saved(tmp_path):
    words = StopWords(frozenset({"bot"}), frozenset({"off"}), skipped=True)
    it = model(element("s", "status report"), stop_words=words)
    nlp = spacy.blank("en")
    Pipeline(it, nlp)
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    doc = loaded("status of bot report")
    assert [span.text for span in doc.spans["anaphora"]] == ["status of bot report"]
    other = spacy.blank("en").add_pipe("anaphora_elements")
    other.copy_from(loaded.get_pipe("anaphora_elements"))
    for lexicon in (other.lexicon, pickle.loads(pickle.dumps(other.lexicon))):
        assert [word.is_content_word for word in lexicon.words(["bots", "off"])] == [False, True]


# Greedy


def test_an_element_that_is_not_greedy_keeps_its_shorter_occurrences():
    said = ("new york", "york", "new york city")
    assert texts(reading("new york city", element("c", *said))) == ["new york city"]
    generous = reading("new york city", element("c", *said, greedy=False))
    assert texts(generous) == ["new york city", "new york", "york"]


# How an entity stands in its text


def test_an_entity_has_the_stems_and_words_of_its_tokens():
    (entity,) = reading("Which REPORTS of  sales?", element("r", "report of sales")).entities
    assert (entity.stem, entity.lemma, entity.pos) == ("report of sales", "reports of sales", "")
    (entity,) = reading("mon rendez-vous", element("r", "rendez vous"), languages=("fr",)).entities
    assert entity.stem == "rendre vous"


@Language.component("test_grammarian")
def grammarian(doc: Doc) -> Doc:
    """Stands for the tagger and the lemmatizer of a user's pipeline."""
    for token in doc:
        token.lemma_, token.tag_ = token.text.upper(), f"T{token.i}"
    return doc


def test_lemmas_and_parts_of_speech_come_from_the_pipeline_of_the_user():
    nlp = spacy.blank("en")
    nlp.add_pipe("test_grammarian")
    (entity,) = Pipeline(model(element("r", "sales report")), nlp)("a sales report").entities
    assert (entity.lemma, entity.pos) == ("SALES REPORT", "T1 T2")


def test_marks_tell_of_quotes_brackets_and_swear_words():
    city = element("city", values={"Tokyo": ["tokyo"], "Rome": ["damned rome"]})
    swear = UtteranceLimits(swear_words=frozenset({"Damn"}))
    utterance = reading("'Tokyo' (tokyo) tokyo, damned Rome", city, limits=swear)
    assert [entity.marks for entity in utterance.entities] == [
        {"quoted"}, {"bracketed"}, frozenset(), {"swear"},
    ]  # fmt: skip


# Through spaCy


@Language.component("test_adding")
def adding(doc: Doc) -> Doc:
    doc.spans["anaphora"].append(Span(doc, 0, 1, "off", kb_id="mine", span_id="exact"))
    doc.spans["anaphora"].append(Span(doc, 0, 4, "off"))
    return doc


def test_plain_spans_of_a_component_of_the_user_stand_beside_ours():
    off = element("off", "turn off", sparse=True, greedy=False)
    nlp = spacy.blank("en")
    pipeline = Pipeline(model(off), nlp)
    nlp.add_pipe("test_adding", after="anaphora_elements")
    assert [(e.text, e.value) for e in pipeline("turn the light off").entities] == [
        ("turn the light off", None), ("turn off", None), ("turn", "mine"),
    ]  # fmt: skip


def test_a_saved_pipeline_finds_loose_phrases_the_same(tmp_path):
    elements = (
        element("off", "turn off", sparse=True, permute=True),
        element("name", "ada king", permute=True, greedy=False),
        element("level", pattern("[0-9]+")),
    )
    nlp = build_pipeline(
        model(*elements, limits=UtteranceLimits(swear_words=frozenset({"damn"}))), "en"
    )
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    text = "off the lamp turn, king ada 5"
    assert loaded(text).spans["anaphora"].attrs == nlp(text).spans["anaphora"].attrs
    details = loaded(text).spans["anaphora"].attrs["details"]
    assert sorted(one["element"] for some in details.values() for one in some) == ["name", "off"]
    assert loaded.get_pipe("anaphora_elements").phrase_index.swear_stems == {"damn"}


@pytest.mark.parametrize("text", ["a " * 5000, "a b " * 2500, "turn the light " * 600 + "off"])
def test_a_text_of_ten_thousand_characters_is_no_burden(text):
    phrases = ("a b a c", "a c b", "b a a b", "turn off light", "light turn")
    loose = element("loose", *phrases, sparse=True, permute=True)
    swapped = element("swapped", *phrases, permute=True, greedy=False)
    pipeline = Pipeline(model(loose, swapped, stop_words=SKIPPED))
    work, utterance = count_lines(lambda: pipeline(text))
    assert 0 < work < 1_000 * len(utterance.tokens)
    assert count_lines(lambda: find_variants(utterance))[0] < 4_000_000


def test_patterns_and_skipped_words_in_a_long_text_are_bounded():
    phrases = [tuple(Pattern(f"[a-{end}]+") for end in ends) for ends in ("zzzzzzzz", "dcb")]
    pipeline = Pipeline(model(element("p", *phrases), stop_words=SKIPPED))
    work, utterance = count_lines(lambda: pipeline("a " * 5000))
    assert utterance.entities
    assert 0 < work < 4_500_000


def test_the_entities_in_a_long_text_are_bounded():
    phrases = [" ".join("a" * length) for length in range(1, 40)]
    pipeline = Pipeline(model(element("n", *phrases, greedy=False)))
    assert len(pipeline("a " * 100).entities) > 3000
    work, utterance = count_lines(lambda: pipeline("a " * 1500))
    assert len(utterance.entities) == 17_500
    assert 0 < work < 8_000_000


def test_a_reset_phrase_in_the_gap_of_an_entity_is_a_reset():
    play = element("play", "play never forget it", "turn off", sparse=True)
    pipeline = Pipeline(model(play, reset=["forget it"]))
    assert pipeline("turn forget it off").resets == ((1, 2),)
    assert pipeline("play me never forget it").resets == ()


def test_a_sparse_entity_is_part_of_the_utterance():
    (entity,) = reading("turn it off", element("off", "turn off", sparse=True)).entities
    assert isinstance(entity, Entity)
    assert str(entity) == "off"
