"""What a model file says of questions that nothing fits."""

from __future__ import annotations

from textwrap import dedent
from typing import get_args

import pytest

from anaphora import Engine, ModelError, load_model
from anaphora.models.domain import Fallback, RejectionKind
from anaphora.models.loader import parse_model
from anaphora.models.schema.fallback import FallbackSchema
from anaphora.models.schema.field_types import is_language
from tests.models.model_texts import START, problems_of


@pytest.mark.parametrize(
    ("written", "fallback"),
    [
        ("", None),
        ("fallback: Sorry?", Fallback({"": "Sorry?"})),
        ("fallback: {en: Sorry?}", Fallback({"en": "Sorry?"})),
        ("fallback: {unknown: What?}", Fallback(texts={"unknown": {"": "What?"}})),
        (
            "fallback: {text: {en: Sorry?}, too_long: {en: Shorter!}, examples: [a, b]}",
            Fallback({"en": "Sorry?"}, {"too_long": {"en": "Shorter!"}}, examples={"": ("a", "b")}),
        ),
        (
            "fallback: {escalation: Call us., after: 2, examples: {en: [a]}}",
            Fallback(examples={"en": ("a",)}, after=2, escalation={"": "Call us."}),
        ),
        (
            "fallback: {thanks: You're welcome.}",
            Fallback(texts={"thanks": {"": "You're welcome."}}),
        ),
    ],
)
def test_it_is_written_as_a_text_or_by_language_or_by_reason(written, fallback):
    assert parse_model(START + written).fallback == fallback


def test_no_key_can_be_taken_for_a_language_and_every_reason_is_a_key():
    assert not [key for key in FallbackSchema.model_fields if is_language(key)]
    assert set(get_args(RejectionKind)) <= FallbackSchema.model_fields.keys()


def test_the_escalation_comes_at_the_latest_before_the_count_begins_anew():
    model = parse_model(START + "conversation: {depth: 1}\nfallback: {escalation: Call us.}")
    assert model.fallback is not None
    assert model.fallback.after == 2
    engine = Engine(model)
    assert [engine.ask("what?").text for _ in range(2)][-1] == "Call us."


# In these, @ marks the place of the mistake and is taken out before the text is read.
MISTAKES = {
    "a list": ("fallback: @[Sorry?]", "expected text, not a list", ""),
    "empty": ("fallback: @''", "the text is empty", ""),
    "nothing": ("fallback: @{}", "the fallback has no text", "text: Sorry?"),
    "no text": ("fallback: @{after: 2}", "the fallback has no text", "text: Sorry?"),
    "no such reason": ("fallback: {@unknwn: x}", "unknown key 'unknwn'", "'unknown'?"),
    "no such language": ("fallback: {@de: x}", "no language 'de'", "it has en"),
    "no such language of a reason": (
        "fallback: {empty: {@de: x}}",
        "no language 'de'",
        "it has en",
    ),
    "a language among reasons": (
        "fallback: {unknown: x, @en: y}",
        "unknown key 'en'",
        "text: {en: …}",
    ),
    "unknown variable": (
        'fallback: "{{ @unkown }}"',
        "unknown variable 'unkown' in the template",
        "did you mean 'unknown'?",
    ),
    "no slots": ('fallback: {text: "{{ @slots }}"}', "unknown variable 'slots'", "there is: ex"),
    "unknown filter": ('fallback: "{{ text | @dat }}"', "unknown filter 'dat'", ""),
    "broken": ('fallback: "@{{ t"', "not a valid template", ""),
    "empty example": ("fallback: {text: x, examples: [a, @'']}", "the text is empty", ""),
    "examples of no language": (
        "fallback: {text: x, examples: {@de: [a]}}",
        "no language 'de'",
        "it has en",
    ),
    "never": (
        "fallback: {escalation: x, after: @5}",
        "after 4 failures in a row the bot forgets everything",
        "write at most 4",
    ),
    "no function": ("fallback: {handler: @sorry}", "'sorry' names no function", "module#function"),
    "no module": ("fallback: {handler: '@nowhere_at_all#f'}", "no Python module", ""),
}


@pytest.mark.parametrize(("written", "message", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_reported_at_its_place(written, message, hint):
    before, after = written.split("@")
    (problem,) = problems_of(START + before + after)
    quoted = before.endswith("'")
    assert (problem.line, problem.column) == (4, len(before) + 1 - quoted)
    assert message in problem.message
    assert hint in problem.hint


CODE = """
def sorry(unknown, failures):
    return f"{unknown} {failures}"

def strange(unkwn): ...
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "helpers.py").write_text(CODE)
    return tmp_path / "bot.yaml"


def write(file, handler):
    file.write_text(START + f'code: helpers\nfallback: {{handler: "{handler}"}}\n')


def test_a_model_may_name_the_function_that_answers(file, tmp_path):
    write(file, "#sorry")
    for _ in range(2):  # the second comes from the cache
        engine = Engine(file, cache=tmp_path / "cache")
        assert engine.ask("an elephant").text == "elephant 1"
    assert load_model(file).fallback_handler is not None


def test_one_that_does_not_fit_is_reported_where_it_is_named(file):
    write(file, "#strange")
    with pytest.raises(ModelError, match="parameter 'unkwn', which is not known") as raised:
        Engine(file)
    assert (raised.value.line, raised.value.column) == (5, 21)


def test_a_fallback_comes_from_the_cache_as_it_was_written(tmp_path):
    file = tmp_path / "bot.yaml"
    file.write_text(
        dedent("""
        id: m
        language: [en, fr]
        elements: [{id: e}]
        intents: ["intent=i term(t)={# == 'e'}"]
        fallback: {empty: {en: a, fr: b}, examples: {en: [c, d]}, escalation: e, after: 4}
        """)
    )
    first, second = (Engine(file, cache=tmp_path / "cache").models[0] for _ in range(2))
    assert first == second == load_model(file)
