"""The pieces of a Python syntax tree, each made with a place so that Python compiles it."""

from __future__ import annotations

import ast
from typing import Any

__all__ = [
    "AT",
    "assign",
    "call",
    "compare",
    "guarded",
    "name",
    "negated",
    "path",
    "returned",
    "statement",
]

AT: Any = {"lineno": 1, "col_offset": 0}


def name(identifier: str) -> ast.Name:
    return ast.Name(id=identifier, ctx=ast.Load(), **AT)


def path(root: str, *attributes: str) -> ast.expr:
    found: ast.expr = name(root)
    for attribute in attributes:
        found = ast.Attribute(value=found, attr=attribute, ctx=ast.Load(), **AT)
    return found


def call(function: ast.expr, *arguments: ast.expr) -> ast.expr:
    return ast.Call(func=function, args=list(arguments), keywords=[], **AT)


def compare(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.Compare(left=left, ops=[operator], comparators=[right], **AT)


def negated(operand: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=operand, **AT)


def assign(identifier: str, value: ast.expr) -> ast.stmt:
    target = ast.Name(id=identifier, ctx=ast.Store(), **AT)
    return ast.Assign(targets=[target], value=value, **AT)


def returned(value: ast.expr) -> ast.stmt:
    return ast.Return(value=value, **AT)


def statement(value: ast.expr) -> ast.stmt:
    return ast.Expr(value=value, **AT)


def guarded(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, with every error handed to ``fail``."""
    failed = statement(call(name("fail"), name("ctx"), name("error")))
    handler = ast.ExceptHandler(type=name("Exception"), name="error", body=[failed], **AT)
    return [ast.Try(body=statements, handlers=[handler], orelse=[], finalbody=[], **AT)]
