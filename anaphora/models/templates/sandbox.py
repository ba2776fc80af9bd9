"""Jinja for the templates of model files, which must neither reach out nor hang."""

from __future__ import annotations

from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["TemplateSandbox"]

_MAX_RESULT_SIZE = 100_000  # characters of a repeated text, and the bits of a number


class TemplateSandbox(ImmutableSandboxedEnvironment):
    """A sandbox in which products and powers are bounded, too.

    Jinja computes what is constant while it compiles, and ``9**9**9`` would never end; what is
    intercepted is left to run time and to :meth:`call_binop`.
    """

    intercepted_binops = frozenset(("*", "**"))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Multiply or raise; raises ``SecurityError`` for a result that is too large."""
        if _max_result_size(operator, left, right) > _MAX_RESULT_SIZE:
            raise SecurityError(f"the result of {operator} is too large")
        return super().call_binop(context, operator, left, right)


def _max_result_size(operator: str, left: Any, right: Any) -> int:
    """What the result has at the most: bits of a number, items of a repetition."""
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length()
        return bits * max(right, 0) if operator == "**" else bits + right.bit_length()
    for repeated, times in ((left, right), (right, left)):
        if isinstance(times, int) and hasattr(repeated, "__len__"):
            return len(repeated) * times
    return 0
