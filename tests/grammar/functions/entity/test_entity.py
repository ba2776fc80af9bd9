"""Functions on the entity in question, on those of its sentence, and on its parts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from anaphora.grammar.context import QuestionContext
from anaphora.grammar.functions import FUNCTIONS
from anaphora.grammar.idl.compiler import compile_expression
from tests.grammar.functions.evaluation import (
    AROUND,
    DATE,
    DAY,
    FLIGHT,
    MORNING,
    TOKYO,
    context,
    evaluate,
    evaluation_error,
    grammar_error,
    is_same,
)

TWINS = {
    "ent_type": "tok_id",
    "ent_text": "tok_txt",
    "ent_norm_text": "tok_norm_txt",
    "ent_value": "tok_value",
    "ent_parent": "tok_parent",
    "ent_ancestors": "tok_ancestors",
    "ent_groups": "tok_groups",
    "ent_aliases": "tok_aliases",
    "ent_lemma": "tok_lemma",
    "ent_stem": "tok_stem",
    "ent_pos": "tok_pos",
    "ent_unid": "tok_unid",
    "ent_index": "tok_index",
    "ent_start_idx": "tok_start_idx",
    "ent_end_idx": "tok_end_idx",
    "ent_sparsity": "tok_sparsity",
    "ent_this": "tok_this",
    "ent_count": "tok_count",
    "ent_all": "tok_all",
    "ent_all_for_type": "tok_all_for_id",
    "ent_all_for_group": "tok_all_for_group",
    "ent_all_for_parent": "tok_all_for_parent",
    "ent_is_abstract": "tok_is_abstract",
    "ent_is_bracketed": "tok_is_bracketed",
    "ent_is_direct": "tok_is_direct",
    "ent_is_english": "tok_is_english",
    "ent_is_freeword": "tok_is_freeword",
    "ent_is_permutated": "tok_is_permutated",
    "ent_is_quoted": "tok_is_quoted",
    "ent_is_stopword": "tok_is_stopword",
    "ent_is_swear": "tok_is_swear",
    "ent_is_user": "tok_is_user",
    "ent_is_first": "tok_is_first",
    "ent_is_last": "tok_is_last",
    "ent_is_before_type": "tok_is_before_id",
    "ent_is_after_type": "tok_is_after_id",
    "ent_is_between_types": "tok_is_between_ids",
    "ent_is_before_group": "tok_is_before_group",
    "ent_is_after_group": "tok_is_after_group",
    "ent_is_between_groups": "tok_is_between_groups",
    "ent_is_before_parent": "tok_is_before_parent",
    "ent_is_after_parent": "tok_is_after_parent",
    "ent_is_between_parents": "tok_is_between_parents",
    "ent_has_part": "tok_has_part",
    "ent_find_part": "tok_find_part",
    "ent_find_parts": "tok_find_parts",
}
OURS = {"ent_is_misspelt", "ent_negated", "ent_quantity"}  # NLPCraft has none like it


@pytest.mark.parametrize(("new", "old"), TWINS.items())
def test_both_spellings_of_0_9_and_1_0_name_one_function(new: str, old: str) -> None:
    assert FUNCTIONS[new] is FUNCTIONS[old]
    assert FUNCTIONS[new].group == "entity"


def test_every_function_of_the_group_is_one_of_these_spellings() -> None:
    of_group = {name for name, function in FUNCTIONS.items() if function.group == "entity"}
    assert of_group == {*TWINS, *TWINS.values(), *OURS, "#"}
    assert FUNCTIONS["#"] is FUNCTIONS["ent_type"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#", "city"),
        ("ent_text", "big  Tokyo"),
        ("ent_norm_text", "big tokyo"),
        ("ent_groups", ("geo", "place")),
        ("ent_value", "Tokyo"),
        ("ent_parent", "settlement"),
        ("ent_ancestors", ("settlement", "location")),
        ("ent_lemma", "big tokyo"),
        ("ent_stem", "big tokyo"),
        ("ent_pos", "ADJ PROPN"),
        ("ent_unid", "city:10-19"),
        ("ent_start_idx", 10),
        ("ent_end_idx", 19),
        ("ent_sparsity", 1),
        ("ent_aliases", ()),
        ("ent_this", TOKYO),
        ("ent_count", 3),
        ("ent_all", (FLIGHT, TOKYO, DATE)),
        ("ent_all_for_type('date')", (DATE,)),
        ("ent_all_for_type('x')", ()),
        ("ent_all_for_group('geo')", (TOKYO,)),
        ("ent_all_for_parent('settlement')", (TOKYO,)),
        ("ent_all_for_parent('location')", ()),
        ("ent_index", 1),
        ("ent_is_first", False),
        ("ent_is_last", False),
        ("ent_is_before_type('date')", True),
        ("ent_is_before_type('flight')", False),
        ("ent_is_before_type('city')", False),
        ("ent_is_after_type('flight')", True),
        ("ent_is_after_type('date')", False),
        ("ent_is_before_group('time')", True),
        ("ent_is_before_group('travel')", False),
        ("ent_is_after_group('travel')", True),
        ("ent_is_after_group('geo')", False),
        ("ent_is_before_parent('moment')", True),
        ("ent_is_before_parent('settlement')", False),
        ("ent_is_after_parent('moment')", False),
        ("ent_is_between_types('flight', 'date')", True),
        ("ent_is_between_types('date', 'flight')", False),
        ("ent_is_between_types('flight', 'city')", False),
        ("ent_is_between_groups('travel', 'time')", True),
        ("ent_is_between_groups('time', 'time')", False),
        ("ent_is_between_parents('moment', 'moment')", False),
    ],
)
def test_what_is_known_of_the_entity_in_question(text: str, expected: Any) -> None:
    assert is_same(evaluate(text), expected)


def test_an_entity_may_stand_between_two_children_of_elements() -> None:
    earlier = replace(DATE, start=1)
    around = QuestionContext(entities=(earlier, TOKYO, DATE))
    assert evaluate("tok_is_between_parents('moment', 'moment')", around=around)
    assert evaluate("tok_is_after_parent('moment')", around=around)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#(last(ent_all))", "date"),
        ("ent_text(first(ent_all))", "Fly"),
        ("tok_value(first(ent_all))", None),
        ("tok_parent(first(ent_all))", None),
        ("tok_ancestors(first(ent_all))", ()),
        ("tok_start_idx(last(ent_all))", 20),
        ("ent_index(last(ent_all))", 2),
        ("ent_is_first(first(ent_all))", True),
        ("ent_is_last(last(ent_all))", True),
        ("tok_is_user(last(ent_all))", False),
        ("tok_is_user(ent_this)", True),
    ],
)
def test_another_entity_can_be_asked_for(text: str, expected: Any) -> None:
    assert is_same(evaluate(text), expected)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("tok_is_abstract", "abstract"),
        ("tok_is_bracketed", "bracketed"),
        ("ent_is_misspelt", "misspelt"),
        ("tok_is_permutated", "permuted"),
        ("tok_is_quoted", "quoted"),
        ("tok_is_swear", "swear"),
    ],
)
def test_how_an_entity_stands_in_the_text(text: str, mark: str) -> None:
    assert evaluate(text, replace(TOKYO, marks=frozenset({mark}))) is True
    assert evaluate(text) is False


def test_an_entity_is_negated_or_counted_only_if_the_text_says_so() -> None:
    assert evaluate("ent_negated") is False
    assert evaluate("ent_quantity") is None
    without = replace(TOKYO, negated=True, quantity=2.5)
    assert evaluate("ent_negated", without) is True
    assert evaluate("ent_quantity > 2", without) is True


def test_an_entity_is_direct_unless_its_words_changed_places() -> None:
    assert evaluate("tok_is_direct") is True
    assert evaluate("tok_is_direct", replace(TOKYO, marks=frozenset({"permuted"}))) is False


@pytest.mark.parametrize("said", ["Tokyo", "São Paulo 2!", "Ａ", "12", "№ 5", ""])
def test_english_is_what_has_latin_letters_only(said: str) -> None:
    assert evaluate("tok_is_english", replace(TOKYO, text=said)) is True


@pytest.mark.parametrize("said", ["Москва", "Tokyo東京", "Åλ"])
def test_a_letter_of_another_script_is_not_english(said: str) -> None:
    assert evaluate("tok_is_english", replace(TOKYO, text=said)) is False


def test_an_entity_is_no_free_word_and_no_stop_word() -> None:
    assert evaluate("tok_is_freeword") is False
    assert evaluate("tok_is_freeword", replace(TOKYO, element="nlpcraft:nlp")) is True
    assert evaluate("tok_is_stopword") is False


def test_a_remembered_entity_has_no_place_in_the_sentence() -> None:
    remembered = replace(TOKYO)
    assert remembered == TOKYO
    assert evaluate("ent_index", remembered) == -1
    for text in ("first", "last", "before_type('date')", "after_group('travel')"):
        assert evaluate(f"ent_is_{text}", remembered) is False
    assert evaluate("ent_is_between_types('flight', 'date')", remembered) is False
    assert evaluate("ent_is_last", remembered, QuestionContext()) is False


NO_STOP_WORD = "ent_is_stopword"  # false of any entity, and so of none
ASK = [name for name in sorted(TWINS) if FUNCTIONS[name].reads_entity and name != NO_STOP_WORD]


@pytest.mark.parametrize("name", ["#", *ASK])
def test_without_an_entity_in_question_there_is_a_clear_error(name: str) -> None:
    function = FUNCTIONS[name]
    arguments = ", ".join(["'x'"] * function.min_arguments)
    text = f"{name}({arguments})" if arguments else name
    assert evaluation_error(text, entity=None) == "there is no entity under test"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tok_find_part(tok_this, 'when')", DAY),
        ("tok_find_part(tok_this, 'whenever')", DAY),
        ("tok_find_part(tok_this, 'daytime')", MORNING),
        ("tok_find_parts(tok_this, 'day')", (DAY,)),
        ("tok_find_parts(tok_this, 'x')", ()),
        ("tok_has_part(tok_this, 'when')", True),
        ("tok_has_part(tok_this, 'x')", False),
        ("tok_has_part(first(tok_all), 'when')", False),
        ("tok_aliases(tok_find_part(tok_this, 'day'))", ("when", "whenever")),
    ],
)
def test_a_part_goes_by_its_alias_or_its_element(text: str, expected: Any) -> None:
    assert is_same(evaluate(text, DATE), expected)


def test_a_part_is_found_only_if_there_is_just_one_of_the_name() -> None:
    twice = replace(DATE, parts=(DAY, DAY))
    assert evaluate("tok_has_part(tok_this, 'when')", twice) is False
    assert len(evaluate("tok_find_parts(tok_this, 'when')", twice)) == 2
    assert "the entity 'date' has 2 parts called 'when', not one" in evaluation_error(
        "tok_find_part(tok_this, 'when')", twice
    )
    assert "has no part 'x'" in evaluation_error("tok_find_part(tok_this, 'x')", twice)


@pytest.mark.parametrize("text", ["ent_text", "ent_this", "ent_index", "ent_is_after_type('x')"])
def test_reading_the_entity_uses_it(text: str) -> None:
    here = context(FLIGHT, AROUND)
    compile_expression(text)(here)
    assert here.used


@pytest.mark.parametrize("text", ["ent_count", "ent_all", "size(ent_all_for_type('city'))"])
def test_counting_the_entities_of_the_sentence_does_not_use_the_one_in_question(text: str) -> None:
    here = context()
    compile_expression(text)(here)
    assert not here.used


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ent_text(1)", "'ent_text' needs an entity as its 1st argument, not an integer"),
        ("tok_has_part('a')", "'tok_has_part' takes 2 arguments, not 1"),
        ("ent_is_between_types('a')", "'ent_is_between_types' takes 2 arguments, not 1"),
        ("ent_all_for_type(3)", "'ent_all_for_type' needs a text as its 1st argument"),
        ("ent_count(1)", "'ent_count' takes no arguments, not 1"),
    ],
)
def test_a_wrong_call_is_found_before_it_runs(text: str, message: str) -> None:
    assert message in grammar_error(text)
