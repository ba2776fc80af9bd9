"""Match sparse phrases: words in order or in any order, with bounded gaps ("turn the light off").

Of each phrase the smallest windows are found: ranges of the text with all its words that contain no
other such range. Between two neighboring words of a window there are at most as many other words as
the phrase allows, and neither the end of a sentence nor a negation. Inside a window, each word is
the nearest one to its predecessor. If the nearest words match only by their stems ("is the lock
locked"), windows of words that are spelled as in the phrase are found as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice, pairwise, product
from typing import TypeAlias

from msgspec import Struct

from anaphora.entities.phrases.gaps import Gaps
from anaphora.entities.phrases.stem_candidates import StemCandidate
from anaphora.entities.phrases.trie import (
    MAX_COMBINATIONS,
    WILDCARD,
    PhraseMatch,
    Step,
    form_of,
    match_nothing,
    merge_matches,
)
from anaphora.entities.tokens.token_runs import PatternEnds
from anaphora.entities.words.lexicon import Word
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import DEFAULT_MAX_GAP

__all__ = ["PartsIn", "SparseMatcher", "SparsePhrase"]

MAX_WORK = 30_000
"""Look-ups of positions in one text (some 0.1 s); further phrases are not found."""

_REPEATED = -1  # instead of the index of a word that occurs several times

PartsIn: TypeAlias = Callable[[EntityPart], Sequence[tuple[int, int, tuple[int, ...]]]]
"""The positions at which entities of earlier levels satisfy a part: start, end and the numbers of
the entities, in order."""


@dataclass(frozen=True, slots=True)
class SparsePhrase:
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
        self._phrases = [phrase for phrase in phrases if len(phrase.steps) > 1]
        self._tolerances = {(phrase.typos, phrase.compounds) for phrase in self._phrases}
        self._words = [frozenset(_words(phrase)) for phrase in self._phrases]
        # The words of phrases of distinct words alone.
        self._distinct_keys = [
            tuple(keys) if len(set(keys := _words(phrase))) == len(phrase.steps) else None
            for phrase in self._phrases
        ]
        self._by_word: dict[str, list[int]] = {}
        self._wordless: list[int] = []
        frequencies = Counter(word for phrase in self._phrases for word in _words(phrase))
        for number, phrase in enumerate(self._phrases):
            rarest = min(_words(phrase), key=frequencies.__getitem__, default=None)
            if rarest is None:
                self._wordless.append(number)
            else:
                self._by_word.setdefault(rarest, []).append(number)

    def __len__(self) -> int:
        return len(self._phrases)

    @property
    def phrases(self) -> Sequence[SparsePhrase]:
        """All phrases."""
        return self._phrases

    def find(
        self,
        words: Sequence[Word],
        gaps: Gaps,
        pattern_ends: PatternEnds | None = None,
        parts_in: PartsIn | None = None,
        candidates: Sequence[Sequence[StemCandidate]] | None = None,
    ) -> list[PhraseMatch]:
        """Find the smallest windows of each phrase, except phrases that occur without gaps and in
        order.

        ``gaps`` limits the distance of words; ``pattern_ends`` and ``parts_in`` match patterns and
        parts; ``candidates`` are the stem candidates of each word.
        """
        at: dict[str, int] = {}
        for index, word in enumerate(words):
            key = " ".join(word.parts) if word.parts else word.stem
            at[key] = _REPEATED if key in at else index
        numbers = self._find_possible_phrases(at.keys(), candidates)
        if not numbers:
            return []
        matches: dict[PhraseMatch, None] = {}
        if not candidates:
            numbers = self._match_unambiguous(numbers, words, gaps, at, matches)
            if not numbers:
                return merge_matches(matches, _rank) if len(matches) > 1 else list(matches)
        special = pattern_ends or match_nothing, parts_in or match_nothing
        # Each phrase accepts candidates by its own tolerance.
        searches = {
            tolerance: _TextSearch(words, gaps, *special, _keep_tolerated(tolerance, candidates))
            for tolerance in (self._tolerances if candidates else ((0, False),))
        }
        for number in numbers:
            phrase = self._phrases[number]
            search = searches[(phrase.typos, phrase.compounds) if candidates else (0, False)]
            search.work += 1
            found = [where for step in phrase.steps if (where := search.find_positions(step))]
            if len(found) < len(phrase.steps):
                continue
            matches.update(
                dict.fromkeys(_create_matches(phrase, _find_windows(phrase, found, search), search))
            )
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
            phrase = self._phrases[number]
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


class _StepPositions(Struct, frozen=True, gc=False):
    """The positions of a step, sorted by start, and the numbers of the entities at each."""

    starts: Sequence[int]
    ends: Sequence[int]
    numbers: Sequence[tuple[int, ...]] = ()

    def first_from(self, at: int) -> int:
        return bisect_left(self.starts, at)


class _StepMatch(Struct, frozen=True, gc=False):
    """A step of a phrase with the words that it matches, and the entities that it may be."""

    step: int
    start: int
    end: int
    numbers: tuple[int, ...] = ()


_Window: TypeAlias = tuple[_StepMatch, ...]


class _TextSearch:
    """The positions of steps in one text, and the work done to find them."""

    def __init__(
        self,
        words: Sequence[Word],
        gaps: Gaps,
        pattern_ends: PatternEnds,
        parts_in: PartsIn,
        candidates: Sequence[Sequence[StemCandidate]],
    ) -> None:
        self.work = 0
        self.places: dict[str, _StepPositions] = {}
        self.words = words
        self.gaps = gaps
        self._pattern_ends, self._parts_in = pattern_ends, parts_in
        self._candidates: dict[tuple[str, int], StemCandidate] = {}
        self._special: dict[Pattern | EntityPart, _StepPositions] = {}
        starts: dict[str, list[int]] = {}
        for index, word in enumerate(words):
            starts.setdefault(_key(word), []).append(index)
            if candidates:
                for candidate in candidates[index]:
                    key = " ".join(candidate.stems)
                    starts.setdefault(key, []).append(index)
                    self._candidates[key, index] = candidate
        for key, indexes in starts.items():
            self.places[key] = _StepPositions(indexes, [index + 1 for index in indexes])

    @property
    def is_spent(self) -> bool:
        return self.work > MAX_WORK

    def find_candidates(self, steps: Iterable[tuple[Step, int]]) -> list[StemCandidate]:
        """Return the candidates by which words match these steps."""
        if not self._candidates:
            return []
        words = [(_key(step), index) for step, index in steps if isinstance(step, Word)]
        return [self._candidates[word] for word in words if word in self._candidates]

    def find_positions(self, step: Step) -> _StepPositions | None:
        """Return the positions of a step; None if it has none."""
        if isinstance(step, Word):
            return self.places.get(_key(step))
        if step not in self._special:
            self.work += len(self.words)
            self._special[step] = self._match_special(step)
        return self._special[step] if self._special[step].starts else None

    def keep_exact(self, step: Step, places: _StepPositions) -> _StepPositions:
        """Keep the positions at which a step is spelled as in the phrase."""
        if not isinstance(step, Word):
            return places
        self.work += len(places.starts)
        starts = [start for start in places.starts if self.words[start].form == step.form]
        return _StepPositions(starts, [start + 1 for start in starts])

    def _match_special(self, step: Pattern | EntityPart) -> _StepPositions:
        if isinstance(step, EntityPart):
            found = self._parts_in(step)
            return _StepPositions(
                [one[0] for one in found], [one[1] for one in found], [one[2] for one in found]
            )
        runs = [
            (index, ends)
            for index in range(len(self.words))
            if (ends := self._pattern_ends(step, index))
        ]
        return _StepPositions([start for start, _ in runs], [ends[0] for _, ends in runs])

    def shortest(self, step: Step, places: _StepPositions) -> _StepPositions:
        """Return the positions of a step with the shortest match of a pattern at each start instead
        of the longest."""
        if not isinstance(step, Pattern):
            return places
        ends = [self._pattern_ends(step, start)[-1] for start in places.starts]
        return places if ends == places.ends else _StepPositions(places.starts, ends)


def _find_windows(
    phrase: SparsePhrase, places: Sequence[_StepPositions], search: _TextSearch
) -> Iterable[_Window]:
    """Find the windows of a phrase from the positions of its steps."""
    find = partial(_match_any_order if phrase.any_order else _match_in_order, phrase)
    windows = list(_keep_smallest(find(places, search)))
    pairs = list(zip(phrase.steps, places, strict=True))
    shortest = [search.shortest(*pair) for pair in pairs]
    if any(one is not other for one, other in zip(shortest, places, strict=True)):
        # A long run may contain a word of the phrase.
        windows = list(dict.fromkeys([*windows, *_keep_smallest(find(shortest, search))]))
    if all(_is_exact(phrase, window, search) for window in windows):
        return windows
    spelled = [search.keep_exact(*pair) for pair in pairs]
    if not all(one.starts for one in spelled):
        return windows
    return dict.fromkeys([*windows, *_keep_smallest(find(spelled, search))])


def _is_exact(phrase: SparsePhrase, window: _Window, search: _TextSearch) -> bool:
    """Whether all words are spelled as in the phrase."""
    steps = [(phrase.steps[one.step], search.words[one.start]) for one in window]
    return all(_spelling_of(step, word) == form_of(step) for step, word in steps)


def _match_in_order(
    phrase: SparsePhrase, places: Sequence[_StepPositions], search: _TextSearch
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
            if at < len(starts) and starts[at] <= search.gaps.last_start(end, phrase.max_gap):
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
    phrase: SparsePhrase, places: Sequence[_StepPositions], search: _TextSearch
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
            chains: _Chains
            chains = {
                (left, places[step].ends[index]): (_create_step_match(places[step], step, index),)
            }
            for _ in left:
                chains = _extend_chains(chains, places, phrase.max_gap, search)
            if chains:
                search.work += len(places)
                yield min(chains.values(), key=lambda window: window[-1].end)
            if search.is_spent:
                return


_Chains: TypeAlias = dict[tuple[tuple[int, ...], int], _Window]
"""The beginnings of windows, by the steps that are left and by where they end."""


def _extend_chains(
    chains: _Chains, places: Sequence[_StepPositions], max_gap: int, search: _TextSearch
) -> _Chains:
    """Extend the chains by one step; of chains with the same steps and the same end, keep the one
    with the nearest positions."""
    longer: _Chains = {}
    for (left, end), window in chains.items():
        reach = search.gaps.last_start(end, max_gap)
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


def _create_step_match(places: _StepPositions, step: int, index: int) -> _StepMatch:
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
    phrase: SparsePhrase, windows: Iterable[_Window], search: _TextSearch
) -> Iterator[PhraseMatch]:
    alike = [_equality_key(step) for step in phrase.steps]
    for window in windows:
        start, end = window[0].start, window[-1].end
        tokens = tuple([token for one in window for token in range(one.start, one.end)])
        gaps = end - start - len(tokens)
        permuted = [alike[one.step] for one in window] != alike
        if not gaps and not permuted:
            continue  # the trie finds it
        steps = [(phrase.steps[one.step], one.start) for one in window]
        candidates = search.find_candidates(steps)
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


def _keep_tolerated(
    tolerance: tuple[int, bool], candidates: Sequence[Sequence[StemCandidate]] | None
) -> Sequence[Sequence[StemCandidate]]:
    typos, compounds = tolerance
    return [
        [
            candidate
            for candidate in some
            if candidate.typos <= typos and (compounds or not candidate.by_compound_head)
        ]
        for some in candidates or ()
    ]


def _rank(match: PhraseMatch) -> tuple[int, ...]:
    return match.typos, match.by_compound_head, match.permuted, not match.exact


def _words(phrase: SparsePhrase) -> list[str]:
    return [_key(step) for step in phrase.steps if isinstance(step, Word)]


def _key(word: Word) -> str:
    """Return the key that equal words share."""
    return " ".join(word.parts) if word.parts else word.stem


def _equality_key(step: Step) -> Step | str:
    return _key(step) if isinstance(step, Word) else step


def _spelling_of(step: Step, word: Word) -> str:
    return word.form if isinstance(step, Word) else WILDCARD
