"""Entities that a spaCy pipeline finds: a small one that is trained here, and rules."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Span
from spacy.training import Example

from anaphora import Engine, HandlerError, ModelError, load_model, parse_model
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.models.domain import Model

PEOPLE = ("Ada", "Grace", "Alan", "Barbara", "Donald", "Linus", "Margaret", "Dennis", "Guido")
CITIES = ("Paris", "Oslo", "Lima", "Cairo", "Rome", "Quito", "Minsk", "Accra", "Turin", "Kyoto")
SENTENCES = (
    "{person} lives in {city}",
    "is {person} in {city} today ?",
    "book a table for {person}",
    "call {person} now",
    "where is {person} ?",
    "what does {person} order ?",
    "what is the weather in {city} ?",
    "{person} and {other} meet in {city}",
    "and {person} ?",
    "and in {city} ?",
    "go to {city}",
    "orders from {city}",
)

WHO = """
id: who
language: en
{more}
elements:
  - id: call
    groups: [action]
  - id: staff
    groups: [who]
    recognizer: "spacy:PERSON"
    meta: {{kind: human}}
    topic: true
    synonyms: [the boss]
  - id: team
    groups: [who]
    synonyms: ["^^[first]{{# == 'staff'}}^^ and ^^[second]{{# == 'staff'}}^^"]
entities: ["spacy:gpe"]
intents:
  - "intent=call term(act)~{{# == 'call'}} term(who)~{{has(ent_groups(), 'who')}}
    term(where)~{{# == 'spacy:gpe'}}?"
"""


@pytest.fixture(scope="module")
def trained() -> Language:
    """A pipeline with a recognizer of persons and places, trained on what is above."""
    rng = random.Random(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    examples = [_example(nlp, rng, sentence) for sentence in SENTENCES * 8]
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(20):
        rng.shuffle(examples)
        nlp.update(examples, sgd=optimizer, drop=0.1)
    return nlp


def _example(nlp: Language, rng: random.Random, sentence: str) -> Example:
    person, other = rng.sample(PEOPLE, 2)
    words = {"{person}": person, "{other}": other, "{city}": rng.choice(CITIES)}
    text, entities = "", []
    for piece in re.split(r"(\{\w+\})", sentence):
        word = words.get(piece, piece)
        if piece in words:
            label = "GPE" if piece == "{city}" else "PERSON"
            entities.append((len(text), len(text) + len(word), label))
        text += word
    return Example.from_dict(nlp.make_doc(text), {"entities": entities})


@pytest.fixture
def saved(trained: Language, tmp_path: Path) -> Path:
    """The folder of a model whose file names the trained pipeline, saved beside it."""
    trained.to_disk(tmp_path / "people")
    (tmp_path / "who.yaml").write_text(WHO.format(more="pipeline: ./people"))
    return tmp_path


@pytest.fixture
def copied(saved: Path) -> Language:
    return spacy.load(saved / "people")


def who(more: str = "") -> Model:
    return parse_model(WHO.format(more=more))


def found(pipeline: Pipeline, text: str) -> list[str]:
    best, *_ = find_variants(pipeline(text))
    return [f"{entity.element}: {entity.text}" for entity in best.entities]


def test_a_model_file_names_the_pipeline_that_finds_people(saved: Path) -> None:
    engine = Engine(saved / "who.yaml")
    reply = engine.ask("call Guido now")
    assert reply.slots["who"].value == "Guido"
    (entity,) = reply.slots["who"].entities
    assert (entity.element, entity.groups, entity.is_from_phrase, entity.topic) == (
        "staff", frozenset({"who"}), False, True,
    )  # fmt: skip
    assert entity.meta == {"kind": "human", "label": "PERSON"}
    follow_up = engine.ask("and Margaret?")
    assert (follow_up.intent, follow_up.slots["who"].value) == ("call", "Margaret")
    assert follow_up.slots["act"].source == "memory"


def test_a_pipeline_can_be_given_to_the_engine(copied: Language) -> None:
    engine = Engine(who(), nlp=copied)
    reply = engine.ask("call Ada in Paris")
    assert {name: slot.value for name, slot in reply.slots.items()} == {
        "act": "call", "who": "Ada", "where": "Paris",
    }  # fmt: skip


def test_one_that_is_given_comes_before_the_one_that_the_file_names(copied: Language) -> None:
    model = who("pipeline: ./nowhere")
    assert Engine(model, nlp=copied).ask("call Ada").intent == "call"
    with pytest.raises(ModelError, match="there is no spaCy pipeline in the folder"):
        Engine(model)


def test_people_and_synonyms_of_the_model_make_an_element_together(copied: Language) -> None:
    pipeline = Pipeline(who(), copied)
    assert found(pipeline, "call Ada and Linus") == ["call: call", "team: Ada and Linus"]
    team = next(e for e in pipeline("call Ada and the boss").entities if e.element == "team")
    assert [(part.aliases, part.text, part.is_from_phrase) for part in team.parts] == [
        (("first",), "Ada", False),
        (("second",), "the boss", True),
    ]


def test_the_case_of_a_label_does_not_count(copied: Language) -> None:
    assert "spacy:gpe: Paris" in found(Pipeline(who(), copied), "call Ada in Paris")


def test_a_saved_pipeline_with_our_components_finds_the_same_when_loaded(
    copied: Language, tmp_path: Path
) -> None:
    Pipeline(who(), copied)
    copied.to_disk(tmp_path / "all")
    doc = spacy.load(tmp_path / "all")("call Ada and Linus in Paris")
    assert [span.text for span in doc.spans["anaphora:staff"]] == ["Ada", "Linus"]
    assert [span.text for span in doc.spans["anaphora:spacy:gpe"]] == ["Paris"]
    assert "Ada and Linus" in [span.text for span in doc.spans["anaphora"]]
    again = Engine(who("pipeline: ./all"), nlp=spacy.load(tmp_path / "all"))
    assert again.ask("call Ada").slots["who"].value == "Ada"


RULES = """
id: rules
elements:
  - id: buy
  - {id: fruit, recognizer: "spacy:FRUIT"}
intents: ["intent=buy term~{# == 'buy'} term(fruit)~{# == 'fruit'}+"]
"""


def ruled() -> Language:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "FRUIT", "pattern": "apple", "id": "malus"},
            {"label": "FRUIT", "pattern": "Granny Smith", "id": "malus"},
            {"label": "FRUIT", "pattern": "pear"},
        ]
    )
    return nlp


def test_rules_of_spacy_give_their_ids_as_values() -> None:
    reply = Engine(parse_model(RULES), nlp=ruled()).ask("buy a Granny Smith and a pear")
    assert reply.slots["fruit"].value == ["malus", "pear"]
    assert [e.meta for e in reply.slots["fruit"].entities] == [
        {"label": "FRUIT", "id": "malus"},
        {"label": "FRUIT"},
    ]


@Language.component("test_ner_spans")
def overlapping(doc):
    """Stands for a span categorizer: what it finds may overlap."""
    words = [token.i for token in doc if token.lower_ == "apple"]
    doc.spans["sc"] = [
        span
        for i in words
        for span in (
            Span(doc, i, i + 1, "FRUIT", kb_id="Q89"),
            Span(doc, i, i + 1, "FRUIT", kb_id="Q312"),
            Span(doc, i, min(i + 2, len(doc)), "FRUIT"),
        )
    ]
    return doc


def test_spans_of_a_group_may_be_several_readings_of_one_place() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("test_ner_spans")
    pipeline = Pipeline(parse_model(RULES), nlp)
    assert {(e.text, e.value) for e in pipeline("an apple").entities} == {
        ("apple", "Q89"), ("apple", "Q312"), ("apple", None),
    }  # fmt: skip
    assert [e.text for e in pipeline("an apple pie").entities] == ["apple pie"]  # the longest
    ways = [way.entities[-1].value for way in find_variants(pipeline("buy apple"))]
    assert sorted(ways, key=str) == [None, "Q312", "Q89"]


def test_attributes_of_a_span_are_metadata() -> None:
    Span.set_extension("test_weight", default=None, force=True)
    nlp = spacy.blank("en")

    @Language.component("test_ner_weighing")
    def weighing(doc):
        span = Span(doc, 0, 1, "FRUIT")
        span._.test_weight = 7
        doc.ents = [span]
        return doc

    try:
        nlp.add_pipe("test_ner_weighing")
        (entity,) = Pipeline(parse_model(RULES), nlp)("melon").entities
        assert entity.meta == {"label": "FRUIT", "test_weight": 7}
    finally:
        Span.remove_extension("test_weight")


@pytest.fixture
def error_of() -> Callable[..., ModelError]:
    def error(text: str, nlp: Language | None = None) -> ModelError:
        with pytest.raises(ModelError) as caught:
            Engine(parse_model(dedent(text), source="bot.yaml"), nlp=nlp)
        return caught.value

    return error


def test_a_pipeline_without_entities_is_reported(error_of) -> None:
    error = error_of(RULES)
    assert error.message == (
        "no component of the spaCy pipeline finds entities, so nothing is found for 'spacy:FRUIT'"
    )
    assert error.source == "bot.yaml"
    assert "python -m spacy download en_core_web_sm" in error.hint
    assert "nlp=" in error.hint
    sentences = spacy.blank("en")
    sentences.add_pipe("sentencizer")
    assert error_of(RULES, sentences).message == error.message


def test_a_component_behind_ours_cannot_give_it_entities(error_of) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("anaphora_elements")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "FRUIT", "pattern": "pear"}])
    assert "no component of the spaCy pipeline finds entities" in error_of(RULES, nlp).message


@pytest.mark.parametrize(
    ("label", "hint"),
    [("FRUITS", "did you mean 'spacy:FRUIT'?"), ("PERSON", "it has FRUIT")],
)
def test_a_label_that_the_pipeline_does_not_have_is_reported(error_of, label, hint) -> None:
    error = error_of(RULES.replace("spacy:FRUIT", f"spacy:{label}"), ruled())
    assert error.message == f"the spaCy pipeline has no label '{label}'"
    assert error.hint == hint


def test_a_component_that_tells_no_labels_is_trusted() -> None:
    nlp = ruled()
    nlp.add_pipe("test_ner_spans")
    Engine(parse_model(RULES.replace("spacy:FRUIT", "spacy:ANYTHING")), nlp=nlp)


def test_a_model_of_two_languages_may_have_entities_in_one_alone(saved: Path) -> None:
    for named in ("./people", "{en: ./people}"):
        text = WHO.format(more=f"pipeline: {named}").replace("language: en", "language: [ru, en]")
        (saved / "two.yaml").write_text(text)
        pipeline = Pipeline(load_model(saved / "two.yaml"))
        assert found(pipeline, "call Guido now") == ["call: call", "staff: Guido"]


@pytest.mark.parametrize(
    ("named", "message", "hint"),
    [
        ("en_no_such_model", "pipeline 'en_no_such_model' is not installed", "spacy download en_"),
        ("./nothing", "there is no spaCy pipeline in the folder", "nlp.to_disk"),
        ("./empty", "there is no spaCy pipeline in the folder", "nlp.to_disk"),
        ("./broken", "cannot be loaded: ", "spacy validate"),
        ("./russian", "is made for 'ru', and not for 'en'", "pipeline: {LANGUAGE: NAME"),
    ],
)
def test_a_pipeline_that_cannot_be_used_is_reported(tmp_path, named, message, hint) -> None:
    (tmp_path / "empty").mkdir()
    spacy.blank("en").to_disk(tmp_path / "broken")
    (tmp_path / "broken" / "config.cfg").write_text("[nlp]\nlang = [")
    spacy.blank("ru").to_disk(tmp_path / "russian")
    (tmp_path / "bot.yaml").write_text(RULES + f"pipeline: {named}\n")
    with pytest.raises(ModelError, match=re.escape(message)) as caught:
        Engine(tmp_path / "bot.yaml")
    assert caught.value.source.endswith("bot.yaml")
    assert hint in caught.value.hint


@pytest.fixture
def failing() -> Language:
    @Language.component("test_ner_failing")
    def fail(doc):
        if "boom" in doc.text:
            raise KeyError("boom")
        return doc

    nlp = spacy.blank("en")
    nlp.add_pipe("test_ner_failing")
    return nlp


def test_a_component_that_fails_leaves_the_conversation_as_it_was(failing) -> None:
    model = parse_model("id: m\nelements: [{id: e}]\nintents: [\"intent=i term(t)~{# == 'e'}\"]\n")
    engine = Engine(model, nlp=failing)
    engine.ask("e")
    before = engine.memory()
    with pytest.raises(HandlerError, match="test_ner_failing") as caught:
        engine.ask("boom")
    assert caught.value.__cause__ is not None
    assert engine.memory() == before
    assert engine.ask("e").status == "matched"
