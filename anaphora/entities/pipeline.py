"""Analyze texts: from a text to an utterance, in each language of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, SpanGroup

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.language_detection import select_likeliest
from anaphora.entities.matching.entity_filter import EntityFilter
from anaphora.entities.matching.matcher import match_elements
from anaphora.entities.matching.quantity_linker import QuantityLinker
from anaphora.entities.prefetch import PrefetchedUtterances, UnreadText
from anaphora.entities.recognizers.fallbacks import find_divided, select_fallbacks
from anaphora.entities.recognizers.recognizer import TEXT_KEY, TokenizedText
from anaphora.entities.spacy.entity_component import TIME_KEY, EntityComponent
from anaphora.entities.spacy.language_pipelines import (
    OwnPipeline,
    PipelineSource,
    UserPipeline,
    get_tagger,
    needs_doc,
)
from anaphora.entities.spacy.pipeline_factory import check_labels
from anaphora.entities.spacy.pipeline_loader import load_pipelines
from anaphora.entities.spacy.recognized_entities import (
    RecognizedEntities,
    collect_recognized,
    run_recognizers,
)
from anaphora.entities.spacy.span_attributes import entity_from_detail, span_key
from anaphora.entities.spacy.tagger import ElementTagger
from anaphora.entities.tokens.linear_tokenizer import make_doc
from anaphora.entities.tokens.original_text import restore_text
from anaphora.entities.tokens.sentence import Sentence
from anaphora.entities.tokens.token_cache import TokenCache
from anaphora.entities.words.normalization import base_code, normalize_apostrophes
from anaphora.errors import AnaphoraError, HandlerError, ModelError, Problem
from anaphora.models.domain import Element, Model
from anaphora.storage.cache import Cache
from anaphora.storage.forks import fork_safe_lock

__all__ = ["BATCH_SIZE", "Pipeline"]

BATCH_SIZE = 128  # texts; twice as many gain only 5 %, and all are kept in memory


class Pipeline:
    """Analyzes texts in the languages of a model. Thread-safe.

    ``nlp`` is a spaCy pipeline, or one by language, to use instead of a blank one or of one that
    the model names. From then on it serves this model alone. A ``cache`` keeps compiled data for
    the next process. ``elements`` are those that entities may have, by id.

    Raises :class:`ModelError` for a language that spaCy does not have, a pipeline for a language
    that the model does not have, a pipeline of the model that cannot be loaded, and a missing
    requirement of a recognizer.
    """

    def __init__(
        self,
        model: Model,
        nlp: Language | Mapping[str, Language] | None = None,
        *,
        cache: Cache | None = None,
    ) -> None:
        self.model = model
        self.elements = {one.id: one for one in model.elements if not one.abstract}
        given = dict(_pipelines_by_language(model, nlp))
        given |= load_pipelines(model, given=given)
        self._readers = {
            language: _LanguageReader(model, language, given.get(language), cache)
            for language in model.languages
        }
        check_labels(model, given)

    def __call__(
        self,
        text: str,
        language: str | None = None,
        *,
        preferred: str = "",
        at: datetime | None = None,
    ) -> Utterance:
        """Analyze ``text``: return its tokens and every entity that may stand in it.

        ``at`` is the local time of the user; by default the current time in UTC. Without a
        ``language``, whose region is ignored, the likeliest language of the model is chosen; among
        equals the ``preferred`` one, else the first. Lone surrogates become U+FFFD, and signs used
        as an apostrophe are read as one. Raises :class:`ModelError` for a language that the model
        does not have.
        """
        text = _sanitize(text)
        if language is not None:
            known = self.model.find_language(language)
            if known is None:
                raise _unknown_language_error(self.model, language)
            return self._readers[known].read(text, at)
        utterances = [reader.read(text, at) for reader in self._readers.values()]
        return select_likeliest(utterances, preferred)

    def create_entity(
        self,
        element: Element,
        text: str,
        language: str,
        *,
        value: str | None = None,
        meta: Mapping[str, Any] | None = None,
        is_from_phrase: bool = True,
    ) -> Entity:
        """Create the entity of ``element`` that the whole of ``text`` mentions, without reading it.
        ``meta`` takes precedence over the metadata of the element."""
        sentence = self._readers[language].tokenize(normalize_apostrophes(_sanitize(text)))
        tokens = tuple(range(len(sentence.texts)))
        return sentence.create_entity(
            element, value, tokens, exact=True, meta=meta, is_from_phrase=is_from_phrase
        )

    @property
    def benefits_from_batches(self) -> bool:
        """Whether user-defined components may look at the texts, which are often faster on
        batches."""
        return any(reader.benefits_from_batches for reader in self._readers.values())

    def prefetch(self, texts: Sequence[UnreadText]) -> list[PrefetchedUtterances | None]:
        """Analyze ``texts`` in one batch. The result is None for texts that have to be analyzed by
        a call, because they or others of the batch fail."""
        found: list[dict[str, Utterance]] = [{} for _ in texts]
        for language, reader in self._readers.items():
            indexes = [i for i, one in enumerate(texts) if one.language in (None, language)]
            utterances = reader.read_all([texts[i] for i in indexes])  # all, or none if one fails
            for i, utterance in zip(indexes, utterances, strict=False):
                found[i][language] = utterance
        wanted = [len(self._readers) if one.language is None else 1 for one in texts]
        return [
            PrefetchedUtterances(self, tuple(each.values())) if len(each) == count else None
            for each, count in zip(found, wanted, strict=True)
        ]


class _LanguageReader:
    """Analyzes texts in one language.

    If no user-defined component looks at a text, no spans are written, since they would take longer
    than everything else. Then cached tokens don't need a Doc either.
    """

    def __init__(
        self, model: Model, language: str, nlp: Language | None, cache: Cache | None
    ) -> None:
        self._nlp: PipelineSource = (
            OwnPipeline(model, language, cache)
            if nlp is None
            else UserPipeline(model, language, nlp)
        )
        self._language = language
        # A tagger that replaces this one has the same lexicon and the same keys.
        self._tagger = get_tagger(self._nlp())
        # The user may add components to a given pipeline later.
        self.benefits_from_batches = nlp is not None or not all(
            isinstance(one, EntityComponent | ElementTagger) for _, one in self._nlp().pipeline
        )
        self._all_elements = {element.id: element for element in model.elements}
        self._elements = {id: one for id, one in self._all_elements.items() if not one.abstract}
        self._recognized_elements = {
            id: element for id, element in self._elements.items() if element.recognition
        }
        self._is_internal = nlp is None and not any(map(needs_doc, model.elements))
        self._entity_filter = EntityFilter(model.elements)
        self._quantity_linker = (
            QuantityLinker(model.elements, language)
            if any(element.counts for element in model.elements)
            else None
        )
        self._lock = fork_safe_lock()
        tokenizer = self._nlp().tokenizer
        self._token_cache: TokenCache | None = None
        if self._is_internal and type(tokenizer) is Tokenizer:
            self._token_cache = TokenCache(tokenizer, self._tokenize, self._tagger.lexicon)
        # The same in every pipeline that replaces this one.
        self._components = [
            one for _, one in self._nlp().pipeline if isinstance(one, EntityComponent)
        ]

    def read(self, text: str, at: datetime | None) -> Utterance:
        """Analyze a text; what it says is read with usual apostrophes, and shown as it is."""
        usual = normalize_apostrophes(text)
        utterance = self._read(usual, at)
        return utterance if usual == text else restore_text(utterance, text)

    def _read(self, text: str, at: datetime | None) -> Utterance:
        if self._token_cache is not None and (cut := self._token_cache.tokenize(text)):
            sentence = Sentence(text, *cut, swear_stems=self._tagger.phrase_index.swear_stems)
            return self._read_sentence(sentence, sentence, at)
        with self._lock:
            # Everything is copied out of the Doc, whose memory may be freed at the next text.
            try:
                if self._is_internal:
                    return self._read_without_spans(text, at)
                nlp = self._nlp()
                return self._utterance_from_doc(nlp(_create_unread_doc(nlp, text, at)), text)
            except AnaphoraError:
                raise
            except Exception as error:
                raise HandlerError(
                    f"the spaCy pipeline failed: {type(error).__name__}: {error}"
                ) from error

    def read_all(self, texts: Sequence[UnreadText]) -> list[Utterance]:
        """Analyze each text as :meth:`read` does. Returns nothing if any of them fails: that one
        raises its error when it is analyzed alone."""
        try:
            if not self.benefits_from_batches:
                return [self.read(_sanitize(one.text), one.at) for one in texts]
            with self._lock:
                return list(self._read_batch(texts))
        except Exception:
            return []

    def tokenize(self, text: str) -> Sentence:
        """Return the words of ``text``, which no component has processed."""
        tagger = self._tagger
        with self._lock:
            doc = make_doc(self._nlp(), text)
            return Sentence.from_doc(doc, text, tagger.lexicon, tagger.phrase_index.swear_stems)

    def _tokenize(self, text: str) -> list[tuple[str, int]]:
        with self._lock:
            return [(token.text, token.idx) for token in self._nlp().make_doc(text)]

    def _read_without_spans(self, text: str, at: datetime | None) -> Utterance:
        doc, tagger = make_doc(self._nlp(), text), self._tagger
        doc.user_data[TEXT_KEY] = text
        texts, starts = [token.text for token in doc], [token.idx for token in doc]
        words = tagger.lexicon.words_of_doc(doc)
        sentence = Sentence(text, texts, starts, words, swear_stems=tagger.phrase_index.swear_stems)
        return self._read_sentence(sentence, doc, at)

    def _read_sentence(
        self, sentence: Sentence, doc: Doc | TokenizedText, at: datetime | None
    ) -> Utterance:
        """Create the utterance of a sentence from its phrases and from what recognizers find in
        its ``doc``."""
        if not self._components:
            return self._utterance_from_matches(sentence, ())
        now = at or datetime.now(UTC)
        found = run_recognizers(self._components, doc, now, self._all_elements, sentence)
        return self._add_uncertain(
            self._utterance_from_matches(sentence, found.entities), sentence, found
        )

    def _add_uncertain(
        self, utterance: Utterance, sentence: Sentence, found: RecognizedEntities
    ) -> Utterance:
        """Add the entities that result if the fallback mentions count."""
        if found.void:
            utterance = replace(utterance, void=found.void)
        void = frozenset([token for one in found.void for token in one.tokens])
        fallbacks = found.fallbacks and select_fallbacks(
            found.fallbacks, utterance.entities, sentence.words, void=void
        )
        if not fallbacks:
            return utterance
        divided = find_divided(fallbacks, utterance.entities)
        if self._tagger.phrase_index.has_composition:  # phrases may be composed of fallbacks, too
            certain = _without(divided, found.entities)
            again = self._utterance_from_matches(sentence, [*certain, *fallbacks]).entities
        else:
            certain = _without(divided, utterance.entities)
            again = self._entity_filter.apply([*certain, *fallbacks])
        return replace(utterance, fallback_entities=again)

    def _add_quantities(
        self, entities: tuple[Entity, ...], sentence: Sentence
    ) -> tuple[Entity, ...]:
        """Add the entities that numbers count."""
        linker = self._quantity_linker
        linked = linker and linker.link(entities, sentence)
        if not linked:
            return entities
        return tuple(sorted((*entities, *linked), key=self._entity_filter.sort_key))

    def _utterance_from_matches(
        self, sentence: Sentence, recognized: Sequence[Entity]
    ) -> Utterance:
        """Create the utterance of a sentence in which recognizers have found ``recognized``."""
        phrase_index = self._tagger.phrase_index
        element_matches, error = match_elements(sentence, phrase_index, recognized)
        found = [entity for entity in recognized if entity.element in self._recognized_elements]
        is_in_order = True
        resets: list[tuple[int, ...]] = []
        for entry, match, entity in element_matches:
            element = entry.element
            if entity is not None:
                is_in_order = False
            if element is None:
                resets.append(tuple(range(match.start, match.end)))
            elif not element.abstract:
                found.append(
                    entity
                    or sentence.create_phrase_entity(
                        element, entry.value, match.start, match.end, exact=match.exact
                    )
                )
        if recognized or phrase_index.has_composition:
            entities = self._entity_filter.apply(found)
        else:
            # Phrases of words alone have no duplicates, and the longest of a kind are selected.
            entities = (
                tuple(found)
                if is_in_order
                else tuple(sorted(found, key=self._entity_filter.sort_key))
            )
        return self._assemble_utterance(sentence, entities, resets, error)

    def _assemble_utterance(
        self,
        sentence: Sentence,
        entities: tuple[Entity, ...],
        resets: Sequence[tuple[int, ...]],
        error: str,
    ) -> Utterance:
        outermost = self._entity_filter.keep_outermost_resets(resets, entities) if resets else ()
        tokens = sentence.tokens()
        entities = self._add_quantities(entities, sentence)
        return Utterance(sentence.text, self._language, tokens, entities, outermost, error)

    def _read_batch(self, texts: Sequence[UnreadText]) -> Iterator[Utterance]:
        nlp = self._nlp()
        cleaned = [_sanitize(one.text) for one in texts]
        usual = list(map(normalize_apostrophes, cleaned))
        docs = [_create_unread_doc(nlp, usual[i], one.at) for i, one in enumerate(texts)]
        # An error handler of the user may drop Docs.
        read = zip(usual, nlp.pipe(docs, batch_size=len(docs)), strict=True)
        for text, (own, doc) in zip(cleaned, read, strict=True):
            yield restore_text(self._utterance_from_doc(doc, own), text)

    def _utterance_from_doc(self, doc: Doc, text: str) -> Utterance:
        """Create the utterance from the spans in ``doc``."""
        tagger = self._tagger
        sentence = Sentence.from_doc(doc, text, tagger.lexicon, tagger.phrase_index.swear_stems)
        group = doc.spans.get(tagger.spans_key)
        found = collect_recognized(doc, self._recognized_elements, sentence)
        entities = self._entities_of_spans(group, sentence, found.entities)
        resets = [tuple(range(one.start, one.end)) for one in doc.spans.get(tagger.reset_key, ())]
        error = "" if group is None else group.attrs.get("error", "")
        utterance = self._assemble_utterance(sentence, entities, resets, error)
        return self._add_uncertain(utterance, sentence, found)

    def _entities_of_spans(
        self, group: SpanGroup | None, sentence: Sentence, recognized: Sequence[Entity]
    ) -> tuple[Entity, ...]:
        """Return the recognized entities and those of all spans whose label is an element,
        including spans that the user's components have added."""
        found = [*recognized]
        attrs = {} if group is None else group.attrs
        details = {key: list(data) for key, data in attrs.get("details", {}).items()}
        for span in group or ():
            element = self._elements.get(span.label_)
            if element is None:
                continue
            if details and (waiting := details.get(span_key(span))):
                found.append(entity_from_detail(waiting.pop(0), self._all_elements, sentence))
                continue
            tokens = tuple(range(span.start, span.end))
            exact = span.id_ != "stem"
            found.append(sentence.create_entity(element, span.kb_id_ or None, tokens, exact=exact))
        return self._entity_filter.apply(found)


def _create_unread_doc(nlp: Language, text: str, at: datetime | None) -> Doc:
    """Create a Doc of ``text`` that no component has processed."""
    doc = make_doc(nlp, text)
    if at is not None:
        doc.user_data[TIME_KEY] = at
    return doc


def _sanitize(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _pipelines_by_language(
    model: Model, nlp: Language | Mapping[str, Language] | None
) -> Mapping[str, Language]:
    if nlp is None:
        return {}
    if isinstance(nlp, Mapping):
        for language in nlp:
            if language not in model.languages:
                raise _unknown_language_error(model, language)
        return nlp
    if len(model.languages) == 1:
        return {model.languages[0]: nlp}  # it may be a multi-language one, too
    for language in model.languages:
        if base_code(language) == nlp.lang:
            return {language: nlp}
    raise _unknown_language_error(model, nlp.lang or "")


def _unknown_language_error(model: Model, language: str) -> ModelError:
    known = ", ".join(f"'{one}'" for one in model.languages)
    return ModelError(
        Problem(
            f"the model '{model.id}' does not know the language '{language}'",
            model.source,
            hint=f"its languages: {known}",
        )
    )


def _without(dropped: Sequence[Entity], entities: Sequence[Entity]) -> list[Entity]:
    places = {(one.element, one.tokens) for one in dropped}
    return [one for one in entities if (one.element, one.tokens) not in places]
