"""The existing synonyms of the elements of a model, normalized for comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from anaphora.entities.matching.levels import select_phrases
from anaphora.entities.words.lexicon import Lexicon
from anaphora.entities.words.normalization import create_normalizer
from anaphora.models.domain import Element, Phrases

__all__ = ["Synonym", "Synonyms"]

_WORDS = re.compile(r"[^\W_]+")
_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Synonym:
    """A phrase of an element (``value`` is None) or of one of its values."""

    element: str
    value: str | None
    text: str
    form: str
    stems: tuple[str, ...]


class Synonyms:
    """The synonyms of some elements in one language, without those that contain patterns or other
    entities, which have no fixed text. ``typical`` has a representative text of each element: of
    its first value, if it has values."""

    def __init__(self, elements: Iterable[Element], language: str) -> None:
        self._normalize = create_normalizer(language)
        self._stem = Lexicon(language).stem_words
        self.language = language
        self.all = tuple(self._read(elements))
        self._known = {(synonym.element, synonym.stems) for synonym in self.all}
        typical: dict[str, str] = {}
        for synonym in sorted(self.all, key=lambda one: one.value is None):
            typical.setdefault(synonym.element, synonym.text)
        self.typical: Mapping[str, str] = typical

    def knows(self, element: str, stems: tuple[str, ...]) -> bool:
        """Whether the element has a synonym with these stems."""
        return (element, stems) in self._known

    def normalize(self, text: str) -> str:
        """Normalize ``text`` for comparison."""
        return " ".join(self._normalize(text).split())

    def _read(self, elements: Iterable[Element]) -> Iterator[Synonym]:
        rest = _iter_texts(elements, self.language)
        while batch := list(islice(rest, _BATCH)):
            forms = [self.normalize(text) for _, _, text in batch]
            for texts, form, stems in zip(batch, forms, _stems(forms, self._stem), strict=True):
                yield Synonym(*texts, form, stems)


def _iter_texts(
    elements: Iterable[Element], language: str
) -> Iterator[tuple[str, str | None, str]]:
    for element in elements:
        for text in _iter_plain_phrases(element.phrases, language):
            yield element.id, None, text
        for value in element.values:
            for text in _iter_plain_phrases(value.phrases, language):
                yield element.id, value.name, text


def _iter_plain_phrases(phrases: Phrases, language: str) -> Iterator[str]:
    for phrase in select_phrases(phrases, language):
        texts = [chunk for chunk in phrase if isinstance(chunk, str)]
        if len(texts) == len(phrase):
            yield " ".join(texts)


def _stems(
    forms: Sequence[str], stem: Callable[[Sequence[str]], list[str]]
) -> Iterator[tuple[str, ...]]:
    split = [_WORDS.findall(form) for form in forms]
    words = list({word for each in split for word in each})
    stems = dict(zip(words, stem(words), strict=True))
    for each in split:
        yield tuple(stems[word] for word in each)
