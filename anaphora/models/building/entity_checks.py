"""Build the tests of validators from predicates and Python functions."""

from __future__ import annotations

import re
from collections.abc import Callable

from anaphora.errors import GrammarError
from anaphora.grammar import python_functions
from anaphora.grammar.context import EntityContext
from anaphora.grammar.idl.compiler import compile_predicate
from anaphora.grammar.idl.parsing.parser import parse_predicate
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.reading.nodes import NodePath

__all__ = ["build_entity_check"]

_FUNCTION = re.compile(r"([\w.]*)#([^\W\d][\w.]*)")


def build_entity_check(
    draft: ModelDraft, path: NodePath, check: str
) -> Callable[[EntityContext], bool | str]:
    """The test that ``check`` names: a predicate, ``module#function`` or ``#function``.

    Errors are reported to ``draft``; the test is of no use then.
    """
    function = _FUNCTION.fullmatch(check.strip())
    try:
        if function:
            found = draft.code.find(*function.groups())
            return python_functions.build_entity_check(found, f"'{check}'")
        return compile_predicate(parse_predicate(check), check).test
    except GrammarError as error:
        if function:
            draft.add_function_error(path, function[1], error)
        else:
            draft.add_nested("error", path, error.problems)
        return bool
