"""The handlers of the model ``calculator``, which can continue from the last result.

``data`` holds the last ``result``, the ``expression`` that it is of, ``base``, the result that this
continued from, and what :mod:`anaphora.bots.undo` remembers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anaphora.bots.calculator.amounts import (
    find_replacing,
    find_sign,
    replace_last_number,
    takes_back,
)
from anaphora.bots.calculator.arithmetic import CalculationError, evaluate, format_number
from anaphora.bots.tables import load_texts
from anaphora.bots.undo import remember, take_back
from anaphora.engine.callbacks.handlers import Skip

if TYPE_CHECKING:
    from anaphora.intents.match import Match

__all__ = ["amend", "calculate", "repeat", "undo"]

_MAX_RESULTS = 10  # in one answer
_GAP = " ,;-–"  # before what corrects an expression


def calculate(match: Match, data: dict[str, Any], language: str, *, text: str = "") -> str:
    """Compute each expression in the sentence; one may continue from the result before it ("5 plus
    3 and times 2"). The conversation keeps the last result for the next question, and what that
    continued from, from which a correction continues ("no, times 3", "plus 3, no, 4")."""
    (slot,) = match.slots.values()
    mentions = (one for one in match.filling.variant.entities if one.element == slot.element)
    results: list[str] = []
    remember(data)
    end = 0
    for one in sorted(mentions, key=lambda one: one.start)[:_MAX_RESULTS]:
        if takes_back(text[end : one.start].lstrip(_GAP), language):
            data["result"] = data.get("base", data.get("result"))
            results = results[:-1]
        end = one.end
        expression = one.text
        if number := find_replacing(text[end:].lstrip(_GAP), language):
            expression = replace_last_number(expression, number, language)
        try:
            results.append(_compute(expression, data, language))
        except CalculationError as problem:
            if not results:
                take_back(data)
            results.append(str(load_texts("calculator", language)[problem.kind]))
            break
    return "; ".join(results)


def amend(match: Match, data: dict[str, Any], language: str, *, text: str = "") -> str:
    """Compute the last expression with another number ("no, by 4"), or add one to its result ("and
    3 more"). Raises :class:`Skip` if there is none."""
    (amount,) = match.slots["amount"].entities
    is_correction = takes_back(text, language)
    before = data.get("base" if is_correction else "result")
    sign = find_sign(text, language)
    if sign and before is not None:
        expression = f"({before}) {sign} {amount.text}"
    elif is_correction and not sign and "expression" in data:
        expression = replace_last_number(data["expression"], amount.text, language)
    else:
        expression = ""
    if not expression:
        raise Skip
    remember(data)
    if before is not None:
        data["result"] = before
    try:
        result = _compute(expression, data, language)
    except CalculationError as problem:
        take_back(data)
        return str(load_texts("calculator", language)[problem.kind])
    if sign:
        data["base"] = before
    return result


def repeat(data: dict[str, Any], language: str) -> str:
    """Compute the last expression once more, from its result if it continues from one. Raises
    :class:`Skip` if there is none."""
    if "expression" not in data:
        raise Skip
    remember(data)
    try:
        return _compute(data["expression"], data, language)
    except CalculationError as problem:
        take_back(data)
        return str(load_texts("calculator", language)[problem.kind])


def undo(data: dict[str, Any], language: str) -> str:
    """Go back to the result before the last question."""
    texts = load_texts("calculator", language)
    if not take_back(data):
        return str(texts["nothing"])
    if "result" not in data:
        return str(texts["cleared"])
    return str(texts["undone"].format(result=format_number(Fraction(data["result"]), language)))


def _compute(expression: str, data: dict[str, Any], language: str) -> str:
    """The result of an expression, which may continue from the last one. Raises
    :class:`CalculationError`, and changes nothing, if it has none."""
    last = Fraction(data["result"]) if "result" in data else None
    result = evaluate(expression, language, last)
    data.pop("base", None)
    if last is not None and _differs(expression, language, last + 1, result):
        data["base"] = str(last)
    data.update(result=str(result), expression=expression)
    return format_number(result, language)


def _differs(expression: str, language: str, last: Fraction, result: Fraction) -> bool:
    """Whether an expression has another result if it continues from another one."""
    try:
        return evaluate(expression, language, last) != result
    except CalculationError:
        return True
