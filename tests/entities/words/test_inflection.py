"""Inflected forms are taken back to simpler ones by patterns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.entities.words.inflection import compile_paths, find_base_forms
from anaphora.entities.words.orthography import load_orthography
from tests.entities.helpers.model_builders import element, model

PATHS = compile_paths({"plural": [{"": "", "^re": "-"}, {"s$": "-", "es$": "- e"}]}, {})


def found(language: str, text: str, *synonyms: str) -> set[str]:
    elements = [element(synonym, synonym) for synonym in synonyms]
    pipeline = Pipeline(model(*elements, languages=(language,)))
    return {one.element for variant in find_variants(pipeline(text)) for one in variant.entities}


def test_each_stage_works_on_the_results_of_the_one_before():
    assert set(find_base_forms("reboxes", PATHS)) == {"reboxe", "rebox", "boxe", "box"}


def test_a_stage_without_an_empty_pattern_is_required():
    assert list(find_base_forms("rebox", PATHS)) == []


@pytest.mark.parametrize("code", ["ar", "he", "tr"])
@given(text=st.text("ابتثجحخدذكلمنهويةءאבגדהוימנתabiıüyrdtm", max_size=12))
def test_no_word_is_a_form_of_itself(code, text):
    known = load_orthography(code)
    for paths in (known.inflections, known.base_inflections, known.lemma_variants):
        assert text not in find_base_forms(text, paths)


@pytest.mark.parametrize(
    ("language", "text", "synonym"),
    [
        ("ar", "وبسيارتي", "سيارة"),
        ("ar", "للرياض", "الرياض"),
        ("ar", "سيكتبونها", "كتب"),
        ("he", "שבמסעדתנו", "מסעדה"),
        ("he", "אשלם", "לשלם"),
        ("tr", "Türkiye'nin", "Türkiye"),
        ("tr", "rüzgarı", "rüzgâr"),
    ],
)
def test_a_word_is_found_with_all_that_is_attached_to_it(language, text, synonym):
    assert found(language, text, synonym) == {synonym}


@pytest.mark.parametrize(
    ("language", "text", "synonym"),
    [("ar", "بنك", "نك"), ("ar", "والد", "الد"), ("he", "שולחן", "לחן"), ("tr", "kâr", "kar")],
)
def test_a_word_that_only_looks_like_one_with_something_attached_is_whole(language, text, synonym):
    assert found(language, text, synonym) == set()


def test_attached_particles_are_removed_before_stemming():
    assert found("ar", "بالمكتبة", "مكتبة", "مكتب") == {"مكتبة"}
