"""The handler of the model ``calculator``, which can continue from the last result."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anaphora.bots.calculator.arithmetic import CalculationError, evaluate, format_number
from anaphora.bots.tables import load_texts
from anaphora.entities.cues.cue_words import load_cue_words

if TYPE_CHECKING:
    from anaphora.intents.match import Match

__all__ = ["calculate"]

_MAX_RESULTS = 10  # in one answer
_CORRECTION = ("correct", "")


def calculate(match: Match, data: dict[str, Any], language: str, *, text: str = "") -> str:
    """Compute each expression in the sentence; one may continue from the result before it ("5 plus
    3 and times 2"). The conversation keeps the last result for the next question, and what that
    continued from, from which a correction continues ("no, times 3")."""
    (slot,) = match.slots.values()
    mentions = (one for one in match.filling.variant.entities if one.element == slot.element)
    results = []
    if "base" in data and _takes_back(text, language):
        data["result"] = data["base"]
    for expression in sorted(mentions, key=lambda one: one.start)[:_MAX_RESULTS]:
        last = Fraction(data["result"]) if "result" in data else None
        try:
            result = evaluate(expression.text, language, last)
        except CalculationError as problem:
            results.append(str(load_texts("calculator", language)[problem.kind]))
            break
        data.pop("base", None)
        if last is not None and _differs(expression.text, language, last + 1, result):
            data["base"] = str(last)
        data["result"] = str(result)
        results.append(format_number(result, language))
    return "; ".join(results)


def _differs(expression: str, language: str, last: Fraction, result: Fraction) -> bool:
    """Whether an expression has another result if it continues from another one."""
    try:
        return evaluate(expression, language, last) != result
    except CalculationError:
        return True


def _takes_back(text: str, language: str) -> bool:
    """Whether a text begins with what takes back the last question: "no", "I meant"."""
    _, phrases = load_cue_words(language).read(text)
    return any(
        not one.start
        and (one.reading.kind == "decline" or (one.reading.kind, one.reading.value) == _CORRECTION)
        for one in phrases
    )
