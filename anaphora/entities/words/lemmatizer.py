"""Find the lemmas of a word: in the dictionary, as a homograph, and by the rules of its
language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from anaphora.entities.words.dictionary import Dictionary
from anaphora.entities.words.inflection import find_base_forms
from anaphora.entities.words.orthography import Orthography
from anaphora.entities.words.separable_prefixes import SeparablePrefixes

__all__ = ["Lemmatizer", "WordLemmas"]


class WordLemmas(NamedTuple):
    """The ``stem`` by which a word is compared, whether a dictionary has the word, its lemmas as
    another word, and lemmas by rules."""

    stem: str
    known: bool
    homographs: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()


class Lemmatizer:
    """Finds the lemmas of words by a dictionary and the rules of its language. ``stems`` stems
    normalized words; ``prefixes`` are those of separable verbs."""

    def __init__(
        self,
        words: Dictionary,
        orthography: Orthography,
        stems: Callable[[Sequence[str]], list[str]],
        prefixes: SeparablePrefixes | None = None,
    ) -> None:
        self._words = words
        self._orthography = orthography
        self._stems = stems
        self._prefixes = prefixes

    def lemmatize(
        self, text: str, lower: str, stem: str, stop_stems: AbstractSet[str], *, is_typed: bool
    ) -> WordLemmas:
        """Find the lemmas of a word with the normalized form ``lower`` and this ``stem``.

        Words with one of the ``stop_stems`` have no further readings. For words of a model (not
        ``is_typed``) inflected readings are left out.
        """
        known = self._orthography
        found = self._words.get(lower)
        is_known = found is not None or lower in known.forms
        if not is_known and known.whole:
            stem = self._lemma_without_attachments(lower) or stem
        if stem in stop_stems:
            return WordLemmas(stem, is_known)
        own: list[str] = []
        inflected: list[str] = []
        if is_typed and known.has_inflections:
            own, inflected = self._find_base_forms(text, lower)
        if is_known and is_typed:
            own += self._without_attachments(text, lower)
        if known.whole:  # its words are ambiguous: one reading does not rule out others
            own += inflected
        irregular = dict.fromkeys((*self._irregular_lemmas(lower), *own))
        homographs = tuple([one for one in irregular if one not in ("", stem)])
        other = found.other if found and not self._has_impossible_article(text, lower) else ""
        others = [other, *self._derived_lemmas(lower), *inflected]
        if self._prefixes is not None:
            if not is_known:
                others += self._stems(list(self._prefixes.infinitives(lower)))
            elif infinitive := self._prefixes.infinitive_of_participle(lower, stem):
                others.append(infinitive)
        seen = {"", stem, *homographs}
        derived = tuple([one for one in dict.fromkeys(others) if one not in seen])
        return WordLemmas(stem, is_known, homographs, derived)

    def infinitives_before_clitics(self, clitics: Sequence[str], verb: str) -> tuple[str, ...]:
        """Return the infinitives of a verb that is joined to ``clitics`` by hyphens; empty if one
        is no clitic."""
        known = self._orthography.clitics
        if not known or not all(clitic in known for clitic in clitics):
            return ()
        return tuple(self.infinitives_of(verb))

    def infinitives_of(self, verb: str) -> Iterator[str]:
        """Yield the infinitives of a form of a verb that may be another word as well: "sveglia"."""
        yield from self._select_infinitives(
            (*(self._words.get(verb) or ()), *self._irregular_lemmas(verb))
        )
        yield from self._related_infinitives(verb)

    def _derived_lemmas(self, lower: str) -> Iterator[str]:
        """Yield the lemmas of the word by the rules of the language."""
        yield from self._related_infinitives(lower)
        for lemma in self._orthography.candidate_lemmas(lower):
            if self._is_lemma(lemma):
                yield lemma
                break  # the likeliest one goes first
        for adjective, derived in self._orthography.candidate_adjectives(lower):
            lemmas = {found.first for one in derived if (found := self._words.get(one))}
            if not lemmas.isdisjoint((adjective, *derived)):
                yield adjective
        for verb in self._orthography.without_clitics(lower):
            # "dorme" is a form of "dormir", and no "dor" with a pronoun.
            if lower not in self._words or verb not in self.infinitives_of(verb):
                yield from self.infinitives_of(verb)

    def _find_base_forms(self, text: str, lower: str) -> tuple[list[str], list[str]]:
        """Return the lemmas of the base forms by the patterns of the language: those of patterns
        that also apply to base forms, and the others."""
        known = self._orthography
        # The original last letter, which may be a suffix although it counts as another letter.
        word = lower[:-1] + text[-1] if text[-1] in known.last else lower
        is_unknown = lower not in self._words
        own: list[str] = []
        inflected: list[str] = [] if is_unknown else [*self._stems((lower,))]
        for one in (word, *(known.without_attachments(word) if is_unknown else ())):
            own += self._lemmas_of(find_base_forms(one, known.base_inflections))
            if is_unknown:
                inflected += self._lemmas_of((one,))
                forms = find_base_forms(one, known.unknown_inflections)
                inflected += self._lemmas_of(forms)
            if not self._words.is_lemma(known.fold_letters(one)):
                inflected += self._lemmas_of(find_base_forms(one, known.inflections))
        for lemma in dict.fromkeys((*own, *inflected)):
            inflected += self._stems(list(find_base_forms(lemma, known.lemma_variants)))
        return own, inflected

    def _lemmas_of(self, forms: Iterable[str]) -> Iterator[str]:
        for form in forms:
            yield from self._words.get(self._orthography.fold_letters(form)) or ()

    def _has_impossible_article(self, text: str, lower: str) -> bool:
        """Whether the dictionary has the word, beside another one, as a form with an article that
        its first letter rules out ("ألبوم" is not "ال" and "بوم")."""
        if not text.startswith(tuple(self._orthography.whole_from)):
            return False
        found = self._words.get(lower)
        rests = self._orthography.without_attachments(lower, loose=True)
        return found is not None and any(
            found.other in (self._words.get(one) or ()) for one in rests
        )

    def _related_infinitives(self, lower: str) -> Iterator[str]:
        """Yield infinitives by other forms of the same verb."""
        for form in self._orthography.related_verb_forms(lower):
            yield from self._select_infinitives(self._words.get(form) or ())

    def _select_infinitives(self, lemmas: Iterable[str]) -> Iterator[str]:
        endings = self._orthography.infinitives
        return (lemma for lemma in lemmas if lemma.endswith(endings))

    def _irregular_lemmas(self, lower: str) -> Iterator[str]:
        yield from self._orthography.irregular.get(lower, ())
        for lemma in self._orthography.prefixed_irregular_lemmas(lower):
            if lemma in self._words:
                yield lemma

    def _lemma_without_attachments(self, lower: str) -> str:
        """Return the lemma of an unknown word without attached particles; '' if there is none."""
        insides = map(self._words.get, self._orthography.without_attachments(lower))
        return next((inside.first for inside in insides if inside is not None), "")

    def _without_attachments(self, text: str, lower: str) -> Iterator[str]:
        """Yield base forms of a word of the dictionary without attached particles, unless it is a
        base form itself."""
        known, found = self._orthography, self._words.get(lower)
        is_hard = text.startswith(tuple(known.whole_from))
        if found is None or is_hard or not known.whole or self._words.is_lemma(lower):
            return
        is_loose = not any(lower == found.first + one for one in known.loose_endings)
        for rest in known.without_attachments(lower, loose=is_loose):
            inside = self._words.get(rest)
            if inside is not None and inside.first == rest:
                yield rest

    def _is_lemma(self, lower: str) -> bool:
        found = self._words.get(lower)
        return found is not None and found.first == lower
