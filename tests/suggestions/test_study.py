"""Synonyms that a model lacks are found in questions that it does not understand."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora import AnaphoraError, Model, parse_model
from anaphora.suggestions.study import score, study, suggest
from anaphora.suggestions.suggestion import Suggestion
from tests.support.weather_models import TOPICS, WEATHER


def model(text: str = WEATHER) -> Model:
    return parse_model(dedent(text))


def found(
    *questions: str, of: Model | None = None, **options: object
) -> dict[tuple[str, str], Suggestion]:
    """The suggestions by target and phrase."""
    suggestions = suggest(of or model(), questions, **options)  # type: ignore[arg-type]
    return {(one.target, one.phrase): one for one in suggestions}


class TestWhatIsWrittenLikeASynonym:
    def test_a_typo_of_an_element(self):
        (one,) = found("What is the wether in Tokyo?").values()
        assert (one.element, one.value, one.phrase) == ("weather", None, "wether")
        assert one.evidence[0] == "like 'weather' (0.92)"
        assert one.example == "What is the wether in Tokyo?"

    def test_a_typo_of_a_value_names_the_value(self):
        assert list(found("weather in Toyko")) == [("city=Tokyo", "Toyko")]

    def test_a_typo_in_a_value_of_two_words(self):
        assert ("city=New York", "Nwe Yrok") in found("weather in Nwe Yrok")

    def test_a_typo_in_a_question_that_matches_all_the_same(self):
        findings = study(model(), ["weather in Tokyo tomorow"])
        assert findings.understood == 1
        (one,) = findings.suggestions
        assert (one.target, one.phrase) == ("date=tomorrow", "tomorow")

    def test_a_compound_with_the_root_of_a_synonym(self):
        (one,) = found("the weatherman for Tokyo?").values()
        assert (one.target, one.phrase) == ("weather", "weatherman")
        assert one.evidence[0].startswith("has the root of 'weather'")

    def test_an_inflection_that_the_model_finds_by_its_stem_is_no_suggestion(self):
        assert not found("forecasting for Tokyo", "forecasts for Tokyo", min_score=0.0)

    def test_spellings_of_one_stem_are_one_suggestion_as_they_are_written_most(self):
        (one,) = found(
            "wether in Kyoto", "wethers in Tokyo", "wether in Tokyo", min_score=0.7
        ).values()
        assert (one.phrase, one.seen) == ("wether", 3)


class TestWhatStandsWhereAnElementStands:
    def test_a_city_that_the_model_does_not_know(self):
        one = found("weather in Nagoya", "forecast in Nagoya tomorrow", "weather in Kyoto now")[
            "city", "Nagoya"
        ]
        assert one.value is None
        assert "2 questions would match" in one.evidence
        assert one.seen == 2
        assert not found("weather in Nagoya", "forecast in Nagoya", "in Kyoto?", elements=["date"])

    def test_the_samples_of_the_model_show_where_elements_stand(self):
        shown = model(WEATHER + "    samples:\n      - dialog: [{ask: weather in Kyoto now}]\n")
        question = "and in Nagoya now?"
        without, with_samples = (
            found(question, of=one, min_score=0.0)["city", "Nagoya"] for one in (model(), shown)
        )
        assert with_samples.score > without.score

    def test_words_that_belong_together_are_one_phrase(self):
        suggestions = found("weather in San Marino", "forecast in San Marino", "weather in Tokyo")
        assert list(suggestions) == [("city", "San Marino")]

    def test_a_follow_up_counts_less_than_a_question_of_its_own(self):
        whole = found("weather in Nagoya", min_score=0.0)["city", "Nagoya"]
        follow_up = found("and in Nagoya", min_score=0.0)["city", "Nagoya"]
        assert "1 would match as a follow-up" in follow_up.evidence
        assert whole.score > follow_up.score > 0

    def test_what_several_elements_could_be_is_shared_among_them(self):
        alone = found("sunburn in Tokyo", min_score=0.0)["weather", "sunburn"]
        among = found("sunburn in Tokyo", of=model(TOPICS), min_score=0.0)["weather", "sunburn"]
        assert alone.score > among.score > 0

    def test_a_word_that_also_stands_in_questions_that_are_understood_is_likely_a_filler(self):
        asked = ["reportedly in Tokyo", "reportedly in Kyoto"]
        understood = [f"weather in {city} reportedly" for city in ("Tokyo", "Kyoto", "New York")]
        first = found(*asked, min_score=0.0)["weather", "reportedly"]
        second = found(*asked, *understood, min_score=0.0)["weather", "reportedly"]
        assert first.score > second.score

    def test_an_intent_for_one_value_is_tried_with_the_value_that_the_word_is_like(self):
        heat = model("""
            id: heat
            elements: [{id: heat}, {id: unit, values: {celsius: [], fahrenheit: []}}]
            intents: ["intent=heat term={# == 'heat'} term={tok_value() == 'fahrenheit'}"]
        """)
        one = found("heat in farenheit", of=heat)["unit=fahrenheit", "farenheit"]
        assert "1 question would match" in one.evidence


class TestWhatIsUnderstood:
    def test_questions_are_counted_as_often_as_they_are_asked(self):
        findings = study(model(), ["weather in Tokyo"] * 3 + ["wether in Tokyo"] * 2)
        assert (findings.questions, findings.understood) == (5, 3)
        assert findings.suggestions[0].seen == 2

    @pytest.mark.parametrize("question", ["weather in Tokyo", "and in Kyoto?", "forget it"])
    def test_a_match_a_follow_up_and_a_reset_are(self, question):
        assert study(model(), [question]).understood == 1

    @pytest.mark.parametrize("question", ["", "good morning", "weather in Toyko", "x" * 20_000])
    def test_these_are_not(self, question):
        assert study(model(), [question]).understood == 0

    def test_there_may_be_nothing_to_suggest(self):
        assert suggest(model(), []) == ()
        assert suggest(model(), ["weather in Tokyo", "thank you", "42", "?!"]) == ()

    def test_a_flow_does_not_hide_an_intent_for_what_came_before_is_not_known(self):
        flowing = model("""
            id: flowing
            elements: [{id: hello}, {id: order}]
            intents: ["intent=order flow='hello' term={# == 'order'}"]
        """)
        assert study(flowing, ["order"]).understood == 1

    def test_a_predicate_that_fails_is_no_match_and_no_error(self):
        failing = model("""
            id: failing
            elements: [{id: order}, {id: tea}]
            intents: ["intent=order term={# == 'order' && meta_tok('size') > 1}"]
        """)
        findings = study(failing, ["order", "odrer"], min_score=0.0)
        assert findings.understood == 0
        assert findings.suggestions[0].phrase == "odrer"


class TestOtherLanguages:
    def test_german(self):
        german = model("""
            id: wetter
            language: de
            elements:
              - {id: wetter, synonyms: [Vorhersage]}
              - {id: stadt, values: {München: [], Köln: []}}
            intents: ["intent=wetter term={# == 'wetter'} term={# == 'stadt'}"]
        """)
        suggestions = found("Wie wird das Weter in Münhcen?", "Wetterbericht Köln", of=german)
        assert {("wetter", "Weter"), ("stadt=München", "Münhcen")} <= suggestions.keys()
        assert ("wetter", "Wetterbericht") in suggestions

    def test_an_accent_that_is_left_out_is_understood_and_needs_no_synonym(self):
        cities = model("""
            id: cities
            elements: [{id: city, values: {São Paulo: []}}]
            intents: ["intent=city term={# == 'city'}"]
        """)
        assert found("Sao Paulo", of=cities) == {}
        assert ("city=São Paulo", "Sau Paulo") in found("Sau Paulo", of=cities)

    def test_russian_beside_english(self):
        both = model("""
            id: both
            language: [en, ru]
            elements:
              - {id: weather, synonyms: {en: [forecast], ru: [погода, прогноз]}}
              - {id: city, values: {Tokyo: {ru: [Токио]}, Moscow: {ru: [Москва]}}}
            intents: ["intent=weather term={# == 'weather'} term={# == 'city'}"]
        """)
        suggestions = found("пагода в Москве", "прогноз для Тоико", "forcast for Tokyo", of=both)
        assert set(suggestions) == {
            ("weather", "пагода"),
            ("city=Tokyo", "Тоико"),
            ("weather", "forcast"),
        }


class TestMeaning:
    def vectors(self, texts):
        """Rain and weather lie close together, everything else apart."""
        rows = {"weather": [1, 0, 0], "downpour": [0.96, 0.28, 0], "tokyo": [0, 0, 1]}
        return np.array([rows.get(text, [0, 0, 0]) for text in texts], dtype=np.float32)

    def test_a_word_that_means_what_a_synonym_means(self):
        one = found("downpour!", vectors=self.vectors)["weather", "downpour"]
        assert "close in meaning to 'weather' (0.96)" in one.evidence
        assert one.score == score(
            spelling=0, trial=0.25 / 3 / 2, place=0, meaning=(0.96 - 0.3) / 0.7
        )  # over two; the follow-up counts a quarter, and "Tokyo!" or "now!" would be one as well

    def test_without_vectors_it_is_not_found(self):
        assert not found("downpour!")


class TestChoice:
    QUESTIONS = ("wether in Toyko", "wheather in Kioto", "wether in Kyoto tomorow")

    def test_only_some_elements_with_the_scores_that_they_have_among_all(self):
        everything = found(*self.QUESTIONS)
        cities = found(*self.QUESTIONS, elements=["city"])
        assert cities == {key: one for key, one in everything.items() if one.element == "city"}
        assert cities

    def test_a_least_score_changes_no_other_score(self):
        low, high = found(*self.QUESTIONS, min_score=0.0), found(*self.QUESTIONS, min_score=0.8)
        assert high
        assert all(low[key] == one for key, one in high.items())
        assert all(one.score >= 0.8 for one in high.values())

    def test_so_many_for_each_element_the_best_first(self):
        every = suggest(model(), self.QUESTIONS)
        one_each = suggest(model(), self.QUESTIONS, top=1)
        assert [one.element for one in one_each] == ["weather", "city", "date"]
        assert set(one_each) < set(every)
        scores = [one.score for one in every if one.element == "weather"]
        assert scores == sorted(scores, reverse=True)

    def test_an_element_that_the_model_does_not_have(self):
        with pytest.raises(AnaphoraError, match="no element 'cit'; did you mean 'city'"):
            suggest(model(), [], elements=["cit"])


def test_an_element_that_is_only_composed_of_others_gets_no_suggestions():
    ranges = model("""
        id: s
        elements:
          - {id: day, id_synonym: false, values: [monday, friday]}
          - {id: range, id_synonym: false, synonyms: ["^^{# == 'day'}^^ till ^^{# == 'day'}^^"]}
          - {id: order, synonyms: [I want]}
        intents: ["intent=i term={# == 'order'} term={# == 'range'}"]
    """)
    said = ("I want monday till friday", "I want monday till monday", "I want Xmas now")
    assert not [one for one in suggest(ranges, said, min_score=0.0) if one.element == "range"]


def test_progress_ends_with_everything_done():
    told: dict[str, tuple[int, int]] = {}

    def progress(what: str, done: int, of: int) -> None:
        told[what] = (done, of)

    study(model(), ["wether in Tokyo", "hm"], progress=progress)
    assert list(told) == ["reading", "comparing", "trying"]
    assert all(done == of for done, of in told.values())


def test_what_is_long_is_read_in_bounds():
    long = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}" for i in range(1_000))
    findings = study(model(), [long, "x" * 100 + " Tokyo"], min_score=0.0)
    assert len({one.phrase for one in findings.suggestions}) < 160


def test_of_a_log_that_would_fill_the_memory_what_was_asked_least_is_left_out(monkeypatch):
    monkeypatch.setattr("anaphora.suggestions.study._MOST_READ", 30)
    findings = study(model(), ["wether in Kyoto", "weather", "weather", "forcast in Tokyo"])
    assert (findings.questions, findings.left_out) == (3, 1)
    assert [one.phrase for one in findings.suggestions] == ["wether"]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_score_is_a_share_and_grows_with_the_evidence(spelling, trial, place, meaning, more):
    less = score(spelling=spelling, trial=trial, place=place, meaning=meaning)
    grown = score(spelling=spelling, trial=max(trial, more), place=place, meaning=meaning)
    assert 0 <= less <= grown <= 1


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=5))
def test_any_text_may_stand_in_a_log(questions):
    asked = ["weather in Tokyo", *questions]
    findings = study(WEATHER_MODEL, asked, min_score=0.0)
    assert findings == study(WEATHER_MODEL, asked, min_score=0.0)
    assert findings.questions == len(asked)
    assert all(0 <= one.score <= 1 for one in findings.suggestions)


WEATHER_MODEL = model()
