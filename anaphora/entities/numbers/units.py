"""Units of measure: their symbols, which all languages share, and their names in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from anaphora.entities.atoms import Atom
from anaphora.entities.numbers.amounts import Amount, Unit
from anaphora.entities.numbers.phrases import Phrases, listed
from anaphora.entities.numbers.tables import common, table

__all__ = ["Units"]


class Units:
    """Finds the unit behind a number, as a :class:`~.quantities.Measure`."""

    def __init__(self, language: str) -> None:
        units, self._exact = _core()
        written = table("numbers", language)
        self._names = Phrases(
            language, [(name, units[unit]) for name, unit in listed(written, "units")]
        )
        self._articles = frozenset(article for article, _ in listed(written, "articles"))
        symbols = [(symbol, unit) for symbol, unit in _symbols()]
        self._symbols = Phrases(language, symbols)

    def __call__(self, text: str, found: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount with its unit and what it takes up with it."""
        at = amount.end
        if amount.kind == "ordinal" or at >= len(found):
            return None
        if found[at].text in "-'" and found[at].glued and at + 1 < len(found):
            at += 1  # 5-kilometre, un'ora
            if not found[at].glued:
                return None
        elif amount.kind == "fraction" and found[at].text in self._articles:
            at += 1  # half a cup
            if at == len(found):
                return None
        name = self._names.behind(found, at)
        symbol = self._symbol(text, found, at) if amount.literal else None
        best = max((one for one in (symbol, name) if one), key=lambda one: one[0], default=None)
        if best is None or _goes_on(found, best[0]):
            return None
        return replace(amount, end=best[0], unit=best[1], weak=False)

    def join(self, found: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """The amounts as they are."""
        return list(amounts)

    def _symbol(self, text: str, found: Sequence[Atom], at: int) -> tuple[int, Unit] | None:
        symbol = self._symbols.behind(found, at)
        exact = self._exact.get(text[found[at].start : found[at].end])
        if symbol is None:
            return (at + 1, exact) if exact is not None else None
        written = text[found[at].start : found[symbol[0] - 1].end]
        return symbol[0], self._exact.get(written, symbol[1])


def _goes_on(found: Sequence[Atom], end: int) -> bool:
    """Whether the unit is only the start of a word: 5m2x."""
    if end >= len(found) or not found[end].glued or found[end - 1].kind == "mark":
        return False
    return (
        found[end].kind != "mark"
        and len(found[end - 1].text) == 1
        and found[end - 1].text.isascii()
    )


@lru_cache(maxsize=1)
def _core() -> tuple[Mapping[str, Unit], Mapping[str, Unit]]:
    """The units by name, and those by symbol whose case is as written."""
    written = dict(common("units"))
    exact = written.pop("exact")
    units = {name: Unit(name, type) for type, names in written.items() for name in names}
    symbols = {
        symbol: units[name]
        for names in written.values()
        for name, symbols in names.items()
        for symbol in symbols
    }
    return units, {**symbols, **{symbol: units[name] for symbol, name in exact.items()}}


def _symbols() -> list[tuple[str, Unit]]:
    units, _ = _core()
    written = common("units")
    return [
        (symbol, units[name])
        for type, names in written.items()
        if type != "exact"
        for name, symbols in names.items()
        for symbol in symbols
    ]
