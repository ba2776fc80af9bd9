"""The pieces of a Python syntax tree, each made with a place so that Python compiles it."""

from __future__ import annotations

import ast
from typing import Any

__all__ = [
    "POSITION",
    "assign",
    "attribute_path",
    "call",
    "compare",
    "expression_statement",
    "name",
    "negate",
    "return_value",
    "with_error_handler",
]

POSITION: Any = {"lineno": 1, "col_offset": 0}


def name(identifier: str) -> ast.Name:
    return ast.Name(id=identifier, ctx=ast.Load(), **POSITION)


def attribute_path(root: str, *attributes: str) -> ast.expr:
    found: ast.expr = name(root)
    for attribute in attributes:
        found = ast.Attribute(value=found, attr=attribute, ctx=ast.Load(), **POSITION)
    return found


def call(function: ast.expr, *arguments: ast.expr) -> ast.expr:
    return ast.Call(func=function, args=list(arguments), keywords=[], **POSITION)


def compare(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.Compare(left=left, ops=[operator], comparators=[right], **POSITION)


def negate(operand: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=operand, **POSITION)


def assign(identifier: str, value: ast.expr) -> ast.stmt:
    target = ast.Name(id=identifier, ctx=ast.Store(), **POSITION)
    return ast.Assign(targets=[target], value=value, **POSITION)


def return_value(value: ast.expr) -> ast.stmt:
    return ast.Return(value=value, **POSITION)


def expression_statement(value: ast.expr) -> ast.stmt:
    return ast.Expr(value=value, **POSITION)


def with_error_handler(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, with every error handed to ``fail``."""
    failed = expression_statement(call(name("fail"), name("ctx"), name("error")))
    handler = ast.ExceptHandler(type=name("Exception"), name="error", body=[failed], **POSITION)
    return [ast.Try(body=statements, handlers=[handler], orelse=[], finalbody=[], **POSITION)]
