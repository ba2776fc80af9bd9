"""What a sample expects, and what the bot says in it, is held against the model."""

from __future__ import annotations

import pytest

from anaphora.models.domain import BotStep
from anaphora.models.loader import parse_model
from tests.models.model_texts import problems_of

BOT = """\
id: m
elements: [{id: e}, {id: city, values: [Tokyo, "a=b"]}]
intents: ["intent=i term(t)~{# == 'e'}"]
samples: [dialog: [{ask: x, memory: [%s]}]]
"""


def test_it_is_read_without_blanks_around_its_parts():
    ((step,),) = (each.steps for each in parse_model(BOT % "e, city = Tokyo , city").samples)
    assert step.memory == ("e", "city=Tokyo", "city")


def test_nothing_and_nothing_said_are_two_things():
    (dialog,) = parse_model(BOT % "").samples
    assert dialog.steps[0].memory == ()
    (dialog,) = parse_model((BOT % "").replace(", memory: []", "")).samples
    assert dialog.steps[0].memory is None


@pytest.mark.parametrize(
    ("entry", "column", "message", "hint"),
    [
        ("citi", 38, "unknown element 'citi'", "did you mean 'city'?"),
        ("citi=Tokyo", 38, "unknown element 'citi'", "did you mean 'city'?"),
        ("other", 38, "unknown element 'other'", "there is: city, e"),
        ("''", 38, "expected a name, not an empty text", ""),
        ("city=Tokio", 43, "the element 'city' has no value 'Tokio'", "did you mean 'Tokyo'?"),
        ("city=x", 43, "the element 'city' has no value 'x'", "it has: Tokyo, a=b"),
        ("city=", 42, "the element 'city' has no value ''", "it has: Tokyo, a=b"),
        ("e=Tokyo", 40, "the element 'e' has no value 'Tokyo'", "write 'e' alone"),
        ("city=a=b", 0, "", ""),
        ("city", 0, "", ""),
    ],
)
def test_names_and_values_that_the_model_does_not_have_are_reported(entry, column, message, hint):
    problems = problems_of(BOT % entry)
    if not message:
        assert problems == ()
        return
    (problem,) = problems
    assert (problem.line, problem.column) == (4, column)
    assert (problem.message, problem.hint) == (message, hint)


@pytest.mark.parametrize(
    "elements",
    [
        "elements: [{id: e}, {id: city, values: {Tokyo: {xx: [y]}, Kyoto: 5}}]",
        "elements: [{id: e}, {id: city, values: 5}]",
        "elements: 5",
    ],
)
def test_an_error_in_an_element_is_not_reported_again_of_a_sample(elements):
    text = (BOT % "city=Osaka").splitlines()
    text[1] = elements
    problems = problems_of("\n".join(text))
    assert problems
    assert not any("Osaka" in problem.message for problem in problems)


BOT_STEP = """\
id: m
dialog_acts: true
elements: [{id: e}, {id: city, values: [Tokyo, Kyoto]}]
intents: ["intent=i term(t)~{# == 'e'}"]
samples: [dialog: [%s]]
"""


def test_what_the_bot_says_is_a_step():
    step = "{bot: Or, mentions: {e: 1}, offers: [{city: Tokyo}, {city: Kyoto}], intent: i, then: i}"
    ((said,),) = (each.steps for each in parse_model(BOT_STEP % step).samples)
    offers = ({"city": "Tokyo"}, {"city": "Kyoto"})
    assert said == BotStep("Or", {"e": "1"}, offers, intent="i", then="i", line=5)


@pytest.mark.parametrize(
    ("step", "column", "message", "hint"),
    [
        ("{bot: x, mentions: {citi: Tokyo}}", 40, "unknown element 'citi'", "'city'?"),
        ("{bot: x, mentions: [city]}", 39, "expected a mapping, not a list", ""),
        ("{bot: x, mentions: {city: ''}}", 46, "the text is empty", ""),
        ("{bot: x, mentions: {city: '{{ t }}'}}", 50, "unknown variable 't' in the template", ""),
        ("{bot: x, mention: {city: Tokyo}}", 29, "unknown key 'mention'", "'mentions'?"),
        ("{bot: x, offers: [{citi: Kyoto}], intent: i}", 39, "unknown element 'citi'", "'city'?"),
        ("{bot: x, offers: [], intent: i}", 37, "expected at least one item", ""),
        ("{bot: x, offers: [{city: Kyoto}]}", 29, "the offers have no intent", "intent: …"),
        ("{bot: x, offers: [{city: Kyoto}], intent: j}", 62, "unknown intent 'j'", "there is: i"),
        ("{bot: x, intent: i, then: i}", 40, "'then' is for offers, and there are none", ""),
        ("{bot: x, offers: [{e: 1}], intent: i, then: j}", 64, "unknown intent 'j'", "there is: i"),
        ("{bott: x}", 20, "expected a step with one of the keys ask, bot, pause, reset", "'bot'?"),
    ],
)
def test_a_mistake_in_what_the_bot_says_is_reported(step, column, message, hint):
    (problem,) = problems_of(BOT_STEP % step)
    assert (problem.line, problem.column, problem.message) == (5, column, message)
    assert problem.hint.endswith(hint)
