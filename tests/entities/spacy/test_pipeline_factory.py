"""Elements that recognizers find, beside those of phrases: in one pipeline, in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Span

from anaphora import Engine, HandlerError, Mention, ModelError, parse_model
from anaphora.core.utterance import Entity
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.spacy.language_pipelines import build_pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.models.domain import Element, Model, RecognizerSpec
from tests.entities.helpers.model_builders import element, model, part


def digits(text: str) -> list[Mention]:
    return [
        Mention(m.start(), m.end(), m.group(), {"n": int(m.group())})
        for m in re.finditer(r"\d+", text)
    ]


def named(id: str, function: Callable[..., Any] = digits, **more: Any) -> Element:
    """An element that the function finds."""
    recognition = RecognizerSpec("function", f"tests#{id}", {}, function)
    return Element(id, more.pop("groups", frozenset({id})), recognition=recognition, **more)


def found(pipeline: Pipeline, text: str) -> list[str]:
    best, *_ = find_variants(pipeline(text))
    return [f"{entity}: {entity.text}" for entity in best.entities]


def test_an_entity_has_what_its_element_says_and_what_was_recognized() -> None:
    number = named(
        "number",
        groups=frozenset({"a", "b"}),
        ancestors=("quantity",),
        topic=True,
        meta={"n": 0, "unit": "piece"},
    )
    (entity,) = Pipeline(model(number))("take 12").entities
    assert (entity.groups, entity.ancestors, entity.topic) == ({"a", "b"}, ("quantity",), True)
    assert entity.meta == {"n": 12, "unit": "piece"}
    assert (entity.value, entity.exact, entity.is_from_phrase) == ("12", True, False)


def test_components_stand_before_the_tagger_and_go_with_their_model() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    build_pipeline(model(named("number"), element("x", "x")), "en", nlp)
    assert nlp.pipe_names == ["sentencizer", "anaphora:number", "anaphora_elements"]
    build_pipeline(model(named("other")), "en", nlp)
    assert nlp.pipe_names == ["sentencizer", "anaphora:other", "anaphora_elements"]
    build_pipeline(model(element("x", "x")), "en", nlp)
    assert nlp.pipe_names == ["sentencizer", "anaphora_elements"]


def test_phrases_are_composed_of_recognized_entities_and_of_phrases() -> None:
    pipeline = Pipeline(
        model(
            named("number"),
            element("unit", values={"km": ["km", "kilometres"]}),
            element("distance", (part("# == 'number'", "how"), part("# == 'unit'", "what"))),
            element("range", ("from", part("# == 'number'", "a"), "to", part("# == 'distance'"))),
        )
    )
    assert found(pipeline, "walk 5 kilometres") == ["distance: 5 kilometres"]
    assert found(pipeline, "walk from 5 to 7 km") == ["range: from 5 to 7 km"]
    whole = find_variants(pipeline("walk from 5 to 7 km"))[0].entities[0]
    assert [(one.element, one.meta, one.is_from_phrase) for one in whole.parts] == [
        ("number", {"n": 5}, False),
        ("distance", {}, True),
    ]
    inner = whole.parts[1].parts[0]
    assert (inner.aliases, inner.value, inner.meta, inner.is_from_phrase) == (
        ("how",),
        "7",
        {"n": 7},
        False,
    )


def test_a_part_may_be_asked_for_by_what_was_recognized() -> None:
    many = part("# == 'number' && meta_ent('n') > 10")
    pipeline = Pipeline(model(named("number"), element("crowd", (many, "people"))))
    assert found(pipeline, "11 people") == ["crowd: 11 people"]
    assert found(pipeline, "9 people") == ["number=9: 9"]


def test_an_abstract_one_only_serves_others() -> None:
    pipeline = Pipeline(
        model(named("number", abstract=True), element("floor", ("floor", part("# == 'number'"))))
    )
    assert found(pipeline, "to floor 7") == ["floor: floor 7"]
    assert found(pipeline, "to 7") == []


def test_an_abstract_entity_gets_the_time_of_the_question() -> None:
    from datetime import UTC, datetime

    seen = []
    clock = named("clock", lambda at: seen.append(at), abstract=True)
    at = datetime(2026, 1, 5, tzinfo=UTC)
    Pipeline(model(clock))("x", at=at)
    assert seen == [at]


def test_overlapping_entities_are_readings_of_which_the_longest_is_best() -> None:
    def pairs(text: str) -> list[Mention]:
        return [Mention(m.start(), m.end()) for m in re.finditer(r"\d+ \d+", text)]

    pipeline = Pipeline(model(named("number"), named("pair", pairs)))
    utterance = pipeline("1 2")
    assert {str(entity) for entity in utterance.entities} == {"number=1", "number=2", "pair"}
    ways = [[str(entity) for entity in way.entities] for way in find_variants(utterance)]
    assert ways == [["pair"], ["number=1", "number=2"]]


def test_of_one_element_the_longest_counts_unless_it_is_not_greedy() -> None:
    def every(text: str) -> list[Mention]:
        return [Mention(0, len(text)), Mention(0, 1)]

    for greedy, count in ((True, 1), (False, 2)):
        pipeline = Pipeline(model(named("it", every, greedy=greedy)))
        assert len(pipeline("a b").entities) == count


def test_the_words_of_the_model_come_before_what_was_recognized() -> None:
    pipeline = Pipeline(model(named("number"), element("agent", values={"bond": ["007"]})))
    first, second = find_variants(pipeline("007"))
    assert [str(entity) for entity in first.entities] == ["agent=bond"]
    assert [str(entity) for entity in second.entities] == ["number=007"]


def test_a_component_of_the_user_may_change_what_was_found() -> None:
    @Language.component("test_assembly_only_last")
    def only_last(doc):
        group = doc.spans["anaphora:number"]
        last = group[len(group) - 1]
        doc.spans["anaphora:number"] = [Span(doc, last.start, last.end, "number", kb_id="last")]
        return doc

    nlp = spacy.blank("en")
    pipeline = Pipeline(model(named("number")), nlp)
    nlp.add_pipe("test_assembly_only_last", before="anaphora_elements")
    assert [(e.text, e.value) for e in pipeline("1 and 2").entities] == [("2", "last")]


@pytest.mark.parametrize("text", ["", " ", "\n", "\ud800 1 \udfff", "🙂1", "1" * 3000, "\u0661"])
def test_any_text_can_be_read(text: str) -> None:
    utterance = Pipeline(model(named("number")))(text)
    for entity in utterance.entities:
        assert entity.text == utterance.text[entity.start : entity.end]


STRICT = """
id: m
entities: [email]
elements:
  - {id: send}
  - {id: now}
intents:
  - "intent=send options={'unused_sys_toks': false} term(act)~{# == 'send'}"
  - "intent=any options={'unused_usr_toks': false} term(to)~{# == 'email' && !ent_is_user}"
"""


def test_options_of_intents_know_built_in_entities_from_those_of_the_model() -> None:
    engine = Engine(parse_model(STRICT))
    assert engine.ask("send now", user="1").intent == "send"
    assert engine.ask("ann@example.com", user="2").intent == "any"
    reply = engine.ask("send to ann@example.com", user="3")
    assert reply.status == "rejected"


def test_a_model_may_have_entities_and_nothing_else() -> None:
    text = "id: m\nentities: [email]\nintents: [\"intent=i term(to)~{# == 'email'}\"]\n"
    engine = Engine(parse_model(text))
    assert engine.ask("to ann@example.com").slots["to"].value == "ann@example.com"
    assert [held.entity.element for held in engine.memory()] == ["email"]


def test_what_was_recognized_is_remembered_with_its_metadata() -> None:
    shop = Model(
        "m",
        (named("number"), element("buy", "buy")),
        parse_model(
            "id: m\nelements: [{id: number}, {id: buy}]\nintents:\n"
            "  - \"intent=buy term(act)~{# == 'buy'} term(n)~{meta_ent('n') > 1}\"\n"
        ).intents,
    )
    engine = Engine(shop)
    engine.ask("buy 3")
    reply = engine.ask("buy")
    assert (reply.slots["n"].source, reply.slots["n"].entities[0].meta) == ("memory", {"n": 3})


def test_a_missing_package_is_reported_with_the_model_that_needs_it(monkeypatch) -> None:
    from anaphora.entities.spacy import entity_component
    from anaphora.errors import Problem

    def missing(*_: object, **__: object) -> None:
        raise ModelError(Problem("the entity 'email' needs a package", hint="pip install it"))

    monkeypatch.setattr(entity_component, "create_builtin", missing)
    with pytest.raises(ModelError, match="needs a package") as caught:
        Engine(parse_model(STRICT, source="bot.yaml"))
    assert (caught.value.source, caught.value.hint) == ("bot.yaml", "pip install it")


def test_a_failure_in_one_language_is_reported_for_the_model(monkeypatch) -> None:
    def fail(text: str, language: str) -> None:
        if language == "ru":
            raise ValueError("нет")

    two = model(named("it", fail), languages=("en", "ru"))
    pipeline = Pipeline(two)
    with pytest.raises(HandlerError, match="ValueError: нет"):
        pipeline("word")
    assert pipeline("word", "en").entities == ()


def test_a_recognized_entity_is_explained_as_any_other() -> None:
    (entity,) = Pipeline(model(named("number")))("take 12").entities
    assert isinstance(entity, Entity)
    assert str(entity) == "number=12"
