from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

import anaphora
from anaphora.entities.spacy.language_pipelines import build_pipeline
from anaphora.entities.spacy.tagger import ElementTagger
from anaphora.models.domain import Element
from tests.entities.helpers.model_builders import WEATHER, element, model, pattern


def spans(doc: Doc) -> list[tuple[str, str, str, str]]:
    return [(s.text, s.label_, s.kb_id_, s.id_) for s in doc.spans["anaphora"]]


def readings(text: str, *elements: Element, language: str = "en") -> list[str]:
    doc = build_pipeline(model(*elements, languages=(language,)), language)(text)
    return [span.text for span in doc.spans["anaphora"]]


def test_each_span_carries_element_value_and_groups():
    doc = build_pipeline(WEATHER, "en")(
        "What are the forecasts of weather forecasts in NEW YORK now?"
    )
    assert spans(doc) == [
        ("weather forecasts", "weather", "", "stem"),
        ("NEW YORK", "city", "New York", "exact"),
        ("now", "date", "now", "exact"),
    ]
    weather, city, _ = doc.spans["anaphora"]
    assert (weather._.element, weather._.value, weather._.groups) == ("weather", None, ["topic"])
    assert (city._.element, city._.value, city._.groups) == ("city", "New York", ["city"])


def test_two_entities_of_the_same_words_are_distinguished():
    planet = element("planet", values={"Mercury": ["mercury"]}, groups=["sky"])
    metal = element("metal", "mercury", groups=["matter", "liquid"])
    doc = build_pipeline(model(planet, metal), "en")("mercury")
    one, other = doc.spans["anaphora"]
    assert (one._.element, one._.value, one._.groups) == ("planet", "Mercury", ["sky"])
    assert (other._.element, other._.value, other._.groups) == (
        "metal", None, ["liquid", "matter"],
    )  # fmt: skip


def test_reset_phrases_have_a_group_of_their_own():
    doc = build_pipeline(WEATHER, "en")("Enough of the weather, forget it")
    assert [span.text for span in doc.spans["anaphora_reset"]] == ["forget it"]
    assert [span.text for span in doc.spans["anaphora"]] == ["weather"]


def test_a_shorter_match_inside_a_longer_one_of_its_element_is_dropped():
    city = element("city", values={"York": ["york"], "New York": ["new york"]})
    state = element("state", "york")
    doc = build_pipeline(model(city, state), "en")("New York york")
    assert [(s.text, s.label_) for s in doc.spans["anaphora"]] == [
        ("New York", "city"), ("York", "state"), ("york", "city"), ("york", "state"),
    ]  # fmt: skip


@pytest.mark.parametrize("said", ["New York", "New-York", "new  york", "NEW\nYORK", "New‑York"])
@pytest.mark.parametrize("written", ["New York", "New-York"])
@pytest.mark.parametrize("language", ["en", "fr", "de", "ru", "xx"])
def test_hyphens_and_blanks_between_words_make_no_difference(language, written, said):
    assert readings(f"in {said} now", element("city", written), language=language) == [said]


@pytest.mark.parametrize(
    "said", ["New, York", "New. York", "New - York", "New — York", "New: York"]
)
def test_other_punctuation_separates_words(said):
    assert readings(said, element("city", "New York")) == []


def test_a_hyphen_at_the_edge_is_no_part_of_a_phrase():
    assert readings("Tokyo-bound - Tokyo -", element("city", "Tokyo")) == ["Tokyo", "Tokyo"]


@pytest.mark.parametrize("said", ["McDonald's", "McDonald’s", "mcdonald's", "MCDONALD'S"])
@pytest.mark.parametrize("language", ["en", "ru", "fr"])
def test_names_with_an_apostrophe_are_found_in_any_spelling(language, said):
    assert readings(f"at {said}?", element("place", "McDonald's"), language=language) == [said]


@pytest.mark.parametrize("said", ["ID", "id", "Id"])
@pytest.mark.parametrize("written", ["ID", "id", "Id"])
def test_the_case_of_a_synonym_makes_no_difference(written, said):
    assert readings(f"my {said} please", element("id", written)) == [said]


def test_a_pattern_describes_one_token():
    level = element("level", pattern("[0-9]{1,3}"), (pattern("[0-9]+")[0], "percent"))
    assert readings("dim to 50 percent or 60", level) == ["50 percent", "60"]
    assert readings("room ab-12 now", element("room", pattern("ab-[0-9]+"))) == ["ab-12"]


def test_phrases_of_other_languages_are_not_looked_for():
    both = Element(
        "city", frozenset({"city"}), {"en": (("Vienna",),), "de": (("Wien",),), "": (("Oslo",),)}
    )
    assert readings("Vienna Wien Oslo", both, language="de") == ["Wien", "Oslo"]


def test_a_saved_pipeline_finds_the_same(tmp_path):
    dim = element("dim", pattern("[0-9]+%?"), groups=["b", "a"])
    nlp = build_pipeline(model(*WEATHER.elements, dim, reset=["forget it"]), "en")
    text = "weather in the big apple at 50, forget it"
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    doc = loaded(text)
    assert spans(doc) == spans(nlp(text))
    assert [s._.groups for s in doc.spans["anaphora"]] == [["topic"], ["city"], ["a", "b"]]
    assert [s.text for s in doc.spans["anaphora_reset"]] == ["forget it"]


def test_a_component_travels_as_bytes():
    nlp = build_pipeline(WEATHER, "en")
    other = spacy.blank("en")
    other.add_pipe("anaphora_elements").from_bytes(nlp.get_pipe("anaphora_elements").to_bytes())
    assert spans(other("now in Tokyo")) == spans(nlp("now in Tokyo"))


def test_bytes_of_something_else_are_refused():
    tagger = spacy.blank("en").add_pipe("anaphora_elements")
    assert isinstance(tagger, ElementTagger)
    with pytest.raises(ValueError, match="format"):
        tagger.from_bytes(b"\x80")


def test_many_texts_go_through_pipe():
    nlp = build_pipeline(WEATHER, "en")
    texts = ["weather in Tokyo", "nothing", "", "and tomorrow?"]
    assert [[s.label_ for s in doc.spans["anaphora"]] for doc in nlp.pipe(texts)] == [
        ["weather", "city"], [], [], ["date"],
    ]  # fmt: skip


def test_docs_can_be_saved_with_their_spans():
    nlp = build_pipeline(WEATHER, "en")
    doc = nlp("weather in Tokyo")
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert spans(again) == spans(doc)
    assert again.spans["anaphora"][0]._.groups == ["topic"]


def test_spacy_finds_the_component_by_its_entry_point(tmp_path):
    """In a fresh process that imports nothing of ours, as from an installed package."""
    build_pipeline(WEATHER, "en").to_disk(tmp_path / "saved")
    info = tmp_path / "path" / "anaphora-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: anaphora\nVersion: 0\n")
    (info / "entry_points.txt").write_text(
        "[spacy_factories]\nanaphora_elements = anaphora.entities.spacy.tagger:create_tagger\n"
        "[spacy_tokenizers]\n"
        "anaphora.Words.v1 = anaphora.entities.tokens.tokenizers:_word_tokenizer\n"
    )
    root = Path(anaphora.__file__).parents[1]
    code = (
        f"import spacy; doc = spacy.load({str(tmp_path / 'saved')!r})('now in Tokyo');"
        "print([s._.value for s in doc.spans['anaphora']])"
    )
    environment = {**os.environ, "PYTHONPATH": f"{info.parent}{os.pathsep}{root}"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "['now', 'Tokyo']", done.stderr
