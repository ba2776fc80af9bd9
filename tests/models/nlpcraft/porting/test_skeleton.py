"""The Python module that is to be filled in."""

from __future__ import annotations

import ast

import pytest

from anaphora.models.nlpcraft.porting.skeleton import (
    SkeletonFunction,
    is_unedited,
    make_function_name,
    print_skeleton,
)

FUNCTION = SkeletonFunction(
    "on_sell", ("what", "**slots"), "Sell.", ("In Java", ""), "None", "todo"
)


def test_it_is_valid_python_whatever_the_java_says() -> None:
    nasty = SkeletonFunction(
        "f", (), 'a """ b \\', ('x """ \\u12 {} \\', "ünï"), "None", "to be ported"
    )
    text = print_skeleton('a """ \\ \n b', [FUNCTION, nasty])
    module = ast.parse(text)
    assert [node.name for node in module.body if isinstance(node, ast.FunctionDef)] == [
        "on_sell",
        "f",
    ]
    (_, *functions) = module.body
    assert 'x """ \\u12 {} \\' in str(ast.get_docstring(functions[1]))


def test_it_knows_whether_somebody_has_edited_it() -> None:
    text = print_skeleton("kiosk.yaml", [FUNCTION])
    assert is_unedited(text)
    assert not is_unedited(text.replace("return None", "return 'tea'"))
    assert not is_unedited("def on_sell(what):\n    return 'tea'\n")


@pytest.mark.parametrize(
    ("java", "name"),
    [
        ("onMatch", "on_match"),
        ("onNLPAnswer2", "on_nlp_answer_2"),
        ("print", "print"),
        ("return", "on_return"),
        ("lamp:on-off", "lamp_on_off"),
        ("7up", "on_7_up"),
        ("été", "été"),
        ("$", "answer"),
    ],
)
def test_names_are_those_of_python(java: str, name: str) -> None:
    assert make_function_name(java) == name


def test_a_name_is_taken_once() -> None:
    assert make_function_name("onMatch", {"on_match", "on_match_2"}) == "on_match_3"
