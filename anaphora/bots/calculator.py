"""The handler of the model ``calculator``, which goes on from the last result."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anaphora.bots.arithmetic import ArithmeticProblem, evaluate, shown
from anaphora.bots.texts import said_in

if TYPE_CHECKING:
    from anaphora.intents.match import Match

__all__ = ["calculate"]


def calculate(match: Match, data: dict[str, Any], language: str) -> str:
    """The result, which the conversation keeps for the next question."""
    (expression,) = match.slots["expression"].entities
    last = Fraction(data["result"]) if "result" in data else None
    try:
        result = evaluate(expression.text, language, last)
    except ArithmeticProblem as problem:
        return str(said_in("calculator", language)[problem.kind])
    data["result"] = str(result)
    return shown(result, language)
