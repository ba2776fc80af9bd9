"""The intent definition language, a test for each of its rules and for each kind of mistake."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anaphora import GrammarError
from anaphora.grammar.idl.parsing.parser import parse_idl
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    ListNode,
    LiteralNode,
    UnaryNode,
    VariableNode,
)


def expression(text):
    ((intent),) = parse_idl(f"intent=x term={{{text}}}")
    return intent.terms[0].predicate.expression


def literal(value):
    return LiteralNode(value)


class TestIntents:
    def test_an_intent_has_an_id_and_terms(self):
        (intent,) = parse_idl("intent=order term(food)~{# == 'food'} term={true}")
        assert intent.id == "order"
        food, unnamed = intent.terms
        assert (food.id, food.conversational, food.min, food.max) == ("food", True, 1, 1)
        assert (unnamed.id, unnamed.conversational) == (None, False)

    def test_a_text_may_declare_several(self):
        assert [one.id for one in parse_idl("intent=a term={true} id=b term={id == 'x'}")] == [
            "a",
            "b",
        ]

    @pytest.mark.parametrize(
        ("quantifier", "least", "most"),
        [("?", 0, 1), ("*", 0, 100), ("+", 1, 100), ("[1,2]", 1, 2), (" [ 0 , 7 ]", 0, 7)],
    )
    def test_a_quantifier_says_how_many(self, quantifier, least, most):
        term = parse_idl(f"intent=x term={{true}}{quantifier}")[0].terms[0]
        assert (term.min, term.max) == (least, most)

    def test_options_flow_and_metadata_stand_before_the_terms_in_any_order(self):
        (intent,) = parse_idl(
            "intent=x meta={'a': [1, -2.5, null, {\"b\": true}]} flow='a.*' "
            "options={'ordered': false, 'allow_stm_only': true} term={true}"
        )
        assert intent.meta == {"a": [1, -2.5, None, {"b": True}]}
        assert intent.flow == "a.*"
        assert intent.options == {"ordered": False, "allow_stm_only": True}

    def test_ordered_is_an_option(self):
        assert parse_idl("intent=x ordered=true term={true}")[0].options == {"ordered": True}

    def test_ids_may_have_colons_and_hyphens_and_letters_of_any_script(self):
        (intent,) = parse_idl("intent=a-1:b term(погода)={# == 'x'} term(दिल्ली)={true}")
        assert intent.id == "a-1:b"
        assert [term.id for term in intent.terms] == ["погода", "दिल्ली"]

    def test_words_of_the_language_are_ids_where_an_id_stands(self):
        assert parse_idl("intent=term term(intent)={true}")[0].id == "term"

    def test_comments_are_passed_over(self):
        (intent,) = parse_idl("// one\nintent=x /* two\n */ term={true // three\n}")
        assert intent.id == "x"

    def test_a_predicate_keeps_its_text_and_every_node_its_place(self):
        text = "intent=x term={ # == 'a' }"
        predicate = parse_idl(text)[0].terms[0].predicate
        assert predicate.text == "# == 'a'"
        assert text[predicate.expression.at :].startswith("== ")
        assert text[predicate.expression.left.at] == "#"
        assert text[predicate.at :].startswith(predicate.text)


class TestExpressions:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("null", None),
            ("true", True),
            ("false", False),
            ("42", 42),
            ("1_000", 1000),
            ("4.5", 4.5),
            ("2e3", 2000.0),
            ("'it'", "it"),
            ('"it\'s"', "it's"),
            (r"'it\'s'", "it's"),
            (r"'a\n\t\\\u0041'", "a\n\t\\A"),
            (r"'\ud83d\ude00'", "😀"),
            ("9223372036854775807", 2**63 - 1),
            ("-9223372036854775808", -(2**63)),
            ("- 9_223_372_036_854_775_808", -(2**63)),
            ("9223372036854775808.0", 2.0**63),
            ("'погода'", "погода"),
            (r"'^\d+\s\|'", r"^\d+\s\|"),
        ],
    )
    def test_literals(self, text, value):
        node = expression(text)
        assert node == literal(value)
        assert type(node.value) is type(value)

    @pytest.mark.parametrize(
        "text",
        ["9223372036854775808", "-9223372036854775809", "1 - 9223372036854775808", "1" + 300 * "0"],
    )
    def test_an_integer_that_does_not_fit_64_bits_is_none(self, text):
        with pytest.raises(GrammarError) as caught:
            parse_idl(f"intent=x term={{1 == {text}}}")
        problem = caught.value.problems[0]
        assert problem.message == "this integer does not fit 64 bits"
        assert problem.column == 21 + len(text) - len(text.lstrip("-1 ") if "-" in text else text)
        assert "9223372036854775807" in problem.hint

    def test_the_smallest_integer_stands_wherever_a_number_does(self):
        smallest = -(2**63)
        (intent,) = parse_idl(
            "intent=x meta={'a': [-9223372036854775808]} term={@a = -9223372036854775808 @a < 1}"
        )
        assert intent.meta == {"a": [smallest]}
        assert expression("-9223372036854775808 + 1").left == literal(smallest)
        (short,) = parse_idl("id=x term={~a == -9223372036854775808}")
        assert short.terms[0].predicate.expression.right == literal(smallest)

    def test_lists_calls_and_variables(self):
        assert expression("['a', 1]") == ListNode((literal("a"), literal(1)))
        assert expression("[]") == ListNode(())
        assert expression("#") == expression("#") == CallNode("#", ())
        assert expression("f") == expression("f()") == CallNode("f", ())
        assert expression("#(g(1))") == CallNode("#", (CallNode("g", (literal(1),)),))
        predicate = parse_idl("intent=x term={@a = 1 @b = @a @b == -1}")[0].terms[0].predicate
        assert [variable.name for variable in predicate.variables] == ["a", "b"]
        assert predicate.expression.left == VariableNode("b")

    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("1 + 2 * 3", "1 + (2 * 3)"),
            ("1 - 2 - 3", "(1 - 2) - 3"),
            ("1 < 2 == true", "(1 < 2) == true"),
            ("1 == 2 && 3 != 4", "(1 == 2) && (3 != 4)"),
            ("!a && b", "(!a) && b"),
            ("-a * b", "(-a) * b"),
            ("a || b && c", "(a || b) && c"),
            ("a && b || c", "(a && b) || c"),
            ("a % b / c", "(a % b) / c"),
        ],
    )
    def test_operators_bind_in_their_order_and_to_the_left(self, text, same):
        assert expression(text) == expression(same)
        assert isinstance(expression(text), BinaryNode)


class TestShortForm:
    @pytest.mark.parametrize(
        ("short", "long"),
        [
            ("id == 'sale'", "# == 'sale'"),
            ("id == sale", "# == 'sale'"),
            ("value != null", "tok_value != null"),
            ("parent == 'p'", "tok_parent == 'p'"),
            ("~size >= 3", "meta_ent('size') >= 3"),
            ("~size >= -3", "meta_ent('size') >= -3"),
            ("groups @@ 'A'", "has(ent_groups, 'A')"),
            ("groups == 'A'", "has(ent_groups, 'A')"),
            ("groups !@ A", "!has(ent_groups, 'A')"),
            ("groups @@ (A, 'B')", "has_all(ent_groups, ['A', 'B'])"),
            ("id @@ (a, b)", "has(['a', 'b'], #)"),
            ("ancestors @@ 'p'", "has(tok_ancestors, 'p')"),
            ("id == 'a' && !(id == b || id == c)", "# == 'a' && !(# == 'b' || # == 'c')"),
        ],
    )
    def test_it_says_the_same_in_fewer_words(self, short, long):
        (intent,) = parse_idl(f"id=x term={{{short}}}")
        expected = expression(long)
        assert intent.terms[0].predicate.expression == expected

    def test_its_terms_take_from_memory(self):
        (intent,) = parse_idl("id=sale term={id=='sale'} term(best)={id=='best'}?")
        assert [term.conversational for term in intent.terms] == [True, True]
        assert (intent.terms[1].id, intent.terms[1].min) == ("best", 0)


MISTAKES = {
    "": "expected an intent, such as: intent=order term(food)={# == 'food'}",
    "// nothing": "expected an intent, such as",
    "hello": "expected an intent, such as",
    "intnt=x term={true}": "did you mean 'intent'?",
    "intent=x": "expected is a term",
    "intent x": "expected is '='",
    "intent=1x term={true}": "a name begins with a letter",
    "intent='x' term={true}": "a name is written without quotes",
    "intent=x term(a)={# = 'x'}": "'=' does not compare",
    "intent=x term(a)={# === 'x'}": "'===' is no operator\n",
    "intent=x term(a)={# <> 'x'}": "write !=",
    "intent=x term(a)={1 =< 2}": "write <=",
    "intent=x term(a)={not f}": "write !",
    "intent=x term={@a = f and g}": "write &&",
    "intent=x term(a)={# == 'x'": "a '{' is not closed",
    "intent=x term(a)={# == 'x' term={true}": "a '{' is not closed",
    "intent=x term(a)={@v = 1 term(b)={true}": "a '{' is not closed",
    "intent=x term={(# == 'x'}": "a '(' is not closed",
    "intent=x term={[1, 2}": "a '[' is not closed",
    "intent=x term={# == 'x')}": "there is no '(' for this ')'",
    "intent=x term={true}}": "there is no '{' for this '}'",
    "intent=x term(a)={# == 'x}": "no closing quote",
    "intent=x term(a)={# == pizza place}": "texts need quotes",
    "intent=x term(a)={# == ‘x’}": "texts are quoted with ' or \"",
    "intent=x term(a)={# == x and y}": "write &&",
    "intent=x term(a)={# == x or y}": "write ||",
    "intent=x term(a)={# & true}": "write &&",
    "intent=x term a={# == 'x'}": "write term(a)",
    "intent=x option={'a':true} term={true}": "did you mean 'options'",
    "intent=x foo={'a':true} term={true}": "options, ordered, flow, meta, term",
    "intent=x terms(a)={true}": "did you mean 'term'?",
    "intent=x term={true} flow='a'": "'flow' must come before the first term",
    "intent=x term(a){true}": "'=' or '~' is missing",
    "intent=x ordered=yes term={true}": "expected is false or true",
    "intent=x ordered=true options={'ordered': true} term={true}": "'ordered' is given twice",
    "intent=x meta={'a': 1, 'a': 2} term={true}": "duplicate key 'a'",
    "intent=x meta={'a': True} term={true}": "write true",
    "intent=x term={true}[1]": "this is no quantifier",
    "intent=x term={true}[1:2]": "this is no quantifier",
    "intent=x term={true}[-1,2]": "this is no quantifier",
    "intent=x term={true}{1,2}": "this is no quantifier",
    "intent=x term={true}[2,1]": "minimum 2 is above",
    "intent=x term={true}[0,0]": "maximum must be from 1",
    "intent=x term={true}[1,101]": "maximum must be from 1",
    "intent=x term={true}[1.5,2]": "whole numbers",
    "intent=x term={}": "this predicate is empty",
    "intent=x term={@a = 1}": "after its variables a predicate needs a condition",
    "intent=x term={f(1,)}": "a value is missing before ')'",
    "intent=x term={/* foo }": "comment is not closed",
    "intent=x term={1 /* foo }": "comment is not closed",
    "intent=x flow='a' flow='b' term={true}": "given twice",
    "intent=x term={1 2}": "expected is an operator",
    r"intent=x term={'\u12'}": "four hexadecimal digits",
    r"intent=x flow='\ud83d' term={true}": "is no escape",
    "intent=x term={'\ud83d'}": "unpaired surrogate",
    "intent=x term={1 == 007}": "does not begin with 0",
    "intent=x term={\0}": "U+0000 is not expected",
    "intent=x meta={a: 1} term={true}": "keys and texts need quotes",
    "intent=x term={1e999}": "too large",
    "id=x term={foo == 1}": "no property 'foo'",
    "id=x term={# == 'x'}": "'#' belongs to intents that begin with intent=",
    "id=x term={has(groups, 'a')}": "others belong to intents that begin with intent=",
    "id=x term={trim(size) == 1}": "no property 'size'",
    "id=x term={~a[b] == 1}": "expected",
    "id=x term={size(groups)}": "expected is a comparison",
    "id=x term={id}": "expected is a comparison",
    "id=x term={id == }": "a value is missing before '}'",
    "intent=x term={f(1}": "a '(' is not closed",
    "intent=x term={" + "!" * 300 + "true}": "200 deep",
    "intent=x term={" + "1 + " * 300 + "1}": "200 deep",
    "intent=x meta={'a': " + "[" * 300 + "]" * 300 + "} term={true}": "200 deep",
    "intent=x, term={true}": "the parts of an intent are separated by blanks",
    "intent=x term={true}; term={true}": "the parts of an intent are separated by blanks",
    "intent=x term={@a = 1, @a == 1}": "variables and the condition are separated by blanks",
    "intent=x term={@a = 1; @a == 1}": "variables and the condition are separated by blanks",
    "intent=x term={# in ['a']}": "write has(list('a', 'b'), …)",
    "intent=x term={.5 > 1}": "write 0.5",
    "intent=x term={~size > 1}": "write meta_ent('size')",
    "intent=x conv=true term={true}": "term~{…} may take from memory",
    "intent=x intent=y term={true}": "a term is missing before 'intent'",
    "fragment=f intent=y fragment(f)": "a term is missing before 'intent'",
    "fragment(f)={true}": "a fragment is declared so: fragment=place",
    "intent=x term={true}" + " " * 1_100_000: "more than the 1,048,576 allowed",
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: text[:40])
def test_an_error_is_reported_in_the_message(text):
    with pytest.raises(GrammarError) as caught:
        parse_idl(text, "bot.idl")
    assert MISTAKES[text] in str(caught.value)
    assert not re.search(r"\b_*[A-Z]{3,}|__", caught.value.message)
    assert caught.value.source == "bot.idl"


def test_an_error_is_reported_at_its_position():
    with pytest.raises(GrammarError) as caught:
        parse_idl("intent=x\n  term(a)={# = 'x'}", "bot.idl")
    error = caught.value
    assert (error.line, error.column) == (2, 14)
    assert error.caret == "  term(a)={# = 'x'}\n             ^"
    assert str(error).startswith("bot.idl:2:14: ")


GOOD = (
    "intent=x options={'ordered': true} flow='a.*' term(a)~{@v = meta_ent('q') "
    "@v != null && has(ent_groups(), ['a', 1.5])}[1,2] id=y term={groups @@ (a, b)}?"
)
WORDS = ["intent", "term", "=", "~", "{", "}", "(", ")", "[", "]", "#", "'a'", "1", "&&", "!", "@"]


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
@example("intent=x term={\0}")
@example("\ud800")
def test_any_text_is_read_or_rejected(text):
    read_or_refused(text)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 9), st.sampled_from(["", *WORDS, "\\", "é"]))
def test_any_damage_to_a_good_text_is_read_or_rejected(at, length, inserted):
    read_or_refused(GOOD[:at] + inserted + GOOD[at + length :])


def read_or_refused(text):
    try:
        assert parse_idl(text)
    except GrammarError as error:
        assert error.message
        assert error.line >= 0


def test_deep_parentheses_are_read_without_running_out_of_stack():
    assert expression("(" * 5_000 + "true" + ")" * 5_000) == literal(True)


def test_negation_is_a_node_of_its_own():
    assert expression("!true") == UnaryNode("!", literal(True))


def test_comments_after_a_keyword_are_read_in_linear_time():
    comments = "/**/" * 5_000
    assert (
        len(parse_idl(f"fragment{comments}=f term={{true}}\nintent=x fragment{comments}(f)")) == 2
    )
