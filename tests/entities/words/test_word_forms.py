"""Words are found in the forms in which people write them, and kept apart from other words."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator

import pytest
import yaml

from tests.entities.words.word_forms import LANGUAGES, TABLES, Pair, is_tagged, pairs
from tests.support.gathered import Case, gathered

LEAST_PAIRS = 150
LEAST_FOUND, LEAST_APART = 0.97, 0.99


def cases(*, positive: bool) -> Iterator[Case]:
    for language in LANGUAGES:
        for pair in pairs(language):
            if pair.positive is positive:
                yield Case(language, str(pair), (pair,), pair.fails)


@gathered(cases(positive=True))
def test_a_form_of_a_word_is_found(pair: Pair) -> None:
    assert is_tagged(pair)


@gathered(cases(positive=False))
def test_another_word_does_not_match(pair: Pair) -> None:
    assert not is_tagged(pair)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_compound_is_found_only_where_the_model_asks_for_it(language: str) -> None:
    compounds = [pair for pair in pairs(language) if pair.section == "compounds"]
    assert [pair.form for pair in compounds if is_tagged(pair, compounds=False)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_pairs_to_judge_a_language_by(language: str) -> None:
    assert len(pairs(language)) >= LEAST_PAIRS


@pytest.mark.parametrize("language", LANGUAGES)
def test_few_pairs_are_known_to_fail(language: str) -> None:
    for positive, least in ((True, LEAST_FOUND), (False, LEAST_APART)):
        right = [not pair.fails for pair in pairs(language) if pair.positive is positive]
        assert sum(right) / len(right) >= least


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_pair_stands_once_in_its_table(language: str) -> None:
    counts = Counter((pair.compounds, pair.synonym, pair.form) for pair in pairs(language))
    assert [pair for pair, count in counts.items() if count > 1] == []
    same = [pair for pair in pairs(language) if pair.form == pair.synonym]
    assert same == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_synonym_stands_twice_in_a_section(language: str) -> None:
    root = yaml.compose((TABLES / f"{language}.yaml").read_text("utf-8"), yaml.CBaseLoader)
    for _, section in root.value:
        counts = Counter(key.value for key, _ in section.value)
        assert [key for key, count in counts.items() if count > 1] == []


def test_the_tables_have_decomposed_letters() -> None:
    forms = [pair.form for language in LANGUAGES for pair in pairs(language)]
    assert any(unicodedata.normalize("NFC", form) != form for form in forms)
