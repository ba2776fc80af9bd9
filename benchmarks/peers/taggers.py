"""Taggers that find names in texts: Anaphora's, and specialized libraries.

Each is built from names, whose values are the names in lower case, and returns the values of the
names in a text, in order. A library that does not support values returns the words that it found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from anaphora import Model

__all__ = ["TAGGERS", "Abilities", "Tagger", "abilities"]


@dataclass(frozen=True, slots=True)
class Tagger:
    """A tagger. ``find`` returns the values of the names in a text, including all preparation; a
    tagger on spaCy's tokens also has ``tokenize``, and ``find_in`` for its result. ``tells_value``
    is True if the tagger knows the values of the names that it finds."""

    find: Callable[[str], list[str]]
    tokenize: Callable[[str], Doc] | None = None
    find_in: Callable[[Doc], list[str]] | None = None
    tells_value: bool = True


@dataclass(frozen=True, slots=True)
class Abilities:
    """The abilities of a tagger: values of names, names in another case and in another form
    ("berries"), names that share a word, whole words only."""

    value: bool
    case: bool
    forms: bool
    overlaps: bool
    words: bool


def abilities(tagger: str) -> Abilities:
    """The abilities of a tagger, found by experiment."""
    built = TAGGERS[tagger](["kitchen lamp", "lamp shade", "fan", "blue berry"])
    overlapping = built.find("a kitchen lamp shade")
    return Abilities(
        value=built.tells_value,
        case=built.find("the KITCHEN Lamp") == ["kitchen lamp"],
        forms=built.find("two blue berries") == ["blue berry"],
        overlaps=sorted(overlapping) == ["kitchen lamp", "lamp shade"],
        words=built.find("an infant") == [],
    )


def anaphora(names: Sequence[str]) -> Tagger:
    """Anaphora's full utterance: tokens with stems, and all entities."""
    from anaphora.entities.pipeline import Pipeline

    pipeline = Pipeline(_model(names))

    def find(text: str) -> list[str]:
        return [entity.value or "" for entity in pipeline(text).entities]

    return Tagger(find)


def anaphora_component(names: Sequence[str]) -> Tagger:
    """Anaphora's component in a spaCy pipeline, without the copies that :class:`Pipeline` makes."""
    from anaphora.entities.spacy.language_pipelines import build_pipeline
    from anaphora.entities.spacy.tagger import FACTORY, SPANS_KEY

    nlp = build_pipeline(_model(names), "en")
    component = nlp.get_pipe(FACTORY)

    def found(doc: Doc) -> list[str]:
        return [span.kb_id_ for span in doc.spans[SPANS_KEY]]

    return Tagger(
        lambda text: found(nlp(text)),
        nlp.make_doc,
        lambda doc: found(component(doc)),
    )


def phrase_matcher(names: Sequence[str]) -> Tagger:
    """One key per name: its value."""
    from spacy.lang.en import English
    from spacy.matcher import PhraseMatcher

    nlp = English()
    matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
    for name in names:
        matcher.add(name, [nlp.make_doc(name)])
    strings = nlp.vocab.strings

    def find_in(doc: Doc) -> list[str]:
        return [strings[key] for key, _, _ in matcher(doc)]

    return Tagger(lambda text: find_in(nlp.make_doc(text)), nlp.make_doc, find_in)


def phrase_matcher_of_one_key(names: Sequence[str]) -> Tagger:
    """One key for all names, which are distinguished by their words."""
    from spacy.lang.en import English
    from spacy.matcher import PhraseMatcher

    nlp = English()
    matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
    matcher.add("NAME", [nlp.make_doc(name) for name in names])

    def find_in(doc: Doc) -> list[str]:
        return [doc[start:end].text.lower() for _, start, end in matcher(doc)]

    return Tagger(
        lambda text: find_in(nlp.make_doc(text)), nlp.make_doc, find_in, tells_value=False
    )


def entity_ruler(names: Sequence[str]) -> Tagger:
    """Phrase patterns whose ids are the values."""
    return _ruler([{"label": "NAME", "pattern": name, "id": name} for name in names])


def entity_ruler_without_ids(names: Sequence[str]) -> Tagger:
    """Phrase patterns of one label; names are distinguished by their words."""
    return _ruler([{"label": "NAME", "pattern": name} for name in names], tells_value=False)


def entity_ruler_of_tokens(names: Sequence[str]) -> Tagger:
    """Token patterns with ids, which are tried one after the other."""
    patterns = ([{"LOWER": word} for word in name.split()] for name in names)
    return _ruler(
        [
            {"label": "NAME", "pattern": pattern, "id": name}
            for pattern, name in zip(patterns, names, strict=True)
        ]
    )


def flashtext(names: Sequence[str]) -> Tagger:
    from flashtext import KeywordProcessor  # type: ignore[import-untyped]

    processor = KeywordProcessor()
    for name in names:
        processor.add_keyword(name, name)

    def find(text: str) -> list[str]:
        found: list[str] = processor.extract_keywords(text)
        return found

    return Tagger(find)


def aho_corasick(names: Sequence[str]) -> Tagger:
    """Names at any position, even inside words."""
    automaton = _automaton(names)

    def find(text: str) -> list[str]:
        return [name for _, name in automaton.iter(text.lower())]

    return Tagger(find)


def aho_corasick_of_words(names: Sequence[str]) -> Tagger:
    """Whole words only: no letter or digit may precede or follow."""
    automaton = _automaton(names)

    def find(text: str) -> list[str]:
        text = text.lower()
        last = len(text) - 1
        return [
            name
            for end, name in automaton.iter(text)
            if (end == last or not text[end + 1].isalnum())
            and (end < len(name) or not text[end - len(name)].isalnum())
        ]

    return Tagger(find)


TAGGERS: dict[str, Callable[[Sequence[str]], Tagger]] = {
    "anaphora": anaphora,
    "anaphora (spaCy component)": anaphora_component,
    "PhraseMatcher": phrase_matcher,
    "PhraseMatcher (one key)": phrase_matcher_of_one_key,
    "EntityRuler": entity_ruler,
    "EntityRuler (without ids)": entity_ruler_without_ids,
    "EntityRuler (token patterns)": entity_ruler_of_tokens,
    "FlashText": flashtext,
    "pyahocorasick": aho_corasick,
    "pyahocorasick (whole words)": aho_corasick_of_words,
}


def _model(names: Sequence[str]) -> Model:
    from anaphora import Model
    from anaphora.grammar.idl.compiler import compile_intents
    from benchmarks.models import element

    return Model(
        id="names",
        elements=(element("order"), element("name", values=list(names))),
        intents=compile_intents("intent=order term={# == 'order'} term(name)~{# == 'name'}"),
    )


def _ruler(patterns: list[dict[str, object]], *, tells_value: bool = True) -> Tagger:
    from spacy.lang.en import English

    nlp = English()
    ruler: Any = nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.add_patterns(patterns)

    def found(doc: Doc) -> list[str]:
        return [entity.ent_id_ or entity.text.lower() for entity in doc.ents]

    return Tagger(
        lambda text: found(nlp(text)),
        nlp.make_doc,
        lambda doc: found(ruler(doc)),
        tells_value=tells_value,
    )


def _automaton(names: Sequence[str]) -> Any:
    from ahocorasick import Automaton  # type: ignore[import-not-found]

    automaton = Automaton()
    for name in names:
        automaton.add_word(name, name)
    automaton.make_automaton()
    return automaton
