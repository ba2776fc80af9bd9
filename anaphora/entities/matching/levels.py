"""Phrases of a model by composition level: elements without parts first, then those composed of
them.

See :func:`~anaphora.models.composition.composition_levels`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from msgspec.structs import replace

from anaphora.entities.matching.longest_match import keep_longest_spans, keep_longest_token_sets
from anaphora.entities.phrases.gaps import Gaps
from anaphora.entities.phrases.phrase_reader import PhraseReader
from anaphora.entities.phrases.separable_verbs import SeparablePhrase, SeparableVerbMatcher
from anaphora.entities.phrases.sparse_matcher import SparseMatcher, SparsePhrase
from anaphora.entities.phrases.stem_candidates import PhraseVocabulary
from anaphora.entities.phrases.trie import PhraseMatch, SearchedText, Step, Trie
from anaphora.entities.phrases.trie_builder import TrieBuilder
from anaphora.entities.phrases.word_boundaries import WordBoundaries
from anaphora.entities.words.lexicon import Word
from anaphora.entities.words.separable_prefixes import load_separable_prefixes
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.composition import composition_levels
from anaphora.models.domain import ANY_LANGUAGE, Element, Model, Phrase, Phrases
from anaphora.models.element_values import iter_phrases

__all__ = ["CompositionLevel", "Entry", "EntryTable", "build_entry_tables", "select_phrases"]

_T = TypeVar("_T")


_MAX_CACHED = 20_000  # entries


@dataclass(frozen=True, slots=True)
class Entry:
    """What a phrase stands for: an element, or one of its values. Reset phrases have no element."""

    element: Element | None
    value: str | None


class EntryTable(dict[int, Entry]):
    """The entries of one level by number, created when they are needed.

    Each element and each of its values has one, in their order; the phrases that reset the memory
    share a last one, if there are any.
    """

    def __init__(
        self, elements: Sequence[Element], resets: Sequence[Phrase], language: str
    ) -> None:
        super().__init__()
        self.elements: list[Element | None] = [*elements]
        self._resets = resets
        if resets:
            self.elements.append(None)
        self._language = language
        counts = (1 + len(one.values) if one else 1 for one in self.elements)
        self._starts = list(accumulate(counts, initial=0))
        self.count = self._starts[-1]

    def __missing__(self, number: int) -> Entry:
        at = bisect_right(self._starts, number) - 1
        element, value = self.elements[at], number - self._starts[at]
        name = element.values[value - 1].name if element and value else None
        if len(self) >= _MAX_CACHED:
            self.clear()
        entry = self[number] = Entry(element, name)
        return entry

    def iter_phrases(self) -> Iterator[tuple[int, Phrase]]:
        """Yield the phrases with the numbers of their entries, entry by entry."""
        for start, element in zip(self._starts, self.elements, strict=False):
            if element is None:
                yield from ((start, phrase) for phrase in self._resets)
                continue
            own = select_phrases(element.phrases, self._language)
            yield from ((start, phrase) for phrase in own)
            for index, phrase in iter_phrases(element.values, (self._language, ANY_LANGUAGE)):
                yield start + 1 + index, phrase

    def map_elements(self, function: Callable[[Element | None], _T]) -> list[_T]:
        """Return the result of ``function`` for the element of each entry."""
        return [
            thing
            for element in self.elements
            for thing in [function(element)] * (1 + len(element.values) if element else 1)
        ]


def build_entry_tables(model: Model, language: str) -> list[EntryTable]:
    """Build the entry table of each level.

    Reset phrases come last in the first level, those with parts in a last level of their own.
    Raises :class:`~anaphora.errors.ModelError` if elements are composed of each other in a circle.
    """
    resets = select_phrases(model.reset, language)
    composed = tuple(phrase for phrase in resets if _has_parts(phrase))
    plain = tuple(phrase for phrase in resets if not _has_parts(phrase))
    first, *others = composition_levels(model.elements)
    levels = [EntryTable(first, plain, language)]
    levels += [EntryTable(one, (), language) for one in others]
    return [*levels, EntryTable((), composed, language)] if composed else levels


def select_phrases(phrases: Phrases, language: str) -> tuple[Phrase, ...]:
    """Return the phrases in one language, and those in any."""
    return (*phrases.get(language, ()), *phrases.get(ANY_LANGUAGE, ()))


class CompositionLevel:
    """Finds the phrases of some entries among words.

    If an element allows permutations, its phrases of words alone are also stored with any two
    neighbours swapped. ``stop_word_stems`` maps the ids of elements to the stems of the stop words
    in their phrases, if words may be skipped: a word that distinguishes an element from another one
    of its groups ("on", "off") is not skipped.
    """

    def __init__(
        self,
        entries: EntryTable,
        trie: Trie,
        sparse: SparseMatcher,
        stop_word_stems: Mapping[str, AbstractSet[str]],
        separable: SeparableVerbMatcher | None = None,
    ) -> None:
        self.entries = entries
        self.trie = trie
        self.sparse = sparse
        self.stop_word_stems = stop_word_stems
        self.separable = separable
        self._groups = {element.id: element.groups for element in entries.elements if element}
        self._distinguishing_stems: dict[str, frozenset[str]] = {}
        self._kinds = entries.map_elements(_greedy_key)
        self._allowed_typos = array("b", entries.map_elements(_allowed_typos))
        self._compounds = array("b", entries.map_elements(_has_compounds))
        self._swaps = any(element and element.permute for element in entries.elements)

    @classmethod
    def compile(
        cls,
        entries: EntryTable,
        reader: PhraseReader,
        vocabulary: PhraseVocabulary,
        *,
        skips_stop_words: bool = False,
    ) -> CompositionLevel:
        """Read the phrases of the entries, and add their words to the ``vocabulary``.
        ``skips_stop_words`` says whether stop words may be skipped."""
        stop_word_stems: dict[str, set[str]] = {}
        builder = TrieBuilder()
        sparse: list[SparsePhrase] = []
        separable: list[SeparablePhrase] = []
        prefixes = load_separable_prefixes(vocabulary.lexicon.code)
        # A swapped phrase leads to the number of its entry plus the number of entries.
        swap_offset = entries.count
        element_of = entries.map_elements(lambda element: element)
        for number, steps in reader.read(entries.iter_phrases()):
            builder.add(steps, number)
            element = element_of[number]
            typos = _allowed_typos(element)
            for step in steps:
                if isinstance(step, Word):
                    vocabulary.add_word(step, typos)
                    if _has_compounds(element):
                        vocabulary.add_head(step)
            if prefixes is not None:
                verb = SeparablePhrase.from_steps(steps, number, typos, prefixes)
                if verb is not None:
                    separable.append(verb)
                    forms = prefixes.regular_forms(verb.base)
                    vocabulary.add_forms(forms, vocabulary.lexicon.word(verb.base), typos)
            if element is None:
                continue
            if skips_stop_words:
                stems = {
                    step.stem
                    for step in steps
                    if isinstance(step, Word) and not step.is_content_word
                }
                stop_word_stems.setdefault(element.id, set()).update(stems)
            if element.sparse:
                sparse.append(
                    SparsePhrase(
                        steps, number, element.permute, typos, element.max_gap, element.compounds
                    )
                )
            elif element.permute:
                for swapped in _swap_neighbours(steps):
                    builder.add(swapped, number + swap_offset)
        verbs = SeparableVerbMatcher(separable, vocabulary.lexicon) if separable else None
        return cls(entries, builder.build(), SparseMatcher(sparse), stop_word_stems, verbs)

    def find(
        self, text: SearchedText, gaps: Gaps, boundaries: WordBoundaries | None = None
    ) -> list[PhraseMatch]:
        """Find the phrases in the text, sorted by position.

        Matches inside a longer one of the same element are left out if the element is greedy.
        ``gaps`` limits the gaps of sparse phrases, ``boundaries`` where a phrase may start and end.
        """
        matches, skippable = self.trie.find(text), text.skippable
        if self._swaps:
            matches = self._resolve_swaps(matches)
        if skippable is not None:
            matches = [one for one in matches if not one.skipped or self._may_skip(one, text.words)]
        if self.sparse.phrases:
            matches = [match for match in matches if not match.gaps or not self._is_sparse(match)]
            matches += self.sparse.find(text, gaps)
        if self.separable is not None:
            matches += self.separable.find(text, gaps)
        if text.candidates is not None:
            matches = [
                match
                for match in matches
                if match.typos <= self._allowed_typos[match.entry]
                and (not match.by_compound_head or self._compounds[match.entry])
            ]
        if boundaries is not None:
            matches = boundaries.keep_whole_words(matches)
        if len(matches) < 2:
            return matches
        if skippable is not None:
            matches = self._drop_wider_matches(matches)
        matches.sort(key=lambda match: (match.start, -match.end, match.entry))
        sparse = {self._kinds[match.entry] for match in matches if match.tokens}
        kinds = [self._kinds[match.entry] for match in matches]
        if sparse and len([kind for kind in kinds if kind in sparse]) > len(sparse):
            return keep_longest_token_sets(
                matches, tokens=_token_indexes, kind=lambda match: self._kinds[match.entry]
            )
        return keep_longest_spans(matches, [(one.start, one.end) for one in matches], kinds)

    def describe_owner(self, part: EntityPart) -> str:
        """Describe whose phrase has the part, for messages."""
        element_of = self.entries.map_elements(lambda element: element)
        element = next(
            element_of[number] for number, phrase in self.entries.iter_phrases() if part in phrase
        )
        return "the reset phrases" if element is None else f"element {element.id}"

    def _may_skip(self, match: PhraseMatch, words: Sequence[Word]) -> bool:
        """Whether no skipped word distinguishes the element from others of its groups."""
        element = self.entries[match.entry].element
        if element is None:
            return True
        if element.id not in self._distinguishing_stems:
            own = self.stop_word_stems.get(element.id, frozenset())
            rivals = [
                stems
                for id, stems in self.stop_word_stems.items()
                if id != element.id and not self._groups[id].isdisjoint(element.groups)
            ]
            self._distinguishing_stems[element.id] = frozenset[str]().union(*rivals) - own
        distinguishing = self._distinguishing_stems[element.id]
        return not any(words[i].stem in distinguishing for i in match.skipped)

    def _drop_wider_matches(self, matches: list[PhraseMatch]) -> list[PhraseMatch]:
        """Drop matches that skip words where as many words of the element stand nearer: "in it on
        them" contains "in it" and "on them" and not "in … them"."""
        if not any(match.skipped for match in matches):
            return matches
        fewest: dict[tuple[object, int, str, int], int] = {}
        for match in matches:
            for key in self._span_keys(match):
                fewest[key] = min(match.gaps, fewest.get(key, match.gaps))
        return [
            match
            for match in matches
            if not match.skipped or all(match.gaps == fewest[key] for key in self._span_keys(match))
        ]

    def _span_keys(self, match: PhraseMatch) -> tuple[tuple[object, int, str, int], ...]:
        """Return keys of the start and the end, with the element and the number of its own
        words."""
        element = self.entries[match.entry].element
        id, own = element.id if element else None, match.end - match.start - match.gaps
        return (id, own, "from", match.start), (id, own, "to", match.end)

    def _resolve_swaps(self, matches: list[PhraseMatch]) -> list[PhraseMatch]:
        swap_offset = self.entries.count
        unswapped = {(match.start, match.end, match.entry) for match in matches}
        return [
            match
            if match.entry < swap_offset
            else replace(match, entry=match.entry - swap_offset, exact=False, permuted=True)
            for match in matches
            if (match.start, match.end, match.entry - swap_offset) not in unswapped
        ]

    def _is_sparse(self, match: PhraseMatch) -> bool:
        element = self.entries[match.entry].element
        return element is not None and element.sparse


def _swap_neighbours(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The words with any two neighbours swapped; nothing where not all are words."""
    if not all(isinstance(step, Word) for step in steps):
        return
    for at in range(len(steps) - 1):
        one, other = steps[at : at + 2]
        if one != other:
            yield (*steps[:at], other, one, *steps[at + 2 :])


def _has_parts(phrase: Phrase) -> bool:
    return any(isinstance(chunk, EntityPart) for chunk in phrase)


def _greedy_key(element: Element | None) -> str | None:
    """Return the key of matches of which only the longest counts; None if all count."""
    if element is None:
        return ""
    return element.id if element.greedy else None


def _allowed_typos(element: Element | None) -> int:
    return 0 if element is None else element.typos


def _has_compounds(element: Element | None) -> bool:
    return element is not None and element.compounds


def _token_indexes(match: PhraseMatch) -> Sequence[int]:
    return match.tokens or range(match.start, match.end)
