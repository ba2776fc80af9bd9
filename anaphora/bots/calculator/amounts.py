"""Bare numbers that change the last calculation: "no, by 4", "and 3 more"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anaphora.bots.calculator.lexer import Symbol, find_symbols
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["amounts", "find_replacing", "find_sign", "replace_last_number", "takes_back"]

_CUES = frozenset({"correct", "decline", "instead", "add", "change"})
_KINDS = frozenset({"NUMBER", "PERCENT", "BY", "AND"})


def amounts(text: str, language: str) -> Iterator[Mention]:
    """Recognize a number of a text that corrects the last calculation by it, or adds it, and says
    nothing else. The mention has its percent sign."""
    symbols = find_symbols(text, language)
    if symbols and symbols[-1].kind == "MINUS" and symbols[-1].spoken:
        symbols.pop()  # "3 less"
    numbers = [one for one in symbols if one.kind == "NUMBER"]
    if len(numbers) != 1 or any(one.kind not in _KINDS for one in symbols):
        return
    atoms, phrases = load_cue_words(language).read(text)
    if all(one.reading.kind not in _CUES for one in phrases):
        return
    known = {atoms[index].start for cue in phrases for index in range(cue.first, cue.last)}
    known |= {one.start for one in atoms for symbol in symbols if _covers(symbol, one.start)}
    if all(one.start in known or one.kind == "mark" for one in atoms):
        yield Mention(numbers[0].start, _end(symbols, numbers[0]), "amount")


def find_sign(text: str, language: str) -> str:
    """Whether a text takes an amount away (-) or adds it (+); '' if it only names one."""
    _, phrases = load_cue_words(language).read(text)
    kinds = {(one.reading.kind, one.reading.value) for one in phrases}
    if ("change", "less") in kinds:
        return "-"
    is_added = ("change", "more") in kinds or any(kind == "add" for kind, _ in kinds)
    return "+" if is_added else ""


def takes_back(text: str, language: str) -> bool:
    """Whether a text begins with what takes back the last question: "no", "I meant"."""
    _, phrases = load_cue_words(language).read(text)
    return any(
        not one.start
        and (
            one.reading.kind == "decline"
            or (one.reading.kind, one.reading.value) == ("correct", "")
        )
        for one in phrases
    )


def find_replacing(text: str, language: str) -> str:
    """The number that a text takes back another one for: the 4 of "no, 4"; '' without one."""
    if not takes_back(text, language) or find_sign(text, language):
        return ""
    return next((text[one.start : one.end] for one in amounts(text, language)), "")


def replace_last_number(expression: str, amount: str, language: str) -> str:
    """The expression with an amount in the place of its last number; '' if it has none."""
    symbols = find_symbols(expression, language)
    numbers = [one for one in symbols if one.kind == "NUMBER"]
    if not numbers:
        return ""
    last, new = numbers[-1], find_symbols(amount, language)
    is_percent = any(one.kind == "PERCENT" for one in new)
    end = _end(symbols, last) if is_percent else last.end
    return f"{expression[: last.start]}{amount}{expression[end:]}"


def _covers(symbol: Symbol, position: int) -> bool:
    return symbol.start <= position < symbol.end


def _end(symbols: Sequence[Symbol], number: Symbol) -> int:
    """The end of a number with its percent sign."""
    following = symbols[symbols.index(number) + 1 :]
    return following[0].end if following and following[0].kind == "PERCENT" else number.end
