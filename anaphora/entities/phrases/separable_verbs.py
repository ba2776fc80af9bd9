"""Match phrases with a separable verb whose prefix stands apart ("schalte das Licht aus").

A prefix belongs to the nearest possible verb before it, back to the previous prefix or to the start
of the sentence. The other words of the phrase stand there as well, in their order. A prefix behind
a conjunction needs no verb of its own ("das Licht ein und die Heizung aus"), nor does one at the
end of a command ("Licht aus!").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, pairwise, product

from msgspec import Struct

from anaphora.entities.phrases.gaps import Gaps
from anaphora.entities.phrases.trie import MAX_COMBINATIONS, PhraseMatch, SearchedText, Step
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.entities.words.lexicon import Lexicon, Word
from anaphora.entities.words.separable_prefixes import SeparablePrefixes, load_separable_prefixes
from anaphora.entities.words.word_cache import WordCache
from anaphora.grammar.synonyms.entity_part import EntityPart

__all__ = ["SeparablePhrase", "SeparableVerbMatcher"]

_MAX_BETWEEN = 3  # words between a prefix and its infinitive ("uit te willen zetten")
_MAX_CACHED = 5_000  # forms of verbs with a prefix
_SENTENCE_ENDS = frozenset(".!?…")


class SeparablePhrase(Struct, frozen=True):
    """A phrase of ``entry``: a verb, as ``prefix`` and ``base``, and the other ``steps``. A verb
    may have ``typos`` typos."""

    prefix: str
    base: str
    steps: tuple[Step, ...]
    entry: int
    typos: int = 0

    @classmethod
    def from_steps(
        cls, steps: Sequence[Step], entry: int, typos: int, prefixes: SeparablePrefixes
    ) -> SeparablePhrase | None:
        """Create the phrase if its first or last word is a separable verb; else return None."""
        for at in dict.fromkeys((len(steps) - 1, 0)):
            step = steps[at]
            if isinstance(step, Word) and not step.parts and (verb := prefixes.split(step.lower)):
                others = (*steps[:at], *steps[at + 1 :])
                return cls(*verb, others, entry, typos)
        return None


class _Verb(Struct, frozen=True, gc=False):
    """The position of the verb of a prefix, the infinitives without prefix that it may be, each
    with its typos, and the tokens of both."""

    at: int
    bases: dict[str, int]
    tokens: tuple[int, ...]


class SeparableVerbMatcher:
    """Finds phrases with separable verbs among words; at least one phrase is required."""

    def __init__(self, phrases: Iterable[SeparablePhrase], lexicon: Lexicon) -> None:
        prefixes = load_separable_prefixes(lexicon.code)
        assert prefixes is not None
        self.phrases = tuple(phrases)
        self.prefixes = prefixes
        self._lexicon = lexicon
        self.negations = load_qualifiers(lexicon.language, "negation")
        self.by_prefix: dict[str, dict[str, list[SeparablePhrase]]] = {}
        for phrase in self.phrases:
            of_prefix = self.by_prefix.setdefault(phrase.prefix, {})
            of_prefix.setdefault(phrase.base, []).append(phrase)
        self._regular = {one.base: prefixes.regular_forms(one.base) for one in self.phrases}
        self.stems = {one.base: lexicon.word(one.base).stem for one in self.phrases}
        self.look_up_bases = WordCache(self._look_up_bases, _MAX_CACHED)

    def find(self, text: SearchedText, gaps: Gaps) -> list[PhraseMatch]:
        """Find the phrases whose verb is separated from its prefix. The arguments are those of
        :meth:`~anaphora.entities.phrases.sparse_matcher.SparseMatcher.find`."""
        if self.by_prefix.keys().isdisjoint([word.lower for word in text.words]):
            return []
        return list(_TextSearch(self, text, gaps).find())

    def _look_up_bases(self, word: Word, prefix: str) -> frozenset[str] | None:
        if not (word.lower.isalpha() and self.prefixes.may_be_verb(word.lower)):
            return None
        lemmas = word.lemmas
        joined = {*self._lexicon.word(prefix + word.lower).lemmas}
        found = [
            base
            for base in self.by_prefix[prefix]
            if base in lemmas or prefix + base in joined or word.lower in self._regular[base]
        ]
        if found:
            return frozenset(found)
        others = [lemma for lemma in lemmas if self.prefixes.is_verb(lemma)]
        words = self.prefixes.words
        return frozenset() if any(prefix + lemma in words for lemma in others) else None


class _TextSearch:
    """Finds phrases with separable verbs in one text."""

    def __init__(self, matcher: SeparableVerbMatcher, text: SearchedText, gaps: Gaps) -> None:
        self._matcher = matcher
        self._prefixes = matcher.prefixes
        self._words = text.words
        self._gaps = gaps
        self._text = text

    def find(self) -> Iterator[PhraseMatch]:
        """Yield the phrases whose verb is separated from its prefix."""
        start, last = 0, None
        for at, word in enumerate(self._words):
            if at < start:
                continue
            if word.lower in _SENTENCE_ENDS:
                start, last = at + 1, None
            if word.lower not in self._matcher.by_prefix:
                continue
            verb = self._find_verb_before(start, at)
            behind = self._find_verb_after(at)
            if behind and verb and self._prefixes.joined and len(behind.tokens) > 2:
                behind = None  # "fang an zu schalten"
            if behind is not None:
                yield from self._create_matches(word.lower, behind, (start, at))
                start, last = behind.at + 1, behind
            elif verb is not None:
                yield from self._create_matches(word.lower, verb, (start, at))
                start, last = at + 1, verb
            elif last is not None and self._continues_clause(start, at):
                elided = _Verb(last.at, self._find_bases(last.at, word.lower) or {}, (at,))
                yield from self._create_matches(word.lower, elided, (start, at))
                start = at + 1
            elif self._is_command(start, at):
                any_verb = _Verb(at, dict.fromkeys(self._matcher.by_prefix[word.lower], 0), (at,))
                yield from self._create_matches(word.lower, any_verb, (start, at))
                start = at + 1

    def _is_command(self, start: int, at: int) -> bool:
        """Whether a prefix ends a sentence or clause without any verb, which is a command ("Licht
        aus!")."""
        known = self._prefixes
        if self._words[at].lower not in known.commands or not self._ends_clause(at):
            return False
        after = self._words[at + 1] if at + 1 < len(self._words) else None
        if after is not None and (after.is_content_word or after.lower == "?"):
            return False
        start = self._start_of_clause(start, at)
        return any(word.is_content_word for word in self._words[start:at]) and not (
            any(word.lower in self._matcher.negations for word in self._words[start:at])
            or self._has_finite_verb(start, at)
            or any(
                known.is_verb(self._words[index].stem)
                and self._find_bases(index, self._words[at].lower, allows_typos=False) is not None
                for index in range(start, at)
            )
        )

    def _has_finite_verb(self, start: int, at: int) -> bool:
        """Whether a finite verb is among the words, or right behind them and the prefix."""
        words = (*self._words[start:at], *self._words[at + 1 : at + 2])
        return any(map(self._is_finite_form, words))

    def _is_noun(self, word: Word) -> bool:
        return word.stem == word.lower and not self._prefixes.is_verb(word.lower)

    def _is_finite_form(self, word: Word) -> bool:
        known = self._prefixes
        if word.lower in known.modals:
            return True
        if not known.may_be_verb(word.lower):
            return False
        lemmas = word.lemmas
        if word.is_content_word and word.lower in lemmas[1:]:
            return False  # most often a noun ("Lampe"), as are words that look like infinitives
        verbs = lemmas[:1] if word.is_content_word else lemmas
        return any(lemma != word.lower and known.is_verb(lemma) for lemma in verbs)

    def _find_verb_before(self, start: int, at: int) -> _Verb | None:
        """Return the nearest possible verb before the prefix; None also if the prefix is a
        preposition."""
        if not self._ends_clause(at):
            return None
        subordinate = self._find_subordinate_clauses(start, at)
        clause = self._start_of_clause(start, at)
        least = clause if self._has_finite_verb(clause, at) else start
        for index in range(at - 1, least - 1, -1):
            if index in subordinate:
                continue
            bases = self._find_bases(index, self._words[at].lower)
            if bases is None:
                continue
            if not bases and index == at - 1 and self._is_noun(self._words[index]):
                continue  # "Ton aus": no form of "austönen"
            if bases or self._is_finite(start, index):
                return _Verb(index, bases, (index, at))
        return None

    def _start_of_clause(self, start: int, at: int) -> int:
        """Return the start of the clause of the prefix: behind the last comma or conjunction."""
        for index in range(at - 1, start - 1, -1):
            if self._is_boundary(index):
                return index + 1
        return start

    def _is_boundary(self, at: int) -> bool:
        """Whether the word is a comma or joins clauses."""
        lower = self._words[at].lower
        return lower == "," or lower in self._prefixes.coordinators

    def _is_finite(self, start: int, at: int) -> bool:
        """Whether the verb is in the position of a finite verb, where no noun stands."""
        if at == start or self._is_boundary(at - 1):
            return True
        beside = {self._words[at - 1].lower, self._words[at + 1].lower}
        return not beside.isdisjoint(self._prefixes.subjects)

    def _ends_clause(self, at: int) -> bool:
        """Whether the word is no preposition or article before a noun."""
        known = self._prefixes
        if self._words[at].lower not in known.prepositions or at + 1 == len(self._words):
            return True
        after = self._words[at + 1]
        if after.lower in known.determiners:
            return False
        return (
            not after.is_content_word or after.lower in known.adverbs or not after.is_alphanumeric
        )

    def _find_subordinate_clauses(self, start: int, at: int) -> set[int]:
        """Return the words of subordinate clauses that end before the prefix, whose verbs have no
        prefix."""
        found: set[int] = set()
        begin = start
        for index in range(start, at):
            if self._words[index].lower == ",":
                if self._words[begin].lower in self._prefixes.subordinators:
                    found.update(range(begin, index))
                begin = index + 1
        return found

    def _find_bases(
        self, at: int, prefix: str, *, allows_typos: bool = True
    ) -> dict[str, int] | None:
        """Return the verbs of the model without that prefix that the word may be, with their typos;
        empty if it is another verb with that prefix, None if it is no verb with it."""
        word = self._words[at]
        known = self._matcher.look_up_bases(word, prefix)
        if known or self._text.candidates is None or not allows_typos:
            return None if known is None else dict.fromkeys(known, 0)
        misspelt = {
            base: candidate.typos
            for base in self._matcher.by_prefix[prefix]
            for candidate in self._text.candidates[at]
            if candidate.stems == (self._matcher.stems[base],)
        }
        return misspelt or (None if known is None else {})

    def _find_verb_after(self, at: int) -> _Verb | None:
        """Return the infinitive or participle behind its prefix, with nothing between them but the
        particle of the infinitive and modal verbs ("uit te zetten", "aus schalten")."""
        known = self._prefixes
        tokens = [at]
        for index in range(at + 1, min(len(self._words), at + 2 + _MAX_BETWEEN)):
            word = self._words[index]
            bases = self._find_bases(index, self._words[at].lower)
            if bases:
                is_infinite = word.lower in bases or word.lower.startswith(known.participle)
                return _Verb(index, bases, (*tokens, index)) if is_infinite else None
            if word.lower == known.particle:
                tokens.append(index)
            elif word.lower not in known.modals:
                return None
        return None

    def _continues_clause(self, start: int, at: int) -> bool:
        """Whether the words from ``start`` on continue the previous clause, because they have no
        verb."""
        return (
            start != at
            and self._ends_clause(at)
            and not self._has_finite_verb(start, at)
            and self._is_boundary(start)
        )

    def _create_matches(
        self, prefix: str, verb: _Verb, clause: tuple[int, int]
    ) -> Iterator[PhraseMatch]:
        """Yield the phrases with that verb whose other words stand in the clause."""
        tokens = frozenset(verb.tokens)
        for base, typos in verb.bases.items():
            for phrase in self._matcher.by_prefix[prefix][base]:
                if typos > phrase.typos:
                    continue
                chosen = self._match_steps(phrase.steps, *clause, tokens)
                if chosen is None:
                    continue
                others, parts = chosen
                all_tokens = tuple(sorted(tokens.union(others)))
                if not self._are_in_a_clause(all_tokens, clause[0], verb):
                    continue
                start, end = all_tokens[0], all_tokens[-1] + 1
                gaps = end - start - len(all_tokens)
                for made_of in parts:
                    yield PhraseMatch(
                        start, end, phrase.entry, exact=False, gaps=gaps,
                        tokens=all_tokens if gaps else (), parts=made_of, typos=typos,
                    )  # fmt: skip

    def _match_steps(
        self, steps: Sequence[Step], start: int, end: int, taken: AbstractSet[int]
    ) -> tuple[list[int], list[tuple[tuple[str, int], ...]]] | None:
        """Return the nearest words from ``start`` up to ``end`` that match the steps in order, and
        the choices of entities for their parts; None if a step has no match."""
        tokens: list[int] = []
        parts: list[list[tuple[str, int]]] = []
        for step in steps:
            for first, behind, numbers in self._find_step(step, start, end):
                if taken.isdisjoint(range(first, behind)):
                    tokens += range(first, behind)
                    start = behind
                    if isinstance(step, EntityPart):
                        parts.append([(step.alias, number) for number in numbers])
                    break
            else:
                return None
        return tokens, list(islice(product(*parts), MAX_COMBINATIONS))

    def _are_in_a_clause(self, tokens: Sequence[int], start: int, verb: _Verb) -> bool:
        """Whether nothing between the words ends their clause or negates it, and nothing before
        them either if the verb itself is missing."""
        spanned = tokens if verb.at in tokens else (start, *tokens)
        most = len(self._words)
        return all(
            after <= self._gaps.last_start(one + (one in tokens), most)
            for one, after in pairwise(spanned)
        )

    def _find_step(
        self, step: Step, start: int, end: int
    ) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        if isinstance(step, EntityPart):
            found = self._text.parts_in(step)
            yield from (one for one in found if start <= one[0] and one[1] <= end)
            return
        for index in range(start, end):
            if isinstance(step, Word):
                if self._matches_word(index, step):
                    yield index, index + 1, ()
            else:
                ends = [one for one in self._text.pattern_ends(step, index) if one <= end]
                if ends:
                    yield index, ends[0], ()

    def _matches_word(self, index: int, step: Word) -> bool:
        word = self._words[index]
        stems = step.parts or (step.stem,)
        if (word.parts or (word.stem,)) == stems:
            return True
        candidates = self._text.candidates[index] if self._text.candidates else ()
        return any(candidate.stems == stems and not candidate.typos for candidate in candidates)
