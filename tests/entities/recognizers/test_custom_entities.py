"""Entities that Python functions and registered spaCy components find."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent, indent

import pytest
import spacy
from hypothesis import example, given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span
from typer.testing import CliRunner

from anaphora import Engine, HandlerError, Mention, ModelError, Request, load_model
from anaphora.cli import app
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.spacy import language_pipelines
from anaphora.models.domain import Element, Model, RecognizerSpec

SHOP = """
id: shop
code: shop
elements:
  - id: track
    synonyms: [where is, track]
  - id: order
    groups: [thing]
    recognizer: "#orders"
    config: {digits: 3}
intents:
  - "intent=track term(act)~{# == 'track'} term(order)~{# == 'order'}"
responses:
  track: "{{ order }}"
"""

CODE = """
import re
from anaphora import Mention

def orders(text, digits=4):
    for found in re.finditer(rf"[A-Z]{{2}}-(\\d{{{digits}}})", text):
        yield Mention(found.start(), found.end(), found[0], {"number": int(found[1])})
"""


@pytest.fixture
def shop(tmp_path: Path) -> Callable[..., Path]:
    """Writes a model file with the module of its functions beside it."""

    def write(model: str = SHOP, code: str = CODE) -> Path:
        (tmp_path / "shop.py").write_text(dedent(code))
        (tmp_path / "shop.yaml").write_text(dedent(model))
        return tmp_path / "shop.yaml"

    return write


def test_a_function_beside_the_model_finds_an_element(shop) -> None:
    engine = Engine(shop())
    reply = engine.ask("where is AB-123?")
    assert reply.text == "AB-123"
    (entity,) = reply.slots["order"].entities
    assert (entity.value, entity.meta, entity.is_from_phrase) == ("AB-123", {"number": 123}, False)
    assert engine.ask("and CD-456?").text == "CD-456"


def test_intents_test_the_metadata_of_a_function(shop) -> None:
    text = SHOP.replace("{# == 'order'}", "{# == 'order' && meta_ent('number') > 500}")
    engine = Engine(shop(text))
    assert engine.ask("track AB-501").status == "matched"
    assert engine.ask("track AB-500", user="other").status == "rejected"


def finder(function: Callable[..., object], **options: object) -> Pipeline:
    """A pipeline with an element ``it`` that the function finds."""
    recognition = RecognizerSpec("function", "tests#it", options, function)
    element = Element("it", frozenset({"it"}), recognition=recognition)
    return Pipeline(Model("m", (element,), ()))


def it(pipeline: Pipeline, text: str) -> list[tuple[str, str | None]]:
    return [(entity.text, entity.value) for entity in pipeline(text).entities]


def test_a_function_is_given_what_it_asks_for_by_name() -> None:
    seen = {}

    def function(*, at, language, doc, text, options, unit="km"):
        seen.update(locals())

    at = datetime(2026, 11, 21, 10, tzinfo=UTC)
    finder(function, unit="mile")("some text", at=at)
    assert (seen["text"], seen["language"], seen["at"], seen["unit"]) == (
        "some text", "en", at, "mile",
    )  # fmt: skip
    assert [token.text for token in seen["doc"]] == ["some", "text"]
    assert seen["options"] == {"unit": "mile"}
    everything = {}
    finder(lambda **given: everything.update(given), unit=1)("x")
    assert everything.keys() == {"text", "doc", "at", "language", "options", "unit"}


def test_the_time_is_that_of_the_one_who_asks(shop) -> None:
    code = """
        from anaphora import Mention

        def orders(text, at, digits):
            return Mention(6, len(text), at.isoformat())
    """
    engine = Engine(shop(code=code))
    at = datetime(2026, 11, 21, 22, tzinfo=UTC)
    assert engine.ask("track now", at=at).text == "2026-11-21T22:00:00+00:00"
    there = Request(time_zone="Asia/Tokyo")
    assert engine.ask("track now", at=at, request=there).text == "2026-11-22T07:00:00+09:00"


@pytest.mark.parametrize(
    "function",
    [
        lambda text: Mention(0, 2),
        lambda text: [Mention(0, 2)],
        lambda text: (one for one in [Mention(0, 2), Mention(0, 2)]),
        lambda text: (Mention(0, 2), Mention(1, 2)),
    ],
)
def test_it_may_give_one_or_many_in_any_form(function) -> None:
    assert it(finder(function), "ab cd") == [("ab", None)]


def test_it_may_find_nothing() -> None:
    for nothing in (None, [], (), iter(())):
        assert it(finder(lambda given=nothing: given), "ab") == []


def test_what_lies_inside_of_words_is_widened_to_them() -> None:
    streets = finder(lambda text: [Mention(i, i + 6) for i in [text.find("straße")] if i >= 0])
    assert it(streets, "in der Bahnhofstraße") == [("Bahnhofstraße", None)]
    across = finder(lambda text: Mention(1, 7))
    assert it(across, "abc def") == [("abc def", None)]
    blank = finder(lambda text: Mention(2, 8))
    assert it(blank, "ab  cd  ef") == [("cd", None)]


def test_an_empty_mention_is_no_entity() -> None:
    for start, end in ((2, 2), (2, 4), (0, 0), (6, 6)):
        assert it(finder(lambda start=start, end=end: Mention(start, end)), "ab  cd") == []


def test_several_meanings_of_one_range_are_kept_without_duplicates() -> None:
    def springfield(text):
        for state in ("IL", "MA", "IL"):
            yield Mention(0, 11, "Springfield", {"state": state})

    entities = finder(springfield)("Springfield").entities
    assert [entity.meta["state"] for entity in entities] == ["IL", "MA"]


@pytest.mark.parametrize(
    ("gives", "message"),
    [
        (lambda: ["x"], "a str instead of a Mention"),
        (lambda: "ab", "a str instead of a Mention"),
        (lambda: [(0, 1)], "a tuple instead of a Mention"),
        (
            lambda: [Mention(1, 0)],
            "a Mention at 1:0, which is not a range in a text of 2",
        ),
        (lambda: [Mention(-1, 1)], "a Mention at -1:1"),
        (lambda: [Mention(0, 3)], "a Mention at 0:3"),
        (lambda: [Mention(0, 1.0)], "offsets are not two numbers"),
        (lambda: [Mention(0, 1, 7)], "value is not a text but an int"),
        (lambda: [Mention(0, 1, "\ud800")], "cannot be written as JSON"),
        (lambda: [Mention(0, 1, None, [1])], "metadata is not a mapping but a list"),
        (lambda: [Mention(0, 1, None, {"at": datetime.now(UTC)})], "cannot be written as JSON"),
        (lambda: [Mention(0, 1, None, {"x": float("nan")})], "cannot be written as JSON"),
        (lambda: 7, "failed: TypeError"),
        (lambda: 1 / 0, "failed: ZeroDivisionError: division by zero"),
    ],
)
def test_an_invalid_mention_is_reported_with_the_name_of_the_function(gives, message) -> None:
    with pytest.raises(HandlerError) as caught:
        finder(gives)("ab")
    assert message in str(caught.value)
    assert "the recognizer tests#it" in str(caught.value)


@example("A´¹", 0, 3)  # a sign that is read as an apostrophe
@given(st.text(max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_any_place_in_any_text_makes_an_entity_of_whole_words_or_none(text, start, end) -> None:
    pipeline = ANYWHERE
    text = text.encode("utf-8", "replace").decode()
    PLACE[:] = sorted((min(start, len(text)), min(end, len(text))))
    utterance = pipeline(text)
    covered = text[PLACE[0] : PLACE[1]].strip()
    assert bool(utterance.entities) == bool(covered)
    for entity in utterance.entities:
        assert covered in entity.text
        assert entity.text == text[entity.start : entity.end]


PLACE = [0, 0]
ANYWHERE = finder(lambda: Mention(*PLACE))


FAILING = CODE.replace("    for", "    assert 'boom' not in text, 'boom'\n    for")


def test_a_function_that_fails_leaves_the_conversation_as_it_was(shop) -> None:
    engine = Engine(shop(code=FAILING))
    engine.ask("track AB-123")
    before = engine.conversation()
    with pytest.raises(HandlerError, match="shop#orders failed: AssertionError: boom") as caught:
        engine.ask("boom")
    line = FAILING[: FAILING.index("assert 'boom'")].count("\n") + 1
    assert str(caught.value).endswith(f".py, line {line})")
    assert isinstance(caught.value.__cause__, AssertionError)
    assert engine.conversation() == before
    assert engine.ask("and CD-456?").status == "matched"


def test_the_chat_continues_after_a_function_has_failed(shop, tmp_path, monkeypatch) -> None:
    path = shop(code=FAILING)
    result = CliRunner().invoke(app, ["chat", str(path)], input="boom\ntrack AB-123\n/quit\n")
    assert result.exit_code == 0
    assert "shop#orders failed: AssertionError: boom" in result.output
    assert "AB-123" in result.output


PROBLEMS = {
    "unknown parameter": (
        "def orders(text, digit): ...",
        *(9, 17, "shop#orders requires 'digit', which is not available", "text, doc, at, language"),
    ),
    "misspelt parameter": (
        "def orders(txt, digits): ...",
        *(9, 17, "requires 'txt'", "did you mean 'text'?"),
    ),
    "by position": (
        "def orders(text, /, digits): ...",
        9,
        17,
        "takes 'text' only by position",
        "names",
    ),
    "unknown option": (
        "def orders(text, digitz=1): ...",
        *(10, 14, "shop#orders takes no option 'digits'", "did you mean 'digitz'?"),
    ),
    "no such function": ("def order(): ...", 9, 17, "no function 'orders'", "mean 'order'?"),
    "a class": ("class orders: ...", 9, 17, "is not a function but a class", ""),
    "async": ("async def orders(): ...", 9, 17, "is async", ""),
    "broken module": ("1 / 0", 9, 17, "cannot be imported: ZeroDivisionError", ""),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_a_function_that_cannot_be_called_is_reported_when_the_model_is_loaded(shop, case) -> None:
    code, line, column, message, hint = PROBLEMS[case]
    with pytest.raises(ModelError) as caught:
        load_model(shop(code=code))
    problem = caught.value.problems[0]
    assert message in problem.message
    assert hint in problem.hint
    assert (problem.line, problem.column) == (line, column)


def test_an_option_may_not_hide_what_every_function_is_given(shop) -> None:
    with pytest.raises(ModelError, match="no option can be called 'text'"):
        load_model(shop(SHOP.replace("{digits: 3}", "{text: 3}")))


# Saving and loading


def test_a_saved_pipeline_calls_functions_that_python_can_import(
    shop, tmp_path, monkeypatch
) -> None:
    nlp = spacy.blank("en")
    Pipeline(load_model(shop()), nlp)
    nlp.to_disk(tmp_path / "nlp")
    with pytest.raises(ModelError, match="the recognizer shop#orders cannot be found") as caught:
        spacy.load(tmp_path / "nlp")
    assert "only a module that Python can import" in caught.value.hint
    monkeypatch.syspath_prepend(tmp_path)
    try:
        doc = spacy.load(tmp_path / "nlp")("track AB-123 and AB-1234x")
    finally:
        sys.modules.pop("shop", None)
    span = doc.spans["anaphora:order"][0]
    assert (span.text, span.kb_id_, span.label_) == ("AB-123", "AB-123", "order")
    assert doc.spans["anaphora:order"].attrs["mentions"][0]["meta"] == {"number": 123}


def test_a_saved_pipeline_reads_the_texts_of_its_model_again(shop, tmp_path, monkeypatch) -> None:
    model = load_model(shop())
    nlp = spacy.blank("en")
    Pipeline(model, nlp)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        again = spacy.blank("en")
        again.add_pipe("anaphora_entity", name="anaphora:order")
        again.add_pipe("anaphora_elements")
        again.from_bytes(nlp.to_bytes())
        assert Engine(model, nlp=again).ask("track AB-123").text == "AB-123"
    finally:
        sys.modules.pop("shop", None)


# Many texts, many threads


def test_many_threads_may_ask_through_all_changes_of_the_pipeline(monkeypatch) -> None:
    monkeypatch.setattr(language_pipelines, "_NEW_STRINGS", 30)
    monkeypatch.setattr(language_pipelines, "_ZONES", 3)
    kept = []

    def function(text, doc):
        kept.append(doc)  # which nobody should, and which may not crash
        word = text.split()[0]
        return Mention(0, len(word), word.upper())

    pipeline = finder(function)
    texts = [f"word{n} and other{n}" for n in range(400)]
    with ThreadPoolExecutor(8) as pool:
        for text, utterance in zip(texts, pool.map(pipeline, texts), strict=True):
            assert [e.value for e in utterance.entities] == [text.split()[0].upper()]
    assert {doc.text for doc in kept} == set(texts)
    assert all(" ".join(token.text for token in doc) == doc.text for doc in kept)


def test_functions_stay_when_the_vocabulary_is_renewed(monkeypatch) -> None:
    monkeypatch.setattr(language_pipelines, "_NEW_STRINGS", 50)
    monkeypatch.setattr(language_pipelines, "_ZONES", 2)
    made, blank = [], language_pipelines.blank
    monkeypatch.setattr(
        language_pipelines, "blank", lambda *a, **k: made.append(blank(*a, **k)) or made[-1]
    )
    pipeline = finder(lambda text: Mention(0, 4, text[:4]))
    for number in range(500):
        assert it(pipeline, f"{number:04d} more{number} words{number}") == [
            (f"{number:04d}", f"{number:04d}")
        ]
    assert len(made) > 2


# Components


COLOURS = """
from spacy.language import Language
from spacy.tokens import Span

@Language.component("test_shop_colours")
def colours(doc):
    doc.ents = [Span(doc, t.i, t.i + 1, "Colour") for t in doc if t.lower_ in ("red", "blue")]
    return doc
"""


@Language.factory("test_shop_sizes", default_config={"words": ["small"]})
def sizes(nlp: Language, name: str, words: list[str]) -> Callable[[Doc], Doc]:
    """Finds sizes, whose value is their first letter."""

    def find(doc: Doc) -> Doc:
        doc.spans[name] = [
            Span(doc, token.i, token.i + 1, "size", kb_id=token.lower_[0])
            for token in doc
            if token.lower_ in words
        ]
        return doc

    return find


SIZES = """
id: shirts
elements:
  - id: buy
  - id: size
    recognizer: "component:test_shop_sizes"
    {config}
intents:
  - "intent=buy term~{{# == 'buy'}} term(size)~{{# == 'size'}}"
"""


def test_a_component_that_the_code_of_the_model_registers_finds_an_element(shop) -> None:
    text = SIZES.replace("size", "colour")
    path = shop(f"code: shop\n{text.format(config='').lstrip()}", COLOURS)
    for _ in range(2):  # the same file may be loaded again
        assert Engine(path).ask("buy a RED one").slots["colour"].value == "RED"


def test_a_component_gets_the_options_of_its_element(shop) -> None:
    engine = Engine(shop(SIZES.format(config="config: {words: [medium, large]}")))
    assert engine.ask("buy a LARGE one").slots["size"].value == "l"
    assert engine.ask("buy a small one", user="other").status == "rejected"


def test_one_component_serves_all_elements_that_name_it_without_options(shop) -> None:
    text = SIZES.format(config="").replace(
        "intents:", "  - {id: Size, recognizer: 'component:test_shop_sizes'}\nintents:"
    )
    nlp = spacy.blank("en")
    pipeline = Pipeline(load_model(shop(text)), nlp)
    assert [e.element for e in pipeline("small").entities] == ["size", "Size"]
    factories = [nlp.get_pipe_meta(name).factory for name in nlp.pipe_names]
    assert factories.count("test_shop_sizes") == 1
    own = spacy.blank("en")
    own.add_pipe("test_shop_sizes", name="mine")
    Pipeline(load_model(shop(text)), own)
    assert own.pipe_names[0] == "mine"
    assert len(own.pipe_names) == 4


def test_components_stay_when_the_vocabulary_is_renewed(shop, monkeypatch) -> None:
    monkeypatch.setattr(language_pipelines, "_NEW_STRINGS", 20)
    pipeline = Pipeline(load_model(shop(SIZES.format(config=""))))
    for number in range(100):
        found = pipeline(f"word{number} small other{number}").entities
        assert [(e.element, e.value) for e in found] == [("size", "s")]


@pytest.mark.parametrize(
    ("model", "message", "hint"),
    [
        (
            SIZES.replace("test_shop_sizes", "test_shop_size_").format(config=""),
            "spaCy has no component 'test_shop_size_', which the element 'size' names",
            "did you mean 'test_shop_sizes'?",
        ),
        (
            SIZES.replace("test_shop_sizes", "nothing_like_it").format(config=""),
            "spaCy has no component 'nothing_like_it'",
            "@Language.component",
        ),
        (
            SIZES.format(config="config: {wordz: [x]}"),
            "the component 'test_shop_sizes' of the element 'size' cannot be created",
            "passed to its factory",
        ),
    ],
)
def test_a_component_that_cannot_be_created_is_reported(shop, model, message, hint) -> None:
    loaded = load_model(shop(model))
    with pytest.raises(ModelError) as caught:
        Engine(loaded)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.source.endswith("shop.yaml")


def test_the_wrong_option_of_a_component_is_reported_alone(shop) -> None:
    model = SIZES.replace("test_shop_sizes", "entity_ruler").format(config="config: {foo: 1}")
    with pytest.raises(ModelError) as caught:
        Engine(load_model(shop(model)))
    assert caught.value.message.endswith("foo unexpected argument: 'foo'")


def test_a_recognizer_of_the_model_and_one_of_its_synonyms_agree_on_a_word(shop) -> None:
    text = SHOP.replace(
        "    config: {digits: 3}\n",
        "    config: {digits: 3}\n    synonyms: [AB-123, AB-200]\n"
        "    values: {first: [AB-100], AB-300: []}\n",
    )
    pipeline = Pipeline(load_model(shop(text)))

    def seen(text: str) -> list[tuple[str | None, bool]]:
        return [
            (e.value, e.is_from_phrase) for e in pipeline(text).entities if e.element == "order"
        ]

    assert seen("AB-123") == [("AB-123", False)]  # the function knows more
    assert seen("AB-300") == [("AB-300", False)]
    assert seen("AB-100") == [("first", True)]  # the model has the last word


def test_an_element_with_a_recognizer_is_found_by_it_alone(shop) -> None:
    indented = indent("id_synonym: true\n", "    ")
    assert [e.text for e in Pipeline(load_model(shop()))("my order AB-123").entities] == ["AB-123"]
    text = SHOP.replace("    config:", f"{indented}    config:")
    found = Pipeline(load_model(shop(text)))("my order AB-123").entities
    assert [e.text for e in found] == ["order", "AB-123"]
