"""Those that find names in texts: Anaphora's, and libraries that do nothing else.

Each is built from names, whose values are the names themselves in lower case, and answers a text
with the values of the names in it, in order. Only what gives a value is asked for one: where a
library says merely which words it has found, they are what it answers.
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
    """What finds names. ``find`` gives the values of those in a text, all work from the text on
    included; one that works on spaCy's tokens has also ``tokenize``, and ``find_in`` for what that
    has made. ``tells_value`` is whether it says of what it has found which value that is."""

    find: Callable[[str], list[str]]
    tokenize: Callable[[str], Doc] | None = None
    find_in: Callable[[Doc], list[str]] | None = None
    tells_value: bool = True


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a tagger does for its time: say which value a name has, find a name in another case
    and in another form ("berries"), find names that share a word, find whole words alone."""

    value: bool
    case: bool
    forms: bool
    overlaps: bool
    words: bool


def abilities(tagger: str) -> Abilities:
    """Found out by asking it."""
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
    """Everything that an utterance is for Anaphora: tokens with stems, and all the entities."""
    from anaphora.entities.pipeline import Pipeline

    pipeline = Pipeline(_model(names))

    def find(text: str) -> list[str]:
        return [entity.value or "" for entity in pipeline(text).entities]

    return Tagger(find)


def anaphora_component(names: Sequence[str]) -> Tagger:
    """Its component in a spaCy pipeline, without what :class:`Pipeline` copies out of the Doc."""
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
    """A key for each name, which is its value."""
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
    """All names have one key: which it is the words say."""
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
    """Phrase patterns with ids, which are the values."""
    return _ruler([{"label": "NAME", "pattern": name, "id": name} for name in names])


def entity_ruler_without_ids(names: Sequence[str]) -> Tagger:
    """Phrase patterns of one label: which name it is the words say."""
    return _ruler([{"label": "NAME", "pattern": name} for name in names], tells_value=False)


def entity_ruler_of_tokens(names: Sequence[str]) -> Tagger:
    """Token patterns with ids; they are tried one after the other."""
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
    """Any run of letters that is a name, also inside of words."""
    automaton = _automaton(names)

    def find(text: str) -> list[str]:
        return [name for _, name in automaton.iter(text.lower())]

    return Tagger(find)


def aho_corasick_of_words(names: Sequence[str]) -> Tagger:
    """Whole words alone: what stands before and behind must be no letter or digit."""
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
