"""Random trees of the intent language, and texts that almost belong to it."""

from __future__ import annotations

from hypothesis import strategies as st

from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    FragmentNode,
    FragmentReference,
    ImportNode,
    IntentNode,
    ListNode,
    LiteralNode,
    PredicateNode,
    PythonFunctionNode,
    TermNode,
    UnaryNode,
    VariableDeclaration,
    VariableNode,
)

OPERATORS = ("&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")
KEYWORDS = {"null", "true", "false"}

whole_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ids = st.from_regex(r"[A-Za-z_$éя][A-Za-z0-9_$:яé-]{0,6}", fullmatch=True).filter(
    lambda name: name.partition("-")[0].partition(":")[0] not in KEYWORDS | {"fragment"}
)
names = st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True)
modules = st.sampled_from(["", "bot", "bot.rules", "org.bot.Model$Inner"])
numbers = st.integers(0, 2**63 - 1) | st.floats(0, allow_nan=False, allow_infinity=False)
literals = st.builds(LiteralNode, st.none() | st.booleans() | whole_text | numbers)
methods = st.builds(PythonFunctionNode, modules, names)


def expressions(variables=()):
    leaves = literals | st.builds(CallNode, ids | st.just("#"), st.just(()))
    if variables:
        leaves |= st.sampled_from(variables).map(VariableNode)
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(BinaryNode, st.sampled_from(OPERATORS), inner, inner)
            | st.builds(UnaryNode, st.sampled_from("-!"), inner)
            | st.builds(CallNode, ids | st.just("#"), st.lists(inner, max_size=3).map(tuple))
            | st.builds(ListNode, st.lists(inner, max_size=3).map(tuple))
        ),
        max_leaves=8,
    )


@st.composite
def predicates(draw):
    declared = draw(st.lists(ids, max_size=2, unique=True))
    variables = tuple(
        VariableDeclaration(name, draw(expressions(declared[:index])))
        for index, name in enumerate(declared)
    )
    return PredicateNode(variables, draw(expressions(declared)))


json = st.recursive(
    st.none() | st.booleans() | whole_text | numbers | numbers.map(lambda number: -number),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(whole_text, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(whole_text, json, max_size=3)


@st.composite
def terms(draw):
    most = draw(st.integers(1, 100))
    return TermNode(
        id=draw(st.none() | ids),
        predicate=draw(predicates() | methods),
        conversational=draw(st.booleans()),
        min=draw(st.integers(0, most)),
        max=most,
    )


parts = st.lists(terms() | st.builds(FragmentReference, ids, objects), min_size=1, max_size=3)
statements = st.lists(
    st.builds(
        IntentNode,
        id=ids,
        terms=parts.map(tuple),
        options=objects,
        flow=st.none() | whole_text | methods,
        meta=objects,
    )
    | st.builds(FragmentNode, ids, parts.map(tuple))
    | st.builds(ImportNode, whole_text),
    min_size=1,
    max_size=3,
)

PIECES = (
    *(
        "intent=",
        "fragment=",
        "fragment(",
        "import(",
        "id=",
        "term",
        "term(a)",
        "options=",
        "flow=",
    ),
    *(
        "meta=",
        "ordered=",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "=",
        "~",
        "#",
        "@",
        "@a = 1",
        "'x'",
        '"y"',
    ),
    *(
        "==",
        "!=",
        "&&",
        "||",
        "!",
        "-",
        "+",
        "*",
        "/",
        "%",
        "<",
        ">=",
        "?",
        "[1,2]",
        "null",
        "true",
    ),
    *("1", "1_000", "0.5e3", "has", "list", "ent_groups()", "meta_ent('k')", "id", "groups", "@@"),
    *(
        "/bot#f/",
        "// c\n",
        "/* c */",
        "'a': 1",
        ",",
        ":",
        " ",
        "\n",
        "é",
        "'",
        '"',
        "\\",
        "\0",
        "{{",
    ),
)
almost = st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join)
