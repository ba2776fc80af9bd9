"""Split the endings off words of dates: Turkish *pazartesiden* is *pazartesi* and *den*.

The rules of such a language have the endings as words of their own, glued to the word before them
(``"$weekday &den"``). Words without the marks of their letters (*carsamba*) get these marks, also
in a language without such endings (Polish *pazdziernika*). In Korean, particles and units are split
off in the same way: *세시까지* is *세*, *시* and *까지*. What people write as one with a day or
a part of it in front is split off, too: *내일저녁일곱시*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.words.scripts import is_hangul

__all__ = ["WordSplitter"]

_APOSTROPHES = "'’"  # Mayıs'ta
_SHORTEST_STEM = 2  # letters
_MOST_ENDINGS = 2  # of one word
_SHORTEST_HANGUL_STEM = 1  # a syllable is a letter
_MOST_HANGUL_ENDINGS = 4  # as units are written as one with their numbers: 세시반까지는
_LONGEST_WORD = 40  # letters; no word of a date is longer, whatever is written as one with it
_MAX_CACHED_WORDS = 50_000


class WordSplitter:
    """Splits atoms by the words of a language. ``endings`` are those that ``is_word`` may have
    behind it, ``openings`` those that may stand before others. ``plain`` maps letters to those
    that people also write for them (ş: s), in the words ``marked``."""

    def __init__(
        self,
        endings: Iterable[str],
        openings: Iterable[str],
        plain: Mapping[str, str],
        marked: Iterable[str],
        is_word: Callable[[Atom], bool],
    ) -> None:
        letters = str.maketrans(dict(plain))
        endings = frozenset(endings)
        self._endings = {one.translate(letters): one for one in endings} | {
            one: one for one in endings
        }
        self._lengths = sorted({len(one) for one in self._endings}, reverse=True)
        self._openings = sorted(openings, key=len)  # 이번|주말, not 이번주|말
        # In order: two words may have the same plain letters.
        self._marked = {word.translate(letters): word for word in sorted(marked)} if plain else {}
        self._is_word = is_word
        self._parts: dict[str, tuple[str, ...]] = {}

    def split(self, atom: Atom) -> Sequence[Atom]:
        """The stem and each ending of an atom by itself."""
        if atom.kind != "word":
            return (atom,)
        stem, *endings = self._find_parts(atom)
        at = atom.end - len("".join(endings))
        found = [Atom(stem, "word", atom.start, at, atom.glued)]
        for one in endings:
            found.append(Atom(one, "word", at, at + len(one), glued=True))
            at += len(one)
        return found

    def cut(self, atom: Atom) -> Iterator[tuple[Atom, Atom]]:
        """The atom as a stem and one ending, the longest ending first."""
        for length in self._lengths:
            ending = self._endings.get(atom.text[-length:])
            if ending is not None and len(atom.text) >= length + _SHORTEST_STEM:
                at = atom.end - length
                yield (
                    atom._replace(text=atom.text[:-length], end=at),
                    Atom(ending, "word", at, atom.end, glued=True),
                )

    def find_end(self, atoms: Sequence[Atom], end: int) -> int:
        """The atom behind the endings that follow the atom before ``end``."""
        mark = end < len(atoms) and atoms[end].glued and atoms[end].text in _APOSTROPHES
        at = end + mark
        while at < len(atoms) and atoms[at].glued and atoms[at].text in self._endings:
            at += 1
        return at if at > end + mark else end

    def _find_parts(self, atom: Atom) -> tuple[str, ...]:
        known = self._parts.get(atom.text)
        if known is None:
            if len(self._parts) >= _MAX_CACHED_WORDS:
                self._parts.clear()
            known = self._parts[atom.text] = (
                self._split_parts(atom) if len(atom.text) <= _LONGEST_WORD else (atom.text,)
            )
        return known

    def _split_parts(self, atom: Atom) -> tuple[str, ...]:
        return (
            self._split_opening(atom, self._keep_word)
            or self._split_endings(atom)
            or self._split_opening(atom, self._split)
            or (atom.text,)
        )

    def _split_endings(self, atom: Atom) -> tuple[str, ...]:
        """The stem and its endings; nothing if there is no such stem."""
        korean = is_hangul(atom.text)
        most = _MOST_HANGUL_ENDINGS if korean else _MOST_ENDINGS
        shortest = _SHORTEST_HANGUL_STEM if korean else _SHORTEST_STEM
        return self._split_word(atom, 1, shortest) or self._split_word(atom, most, shortest)

    def _split(self, atom: Atom) -> tuple[str, ...]:
        return self._split_endings(atom) or self._split_opening(atom, self._split)

    def _keep_word(self, atom: Atom) -> tuple[str, ...]:
        return (atom.text,) if self._is_word(atom) else ()

    def _split_opening(
        self, atom: Atom, split_rest: Callable[[Atom], tuple[str, ...]]
    ) -> tuple[str, ...]:
        """The parts of an opening and of what follows it; nothing if there is none, and for a
        word."""
        if self._is_word(atom):
            return ()
        for opening in self._openings:
            if atom.text.startswith(opening) and len(atom.text) > len(opening):
                rest = atom._replace(text=atom.text[len(opening) :])
                if parts := split_rest(rest):
                    head = self._split_endings(atom._replace(text=opening)) or (opening,)
                    return *head, *parts
        return ()

    def _split_word(self, atom: Atom, most: int, shortest: int) -> tuple[str, ...]:
        """The stem, of so many letters at least, and up to ``most`` endings; nothing if there are
        none. One ending is the shortest, of several the last one is the longest."""
        text = atom.text
        if self._is_word(atom):
            return (text,)
        if text in self._marked:
            return (self._marked[text],)
        for length in self._lengths[:: -1 if most == 1 else 1] if most else ():
            ending = self._endings.get(text[-length:])
            if ending is not None and len(text) >= length + shortest:
                shorter = atom._replace(text=text[:-length])
                if parts := self._split_word(shorter, most - 1, shortest):
                    return *parts, ending
        return ()
