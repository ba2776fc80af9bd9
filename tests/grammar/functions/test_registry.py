"""How a function of the language is declared, and what holds of every one of them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions import FUNCTIONS, UNSUPPORTED_FUNCTIONS
from anaphora.grammar.functions.registry import (
    CURRENT_ENTITY,
    LazyArgument,
    collect_functions,
    format_ordinal,
    function,
)
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.values import ANYTHING, Kind, kind_of
from tests.grammar.functions.evaluation import DATE, TOKYO, context, evaluation_error, grammar_error
from tests.support.examples import examples

# Expressions of each kind, as it is known before and only after the expression is evaluated.
WRITTEN = {
    Kind.TEXT: "'x'",
    Kind.INTEGER: "1",
    Kind.NUMBER: "0.5",
    Kind.BOOLEAN: "true",
    Kind.NULL: "null",
    Kind.LIST: "list('b', 'a')",
    Kind.MAP: "json('{}')",
    Kind.ENTITY: "ent_this",
}
READ = {
    Kind.TEXT: "meta_ent('name')",
    Kind.INTEGER: "meta_ent('one')",
    Kind.NUMBER: "meta_ent('half')",
    Kind.BOOLEAN: "meta_ent('yes')",
    Kind.NULL: "meta_ent('none')",
    Kind.LIST: "meta_ent('texts')",
    Kind.MAP: "meta_ent('map')",
    Kind.ENTITY: "get(list(ent_this, 1), 0)",
}
# What the two versions of NLPCraft document.
NLPCRAFT = """
# ent_type ent_text ent_index ent_groups ent_count ent_all ent_all_for_type ent_all_for_group
ent_this ent_is_first ent_is_last ent_is_before_type ent_is_after_type ent_is_before_group
ent_is_after_group ent_is_between_types ent_is_between_groups
tok_id tok_value tok_parent tok_lemma tok_stem tok_pos tok_unid tok_groups tok_ancestors
tok_aliases tok_index tok_start_idx tok_end_idx tok_sparsity tok_is_abstract tok_is_bracketed
tok_is_direct tok_is_english tok_is_freeword tok_is_permutated tok_is_quoted tok_is_stopword
tok_is_swear tok_is_user tok_is_wordnet tok_is_first tok_is_last tok_count tok_all tok_all_for_id
tok_all_for_parent tok_all_for_group tok_is_before_id tok_is_after_id tok_is_before_parent
tok_is_after_parent tok_is_before_group tok_is_after_group tok_is_between_ids
tok_is_between_parents tok_is_between_groups tok_has_part tok_find_part tok_find_parts tok_this
tok_txt tok_norm_txt tok_req_id
trim strip uppercase lowercase length size count is_alpha is_alphanum is_whitespace is_num
is_numspace is_alphaspace is_alphanumspace split split_trim starts_with ends_with contains
index_of substr replace regex to_double to_int
abs square ceil floor rint signum sqrt cbrt exp expm1 log log10 log1p sin cos tan asin acos atan
sinh cosh tanh degrees radians round atan2 hypot pow rand pi euler min max avg stdev
list get has has_any has_all first last keys values reverse sort distinct concat is_empty
non_empty to_string
meta_ent meta_tok meta_part meta_cfg meta_model meta_conv meta_frag meta_intent meta_req meta_sys
meta_user meta_company
year month day_of_month day_of_week day_of_year hour minute second week_of_month week_of_year
quarter now
req_id req_text req_normtext req_addr req_agent req_tstamp user_id user_fname user_lname
user_email user_signup_tstamp user_admin comp_id comp_name comp_website comp_country comp_region
comp_city comp_addr comp_postcode mdl_id mdl_name mdl_ver mdl_origin
if or_else json
"""


def test_every_function_of_nlpcraft_is_there_or_noted_absent() -> None:
    assert set(NLPCRAFT.split()) - set(FUNCTIONS) == set(UNSUPPORTED_FUNCTIONS)


def test_every_token_function_has_a_twin_for_entities() -> None:
    functions = {name: one for name, one in FUNCTIONS.items() if name.startswith("tok_")}
    for name, one in functions.items():
        assert any(other.startswith("ent_") for other in one.names), name


def test_every_function_is_documented_and_has_examples() -> None:
    for name, one in FUNCTIONS.items():
        assert one.doc, name
        assert one.group, name
        assert one.examples, name
    with pytest.raises(TypeError):
        FUNCTIONS["new"] = FUNCTIONS["#"]  # type: ignore[index]  # it cannot be changed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_too_many_and_too_few_arguments_are_found_before_it_runs(name: str) -> None:
    one = FUNCTIONS[name]
    if one.max_arguments is not None:
        given = ", ".join(["null"] * (one.max_arguments + 1))
        assert grammar_error(f"{name}({given})").endswith(f", not {one.max_arguments + 1}")
    if one.min_arguments:
        assert grammar_error(f"{name}()").endswith(", not 0")


def _calls_with_a_wrong_argument() -> list[tuple[str, int, Kind]]:
    return [
        (name, index, kind)
        for name, one in FUNCTIONS.items()
        for index, parameter in enumerate(one.parameters)
        if parameter.type != ANYTHING
        for kind in WRITTEN
        if kind not in parameter.type
    ]


@pytest.mark.parametrize("name", sorted({name for name, _, _ in _calls_with_a_wrong_argument()}))
def test_an_argument_of_a_wrong_kind_is_an_error_whenever_it_is_known(name: str) -> None:
    one = FUNCTIONS[name]
    for called, index, kind in _calls_with_a_wrong_argument():
        if called != name:
            continue
        for kinds, found in ((WRITTEN, grammar_error), (READ, evaluation_error)):
            fitting = [
                READ[next(fit for fit in READ if fit in parameter.type)]
                for parameter in one.parameters
            ]
            fitting[index] = kinds[kind]
            message = found(f"{name}({', '.join(fitting)})")
            assert message.startswith(f"'{name}' needs "), message
            assert f" as its {format_ordinal(index)} argument, not " in message


OF_KIND: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.TEXT: st.text(max_size=6) | st.text("$\\{}()[]*+?|.,:a1", max_size=6),
    Kind.INTEGER: st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    Kind.NUMBER: st.floats() | st.floats(-2, 2),
    Kind.BOOLEAN: st.booleans(),
    Kind.NULL: st.none(),
    Kind.ENTITY: st.sampled_from([TOKYO, DATE]),
}
VALUES = st.recursive(
    st.one_of(OF_KIND.values()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=5,
)
OF_KIND[Kind.LIST] = st.lists(VALUES, max_size=4) | st.lists(OF_KIND[Kind.NUMBER], max_size=4)
OF_KIND[Kind.MAP] = st.dictionaries(st.text(max_size=2), VALUES, max_size=3)


@pytest.mark.parametrize("name", [one.names[0] for one in dict.fromkeys(FUNCTIONS.values())])
@settings(max_examples=examples(30), deadline=None)
@given(st.data())
def test_whatever_it_is_called_with_a_function_fails_with_a_readable_message(
    name: str, data: st.DataObject
) -> None:
    one = FUNCTIONS[name]
    arguments: list[Any] = [context()] if one.takes_context else []
    for parameter in one.parameters:
        drawn = data.draw(st.one_of(OF_KIND[kind] for kind in OF_KIND if kind in parameter.type))
        arguments.append(
            partial(lambda given: given, drawn) if parameter.passing == "lazy" else drawn
        )
    with suppress(EvaluationError):
        assert kind_of(one.call(name, *arguments)) in one.returns


def test_adding_a_function_is_one_decorated_python_function() -> None:
    @function("extra", "near", "close_to", examples=["near('now', 1)"])
    def near(
        context: EntityContext, place: str, far: float, entity: Entity = CURRENT_ENTITY
    ) -> bool:
        """Whether the entity is near a ``place``."""
        return entity.text == place and far > 0

    assert (near.names, near.group) == (("near", "close_to"), "extra")
    assert near.doc == "Whether the entity is near a `place`."
    assert near.examples == ("near('now', 1)",)
    assert [one.name for one in near.parameters] == ["place", "far", "entity"]
    assert [one.type for one in near.parameters] == [
        {Kind.TEXT},
        {Kind.INTEGER, Kind.NUMBER},
        {Kind.ENTITY},
    ]
    assert near.returns == {Kind.BOOLEAN}
    assert (near.takes_context, near.reads_entity, near.is_pure) == (True, True, False)
    assert (near.min_arguments, near.max_arguments) == (2, 3)
    assert near.call("near", context(DATE), "tomorrow morning", 1, DATE)
    with pytest.raises(EvaluationError, match="'close_to' needs a number as its 2nd argument"):
        near.call("close_to", context(), "now", True, TOKYO)


def test_annotations_tell_how_an_argument_is_handed_over() -> None:
    @function("extra")
    def several(pattern: Pattern, later: LazyArgument, *more: object) -> str | None:
        """Anything."""
        return str(later()) if pattern.fullmatch("a") else None

    assert several.names == ("several",)
    assert [one.passing for one in several.parameters] == ["pattern", "lazy", "value"]
    assert [one.variadic for one in several.parameters] == [False, False, True]
    assert several.parameters[2].type == ANYTHING
    assert several.returns == {Kind.TEXT, Kind.NULL}
    assert several.max_arguments is None
    assert several.call("several", "a", lambda: "x", 1, 2) == "x"


def test_two_functions_cannot_share_a_spelling() -> None:
    @function("extra", "same")
    def one() -> int:
        """One."""
        return 1

    @function("extra", "same")
    def two() -> int:
        """Two."""
        return 2

    module = ModuleType("extra")
    vars(module).update(one=one, two=two)
    with pytest.raises(ValueError, match="two functions are called 'same'"):
        collect_functions(module)
