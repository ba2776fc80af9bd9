"""The handler of the model ``calculator``, which can continue from the last result."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anaphora.bots.calculator.arithmetic import CalculationError, evaluate, format_number
from anaphora.bots.tables import load_texts

if TYPE_CHECKING:
    from anaphora.intents.match import Match

__all__ = ["calculate"]

_MAX_RESULTS = 10  # in one answer


def calculate(match: Match, data: dict[str, Any], language: str) -> str:
    """Compute each expression in the sentence; one may continue from the result before it ("5 plus
    3 and times 2"). The conversation keeps the last result for the next question."""
    (slot,) = match.slots.values()
    mentions = (one for one in match.filling.variant.entities if one.element == slot.element)
    results = []
    for expression in sorted(mentions, key=lambda one: one.start)[:_MAX_RESULTS]:
        last = Fraction(data["result"]) if "result" in data else None
        try:
            result = evaluate(expression.text, language, last)
        except CalculationError as problem:
            results.append(str(load_texts("calculator", language)[problem.kind]))
            break
        data["result"] = str(result)
        results.append(format_number(result, language))
    return "; ".join(results)
