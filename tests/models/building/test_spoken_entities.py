"""What a model file says of the entities in the bot's answers, and of answers to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from anaphora.models.domain import DialogActSettings, OfferTemplate
from anaphora.models.loader import load_model, parse_model
from anaphora.models.schema.json_schema import json_schema
from anaphora.storage.cache import Cache
from tests.models.model_texts import START, problems_of

ON = DialogActSettings()


class TestDialogActs:
    @pytest.mark.parametrize(
        ("written", "settings"),
        [
            ("", None),
            ("dialog_acts: true", ON),
            ("dialog_acts: false", None),
            ("dialog_acts: {}", ON),
            ("dialog_acts: {ask_if_close: true}", DialogActSettings(ask_if_close=True)),
            ("mentions: {i: [t]}", ON),
            ("offers: {i: [{e: x}]}", ON),
            ("choices: {i: Which?}", ON),
            ("dialog_acts: false\nmentions: {i: [t]}", None),
            ("mentions: {}", None),
            ("recall_offers: {i: Still?}", None),
        ],
    )
    def test_are_on_if_the_model_says_so_or_needs_them(self, written, settings):
        assert parse_model(START + written).dialog_acts == settings

    def test_take_words_in_the_language_of_synonyms(self):
        model = parse_model(
            "id: m\nlanguage: [en, de]\nelements: [{id: e}]\n"
            'intents: ["intent=i term(t)~{# == \'e\'}"]\nmacros: {"<YES>": "{aye|yep}"}\n'
            "dialog_acts: {words: {accept: {en: [<YES> captain], de: [jo]}, decline: [nah]}}"
        )
        assert model.dialog_acts is not None
        assert model.dialog_acts.words == {
            "accept": {"en": (("aye captain",), ("yep captain",)), "de": (("jo",),)},
            "decline": {"": (("nah",),)},
        }


class TestMentions:
    def test_are_templates_by_element_or_slots(self):
        model = parse_model(START + "mentions: {i: {e: '{{ result.name }}'}}")
        assert model.mentions == {"i": {"e": "{{ result.name }}"}}
        assert parse_model(START + "mentions: {i: [t]}").mentions == {"i": ("t",)}

    def test_may_be_built_in_entities_that_are_switched_on(self):
        model = parse_model(START + "entities: [date]\nmentions: {i: {date: '{{ result }}'}}")
        assert model.mentions == {"i": {"date": "{{ result }}"}}


class TestOffers:
    def test_are_bundles_of_templates(self):
        model = parse_model(START + "offers: {i: [{e: Kiku}, {e: '{{ result }}'}]}")
        assert model.offers == {
            "i": (OfferTemplate({"e": "Kiku"}), OfferTemplate({"e": "{{ result }}"}))
        }

    @pytest.mark.parametrize("each", ["result.places", "'{{ result.places }}'"])
    def test_may_be_one_bundle_for_each_item_of_a_list(self, each):
        model = parse_model(
            START + f"offers: {{i: {{each: {each}, entities: {{e: '{{{{ item.name }}}}'}}}}}}"
        )
        assert model.offers == {"i": (OfferTemplate({"e": "{{ item.name }}"}, "result.places"),)}


# In these, @ marks the place of the mistake and is taken out before the text is read.
MISTAKES = {
    "neither on nor off": ("dialog_acts: @3", "expected true, false, or a mapping", ""),
    "unknown setting": ("dialog_acts: {@ask_close: true}", "unknown key", "'ask_if_close'"),
    "unknown kind of words": ("dialog_acts: {words: {@acept: [x]}}", "'acept'", "'accept'"),
    "words in another language": (
        "dialog_acts: {words: {add: {@de: [x]}}}",
        "no language 'de'",
        "it has en",
    ),
    "empty word": ("dialog_acts: {words: {add: [@'']}}", "is empty", ""),
    "mentions of no intent": ("mentions: {@j: [t]}", "unknown intent 'j'", "there is: i"),
    "no slot": ("mentions: {i: [t, @tt]}", "unknown slot of the intent 'i': 'tt'", "'t'"),
    "no element": ("mentions: {i: {@ee: x}}", "unknown element 'ee'", "did you mean 'e'?"),
    "entity that is off": ("mentions: {i: {@date: x}}", "'date'", "entities: [date]"),
    "no variable": ("mentions: {i: {e: '{{ @rsult }}'}}", "'rsult'", "did you mean 'result'?"),
    "item outside of a list": ("offers: {i: [{e: '{{ @item }}'}]}", "variable 'item'", ""),
    "broken template": ("mentions: {i: {e: '@{{ t'}}", "not a valid template", ""),
    "empty template": ("mentions: {i: {e: @''}}", "the text is empty", ""),
    "nothing mentioned": ("mentions: {i: @{}}", "expected at least one item", ""),
    "mentions in a text": ("mentions: {i: @Kiku}", "or a list of slots, not text", ""),
    "offers of no intent": ("offers: {@j: [{e: x}]}", "unknown intent 'j'", "there is: i"),
    "no offers": ("offers: {i: @[]}", "expected at least one item", ""),
    "offers without entities": ("offers: {i: @{each: t}}", "the offer has no 'entities'", ""),
    "unknown key of offers": (
        "offers: {i: {@for: t, each: t, entities: {e: x}}}",
        "unknown key 'for'",
        "each, entities",
    ),
    "each of no variable": (
        "offers: {i: {each: @rsult.a, entities: {e: x}}}",
        "unknown variable 'rsult'",
        "did you mean 'result'?",
    ),
    "each that is no expression": (
        "offers: {i: {each: @'t }} {{ t', entities: {e: x}}}",
        "is no expression",
        "",
    ),
    "text that offers an earlier conversation": (
        "offers: @{i: Still about {{ t }}?}".replace("{{ t }}", "it"),
        "expected the entities that the bot offers, not a text",
        "a text that offers an earlier conversation belongs under 'recall_offers'",
    ),
    "such texts by language": ("offers: @{i: {en: Still?, de: Noch?}}", "not a text", "recall"),
    "choices of no intent": ("choices: {@j: Which?}", "unknown intent 'j'", "there is: i"),
    "choices of no variable": ("choices: {i: '{{ @chices }}'}", "'chices'", "'choices'"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_an_error_is_reported_at_its_position(case):
    text, message, hint = MISTAKES[case]
    (problem,) = problems_of(START + text.replace("@", ""))
    assert (problem.line, problem.column) == (4, text.index("@") + 1)
    assert message in problem.message
    assert hint in problem.hint


def test_a_part_of_others_is_no_entity_of_an_answer():
    (problem,) = problems_of(
        "id: m\nelements: [{id: e}, {id: part, abstract: true}]\n"
        "intents: [\"intent=i term(t)~{# == 'e'}\"]\nmentions: {i: {part: x}}"
    )
    assert "the element 'part' is abstract" in problem.message


EVERYTHING = (
    START
    + "dialog_acts: {ask_if_close: true, words: {accept: ['{aye|yep} captain']}}\n"
    + "mentions: {i: [t]}\nchoices: {i: 'Which?'}\n"
    + "offers: {i: {each: result, entities: {e: '{{ item }}'}}}\n"
)


def test_a_model_from_the_cache_is_the_same(tmp_path: Path):
    (tmp_path / "m.yaml").write_text(EVERYTHING)
    cache = Cache(tmp_path / "cache")
    built, restored = (load_model(tmp_path / "m.yaml", cache=cache) for _ in range(2))
    assert built == restored
    assert restored.mentions == {"i": ("t",)}


def test_editors_accept_what_the_loader_accepts():
    import yaml

    validator = Draft202012Validator(json_schema())
    for text in (EVERYTHING, START + "mentions: {i: {e: x}}\noffers: {i: [{e: x}]}"):
        validator.validate(yaml.safe_load(text))
    for text in ("offers: {i: x}", "offers: {i: []}", "dialog_acts: 3", "mentions: {i: {}}"):
        assert not validator.is_valid(yaml.safe_load(START + text)), text
