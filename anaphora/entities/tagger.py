"""The spaCy component that finds the elements of a model in a text.

It writes two groups of spans. In ``doc.spans["anaphora"]`` the label of a span is the id of its
element, its ``kb_id_`` the value ("" for none) and its ``id_`` "exact" or "stem"; the group's
``attrs["groups"]`` has the groups of each element in it. ``doc.spans["anaphora_reset"]`` has the
reset phrases. ``span._.element``, ``span._.value`` and ``span._.groups`` read the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import srsly
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from anaphora.entities.lexicon import Lexicon, solid
from anaphora.entities.overlap import longest
from anaphora.entities.phrases import PhraseReader
from anaphora.entities.trie import Hit, Trie
from anaphora.grammar.patterns import Pattern
from anaphora.models.domain import ANY_LANGUAGE, Element, Model, Phrase, Phrases

__all__ = ["FACTORY", "SPANS_KEY", "ElementTagger", "create_tagger"]

FACTORY = "anaphora_elements"
SPANS_KEY = "anaphora"

_FORMAT = 1
_FILE = "elements.msgpack"


@Language.factory(FACTORY, default_config={"language": None, "spans_key": SPANS_KEY})
def create_tagger(nlp: Language, name: str, language: str | None, spans_key: str) -> ElementTagger:
    """An empty tagger for ``nlp``; its language is that of ``nlp`` unless another is given."""
    return ElementTagger(nlp, name, language=language, spans_key=spans_key)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the phrases of one element or of one of its values stand for."""

    element: str
    value: str
    groups: tuple[str, ...]
    phrases: tuple[Phrase, ...]
    resets: bool = False


class ElementTagger:
    """A spaCy component ``Doc → Doc``; :meth:`configure` tells it what to look for."""

    def __init__(
        self,
        nlp: Language,
        name: str = FACTORY,
        *,
        language: str | None = None,
        spans_key: str = SPANS_KEY,
    ) -> None:
        self.name = name
        self.spans_key = spans_key
        self.language: str = language or nlp.lang or "xx"
        self.lexicon = Lexicon(self.language)
        self._nlp = nlp
        self._entries: tuple[_Entry, ...] = ()
        self.trie = Trie()

    @property
    def reset_key(self) -> str:
        """The key of the group of spans with the reset phrases."""
        return f"{self.spans_key}_reset"

    @property
    def labels(self) -> tuple[str, ...]:
        """The ids of the elements that it looks for."""
        return tuple(dict.fromkeys(entry.element for entry in self._entries if not entry.resets))

    def configure(self, model: Model, language: str | None = None) -> None:
        """Looks from now on for the elements and reset phrases of ``model``, as they are said
        in ``language`` (of the tagger, if not given)."""
        self._set_language(language or self.language)
        self._set_entries(_entries(model, self.language))

    def take_over(self, other: ElementTagger) -> None:
        """Looks from now on for what ``other`` looks for, and shares its words and its trie."""
        self.language, self.spans_key, self.lexicon = other.language, other.spans_key, other.lexicon
        self._entries, self.trie = other._entries, other.trie

    def __call__(self, doc: Doc) -> Doc:
        """Writes the groups of spans into ``doc`` and returns it."""
        elements, resets, groups = [], [], {}
        for hit in self._hits(doc):
            entry = self._entries[hit.entry]
            if entry.resets:
                resets.append(Span(doc, hit.start, hit.end, label="reset"))
                continue
            how = "exact" if hit.exact else "stem"
            span = Span(
                doc, hit.start, hit.end, label=entry.element, kb_id=entry.value, span_id=how
            )
            elements.append(span)
            groups[entry.element] = list(entry.groups)
        _write(doc, self.spans_key, elements, {"groups": groups})
        _write(doc, self.reset_key, resets, {})
        return doc

    def _hits(self, doc: Doc) -> list[Hit]:
        """What is in ``doc``, by its tokens, in their order and without what lies inside a
        longer one of the same element."""
        texts = [token.text for token in doc]
        words = self.lexicon.words(texts)
        if any(word.odd for word in words):
            starts = [token.idx for token in doc]
            ends = [start + len(text) for start, text in zip(starts, texts, strict=True)]
            kept = solid(words, starts, ends)
            hits = self.trie.find([words[i] for i in kept], [texts[i] for i in kept])
            hits = [Hit(kept[h.start], kept[h.end - 1] + 1, h.entry, h.exact) for h in hits]
        else:
            hits = self.trie.find(words, texts)
        if len(hits) < 2:
            return hits
        hits.sort(key=_order)
        return longest(hits, place=_place, kind=self._element)

    def _element(self, hit: Hit) -> str:
        return self._entries[hit.entry].element

    def _set_language(self, language: str) -> None:
        if language != self.lexicon.language:
            self.lexicon = Lexicon(language)
        self.language = language

    def _set_entries(self, entries: Iterable[_Entry]) -> None:
        self._entries = tuple(entries)
        reader = PhraseReader(self._nlp.tokenizer, self.lexicon)
        trie = Trie()
        # The words of a big model must not stay in the vocabulary, and zones don't nest.
        within = getattr(self._nlp.vocab, "in_memory_zone")  # noqa: B009 - not in spaCy's stubs
        with nullcontext() if within else self._nlp.memory_zone():
            for number, steps in reader.read(_numbered(self._entries)):
                trie.add(steps, number)
        self.trie = trie

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """What it looks for, as bytes."""
        data: bytes = srsly.msgpack_dumps(self._as_data())
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> ElementTagger:
        """Takes over what :meth:`to_bytes` gave; raises ValueError for anything else."""
        self._from_data(srsly.msgpack_loads(data))
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Writes what it looks for into the folder ``path``."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> ElementTagger:
        """Takes over what :meth:`to_disk` wrote."""
        return self.from_bytes((Path(path) / _FILE).read_bytes())

    def _as_data(self) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "language": self.language,
            "spans_key": self.spans_key,
            "entries": [
                {
                    "element": entry.element,
                    "value": entry.value,
                    "groups": list(entry.groups),
                    "resets": entry.resets,
                    "phrases": [[_chunk_as_data(chunk) for chunk in p] for p in entry.phrases],
                }
                for entry in self._entries
            ],
        }

    def _from_data(self, data: Any) -> None:
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise ValueError(f"these are not the elements of a tagger in format {_FORMAT}")
        self.spans_key = data["spans_key"]
        self._set_language(data["language"])
        self._set_entries(
            _Entry(
                element=entry["element"],
                value=entry["value"],
                groups=tuple(entry["groups"]),
                resets=entry["resets"],
                phrases=tuple(tuple(map(_chunk_from_data, p)) for p in entry["phrases"]),
            )
            for entry in data["entries"]
        )


def _entries(model: Model, language: str) -> Iterator[_Entry]:
    """An entry for each element and each of its values, then one for the reset phrases."""
    for element in model.elements:
        yield _entry(element, "", element.phrases, language)
        for value in element.values:
            yield _entry(element, value.name, value.phrases, language)
    if resets := _said(model.reset, language):
        yield _Entry("", "", (), resets, resets=True)


def _entry(element: Element, value: str, phrases: Phrases, language: str) -> _Entry:
    return _Entry(element.id, value, tuple(sorted(element.groups)), _said(phrases, language))


def _said(phrases: Phrases, language: str) -> tuple[Phrase, ...]:
    return (*phrases.get(language, ()), *phrases.get(ANY_LANGUAGE, ()))


def _numbered(entries: Iterable[_Entry]) -> Iterator[tuple[int, Phrase]]:
    for number, entry in enumerate(entries):
        for phrase in entry.phrases:
            yield number, phrase


def _order(hit: Hit) -> tuple[int, int, int]:
    return hit.start, -hit.end, hit.entry


def _place(hit: Hit) -> tuple[int, int]:
    return hit.start, hit.end


def _write(doc: Doc, key: str, spans: list[Span], attrs: dict[str, Any]) -> None:
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=attrs)


def _chunk_as_data(chunk: str | Pattern) -> str | dict[str, str]:
    return chunk if isinstance(chunk, str) else {"pattern": chunk.text}


def _chunk_from_data(chunk: str | dict[str, str]) -> str | Pattern:
    return chunk if isinstance(chunk, str) else Pattern(chunk["pattern"])


def _element_of(span: Span) -> str:
    label: str = span.label_
    return label


def _value_of(span: Span) -> str | None:
    return span.kb_id_ or None


def _groups_of(span: Span) -> list[str]:
    """From the attributes of whichever group of spans knows the element."""
    for group in span.doc.spans.values():
        groups = group.attrs.get("groups", {})
        if span.label_ in groups:
            return list(groups[span.label_])
    return []


# spaCy keeps the values of extensions by offsets alone, so that two readings of the same words
# would share them: getters don't.
for _name, _getter in (("element", _element_of), ("value", _value_of), ("groups", _groups_of)):
    if not Span.has_extension(_name):
        Span.set_extension(_name, getter=_getter)
