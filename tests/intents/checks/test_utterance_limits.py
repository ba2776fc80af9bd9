"""What the limits of a model forbid."""

from __future__ import annotations

import pytest

from anaphora import Engine, parse_model

MODEL = """
id: m
elements: [{{id: city, values: {{Tokyo: [], Kyoto: []}}}}, {{id: go}}]
intents: ["intent=x term={{# == 'city'}}*"]
limits: {0}
reset: [forget it]
"""


def reply(limits, text):
    return Engine(parse_model(MODEL.format(limits))).ask(text)


@pytest.mark.parametrize(
    ("limits", "good", "bad", "reason"),
    [
        ("{min_words: 2}", "to Tokyo!", "Tokyo!", "it has 1 word; the minimum is 2"),
        ("{max_words: 2}", "to Tokyo!", "go to Tokyo", "it has 3 words; the maximum is 2"),
        ("{min_entities: 2}", "Tokyo Kyoto", "Tokyo", "it has 1 entity; the minimum is 2"),
        ("{max_entities: 1}", "Tokyo", "Tokyo Kyoto", "it has 2 entities; the maximum is 1"),
        ("{min_content_words: 2}", "visit Tokyo", "the Tokyo", "it has 1 content word"),
        (
            "{max_free_words: 0}",
            "the Tokyo",
            "big Tokyo",
            "it has 1 unknown word; the maximum is 0",
        ),
        (
            "{suspicious_words: [bombs], max_suspicious_words: 0}",
            "Tokyo",
            "bomb Tokyo",
            "it has 1 suspicious word",
        ),
        (
            "{swear_words: [darn], swear_words_allowed: false}",
            "Tokyo",
            "Darn Tokyo",
            "it has a swear word",
        ),
        ("{latin_only: true}", "à Tokyo", "в Tokyo", "'в' is not a Latin letter"),
    ],
)
def test_a_question_that_breaks_a_limit_is_rejected_with_the_reason(limits, good, bad, reason):
    assert reply(limits, good).status == "matched"
    refused = reply(limits, bad)
    assert refused.status == "rejected"
    assert reason in refused.reason


def test_words_that_are_listed_but_not_forbidden_do_no_harm():
    assert reply("{swear_words: [darn]}", "darn Tokyo").status == "matched"
    two = "{suspicious_words: [big], max_suspicious_words: 2}"
    assert reply(two, "big big Tokyo").status == "matched"


def test_no_suspicious_word_is_allowed_unless_a_number_is_given():
    assert "suspicious" in reply("{suspicious_words: [big]}", "big Tokyo").reason


def test_a_reset_phrase_is_heard_whatever_its_length():
    assert reply("{min_words: 5}", "forget it").status == "reset"
