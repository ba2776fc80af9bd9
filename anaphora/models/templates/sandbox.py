"""A Jinja sandbox for the templates of model files, with bounded results."""

from __future__ import annotations

from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["TemplateSandbox"]

_MAX_RESULT_SIZE = 100_000  # items of a repetition, bits of a number


class TemplateSandbox(ImmutableSandboxedEnvironment):
    """A sandbox that bounds products and powers as well.

    Jinja folds constants at compile time, where ``9**9**9`` would never end; intercepted
    operators are evaluated at run time, by :meth:`call_binop`.
    """

    intercepted_binops = frozenset(("*", "**"))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Apply ``*`` or ``**``; raises ``SecurityError`` if the result would be too large."""
        if _max_result_size(operator, left, right) > _MAX_RESULT_SIZE:
            raise SecurityError(f"the result of {operator} is too large")
        return super().call_binop(context, operator, left, right)


def _max_result_size(operator: str, left: Any, right: Any) -> int:
    """An upper bound for the size of the result: bits of a number, items of a repetition."""
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length()
        return bits * max(right, 0) if operator == "**" else bits + right.bit_length()
    for repeated, times in ((left, right), (right, left)):
        if isinstance(times, int) and hasattr(repeated, "__len__"):
            return len(repeated) * times
    return 0
