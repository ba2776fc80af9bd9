"""What a model says of its elements, as it is looked for: in layers, each found after the other.

An element without parts is in the first layer; one that is composed of others in a layer after
theirs (see :func:`~anaphora.models.composition.composition_levels`).
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

from anaphora.entities.matching.entity_chart import EntityChart
from anaphora.entities.matching.longest_match import keep_longest_spans, keep_longest_token_sets
from anaphora.entities.phrases.gaps import Gaps
from anaphora.entities.phrases.phrase_reader import PhraseReader
from anaphora.entities.phrases.separable_verbs import SeparablePhrase, SeparableVerbMatcher
from anaphora.entities.phrases.sparse_matcher import SparseMatcher, SparsePhrase
from anaphora.entities.phrases.stem_candidates import PhraseVocabulary, StemCandidate
from anaphora.entities.phrases.stem_ids import StemIds
from anaphora.entities.phrases.trie import PhraseMatch, Step, Trie
from anaphora.entities.phrases.trie_builder import TrieBuilder
from anaphora.entities.phrases.word_boundaries import WordBoundaries
from anaphora.entities.tokens.token_runs import PatternEnds
from anaphora.entities.words.lexicon import Word
from anaphora.entities.words.separable_prefixes import load_separable_prefixes
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.composition import composition_levels
from anaphora.models.domain import ANY_LANGUAGE, Element, Model, Phrase, Phrases
from anaphora.models.element_values import iter_phrases

__all__ = ["CompositionLevel", "Entry", "EntryTable", "build_entry_tables", "select_phrases"]

_T = TypeVar("_T")


_MAX_CACHED = 20_000  # entries of those that were found of late


@dataclass(frozen=True, slots=True)
class Entry:
    """What the phrases of one element or of one of its values stand for; those without an
    element are reset phrases."""

    element: Element | None
    value: str


class EntryTable(dict[int, Entry]):
    """The entries of one layer by their numbers, each made when it is asked for: one for each
    of the elements and each of their values, in their order, and behind them one for the phrases
    that reset the memory, if there are any."""

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

    @property
    def count(self) -> int:
        """How many there are."""
        return self._starts[-1]

    def __missing__(self, number: int) -> Entry:
        at = bisect_right(self._starts, number) - 1
        element, value = self.elements[at], number - self._starts[at]
        name = element.values[value - 1].name if element and value else ""
        if len(self) >= _MAX_CACHED:
            self.clear()
        entry = self[number] = Entry(element, name)
        return entry

    def iter_phrases(self) -> Iterator[tuple[int, Phrase]]:
        """The phrases with the numbers of their entries, entry by entry."""
        for start, element in zip(self._starts, self.elements, strict=False):
            if element is None:
                yield from ((start, phrase) for phrase in self._resets)
                continue
            yield from (
                (start, phrase) for phrase in select_phrases(element.phrases, self._language)
            )
            languages = (self._language, ANY_LANGUAGE)
            for index, phrase in iter_phrases(element.values, languages):
                yield start + 1 + index, phrase

    def map_elements(self, function: Callable[[Element | None], _T]) -> list[_T]:
        """For each entry what ``one`` gives for its element."""
        return [
            thing
            for element in self.elements
            for thing in [function(element)] * (1 + len(element.values) if element else 1)
        ]


def build_entry_tables(model: Model, language: str) -> list[EntryTable]:
    """For each layer its entries.

    The reset phrases stand last in the first layer, but those with parts in a last layer of
    their own. Raises :class:`~anaphora.errors.ModelError` for elements that are composed of each
    other in a circle.
    """
    resets = select_phrases(model.reset, language)
    composed = tuple(phrase for phrase in resets if _parts(phrase))
    plain = tuple(phrase for phrase in resets if not _parts(phrase))
    first, *others = composition_levels(model.elements)
    layers = [
        EntryTable(first, plain, language),
        *(EntryTable(one, (), language) for one in others),
    ]
    return [*layers, EntryTable((), composed, language)] if composed else layers


def select_phrases(phrases: Phrases, language: str) -> tuple[Phrase, ...]:
    """The phrases in one language, and those in any."""
    return (*phrases.get(language, ()), *phrases.get(ANY_LANGUAGE, ()))


class CompositionLevel:
    """The phrases of some entries, and where they stand among words.

    Phrases of words alone of an element that lets words change places are also known with any
    two neighbours swapped (the id among them, which cannot be told from other phrases here).
    ``said_with`` are, where words may be passed over, the stems of the stop words in the phrases
    by the ids of their elements: a word that tells an element from another one of its groups
    ("on", "off") means something and is not passed over.
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
        """The phrases of the entries, read; ``vocabulary`` gets their words. ``skips`` says that
        words may be passed over."""
        said_with: dict[str, set[str]] = {}
        builder = TrieBuilder()
        spread: list[SparsePhrase] = []
        separable: list[SeparablePhrase] = []
        prefixes = load_separable_prefixes(vocabulary.lexicon.code)
        # A swapped phrase leads to the number of its entry beyond all entries.
        beyond = entries.count
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
                stems = {step.stem for step in steps if isinstance(step, Word) and not step.free}
                said_with.setdefault(element.id, set()).update(stems)
            if element.sparse:
                spread.append(
                    SparsePhrase(
                        steps, number, element.permute, typos, element.max_gap, element.compounds
                    )
                )
            elif element.permute:
                for swapped in _swap_neighbors(steps):
                    builder.add(swapped, number + beyond)
        verbs = SeparableVerbMatcher(separable, vocabulary.lexicon) if separable else None
        return cls(entries, builder.build(), SparseMatcher(spread), said_with, verbs)

    @property
    def stems(self) -> StemIds:
        """The numbers of the stems of the words in its phrases, -1 for others."""
        return self.trie.stems

    def find(
        self,
        words: Sequence[Word],
        gaps: Gaps,
        pattern_ends: PatternEnds | None = None,
        chart: EntityChart | None = None,
        skippable: Sequence[bool] | None = None,
        candidates: Sequence[Sequence[StemCandidate]] | None = None,
        boundaries: WordBoundaries | None = None,
        *,
        has_special: bool = True,
    ) -> list[PhraseMatch]:
        """The phrases in those words, by the words' indexes and in their order.

        What lies inside a longer one of the same element is left out, if the element is greedy.
        ``gaps`` says how far the words of sparse phrases may stand apart, ``pattern_ends`` what
        patterns match; ``found`` are the entities of earlier layers;
        ``passable`` says which words may be passed over inside a phrase. Those of a phrase whose
        words may stand apart anyway are not. ``guesses`` are what a word may stand for, ``edges``
        say where a phrase may start and end, and ``has_special`` says whether some words are odd.
        """
        parts_at = None if chart is None else chart.matches_at
        hits = self.trie.find(
            words, pattern_ends, parts_at, skippable, candidates, has_special=has_special
        )
        if self._swaps:
            hits = self._resolve_swaps(hits)
        if skippable is not None:
            hits = [hit for hit in hits if not hit.skipped or self._may_skip(hit, words)]
        if len(self.sparse):
            parts_in = None if chart is None else chart.longest_matches
            hits = [hit for hit in hits if not hit.gaps or not self._is_sparse(hit)]
            single = candidates and [[one for one in some if one.words == 1] for some in candidates]
            hits += self.sparse.find(words, gaps, pattern_ends, parts_in, single)
        if self.separable is not None:
            parts_in = None if chart is None else chart.longest_matches
            hits += self.separable.find(words, gaps, pattern_ends, parts_in, candidates)
        if candidates is not None:
            hits = [
                hit
                for hit in hits
                if hit.typos <= self._allowed_typos[hit.entry]
                and (not hit.by_compound_head or self._compounds[hit.entry])
            ]
        if boundaries is not None:
            hits = boundaries.keep_whole_words(hits)
        if len(hits) < 2:
            return hits
        if skippable is not None:
            hits = self._drop_detours(hits)
        hits.sort(key=_sort_key)
        spread = {self._kinds[hit.entry] for hit in hits if hit.tokens}
        if spread and len([hit for hit in hits if self._kinds[hit.entry] in spread]) > len(spread):
            return keep_longest_token_sets(hits, tokens=_token_indexes, kind=self._kind)
        kinds = self._kinds
        return keep_longest_spans(
            hits, [(hit.start, hit.end) for hit in hits], [kinds[hit.entry] for hit in hits]
        )

    def describe_owner(self, part: EntityPart) -> str:
        """Whose phrase has the part, for messages."""
        element_of = self.entries.map_elements(lambda element: element)
        element = next(
            element_of[number] for number, phrase in self.entries.iter_phrases() if part in phrase
        )
        return "the reset phrases" if element is None else f"element {element.id}"

    def _may_skip(self, hit: PhraseMatch, words: Sequence[Word]) -> bool:
        """Whether nothing that was passed over tells the element from others of its groups."""
        element = self.entries[hit.entry].element
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
        telling = self._distinguishing_stems[element.id]
        return not any(words[i].stem in telling for i in hit.skipped)

    def _drop_detours(self, hits: list[PhraseMatch]) -> list[PhraseMatch]:
        """The hits without those that pass over words where as many of the element's words stand
        nearer: "in it on them" has "in it" and "on them", and no "in … them"."""
        if not any(hit.skipped for hit in hits):
            return hits
        fewest: dict[tuple[object, int, str, int], int] = {}
        for hit in hits:
            for key in self._span_keys(hit):
                fewest[key] = min(hit.gaps, fewest.get(key, hit.gaps))
        return [
            hit
            for hit in hits
            if not hit.skipped or all(hit.gaps == fewest[key] for key in self._span_keys(hit))
        ]

    def _span_keys(self, hit: PhraseMatch) -> tuple[tuple[object, int, str, int], ...]:
        """Where it begins and ends, with its element and how many words it has of its own."""
        element = self.entries[hit.entry].element
        of, own = element.id if element else None, hit.end - hit.start - hit.gaps
        return (of, own, "from", hit.start), (of, own, "to", hit.end)

    def _resolve_swaps(self, hits: list[PhraseMatch]) -> list[PhraseMatch]:
        beyond = self.entries.count
        as_they_are = {(hit.start, hit.end, hit.entry) for hit in hits}
        return [
            hit
            if hit.entry < beyond
            else replace(hit, entry=hit.entry - beyond, exact=False, permuted=True)
            for hit in hits
            if (hit.start, hit.end, hit.entry - beyond) not in as_they_are
        ]

    def _kind(self, hit: PhraseMatch) -> str | None:
        return self._kinds[hit.entry]

    def _is_sparse(self, hit: PhraseMatch) -> bool:
        element = self.entries[hit.entry].element
        return element is not None and element.sparse


def _swap_neighbors(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The words with any two neighbours swapped; nothing where not all are words."""
    if not all(isinstance(step, Word) for step in steps):
        return
    for at in range(len(steps) - 1):
        one, other = steps[at : at + 2]
        if one != other:
            yield (*steps[:at], other, one, *steps[at + 2 :])


def _parts(phrase: Phrase) -> list[EntityPart]:
    return [chunk for chunk in phrase if isinstance(chunk, EntityPart)]


def _greedy_key(element: Element | None) -> str | None:
    """Among what the longest occurrence counts alone; None for an element that isn't greedy."""
    if element is None:
        return ""
    return element.id if element.greedy else None


def _allowed_typos(element: Element | None) -> int:
    return 0 if element is None else element.typos


def _has_compounds(element: Element | None) -> bool:
    return element is not None and element.compounds


def _sort_key(hit: PhraseMatch) -> tuple[int, int, int]:
    return hit.start, -hit.end, hit.entry


def _token_indexes(hit: PhraseMatch) -> Sequence[int]:
    return hit.tokens or range(hit.start, hit.end)
