"""What a model file says of the bridge to the long-term memory."""

from __future__ import annotations

from datetime import timedelta

import pytest

from anaphora.models.domain import BridgeSettings
from anaphora.models.loader import parse_model
from tests.models.model_texts import START, problems_of


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        ("", BridgeSettings("offered", timedelta(days=30), 20)),
        ("bridge: off", BridgeSettings("off")),
        ("bridge: offered", BridgeSettings()),
        ("bridge: automatic", BridgeSettings("automatic")),
        ("bridge: {}", BridgeSettings()),
        (
            "bridge: {mode: automatic, within: 12h, exchanges: 5}",
            BridgeSettings("automatic", timedelta(hours=12), 5),
        ),
    ],
)
def test_it_is_written_in_one_word_or_with_how_far_back_it_reaches(written, settings):
    assert parse_model(START + written).bridge == settings


# In these, @ marks the place of the mistake and is taken out before the text is read.
MISTAKES = {
    "unknown mode": ("bridge: @automatc", "not 'automatc'", "did you mean 'automatic'?"),
    "on": ("bridge: @on", "expected 'off', 'offered' or 'automatic', not 'on'", ""),
    "false": ("bridge: @false", "expected off, offered or automatic, or a mapping", ""),
    "a list": ("bridge: @[off]", "expected off, offered or automatic, or a mapping", ""),
    "unknown mode in a mapping": ("bridge: {mode: @of}", "not 'of'", "did you mean 'off'?"),
    "unknown key": ("bridge: {@witin: 3d}", "unknown key 'witin'", "did you mean 'within'?"),
    "no unit": ("bridge: {within: @30}", "the duration 30 needs a unit", "30s"),
    "no exchanges": ("bridge: {exchanges: @0}", "expected at least 1, not 0", ""),
    "offer of no intent": ("recall_offers: {@j: x}", "unknown intent 'j'", "there is: i"),
    "empty offer": ("recall_offers: {i: @''}", "the text is empty", ""),
    "offer in no language": ("recall_offers: {i: {@de: x}}", "no language 'de'", "it has en"),
    "offer of no slot": (
        'recall_offers: {i: "{{ @tex }}"}',
        "unknown variable 'tex' in the template",
        "did you mean 'text'?",
    ),
    "broken offer": ('recall_offers: {i: "@{{ t"}', "not a valid template", ""),
    "offers in a list": ("recall_offers: @[x]", "expected a mapping, not a list", ""),
    "sample without saying whether": (
        "samples: [{long_term: @maybe, dialog: [{ask: x}]}]",
        "expected true or false, not text",
        "",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_an_error_is_reported_at_its_position(case):
    text, message, hint = MISTAKES[case]
    (problem,) = problems_of(START + text.replace("@", ""))
    assert (problem.line, problem.column) == (4, text.index("@") + 1)
    assert message in problem.message
    assert hint in problem.hint


def test_an_offer_may_be_said_in_every_language_of_the_model():
    model = parse_model(
        START.replace("id: m", "id: m\nlanguage: [en, de]", 1)
        + "recall_offers: {i: {en: Still?, de: Noch?}}"
    )
    assert model.recall_offers == {"i": {"en": "Still?", "de": "Noch?"}}


def test_a_dialog_has_a_long_term_memory_if_it_says_so():
    model = parse_model(
        START + "samples: [{dialog: [{ask: x}]}, {long_term: true, dialog: [{ask: x}]}]"
    )
    assert [dialog.long_term for dialog in model.samples] == [False, True]
