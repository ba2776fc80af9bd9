"""The spaCy component that finds the elements of a model in a text.

It writes two groups of spans. In ``doc.spans["anaphora"]`` the label of a span is the id of its
element, its ``kb_id_`` the value ("" for none) and its ``id_`` "exact", "stem" or "typo"; the
group's ``attrs["groups"]`` has the groups of each element in it. Properties that a span cannot
represent (gaps, parts) are in ``attrs["details"]``, see
:mod:`~anaphora.entities.spacy.span_attributes`; ``attrs["error"]`` describes a failed predicate of
a synonym. ``doc.spans["anaphora_reset"]`` has the reset phrases. ``span._.element``,
``span._.value`` and ``span._.groups`` give the same data.

In a question, this component runs only if user-defined components look at the Doc; otherwise
:class:`~anaphora.entities.pipeline.Pipeline` uses its phrase index without writing spans.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from operator import attrgetter
from typing import Any

from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span, SpanGroup

from anaphora.entities.matching.index_cache import load_or_compile
from anaphora.entities.matching.matcher import create_index, match_elements
from anaphora.entities.matching.serialization import model_from_data, model_to_data
from anaphora.entities.phrases.phrase_reader import PhraseReader
from anaphora.entities.phrases.stem_candidates import PhraseVocabulary
from anaphora.entities.spacy.recognized_entities import collect_recognized
from anaphora.entities.spacy.span_attributes import entity_to_detail, span_key
from anaphora.entities.spacy.stored_component import StoredComponent
from anaphora.entities.tokens.sentence import Sentence
from anaphora.entities.tokens.tokenizers import LetterTokenizer
from anaphora.entities.words.lexicon import Lexicon
from anaphora.models.domain import Model
from anaphora.storage.cache import Cache

__all__ = ["FACTORY", "SPANS_KEY", "ElementTagger", "create_tagger"]

FACTORY = "anaphora_elements"
SPANS_KEY = "anaphora"

# Other tokenizers may have dictionaries of their own, which are not part of the cache key.
_CACHEABLE_TOKENIZERS = (Tokenizer, LetterTokenizer)


@Language.factory(FACTORY, default_config={"language": None, "spans_key": SPANS_KEY})
def create_tagger(nlp: Language, name: str, language: str | None, spans_key: str) -> ElementTagger:
    """Create an empty tagger; its language is that of ``nlp`` by default."""
    return ElementTagger(nlp, name, language=language, spans_key=spans_key)


class ElementTagger(StoredComponent):
    """A spaCy component ``Doc → Doc`` with the phrase index of a model, see :meth:`configure`."""

    stored_format = "a tagger", 5
    stored_file = "elements.msgpack"

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
        self._model = Model("", (), ())
        self.phrase_index = create_index(self._model, (), PhraseVocabulary(self.lexicon))

    @property
    def reset_key(self) -> str:
        """The key of the group of spans with the reset phrases."""
        return f"{self.spans_key}_reset"

    @property
    def labels(self) -> tuple[str, ...]:
        """The ids of the elements that its spans may have."""
        return tuple(element.id for element in self._model.elements if not element.abstract)

    def configure(
        self, model: Model, language: str | None = None, cache: Cache | None = None
    ) -> None:
        """Find the elements and reset phrases of ``model`` from now on, in ``language`` (by default
        that of the tagger). The phrase index may come from ``cache``, which is for pipelines with
        the tokenizer of a blank one.

        Raises :class:`~anaphora.errors.ModelError` if elements are composed of each other in a
        circle.
        """
        self.language = language or self.language
        self._model = model
        lexicon, stop = self.lexicon, model.stop_words
        if (lexicon.language, lexicon.additional, lexicon.excluded) != (
            self.language,
            stop.additional,
            stop.excluded,
        ):
            self.lexicon = Lexicon(
                self.language, additional=stop.additional, excluded=stop.excluded
            )
        reader = PhraseReader(self._nlp.tokenizer, self.lexicon)
        # The words of a big model must not remain in the vocabulary. Zones cannot be nested.
        within = getattr(self._nlp.vocab, "in_memory_zone")  # noqa: B009 - not in spaCy's stubs
        with nullcontext() if within else self._nlp.memory_zone():
            if type(self._nlp.tokenizer) not in _CACHEABLE_TOKENIZERS:
                cache = None
            self.phrase_index = load_or_compile(cache, model, self.language, reader, self.lexicon)

    def copy_from(self, other: ElementTagger) -> None:
        """Copy the phrase index and the lexicon of another tagger."""
        self.language, self.spans_key, self.lexicon = other.language, other.spans_key, other.lexicon
        self._model, self.phrase_index = other._model, other.phrase_index

    def __call__(self, doc: Doc) -> Doc:
        """Write the groups of spans into ``doc`` and return it."""
        known = self.phrase_index
        sentence = Sentence.from_doc(doc, doc.text, self.lexicon, known.swear_stems)
        others = (
            collect_recognized(doc, known.recognized_elements, sentence).entities
            if known.recognized_elements
            else ()
        )
        element_matches, error = match_elements(sentence, known, others)
        elements, resets = [], []
        groups: dict[str, list[str]] = {}
        details: dict[str, list[dict[str, Any]]] = {}
        for entry, match, entity in element_matches:
            element = entry.element
            if element is None:
                resets.append(Span(doc, match.start, match.end, label="reset"))
                continue
            if element.abstract:
                continue
            how = "exact" if (entity or match).exact else "stem"
            if entity is not None and "misspelt" in entity.marks:
                how = "typo"
            span = Span(
                doc, match.start, match.end, label=element.id, kb_id=entry.value or "", span_id=how
            )
            elements.append(span)
            groups[element.id] = sorted(element.groups)
            if entity is not None:
                details.setdefault(span_key(span), []).append(entity_to_detail(entity))
        further = {"details": details, "error": error}
        attrs: dict[str, Any] = {"groups": groups}
        attrs |= {key: value for key, value in further.items() if value}
        for key, spans, data in ((self.spans_key, elements, attrs), (self.reset_key, resets, {})):
            doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=data)
        return doc

    def _to_data(self) -> dict[str, Any]:
        model = model_to_data(self._model, self.language)
        return {"language": self.language, "spans_key": self.spans_key, "model": model}

    def _restore(self, data: Mapping[str, Any]) -> None:
        self.spans_key = data["spans_key"]
        self.configure(model_from_data(data["model"], data["language"]), data["language"])


def _value_of(span: Span) -> str | None:
    return span.kb_id_ or None


def _groups_of(span: Span) -> list[str]:
    """Return the groups of the element from the first group of spans that lists them."""
    for group in span.doc.spans.values():
        groups = group.attrs.get("groups", {})
        if span.label_ in groups:
            return list(groups[span.label_])
    return []


# spaCy stores the values of extensions by offsets alone, so two entities of the same words would
# share them. Getters avoid that.
_element_of = attrgetter("label_")
for _name, _getter in (("element", _element_of), ("value", _value_of), ("groups", _groups_of)):
    if not Span.has_extension(_name):
        Span.set_extension(_name, getter=_getter)
