"""Elements that are composed of other elements."""

from __future__ import annotations

from textwrap import dedent

import pytest
import spacy
from spacy.tokens import Doc

from anaphora import Engine, parse_model
from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.spacy.language_pipelines import build_pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.errors import ModelError
from anaphora.grammar.context import EntityContext
from anaphora.grammar.idl.intent import Predicate
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import Element
from tests.entities.helpers.model_builders import element, model, part
from tests.support.line_counter import count_lines

DAY = element("day", "today", values={"monday": ["monday"], "friday": ["friday"]})
RANGE = element(
    "range", ("from", part("# == 'day'", "from"), "to", part("# == 'day'", "to")), groups=["time"]
)
TRIP = element(
    "trip", ("trip", part("# == 'city'", "where"), part("has(ent_groups(), 'time')", "when"))
)
CITY = element("city", values={"Tokyo": ["tokyo"], "New York": ["new york"]})


def of(utterance: Utterance, element: str) -> list[Entity]:
    return [entity for entity in utterance.entities if entity.element == element]


def shape(entity: Entity) -> str:
    """The entity with its parts, in one line."""
    parts = ", ".join(f"{'/'.join(p.aliases)}: {shape(p)}" for p in entity.parts)
    return f"{entity}({parts})" if parts else str(entity)


def test_a_range_is_composed_of_two_days():
    utterance = Pipeline(model(RANGE, DAY))("weather from monday to friday please")
    (found,) = of(utterance, "range")
    assert shape(found) == "range(from: day=monday, to: day=friday)"
    assert (found.text, found.tokens) == ("from monday to friday", (1, 2, 3, 4))
    assert [(p.text, p.tokens) for p in found.parts] == [("monday", (2,)), ("friday", (4,))]
    assert (found.stem, found.exact, found.gaps) == ("from monday to friday", True, 0)
    assert [str(entity) for entity in of(utterance, "day")] == ["day=monday", "day=friday"]
    assert [e.aliases for e in of(utterance, "day")] == [(), ()]
    assert [str(e) for e in find_variants(utterance)[0].entities] == ["range"]


def test_elements_are_composed_to_any_depth():
    pipeline = Pipeline(model(TRIP, RANGE, CITY, DAY))
    (trip,) = of(pipeline("a trip New York from monday to friday"), "trip")
    assert shape(trip) == (
        "trip(where: city=New York, when: range(from: day=monday, to: day=friday))"
    )
    assert trip.tokens == (1, 2, 3, 4, 5, 6, 7)
    again = element("again", (part("# == 'trip'"), "again"))
    (found,) = of(
        Pipeline(model(again, TRIP, RANGE, CITY, DAY))("trip tokyo from today to friday again"),
        "again",
    )
    assert shape(found).startswith("again(: trip(where: city=Tokyo, when: range(from: day, ")


def test_a_part_must_fit_its_predicate():
    pipeline = Pipeline(model(element("end", ("till", part("tok_value() == 'friday'"))), DAY))
    assert of(pipeline("till monday"), "end") == []
    assert len(of(pipeline("till friday"), "end")) == 1


def test_two_readings_of_the_same_words_make_two_entities():
    north = element("paris", values={"France": ["paris"], "Texas": ["paris"]})
    utterance = Pipeline(model(north, element("way", ("to", part("# == 'paris'", "where")))))(
        "to paris"
    )
    assert sorted(map(shape, of(utterance, "way"))) == [
        "way(where: paris=France)", "way(where: paris=Texas)",
    ]  # fmt: skip


def test_an_abstract_element_is_a_part_and_no_entity_of_its_own():
    day = Element(DAY.id, DAY.groups, DAY.phrases, DAY.values, abstract=True)
    utterance = Pipeline(model(RANGE, day))("from monday to friday or today")
    assert [shape(e) for e in utterance.entities] == ["range(from: day=monday, to: day=friday)"]
    assert [p.marks for p in utterance.entities[0].parts] == [frozenset({"abstract"})] * 2
    doc = build_pipeline(model(RANGE, day), "en")("from monday to today")
    assert [span.label_ for span in doc.spans["anaphora"]] == ["range"]
    nlp = spacy.blank("en")
    build_pipeline(model(RANGE, day), "en", nlp)
    assert nlp.get_pipe("anaphora_elements").labels == ("range",)


def test_an_element_is_no_part_of_itself_by_way_of_its_group():
    either = element("list", ("both", part("has(ent_groups(), 'list')")), groups=["list"])
    other = element("item", "pen", groups=["list"])
    utterance = Pipeline(model(either, other))("both both pen")
    assert [e.text for e in of(utterance, "list")] == ["both pen"]


def test_a_part_of_which_nothing_is_known_may_be_anything_found_before():
    any_two = element("pair", (part("true", "one"), "and", part("true", "other")))
    utterance = Pipeline(model(any_two, RANGE, DAY, CITY))("tokyo and from today to friday")
    assert [shape(e) for e in of(utterance, "pair")] == [
        "pair(one: city=Tokyo, other: range(from: day, to: day=friday))"
    ]


def test_a_predicate_sees_the_model_the_text_and_no_sentence_around():
    seen = []

    def look(context: EntityContext) -> bool:
        seen.append((context.entity, context.question))
        return True

    either = element("any", (EntityPart("", "look", Predicate(look, "look")), "please"))
    it = model(either, DAY, meta={"a": 1}, version="2")
    assert len(of(Pipeline(it)("Today please"), "any")) == 1
    ((entity, around),) = seen  # asked once
    assert (entity.element, entity.stem, entity.lemma) == ("day", "today", "today")
    assert (around.entities, around.text, around.normal_text) == (
        (), "Today please", "today please",
    )  # fmt: skip
    facts = around.model
    assert (facts.id, facts.version, facts.meta) == ("test", "2", {"a": 1})


def test_a_failing_predicate_is_reported_and_the_text_is_still_read():
    broken = element("broken", ("by", part("1 / (length(tok_value()) - 6) > 0", "x")))
    utterance = Pipeline(model(broken, DAY, CITY))("by monday in tokyo")
    assert utterance.error.startswith("element broken, synonym ^^[x]{1 / (length")
    assert "^^ for day=monday: " in utterance.error
    assert [str(e) for e in utterance.entities] == ["day=monday", "city=Tokyo"]
    assert Pipeline(model(broken, DAY, CITY))("in tokyo").error == ""


def test_a_composed_entity_is_as_exact_as_its_parts():
    exact = Pipeline(model(RANGE, DAY))
    assert not of(exact("from mondays to friday"), "range")[0].exact
    assert of(exact("FROM Monday TO friday"), "range")[0].exact


def test_elements_composed_in_a_circle_are_an_error():
    one = element("one", ("a", part("# == 'two'")))
    two = element("two", ("b", part("# == 'one'")))
    with pytest.raises(ModelError, match="one → two → one"):
        Pipeline(model(one, two))


def test_blanks_and_hyphens_between_the_parts_make_no_difference():
    (found,) = of(Pipeline(model(RANGE, DAY))("from  monday to\nfriday"), "range")
    assert found.text == "from  monday to\nfriday"
    assert found.stem == "from monday to friday"
    assert [part.text for part in found.parts] == ["monday", "friday"]


def test_a_sparse_phrase_may_have_parts():
    book = element("book", ("book", part("# == 'day'", "when")), sparse=True)
    (found,) = of(Pipeline(model(book, DAY))("book a nice room for monday or so"), "book")
    assert (found.text, found.tokens, found.gaps) == ("book monday", (0, 5), 4)
    assert shape(found) == "book(when: day=monday)"


def test_reset_phrases_may_have_parts():
    pipeline = Pipeline(model(DAY, reset=[("forget", part("# == 'day'"))]))
    assert pipeline("forget monday").resets == ((0, 1),)
    assert pipeline("forget tokyo").resets == ()


def test_a_saved_pipeline_composes_the_same(tmp_path):
    abstract = Element(DAY.id, DAY.groups, DAY.phrases, DAY.values, abstract=True, meta={"a": [1]})
    ask = ("ask", part("meta_tok('a') != null && meta_model('b') == 2", "day"))
    it = model(TRIP, RANGE, CITY, abstract, element("ask", ask), meta={"b": 2})
    text = "trip tokyo from monday to friday, ask today"
    Pipeline(it, nlp := spacy.blank("en"))
    nlp.to_disk(tmp_path / "saved")
    loaded = spacy.load(tmp_path / "saved")
    for doc in (loaded(text), Doc(loaded.vocab).from_bytes(loaded(text).to_bytes())):
        assert doc.spans["anaphora"].attrs == nlp(text).spans["anaphora"].attrs
        assert [s.label_ for s in doc.spans["anaphora"]] == ["trip", "city", "range", "ask"]


@pytest.mark.parametrize(
    "text", ["from monday to " * 200, "from " * 600, "monday " * 600, "a a b " * 200]
)
def test_the_work_grows_as_the_text_does(text):
    pair = element("pair", (part("# == 'day'"), part("# == 'day'")), sparse=True, permute=True)
    some = element("some", (part("true"), "a", part("true"), "b"))
    pipeline = Pipeline(model(RANGE, DAY, pair, some))
    half = " ".join(text.split()[: len(text.split()) // 2])
    small, _ = count_lines(lambda: pipeline(half))
    large, _ = count_lines(lambda: pipeline(text))
    assert 0 < large < 2.6 * small


def test_many_readings_of_a_part_do_not_multiply():
    """30 readings of each of four parts would be 810,000 entities."""
    thing = element("thing", values={f"v{n}": ["x"] for n in range(30)})
    four = element("four", tuple(part("# == 'thing'") for _ in range(4)))
    work, utterance = count_lines(lambda: Pipeline(model(thing, four))("x x x x"))
    assert len(of(utterance, "four")) == 16
    assert work < 200_000


def test_a_sparse_phrase_too_makes_an_entity_of_each_reading_of_its_parts():
    city = element("city", values={"France": ["paris"], "Texas": ["paris"]})
    way = element("way", ("go", part("# == 'city'", "where")), sparse=True)
    assert sorted(map(shape, of(Pipeline(model(city, way))("go quickly to paris"), "way"))) == [
        "way(where: city=France)", "way(where: city=Texas)",
    ]  # fmt: skip


@pytest.mark.parametrize("sparse", [False, True])
def test_an_entity_in_pieces_may_be_a_part(sparse):
    off = element("off", "turn off", sparse=True)
    polite = element("polite", ("please", part("# == 'off'", "what")), sparse=sparse)
    utterance = Pipeline(model(off, polite, element("light", "light")))("please turn the light off")
    (found,) = of(utterance, "polite")
    assert shape(found) == "polite(what: off)"
    assert (found.text, found.tokens, found.gaps) == ("please turn off", (0, 1, 4), 2)
    assert [str(entity) for entity in find_variants(utterance)[0].entities] == ["polite", "light"]


@pytest.mark.parametrize(
    ("times", "most"),
    [(500, 6_000_000), pytest.param(2500, 15_000_000, marks=pytest.mark.thorough)],
)
@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("a a ", {}),
        ("a b ", {"greedy": False}),
        ("a-a-", {"sparse": True, "permute": True}),
    ],
)
def test_layer_upon_layer_of_parts_in_a_long_text_is_bounded(text, more, times, most):
    """Each layer would multiply what it is made of."""
    layers = [element("l0", "a", "b", "a a")]
    for level in range(1, 6):
        inner = part(f"# == 'l{level - 1}'")
        layers.append(element(f"l{level}", (inner,), (inner, inner), ("a", inner), **more))
    pipeline = Pipeline(model(*layers))
    work, utterance = count_lines(lambda: pipeline((text * times).rstrip("-")))
    assert {"l0", "l1"} <= {entity.element for entity in utterance.entities}
    assert 0 < work < most


@pytest.mark.parametrize("sparse", [False, True])
def test_a_role_is_of_the_likeliest_place_and_of_another_where_that_is_asked_for(sparse) -> None:
    found = """
    id: trip
    entities: [place]
    elements:
      - {id: to, id_synonym: false, sparse: %s, synonyms: ["to ^^[city]{# == 'place'}^^"]}
    intents:
      - "intent=texas term(to)={%s}"
    """
    part = "meta_part(tok_find_part(tok_this, 'city'), 'country')"
    for asked, country in (("# == 'to'", "FR"), (f"# == 'to' && {part} == 'US'", "US")):
        engine = Engine(parse_model(dedent(found) % (str(sparse).lower(), asked)))
        (to,) = engine.ask("to Paris").slots["to"].entities
        assert to.parts[0].meta["country"] == country
