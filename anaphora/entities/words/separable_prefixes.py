"""The separable prefixes of a language, and the verbs that have one ("ausschalten")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from anaphora.entities.words.dictionary import Dictionary, load_dictionary
from anaphora.entities.words.normalization import create_normalizer
from anaphora.entities.words.orthography import load_orthography, split_word_lists

__all__ = ["SeparablePrefixes", "load_separable_prefixes"]

_LEAST_OF_BASE = 3  # letters of a verb without its prefix
_LEAST_OF_ROOT = 2  # letters of a verb without the ending of its infinitive
_VOWELS = frozenset("aeiouyäöü")


@dataclass(frozen=True, slots=True)
class SeparablePrefixes:
    """The rules under ``separable_verbs`` in ``languages/<code>/orthography.yaml``.

    ``prefixes`` are always separable. ``ambiguous`` ones are separable except in the verbs listed
    as ``inseparable``; where the ``particle`` of the infinitive stands between prefix and verb in
    one word (``joined``), the dictionary must have that form. Some prefixes are ``prepositions`` or
    articles too: before a ``determiner`` or a content word other than an ``adverb`` they are no
    prefix. A verb beside one of the ``subjects`` is finite. ``coordinators`` join clauses,
    ``subordinators`` begin clauses whose verb stands last. ``modals`` may stand between a prefix
    and an infinitive. A ``participle`` begins with that syllable, and takes ``inflections``. The
    ``endings`` replace those of an infinitive (``stem``) in the regular forms of a verb; the
    ``doubled`` vowels are written twice in a closed syllable. ``infinitive_ends`` are the endings
    of infinitives, ``commands`` are prefixes that form a command without a verb ("Licht aus!").
    """

    prefixes: frozenset[str]
    ambiguous: frozenset[str]
    inseparable: frozenset[str]
    prepositions: frozenset[str]
    determiners: frozenset[str]
    adverbs: frozenset[str]
    subjects: frozenset[str]
    coordinators: frozenset[str]
    subordinators: frozenset[str]
    modals: frozenset[str]
    particle: str
    joined: bool
    participle: str
    inflections: tuple[str, ...]
    stem: tuple[str, ...]
    infinitive_ends: tuple[str, ...]
    commands: frozenset[str]
    endings: tuple[str, ...]
    doubled: frozenset[str]
    words: Dictionary

    def split(self, infinitive: str) -> tuple[str, str] | None:
        """Split a separable verb into prefix and base; None for any other word.

        The longest prefix before a verb counts: zurück of "zurückgeben".
        """
        for end in range(len(infinitive) - _LEAST_OF_BASE, 0, -1):
            prefix, base = infinitive[:end], infinitive[end:]
            if self._is_prefix(prefix) and self.is_verb(base):
                return (prefix, base) if self._is_separable(prefix, base) else None
        return None

    def is_verb(self, word: str) -> bool:
        """Whether the word looks like an infinitive, and the dictionary has it as a lemma."""
        if not word.endswith(self.infinitive_ends):
            return False
        root = word.removesuffix("en")
        if root != word and (len(root) < _LEAST_OF_ROOT or _VOWELS.isdisjoint(root)):
            return False  # "stoppen" has no verb "pen" in it
        return word in (self.words.get(word) or ())

    def infinitives(self, word: str) -> Iterator[str]:
        """Yield the possible infinitives of a word that no dictionary has: "herunterdimmen" of
        "herunterzudimmen"."""
        for end in range(1, len(word) - 1):
            prefix, rest = word[:end], word[end:]
            if not self._is_prefix(prefix):
                continue
            if self.joined and rest.startswith(self.particle):
                base = rest[len(self.particle) :]
                if self.is_verb(base):
                    yield prefix + base
            for lemma in self.words.get(rest) or ():
                if self.is_verb(lemma):
                    yield prefix + lemma

    def infinitive_of_participle(self, word: str, lemma: str) -> str:
        """Return the infinitive of a participle that the dictionary has only as an adjective
        ("umgebucht"), or whose ``lemma`` it also has as a form of a verb ("bestellte"); '' for
        other words."""
        if word != lemma:
            found = self.words.get(lemma)
            is_inflected = word.removeprefix(lemma) in self.inflections
            return found.other if found and is_inflected and self.is_verb(found.other) else ""
        if not word.endswith(("t", "d")):
            return ""
        for end in range(1, len(word) - len(self.participle) - _LEAST_OF_BASE):
            prefix, rest = word[:end], word[end:]
            if rest.startswith(self.participle) and self._is_prefix(prefix):
                for ending in self.stem:
                    base = rest[len(self.participle) : -1] + ending
                    if self.is_verb(base) and prefix + base in self.words:
                        return prefix + base
        return ""

    def may_be_verb(self, word: str) -> bool:
        """Whether the word may be a form of a verb."""
        return not (
            word in self.prepositions
            or word in self.coordinators
            or word in self.determiners
            or word in self.adverbs
        )

    def regular_forms(self, base: str) -> frozenset[str]:
        """Return the forms of a verb without vowel change."""
        root = next(base[: -len(end)] for end in self.stem if base.endswith(end))
        roots = {root, self._close_syllable(root)} if self.doubled else {root}
        return frozenset([base, *(one + ending for one in roots for ending in ("", *self.endings))])

    def _close_syllable(self, root: str) -> str:
        """Return the root of an infinitive without a following vowel: "vraag" of "vragen", "bel" of
        "bellen", "geef" of "geven"."""
        before, vowel, last = ("  " + root)[-3], root[-2], root[-1]
        if vowel == last:
            return root[:-1]
        if vowel in self.doubled and before not in self.doubled:
            root = root[:-1] + vowel + last
        return root[:-1] + {"z": "s", "v": "f"}.get(last, last)

    def _is_prefix(self, text: str) -> bool:
        return text in self.prefixes or text in self.ambiguous

    def _is_separable(self, prefix: str, base: str) -> bool:
        if prefix not in self.ambiguous:
            return True
        if prefix + base in self.inseparable:
            return False
        return not self.joined or prefix + self.particle + base in self.words


@lru_cache(maxsize=100)
def load_separable_prefixes(code: str) -> SeparablePrefixes | None:
    """Load the separable prefixes of a language by its code; None if it has none."""
    table: dict[str, Any] = dict(load_orthography(code).separable_verbs)
    words = load_dictionary(code) if table else None
    if words is None:
        return None
    table["doubled"] = frozenset(table["doubled"])
    lists = split_word_lists(SeparablePrefixes, table, create_normalizer(code))
    return SeparablePrefixes(**lists, words=words)
