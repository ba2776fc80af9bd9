"""Match sparse phrases: words in order or in any order, with bounded gaps ("turn the light off").

Of each phrase the smallest windows are found: ranges of the text with all its words that contain no
other such range. Between two neighbouring words of a window there are at most as many other words
as the phrase allows, and neither the end of a sentence nor a negation. Inside a window, each word
is the nearest one to its predecessor. If the nearest words match only by their stems ("is the lock
locked"), windows of words that are spelled as in the phrase are found as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import accumulate, islice, pairwise, product
from typing import TypeAlias

from msgspec import Struct

from anaphora.entities.phrases.gaps import Gaps
from anaphora.entities.phrases.stem_candidates import StemCandidate
from anaphora.entities.phrases.step_positions import StepFinder, StepPositions, word_key
from anaphora.entities.phrases.trie import (
    MAX_COMBINATIONS,
    WILDCARD,
    PhraseMatch,
    SearchedText,
    Step,
    form_of,
    merge_matches,
)
from anaphora.entities.words.lexicon import Word
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import DEFAULT_MAX_GAP

__all__ = ["SparseMatcher", "SparsePhrase"]

_REPEATED = -1  # instead of the index of a word that occurs several times


class SparsePhrase(Struct, frozen=True):
    """A phrase of ``entry`` whose words may be separated by other words, at most ``max_gap``
    between two of them.

    With ``any_order`` the words may come in another order; each may have ``typos`` typos or, with
    ``compounds``, be the head of a compound.
    """

    steps: tuple[Step, ...]
    entry: int
    any_order: bool = False
    typos: int = 0
    max_gap: int = DEFAULT_MAX_GAP
    compounds: bool = False


class SparseMatcher:
    """Finds phrases of two steps or more, indexed by their rarest word."""

    def __init__(self, phrases: Iterable[SparsePhrase]) -> None:
        self.phrases = [phrase for phrase in phrases if len(phrase.steps) > 1]
        self._tolerances = {(phrase.typos, phrase.compounds) for phrase in self.phrases}
        self._words = [frozenset(_words(phrase)) for phrase in self.phrases]
        # The words of phrases of distinct words alone.
        self._distinct_keys = [
            tuple(keys) if len(set(keys := _words(phrase))) == len(phrase.steps) else None
            for phrase in self.phrases
        ]
        self._by_word: dict[str, list[int]] = {}
        self._wordless: list[int] = []
        frequencies = Counter(word for phrase in self.phrases for word in _words(phrase))
        for number, phrase in enumerate(self.phrases):
            rarest = min(_words(phrase), key=frequencies.__getitem__, default=None)
            if rarest is None:
                self._wordless.append(number)
            else:
                self._by_word.setdefault(rarest, []).append(number)

    def find(self, text: SearchedText, gaps: Gaps) -> list[PhraseMatch]:
        """Find the smallest windows of each phrase, except phrases that occur without gaps and in
        order. ``gaps`` limits the distance of words."""
        words, candidates = text.words, text.candidates
        at: dict[str, int] = {}
        for index, word in enumerate(words):
            key = word_key(word)
            at[key] = _REPEATED if key in at else index
        numbers = self._find_possible_phrases(at.keys(), candidates)
        if not numbers:
            return []
        matches: dict[PhraseMatch, None] = {}
        if not candidates:
            numbers = self._match_unambiguous(numbers, words, gaps, at, matches)
            if not numbers:
                return merge_matches(matches, _rank) if len(matches) > 1 else list(matches)
        # Each phrase accepts candidates by its own tolerance.
        searches = {
            tolerance: StepFinder(text, partial(_is_tolerated, tolerance))
            for tolerance in (self._tolerances if candidates else ((0, False),))
        }
        for number in numbers:
            phrase = self.phrases[number]
            search = searches[(phrase.typos, phrase.compounds) if candidates else (0, False)]
            search.work += 1
            found = [search.find_positions(step) for step in phrase.steps]
            if all(where.starts for where in found):
                windows = _find_windows(phrase, found, search, gaps)
                matches.update(dict.fromkeys(_create_matches(phrase, windows, search)))
            if search.is_spent:
                break
        return merge_matches(matches, _rank)

    def _find_possible_phrases(
        self, stems: AbstractSet[str], candidates: Sequence[Sequence[StemCandidate]] | None
    ) -> list[int]:
        """Return the numbers of the phrases all of whose words are in the text."""
        if candidates:
            stems = stems | {" ".join(candidate.stems) for some in candidates for candidate in some}
        numbers = [
            number
            for word in stems
            if word in self._by_word
            for number in self._by_word[word]
            if self._words[number] <= stems
        ]
        return sorted(numbers + self._wordless)

    def _match_unambiguous(
        self,
        numbers: Iterable[int],
        words: Sequence[Word],
        gaps: Gaps,
        at: Mapping[str, int],
        matches: dict[PhraseMatch, None],
    ) -> list[int]:
        """Add the matches of phrases each of whose words occurs once, and return the numbers of the
        other phrases."""
        left = []
        for number in numbers:
            keys = self._distinct_keys[number]
            if keys is None or _REPEATED in (places := [at[key] for key in keys]):
                left.append(number)
                continue
            phrase = self.phrases[number]
            tokens = sorted(places)
            permuted = places != tokens
            if permuted and not phrase.any_order:
                continue
            start, end = tokens[0], tokens[-1] + 1
            others = end - start - len(tokens)
            if (others or permuted) and _within_gaps(tokens, phrase.max_gap, gaps):
                # Otherwise the trie finds it, or the words are too far apart.
                exact = not permuted and all(
                    words[place].form == form_of(step)
                    for place, step in zip(places, phrase.steps, strict=True)
                )
                own = tuple(tokens) if others else ()
                matches[
                    PhraseMatch(start, end, phrase.entry, exact, others, own, permuted=permuted)
                ] = None
        return left


class _StepMatch(Struct, frozen=True, gc=False):
    """A step of a phrase with the words that it matches, and the entities that it may be."""

    step: int
    start: int
    end: int
    numbers: tuple[int, ...] = ()


_Window: TypeAlias = tuple[_StepMatch, ...]


def _find_windows(
    phrase: SparsePhrase, places: Sequence[StepPositions], search: StepFinder, gaps: Gaps
) -> Iterable[_Window]:
    """Find the windows of a phrase from the positions of its steps."""
    match = _match_any_order if phrase.any_order else _match_in_order

    def find(places: Sequence[StepPositions]) -> Iterator[_Window]:
        return _keep_smallest(match(phrase, places, search, gaps))

    windows = list(find(places))
    pairs = list(zip(phrase.steps, places, strict=True))
    shortest = [search.shortest(*pair) for pair in pairs]
    if any(one is not other for one, other in zip(shortest, places, strict=True)):
        # A long run may contain a word of the phrase.
        windows = list(dict.fromkeys([*windows, *find(shortest)]))
    if all(_is_exact(phrase, window, search) for window in windows):
        return windows
    spelled = [search.keep_exact(*pair) for pair in pairs]
    if not all(one.starts for one in spelled):
        return windows
    return dict.fromkeys([*windows, *find(spelled)])


def _is_exact(phrase: SparsePhrase, window: _Window, search: StepFinder) -> bool:
    """Whether all words are spelled as in the phrase."""
    steps = [(phrase.steps[one.step], search.words[one.start]) for one in window]
    return all(_spelling_of(step, word) == form_of(step) for step, word in steps)


def _match_in_order(
    phrase: SparsePhrase, places: Sequence[StepPositions], search: StepFinder, gaps: Gaps
) -> Iterator[_Window]:
    """From each position of the first step, yield the nearest positions of the others in order, if
    the rest is within reach."""
    following: list[dict[int, int]] = []  # for each step but the last, last step first
    viable: Sequence[int] = range(len(places[-1].starts))
    for where, behind in reversed(list(pairwise(places))):
        search.work += 4 * len(where.starts)  # including the reach of each
        if search.is_spent:
            return
        starts = [behind.starts[index] for index in viable]
        nearest: dict[int, int] = {}
        for index, end in enumerate(where.ends):
            at = bisect_left(starts, end)
            if at < len(starts) and starts[at] <= gaps.last_start(end, phrase.max_gap):
                nearest[index] = viable[at]
        following.append(nearest)
        viable = list(nearest)
    for first in viable:
        search.work += len(places)
        if search.is_spent:
            return
        indexes = list(accumulate(reversed(following), lambda at, one: one[at], initial=first))
        yield tuple([_create_step_match(places[step], step, at) for step, at in enumerate(indexes)])


def _match_any_order(
    phrase: SparsePhrase, places: Sequence[StepPositions], search: StepFinder, gaps: Gaps
) -> Iterator[_Window]:
    """From each position of any step, yield the window that ends first, of the nearest positions of
    the steps that are left. Of steps that may match the same words, the one with the fewest
    positions goes first."""
    precedence = sorted(range(len(places)), key=lambda step: len(places[step].starts))
    first_alike: dict[tuple[Step | str, tuple[int, ...]], int] = {}
    for step in precedence:
        alike = _equality_key(phrase.steps[step]), tuple(places[step].starts)
        first_alike.setdefault(alike, step)
    for step in first_alike.values():
        left = tuple([one for one in precedence if one != step])
        for index in range(len(places[step].starts)):
            first = _create_step_match(places[step], step, index)
            chains: _Chains = {(left, first.end): (first,)}
            for _ in left:
                chains = _extend_chains(chains, places, search, gaps, phrase.max_gap)
            if chains:
                search.work += len(places)
                yield min(chains.values(), key=lambda window: window[-1].end)
            if search.is_spent:
                return


_Chains: TypeAlias = dict[tuple[tuple[int, ...], int], _Window]
"""The beginnings of windows, by the steps that are left and by where they end."""


def _extend_chains(
    chains: _Chains,
    places: Sequence[StepPositions],
    search: StepFinder,
    gaps: Gaps,
    max_gap: int,
) -> _Chains:
    """Extend the chains by one step; of chains with the same steps and the same end, keep the one
    with the nearest positions."""
    longer: _Chains = {}
    for (left, end), window in chains.items():
        reach = gaps.last_start(end, max_gap)
        # Behind its last position a step has no match.
        last = min([places[step].starts[-1] for step in left])
        nearest = [
            (where.starts[at], number, step, at)
            for number, step in enumerate(left)
            for where in [places[step]]
            for at in range(where.first_from(end), where.first_from(min(reach, last) + 1))
        ]
        search.work += len(left) + len(nearest)
        if search.is_spent:
            return {}
        for _, number, step, at in sorted(nearest):
            key = (*left[:number], *left[number + 1 :]), places[step].ends[at]
            longer.setdefault(key, (*window, _create_step_match(places[step], step, at)))
    return longer


def _within_gaps(tokens: Sequence[int], max_gap: int, gaps: Gaps) -> bool:
    return all(after <= gaps.last_start(one + 1, max_gap) for one, after in pairwise(tokens))


def _create_step_match(places: StepPositions, step: int, index: int) -> _StepMatch:
    numbers = places.numbers[index] if places.numbers else ()
    return _StepMatch(step, places.starts[index], places.ends[index], numbers)


def _keep_smallest(windows: Iterable[_Window]) -> Iterator[_Window]:
    """Keep the windows that contain no other one, one for each range."""
    nearest_end: float = float("inf")  # of the windows that start at the same place or later
    for window in sorted(windows, key=lambda window: (-window[0].start, window[-1].end)):
        if window[-1].end < nearest_end:
            nearest_end = window[-1].end
            yield window


def _create_matches(
    phrase: SparsePhrase, windows: Iterable[_Window], search: StepFinder
) -> Iterator[PhraseMatch]:
    alike = [_equality_key(step) for step in phrase.steps]
    for window in windows:
        start, end = window[0].start, window[-1].end
        tokens = tuple([token for one in window for token in range(one.start, one.end)])
        gaps = end - start - len(tokens)
        permuted = [alike[one.step] for one in window] != alike
        if not gaps and not permuted:
            continue  # the trie finds it
        candidates = search.find_candidates((phrase.steps[one.step], one.start) for one in window)
        typos = max([candidate.typos for candidate in candidates], default=0)
        by_head = any(candidate.by_compound_head for candidate in candidates)
        for parts in _combine_parts(phrase, window):
            yield PhraseMatch(
                start,
                end,
                phrase.entry,
                exact=not (permuted or typos or by_head) and _is_exact(phrase, window, search),
                gaps=gaps,
                tokens=tokens if gaps else (),
                permuted=permuted,
                parts=parts,
                typos=typos,
                by_compound_head=by_head,
            )


def _combine_parts(phrase: SparsePhrase, window: _Window) -> Iterator[tuple[tuple[str, int], ...]]:
    """Yield the choices of entities for the parts of a window."""
    ways = product(
        *(
            [(step.alias, number) for number in one.numbers]
            for one in window
            if isinstance(step := phrase.steps[one.step], EntityPart)
        )
    )
    return islice(ways, MAX_COMBINATIONS)


def _is_tolerated(tolerance: tuple[int, bool], candidate: StemCandidate) -> bool:
    typos, compounds = tolerance
    return (
        candidate.words == 1
        and candidate.typos <= typos
        and (compounds or not candidate.by_compound_head)
    )


def _rank(match: PhraseMatch) -> tuple[int, ...]:
    return match.typos, match.by_compound_head, match.permuted, not match.exact


def _words(phrase: SparsePhrase) -> list[str]:
    return [word_key(step) for step in phrase.steps if isinstance(step, Word)]


def _equality_key(step: Step) -> Step | str:
    return word_key(step) if isinstance(step, Word) else step


def _spelling_of(step: Step, word: Word) -> str:
    return word.form if isinstance(step, Word) else WILDCARD
