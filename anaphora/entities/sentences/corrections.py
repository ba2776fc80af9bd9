"""Find where a command corrects itself: "turn on the radio NO the desk lamp"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import SentenceReading
from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.cues.breaks import begins_number
from anaphora.entities.cues.clauses import is_boundary
from anaphora.entities.cues.cue_words import PhraseMatch, load_cue_words
from anaphora.entities.languages import cached_table
from anaphora.entities.sentences.input_text import InputText
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.models.hassil.inverse_intents import INVERSE_INTENTS

__all__ = ["CorrectionFinder", "read_corrected"]

_MAX_LENGTH = 120  # characters of a command that corrects itself
_LINKING = frozenset(("correct", "filler", "social"))  # kinds of cues
_THINGS = frozenset(("name", "domain", "device_class", "area", "floor"))
_BLANK = re.compile(" ")

_Readings: TypeAlias = Sequence[SentenceReading]
_Phrases: TypeAlias = Mapping[int, Sequence[PhraseMatch]]
"""The phrases of a text by their first atoms."""


class Correction(NamedTuple):
    """The span of the words by which a command corrects itself. They may rather negate a noun that
    follows ("no tv"), but not a command or a state."""

    start: int
    stop: int
    may_negate_noun: bool


class CorrectionFinder:
    """Finds the words by which a command in a language corrects itself: a word for no or an
    apology, with others that only link a command to the one before. A word for no that may negate
    what follows corrects nothing, unless a comma or another such word is behind it (Spanish *no,
    perdón*), or what it cannot negate ("no THE lamp")."""

    def __init__(self, language: str) -> None:
        table = cached_table(language, "home")
        negations = load_qualifiers(language, "negation")
        opening = [str(one).casefold() for one in table.get("opening") or ()]
        correcting = [str(one).casefold() for one in table.get("correcting") or ()]
        self._language = language
        self._denials = frozenset(
            one for one in opening if one in negations or parse_yes_no(one, language) is False
        )
        self._denials_negate = bool(table.get("denials_negate"))
        self._links = {tuple(one.split()): False for one in opening}
        self._links |= {tuple(one.split()): True for one in correcting}
        self._longest = max(map(len, self._links), default=0)

    def find(self, text: str) -> Iterator[Correction]:
        """The runs of such words within a text."""
        if not self._links or len(text) > _MAX_LENGTH:
            return
        atoms, matches = load_cue_words(self._language).read(text)
        by_start: dict[int, list[PhraseMatch]] = defaultdict(list)
        for one in matches:
            by_start[one.first].append(one)
        at = 1
        while at < len(atoms):
            end, may_negate = self._find_end(atoms, at, by_start)
            if end and end < len(atoms):
                yield Correction(atoms[at].start, atoms[end].start, may_negate_noun=may_negate)
            at = max(at + 1, end)

    def _find_end(self, atoms: Sequence[Atom], start: int, by_start: _Phrases) -> tuple[int, bool]:
        """The end of the run of words that begins at an atom, 0 if it corrects nothing, and whether
        it may negate a noun."""
        at, corrects, denial = start, False, -1
        while at < len(atoms):
            if atoms[at].text in self._denials:
                denial, end = at, at + 1
            elif is_boundary(atoms, at):
                corrects, denial, end = corrects or denial >= 0, -1, at + 1
            else:
                end, is_correcting = self._read_link(atoms, at, by_start)
                corrects = corrects or is_correcting
            if not end:
                break
            at = end
        if corrects or denial < 0:
            return (at if corrects else 0), False
        readings = [one.reading for one in by_start.get(denial, ())]
        sides = {one.side for one in readings if one.kind == "negate"}
        if sides != {"noun"} or any(one.kind == "joiner" for one in readings):
            return (0 if self._denials_negate else at), False
        following = [one.reading.kind for one in by_start.get(at, ())]
        is_noun = "small" not in following and not begins_number(atoms[at:], self._language)
        return at, is_noun

    def _read_link(self, atoms: Sequence[Atom], at: int, by_start: _Phrases) -> tuple[int, bool]:
        """The end of the longest phrase at an atom that only links, and whether it corrects; 0
        without one."""
        found = [
            (one.last, one.reading.kind == "correct")
            for one in by_start.get(at, ())
            if one.reading.kind in _LINKING and not one.reading.value and not one.reading.side
        ]
        for count in range(1, self._longest + 1):
            words = tuple(one.text for one in atoms[at : at + count])
            if words in self._links:
                found.append((at + count, self._links[words]))
        return max(found, default=(0, False))


def read_corrected(
    text: InputText, corrections: Iterable[Correction], match: Callable[[InputText], _Readings]
) -> list[SentenceReading]:
    """The readings of a command that corrects itself at one of the ``corrections`` of the text as
    it was written: as the command before it, which must be a whole one, with what follows in the
    place of a part of it. ``match`` reads a form of the text by the sentences. Empty if there is
    none."""
    length = len(text.text)
    for start, stop, may_negate_noun in corrections:
        begin, end = len(text.text[: text.position(start)].rstrip()), text.position(stop)
        if not 0 < begin < end < length:
            continue
        rests = [length, *(one.start() for one in _BLANK.finditer(text.text, end))]
        firsts = (match(text.cut([(0, begin), (rest + 1, length)])) for rest in rests)
        first = next((one[0] for one in firsts if one and not one[0].references), None)
        if first is None:
            continue
        for form, kept in _replace_part(text, begin, end):
            found = [
                replace(one, corrected=True)
                for one in match(form)
                if (not one.needs_memory if kept is None else _corrects(first, one, kept))
                and not (may_negate_noun and kept is not None and one.intent == first.intent)
            ]
            if found:
                return found
    return []


def _replace_part(
    text: InputText, begin: int, end: int
) -> Iterator[tuple[InputText, range | None]]:
    """The forms of a text with what is from ``end`` in the place of a part of what is before
    ``begin``, each with the offsets of what is left of that behind it: the shortest part first, the
    last of those that are as long. Of the last form, which leaves nothing, they are None."""
    whole = text.text
    starts = [at for at in range(begin) if not at or whole[at - 1] == " "]
    ends = [at for at in range(1, begin + 1) if at == begin or whole[at] == " "]
    parts = [
        (last - first, begin - stop, start, stop)
        for first, start in enumerate(starts)
        for last, stop in enumerate(ends)
        if stop > start
    ]
    for *_, start, stop in sorted(parts):
        form = text.cut([(0, start - 1), (end, len(whole)), (stop + 1, begin)])
        is_whole = not start and stop == begin
        yield form, None if is_whole else range(text.original(stop), text.original(begin - 1) + 1)


def _corrects(first: SentenceReading, second: SentenceReading, kept: range) -> bool:
    """Whether a command is another one with a part replaced: it is for another thing or place, has
    another value, or does the opposite. It is for a thing of another kind only if nothing of the
    other thing is ``kept`` behind what replaces it."""
    old, new = (
        {entity.element: entity.value for entity in one.entities} for one in (first, second)
    )
    if second.intent != first.intent:
        return (
            old == new
            and not second.needs_memory
            and INVERSE_INTENTS.get(first.intent) == second.intent
        )
    if second.references or second.missing != first.missing:
        return False
    if old == new or old.keys() - _THINGS != new.keys() - _THINGS:
        return False
    return old.keys() == new.keys() or all(
        one.start not in kept for one in second.entities if one.end
    )
