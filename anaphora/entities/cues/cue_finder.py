"""Find the cues in an utterance.

Phrases are chosen from left to right, the longest first, where their position in the clause allows
their meaning. Yes and no, greetings and the like extend the edges of a clause: what follows
"yes, please" still begins one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast, get_args

import msgspec

from anaphora.core.utterance import Utterance
from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.cues.breaks import find_breaks
from anaphora.entities.cues.clauses import QUESTION_MARKS, ClauseEdges, is_boundary
from anaphora.entities.cues.cue import Cue, CueKind
from anaphora.entities.cues.cue_words import CueWords, PhraseMatch, Reading

__all__ = ["find_cues"]

_CHOSEN_KINDS = frozenset({*get_args(CueKind), "none", "take"})
_CHOICES = frozenset({"reference", "ordinal", "comparison"})
_WITH_ONE = _CHOICES | {"other"}
# What may follow a "no" that is an answer.
_BEHIND_NO = frozenset(
    {"accept", "decline", "correct", "take", "social", "filler", "cancel", "only", "reference"}
)
_CUT_BY_VALUES = frozenset({"accept", "decline", "negate"})
_TAIL_DISTANCE = 8  # atoms between the parts of a phrase in two parts


def find_cues(utterance: Utterance, words: CueWords) -> tuple[Cue, ...]:
    """Find the cues of a text, in its order. They overlap only where nothing in the text tells two
    meanings of a word apart ("them": persons or things)."""
    atoms, matches = words.read(utterance.text)
    if not matches:
        return ()
    chosen = _Chooser(utterance, atoms, matches).choose()
    definite = [one for one in matches if one.reading.kind == "definite"]
    edges = {edge for one in definite for edge in (("end", one.end), ("start", one.start))}
    cues = []
    for match, spans in chosen:
        cue = _to_cue(match, spans, utterance, atoms)
        if cue.kind == "comparison" and not edges.isdisjoint(
            (("end", spans[0][0]), ("start", match.end))
        ):
            cue = msgspec.structs.replace(cue, number=1)  # the cheaper one of two
        cues.append(cue)
    return tuple(cues)


_Spans = tuple[tuple[int, int], ...]


class _Chooser:
    """Chooses the phrases that are cues."""

    def __init__(
        self, utterance: Utterance, atoms: Sequence[Atom], matches: Sequence[PhraseMatch]
    ) -> None:
        self._utterance = utterance
        self._atoms = atoms
        self._matches = sorted(matches, key=_preference)
        self._edges = ClauseEdges(atoms, matches)
        self._by_start: dict[int, list[PhraseMatch]] = defaultdict(list)
        for match in self._matches:
            self._by_start[match.first].append(match)
        for start, end in find_breaks(utterance, atoms, self._by_start):
            self._edges.begins[start] = self._edges.ends[end] = True
        self._words = sum(atom.kind != "mark" for atom in atoms)
        self._taken: set[int] = set()  # atoms of chosen phrases
        self._chosen: list[tuple[PhraseMatch, _Spans]] = []

    def choose(self) -> list[tuple[PhraseMatch, _Spans]]:
        for match in self._matches:
            if self._taken.isdisjoint(range(match.first, match.last)):
                self._try(match)
            elif self._is_second_reference(match):
                self._chosen.append((match, ((match.first, match.last),)))
        self._add_contrasts()
        return self._chosen

    def _try(self, match: PhraseMatch) -> None:
        reading = match.reading
        if reading.kind not in _CHOSEN_KINDS or self._is_misread(match):
            return
        refused = self._read_refusal(match) if reading.kind == "accept" else None
        is_allowed = self._edges.allow(match) or (refused and self._edges.ends[match.end])
        if not is_allowed:
            return
        spans: _Spans = ((match.first, match.last),)
        if reading.kind == "take":
            taken = self._read_taking(match)
            if taken is None:
                return
            match, spans = taken
        elif reading.tail:
            tail = self._find_tail(match)
            if tail is None:
                return
            spans = (*spans, (tail.first, tail.last))
        elif reading.kind == "decline" and self._negates_rest(match):
            match = replace(match, reading=Reading("negate"))
        elif refused is not None:
            match, count = refused
            spans = ((self._chosen[-count][1][0][0], match.last),)
            del self._chosen[-count:]
        if reading.kind in _WITH_ONE and reading.value not in ("place", "time", "person"):
            spans = ((match.first, self._skip(match.last, "one")),)
            if reading.kind == "ordinal" and spans[0][1] > match.last:
                match = replace(match, reading=Reading("ordinal", "one", reading.number))
        for start, end in spans:
            self._taken.update(range(start, end))
        self._edges.pass_over(match)
        if reading.kind != "none":
            self._chosen.append((match, spans))

    def _is_misread(self, match: PhraseMatch) -> bool:
        """Whether the words around a phrase give it another meaning."""
        if match.reading.kind in _CUT_BY_VALUES and self._ends_inside_value(match):
            return True
        if match.reading.tail and self._ends_a_name(match):
            return True
        match match.reading.kind:
            case "negate":
                needs_choice = match.reading.value == "remove" and match.reading.side == "before"
                return self._is_answer(match) or (needs_choice and not self._has_choice(match))
            case "decline":
                return self._goes_on(match)
            case "accept":
                return self._goes_on(match) or self._is_filler(match)
            case "indifferent":  # "with anyone but Anna"
                return self._is_cut_by_negation(match)
            case "add":  # "not with Anna" adds nothing
                return match.reading.value == "with" and self._follows_negation(match)
            case _:
                return False

    def _ends_inside_value(self, match: PhraseMatch) -> bool:
        """Whether a recognized value begins within the phrase and goes on behind it: Spanish *no a*
        before *a las 8*."""
        start, end = self._atoms[match.first].start, self._atoms[match.last - 1].end
        return any(
            start < one.start < end < one.end and not one.is_from_phrase
            for one in self._utterance.entities
        )

    def _ends_a_name(self, match: PhraseMatch) -> bool:
        """Whether the phrase stands within a name of the model, and does not begin it: *change* in
        "an oil change for Friday" is no verb."""
        start, end = self._atoms[match.first].start, self._atoms[match.last - 1].end
        return any(
            one.start < start and end <= one.end and one.is_from_phrase
            for one in self._utterance.entities
        )

    def _is_second_reference(self, match: PhraseMatch) -> bool:
        """Whether the phrase is a reference of another kind than the one chosen in its place."""
        if not self._chosen or match.reading.kind != "reference" or not self._edges.allow(match):
            return False
        last, _ = self._chosen[-1]
        return (
            last.reading.kind == "reference"
            and (last.first, last.last) == (match.first, match.last)
            and last.reading.value != match.reading.value
        )

    def _add_contrasts(self) -> None:
        """Let the words of contrast beside a negation be fillers: "nicht A, sondern B"."""
        kinds = {match.reading.kind for match, _ in self._chosen}
        if "negate" not in kinds:
            return
        for match in self._matches:
            span = match.first, match.last
            if match.reading.kind == "contrast" and self._taken.isdisjoint(range(*span)):
                self._taken.update(range(*span))
                self._chosen.append((replace(match, reading=Reading("filler")), (span,)))
        self._chosen.sort(key=lambda one: one[1][0])

    def _read_taking(self, match: PhraseMatch) -> tuple[PhraseMatch, _Spans] | None:
        """An acceptance, if what is taken stands beside the verb ("book it"); a refusal, if the
        verb is negated."""
        if not self._has_choice(match):
            return None
        first = match.first
        kind: CueKind = "accept"
        if self._chosen:
            last, spans = self._chosen[-1]
            if last.reading.kind == "negate" and spans[-1][1] == first:
                self._chosen.pop()
                first, kind = spans[0][0], "decline"
        is_inside = not self._edges.begins[match.start] and match.reading.side != "behind"
        if kind == "accept" and is_inside:
            return None
        return replace(match, reading=Reading(kind)), ((first, match.last),)

    def _read_refusal(self, match: PhraseMatch) -> tuple[PhraseMatch, int] | None:
        """A refusal, if an acceptance stands right behind a negation ("not exactly"), with nothing
        but fillers between them ("not so good"); with the number of the phrases that it includes.
        """
        at = match.first
        for count, (last, spans) in enumerate(reversed(self._chosen), 1):
            if spans[-1][1] != at or is_boundary(self._atoms, at - 1):
                return None
            if last.reading.kind in ("negate", "decline"):
                is_negated = self._atoms[at].glued or self._has_negation(last)
                return (replace(match, reading=Reading("decline")), count) if is_negated else None
            if last.reading.kind != "filler":
                return None
            at = spans[0][0]
        return None

    def _negates_rest(self, match: PhraseMatch) -> bool:
        """Whether a refusal that ends in a negation goes on: "definitely not with Anna"."""
        inside = [
            one for at in range(match.first, match.last) for one in self._by_start.get(at, ())
        ]
        return (
            not self._edges.ends[match.end]
            and not any(one.reading.kind == "reference" for one in inside)
            and any(
                one.reading.kind == "negate"
                and one.reading.side in ("before", "either")
                and one.first > match.first
                and one.last == match.last
                for one in inside
            )
        )

    def _follows_negation(self, match: PhraseMatch) -> bool:
        if not self._chosen:
            return False
        last, spans = self._chosen[-1]
        return last.reading.kind == "negate" and self._skip(spans[-1][1], "small") >= match.first

    def _is_cut_by_negation(self, match: PhraseMatch) -> bool:
        return any(
            one.reading.kind == "negate" and one.last > match.last
            for at in range(match.first + 1, match.last)
            for one in self._by_start.get(at, ())
        )

    def _has_negation(self, match: PhraseMatch) -> bool:
        """Whether a phrase has a word that negates more than a noun: "not", but not "no"."""
        return any(
            one.reading.kind == "negate" and one.reading.side != "noun" and one.end <= match.end
            for at in range(match.start, match.end)
            for one in self._by_start.get(at, ())
        )

    def _has_choice(self, match: PhraseMatch) -> bool:
        if match.reading.side != "behind":
            behind = self._skip(match.last, "small")
            return any(
                one.reading.kind in _CHOICES and self._edges.allow(one)
                for at in {match.last, behind}
                for one in self._by_start.get(at, ())
            )
        if self._follows_value(match):
            return True
        if not self._chosen:
            return False
        last, spans = self._chosen[-1]
        end = spans[-1][1]
        return last.reading.kind in _CHOICES and self._skip(end, "small") >= match.first

    def _follows_value(self, match: PhraseMatch) -> bool:
        """Whether a number or a value that the model knows stands right before a phrase, and it
        asks nothing: "10 is fine", "Friday works"."""
        is_asked = any(atom.text in QUESTION_MARKS for atom in self._atoms[match.last :])
        if not match.first or is_asked:
            return False
        before = self._atoms[match.first - 1]
        return before.kind == "digits" or any(
            one.end == before.end and one.value is not None for one in self._utterance.entities
        )

    def _find_tail(self, match: PhraseMatch) -> PhraseMatch | None:
        """The second part of a phrase, in the same clause."""
        for at in range(match.last, min(match.last + _TAIL_DISTANCE, len(self._atoms))):
            for one in self._by_start.get(at, ()):
                if one.reading.kind == "tail" and one.reading.value == match.reading.tail:
                    return one
            if is_boundary(self._atoms, at):
                return None
        return None

    def _is_answer(self, match: PhraseMatch) -> bool:
        """Whether a negation is an answer ("no, at nine"), as it also is at the end of a clause. A
        determiner is one, too, if no noun follows ("no make it nine", but not "no onions")."""
        answers = (
            one.reading.kind == "decline" and one.end == match.end and self._edges.allow(one)
            for one in self._by_start[match.first]
        )
        if not any(answers):
            return False
        behind = match.end
        if match.reading.side != "noun":
            return self._edges.ends[behind]
        if behind >= len(self._atoms) or self._atoms[behind].kind != "word":
            return True
        if any(one.reading.kind in _BEHIND_NO for one in self._by_start.get(behind, ())):
            return True
        tokens = _tokens_in(self._utterance, self._atoms, behind, behind + 1)
        return not any(self._utterance.tokens[index].is_content_word for index in tokens)

    def _goes_on(self, match: PhraseMatch) -> bool:
        """Whether more follows that makes an answer of several words something else: a verb behind
        "I'd like to", the negation of *passt mir nicht*."""
        if match.end == match.start + 1:
            return False
        is_negated = any(
            one.reading.kind == "negate" and one.reading.side == "either"
            for one in self._by_start.get(match.end, ())
        )
        ends_open = not self._edges.ends[match.end] and any(
            one.reading.kind == "small" and one.end == match.end
            for one in self._by_start.get(match.end - 1, ())
        )
        return is_negated or ends_open

    def _is_filler(self, match: PhraseMatch) -> bool:
        """Whether the words dress others: "please" accepts only by itself."""
        is_filler = any(
            one.reading.kind == "filler" and one.reading.position == "anywhere"
            for one in self._by_start[match.first]
            if one.end == match.end
        )
        return is_filler and self._words > match.end - match.start

    def _skip(self, at: int, kind: str) -> int:
        """The position after the words of a class from ``at`` on."""
        while ends := [one.last for one in self._by_start.get(at, ()) if one.reading.kind == kind]:
            at = max(ends)
        return at


def _preference(match: PhraseMatch) -> tuple[int, bool, int]:
    return match.first, match.reading.command, match.start - match.end


def _to_cue(match: PhraseMatch, spans: _Spans, utterance: Utterance, atoms: Sequence[Atom]) -> Cue:
    tokens = [index for span in spans for index in _tokens_in(utterance, atoms, *span)]
    reading = match.reading
    kind = cast(CueKind, reading.kind)
    return Cue(kind, tuple(dict.fromkeys(tokens)), reading.value, reading.number)


def _tokens_in(utterance: Utterance, atoms: Sequence[Atom], first: int, last: int) -> Iterator[int]:
    """The indexes of the tokens that the atoms from ``first`` up to ``last`` are in."""
    tokens = utterance.tokens
    while last > first + 1 and is_boundary(atoms, last - 1):
        last -= 1
    start, end = atoms[first].start, atoms[last - 1].end
    at = bisect_right(tokens, start, key=lambda token: token.end)
    while at < len(tokens) and tokens[at].start < end:
        yield tokens[at].index
        at += 1
