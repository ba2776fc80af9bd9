"""The built-in tokens of NLPCraft: which of them a file switches on."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphora import Engine, load_model, parse_model
from anaphora.models.domain import Model, RecognizerSpec
from anaphora.models.nlpcraft import print_model
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES
from tests.models.nlpcraft.translation_helpers import data, notes_of, translated

HEAD = "id: demo\nname: Demo\nversion: '1'\nmetadata: {}\nconversationDepth: 3\n"


def recognitions(model: Model) -> dict[str, RecognizerSpec]:
    return {one.id: one.recognition for one in model.elements if one.recognition}


def test_listed_tokens_become_entities_under_their_own_names() -> None:
    text = f"{HEAD}enabledBuiltInTokens: ['nlpcraft:date', 'nlpcraft:num', 'spacy:person']\n"
    assert data(text)["entities"] == ["nlpcraft:date", "nlpcraft:num"]
    note = notes_of(text)["enabledBuiltInTokens"]
    assert note.kind == "mapped"
    assert note.reason == "→ entities: nlpcraft:date, nlpcraft:num"
    model = parse_model(text)
    assert not model.warnings or all("intents" in one.message for one in model.warnings)
    found = recognitions(model)
    assert (found["nlpcraft:num"].kind, found["spacy:person"].kind) == ("built-in", "spacy")
    assert found["spacy:person"].name == "PERSON"
    assert model.element("nlpcraft:num").groups == {"nlpcraft:num"}


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("nlpcraft:metro", "nothing here finds 'nlpcraft:metro'"),
        ("nlpcraft:subcontinent", "nothing here finds 'nlpcraft:subcontinent'"),
        ("google:event", "nothing here finds 'google:event'; spaCy has labels of its own"),
        ("opennlp:", "nothing here finds 'opennlp:'"),
        ("stanford:religion", "nothing here finds 'stanford:religion'"),
        ("nlpcraft:dat", "did you mean 'nlpcraft:date'?"),
        ("date", "there is no 'date'; did you mean 'nlpcraft:date'?"),
        ("[a]", "a list"),
    ],
)
def test_those_that_nothing_here_finds_are_ignored_each_with_a_note(token, reason) -> None:
    shown = token if token.startswith("[") else f"'{token}'"
    text = f"{HEAD}enabledBuiltInTokens: ['nlpcraft:date', {shown}]\n"
    note = notes_of(text)["enabledBuiltInTokens[1]"]
    assert note.kind == "ignored"
    assert reason in note.reason
    assert data(text)["entities"] == ["nlpcraft:date"]
    warnings = [warning.message for warning in parse_model(text).warnings]
    assert any(note.reason in warning for warning in warnings)


@pytest.mark.parametrize(
    ("token", "recognizer", "options"),
    [
        ("opennlp:location", "place", {}),
        ("google:location", "place", {}),
        ("spacy:gpe", "place", {}),
        ("stanford:country", "place", {"kinds": ["country"]}),
        ("google:phone_number", "phone", {}),
        ("stanford:money", "money", {}),
        ("opennlp:date", "date", {}),
        ("google:person", "spacy:PERSON", {"optional": True}),
        ("stanford:organization", "spacy:ORG", {"optional": True}),
        ("spacy:org", "spacy:ORG", {"optional": True}),
        ("spacy:FAC", "spacy:FAC", {"optional": True}),
    ],
)
def test_those_of_other_programs_are_found_by_ours_which_the_report_says(
    token: str, recognizer: str, options: dict[str, object]
) -> None:
    text = (
        f"{HEAD}enabledBuiltInTokens: ['{token}']\n"
        f"intents: [\"intent=x term={{# == '{token}'}}\"]\n"
    )
    (element,) = data(text)["elements"]
    assert (element["id"], element["recognizer"]) == (token, recognizer)
    assert element.get("config", {}) == options
    note = notes_of(text)["enabledBuiltInTokens[0]"]
    assert note.kind == "changed"
    assert note.reason.startswith(f"{token}: ")
    assert ("pipeline of spaCy" in note.reason) is ("spacy" in token + recognizer)
    assert not parse_model(text).warnings


def test_without_a_pipeline_of_spacy_everything_else_is_found() -> None:
    model = parse_model(
        f"{HEAD}enabledBuiltInTokens: ['google:person', 'google:location']\n"
        "elements: [{id: call}]\nintents:\n"
        "- \"intent=call term={# == 'call'} term(who)={# == 'google:person'}?"
        " term(where)={# == 'google:location'}?\"\n"
    )
    reply = Engine(model).ask("Call Ann in Oslo")
    assert reply.intent == "call"
    assert {name: slot.value for name, slot in reply.slots.items()} == {"where": "Oslo"}


def test_an_empty_list_switches_on_nothing() -> None:
    text = f"{HEAD}enabledBuiltInTokens: []\nintents: [\"intent=i term={{# == 'nlpcraft:num'}}\"]\n"
    assert "entities" not in data(text)
    assert "enabledBuiltInTokens" not in notes_of(text)


def test_what_is_no_list_is_ignored() -> None:
    assert "expected a list" in notes_of("enabledBuiltInTokens: x")["enabledBuiltInTokens"].reason


MENTIONING = """
macros: [{name: "<A>", macro: "{a|b}"}]
elements:
  - id: when
    synonyms: ["at ^^{# == 'nlpcraft:date'}^^"]
  - id: top
    values: [{value: x, synonyms: ["^^{tok_id() == 'nlpcraft:limit'}^^ x"]}]
intents:
  - "intent=a term={meta_tok('nlpcraft:num:from') > 5 && # == 'nlpcraft:num'}"
  - "intent=b term={# == 'when'}"
"""


def test_without_a_list_a_file_of_0_9_has_those_that_it_speaks_of() -> None:
    text = HEAD + MENTIONING
    assert data(text)["entities"] == ["nlpcraft:date", "nlpcraft:num", "nlpcraft:limit"]
    note = notes_of(text)["enabledBuiltInTokens"]
    assert note.kind == "changed"
    assert "it mentions these: entities: nlpcraft:date, " in note.reason
    assert not parse_model(text).warnings


def test_without_a_list_and_a_mention_there_are_none_and_no_warning() -> None:
    text = f"{HEAD}elements: [{{id: a}}]\nintents: [\"intent=a term={{# == 'a'}}\"]\n"
    assert "entities" not in data(text)
    assert notes_of(text)["enabledBuiltInTokens"].kind == "changed"
    assert not parse_model(text).warnings


@pytest.mark.parametrize(
    "predicate",
    ["true", "!tok_is_user()", "# != 'a'", "meta_tok('x') == 1", "starts_with(tok_id(), 'nlp')"],
)
def test_a_predicate_that_may_be_true_for_any_entity_needs_all_of_them(predicate: str) -> None:
    text = f'{HEAD}elements: [{{id: a}}]\nintents: ["intent=a term={{{predicate}}}"]\n'
    assert data(text)["entities"] == list(NLPCRAFT_ENTITIES)
    assert f"{{{predicate}}} may be true for any" in notes_of(text)["enabledBuiltInTokens"].reason


def test_in_a_synonym_as_well() -> None:
    element = "{id: a, synonyms: [\"x ^^{tok_text != 'b'}^^\"]}"
    text = f"{HEAD}elements: [{element}]\nintents: [\"intent=a term={{# == 'a'}}\"]\n"
    assert data(text.replace("tok_text", "tok_txt()"))["entities"] == list(NLPCRAFT_ENTITIES)


def test_predicates_of_0_6_are_understood() -> None:
    text = f"{HEAD}elements: [{{id: a}}]\nintents: [\"intent=a term={{groups @@ 'a'}}\"]\n"
    assert "entities" not in data(text)
    assert "entities" in data(text.replace("@@", "!@"))


def test_restricted_combinations_are_no_targets() -> None:
    text = (
        f"{HEAD}enabledBuiltInTokens: ['nlpcraft:limit', 'nlpcraft:num']\n"
        "restrictedCombinations: {'nlpcraft:limit': [rain, snw, 'nlpcraft:num'], x: [a]}\n"
        "elements: [{id: rain}, {id: snow}]\nintents:\n"
        "- \"intent=top term={# == 'nlpcraft:limit' && meta_tok('nlpcraft:limit:note') != null}"
        " term={# == 'rain' || # == 'snow'}\"\n"
    )
    found = data(text)
    assert found["entities"] == ["nlpcraft:num"]
    assert found["elements"][-1] == {
        "id": "nlpcraft:limit",
        "recognizer": "nlpcraft:limit",
        "config": {"except": ["rain", "nlpcraft:num"]},
    }
    notes = notes_of(text)
    assert notes["restrictedCombinations.nlpcraft:limit"].kind == "mapped"
    assert "did you mean 'snow'?" in notes["restrictedCombinations.nlpcraft:limit[1]"].reason
    assert notes["restrictedCombinations.x"].kind == "ignored"
    engine = Engine(parse_model(text))
    assert engine.ask("top 3 snow").intent == "top"
    assert engine.ask("top 3 rain").intent is None


def test_restrictions_on_what_is_not_used_have_no_effect() -> None:
    text = f"{HEAD}enabledBuiltInTokens: []\nelements: [{{id: a}}]\n"
    text += "restrictedCombinations: {'nlpcraft:sort': [a]}\n"
    assert data(text)["elements"] == [{"id": "a"}]
    assert (
        "expected a mapping"
        in notes_of("restrictedCombinations: 5\n")["restrictedCombinations"].reason
    )


def test_1_0_has_no_tokens_of_its_own() -> None:
    text = "elements: [{type: a}]\nintents: [\"intent=a term={# == 'nlpcraft:num'}\"]\n"
    assert "entities" not in data(text, "1.0")


def test_intents_in_other_files_are_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "bot.idl").write_text("import('more.idl')\nintent=a term={# == 'nlpcraft:city'}")
    (tmp_path / "more.idl").write_text("intent=b term={# == 'nlpcraft:num'}\nimport('bot.idl')")
    path = tmp_path / "bot.yaml"
    path.write_text(f"{HEAD}elements: [{{id: a}}]\nintents: [\"import('bot.idl')\"]\n")
    # the circle is an error of the intents; what they speak of is known all the same
    (tmp_path / "more.idl").write_text("intent=b term={# == 'nlpcraft:num'}")
    assert recognitions(load_model(path)).keys() == {"nlpcraft:city", "nlpcraft:num"}
    path.write_text(f"{HEAD}elements: [{{id: a}}]\n")
    model = load_model(path, intents="intent=c term={# == 'nlpcraft:sort'}")
    assert recognitions(model).keys() == {"nlpcraft:sort"}


def test_imports_that_lead_in_a_cycle_come_to_an_end(tmp_path: Path) -> None:
    (tmp_path / "a.idl").write_text("import('b.idl')")
    (tmp_path / "b.idl").write_text("import('a.idl') import('none.idl') nlpcraft:num")
    from anaphora.models.nlpcraft import translate
    from anaphora.models.reading.nodes import to_data
    from tests.models.nlpcraft.translation_helpers import tree

    found = translate(tree(HEAD), "0.9", name="x", intents=["import('a.idl')"], folder=tmp_path)
    assert to_data(found.root)["entities"] == ["nlpcraft:num"]


def test_abstract_tokens_are_elements_that_only_serve_others() -> None:
    text = f"{HEAD}{MENTIONING}abstractTokens: ['nlpcraft:date']\n"
    assert data(text)["entities"] == ["nlpcraft:num", "nlpcraft:limit"]
    element = parse_model(text).element("nlpcraft:date")
    assert element.abstract
    assert element.recognition.name == "nlpcraft:date"
    assert "nlpcraft:date" not in {phrase for one in element.phrases.values() for phrase in one}


def test_entities_of_anaphora_in_such_a_file_stay() -> None:
    text = f"{HEAD}enabledBuiltInTokens: ['nlpcraft:num', 'nlpcraft:num']\nentities: [email]\n"
    assert data(text)["entities"] == ["email", "nlpcraft:num"]


def test_the_translated_file_says_the_same() -> None:
    text = f"{HEAD}{MENTIONING}abstractTokens: ['nlpcraft:date']\n"
    printed = print_model(translated(text).root)
    assert parse_model(printed).elements == parse_model(text).elements


def test_their_names_can_be_used_in_files_of_anaphora() -> None:
    model = parse_model(
        "id: m\nentities: ['nlpcraft:num']\nelements: [{id: top, recognizer: 'nlpcraft:limit', "
        "config: {default: 5}}]\nintents: [\"intent=i term={# == 'top' || # == 'nlpcraft:num'}\"]\n"
    )
    assert not model.warnings
    assert model.element("top").recognition.options == {"of": (), "except": (), "default": 5}


BOT = (
    HEAD
    + """
enabledBuiltInTokens:
  - nlpcraft:num
  - nlpcraft:date
  - nlpcraft:limit
  - nlpcraft:sort
elements:
  - {id: city, synonyms: [cities, towns]}
  - {id: rain}
intents:
  - "intent=top term(limit)={# == 'nlpcraft:limit' && meta_tok('nlpcraft:limit:limit') < 20.0
    && meta_tok('nlpcraft:limit:note') == 'city'} term(what)~{# == 'city'}"
  - "intent=many term(what)~{# == 'rain'} term(n)~{# == 'nlpcraft:num'
    && meta_tok('nlpcraft:num:from') >= 5 && meta_tok('nlpcraft:num:istopositiveinfinity')}"
  - "intent=day term(what)~{# == 'rain'} term(day)~{# == 'nlpcraft:date'
    && meta_tok('nlpcraft:date:to') - meta_tok('nlpcraft:date:from') == 86_399_999}"
"""
)


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("top 10 cities", "top"),
        ("top 50 cities", None),
        ("rain of more than 5 mm", "many"),
        ("rain of 3 mm", None),
        ("rain tomorrow", "day"),
        ("rain next week", None),
    ],
)
def test_intents_read_their_metadata_under_their_keys(question: str, intent: str | None) -> None:
    assert Engine(parse_model(BOT)).ask(question).intent == intent


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("ring in an hour", "1 h"),
        ("ring in a couple of minutes", "2 min"),
        ("ring in few minutes", "3 min"),
        ("ring in a week", "1 week"),
        ("ring in an hour and 15 mins", "75 min"),
        ("ring in 3h5m", "185 min"),
        ("ring in a bit", "3 min"),
        ("ring 7 times", "7"),
    ],
)
def test_a_length_of_time_is_a_number_with_a_unit(question: str, value: str) -> None:
    model = parse_model(
        f"{HEAD}enabledBuiltInTokens: ['nlpcraft:num']\nelements: [{{id: ring}}]\nintents:\n"
        "- \"intent=ring term={# == 'ring'} term(n)~{# == 'nlpcraft:num'"
        " && meta_tok('nlpcraft:num:isequalcondition')}\"\n"
    )
    assert Engine(model).ask(question).slots["n"].value == value


def test_a_bit_of_something_is_no_length_of_time() -> None:
    model = parse_model(
        f"{HEAD}enabledBuiltInTokens: ['nlpcraft:num']\nelements: [{{id: ring}}]\nintents:\n"
        "- \"intent=ring term={# == 'ring'} term(n)={# == 'nlpcraft:num'}?\"\n"
    )
    engine = Engine(model)
    for text in ("ring in a bit of trouble", "ring a bit louder"):
        assert "n" not in engine.ask(text).slots


def test_what_is_built_in_may_be_left_unused_as_in_theirs() -> None:
    assert Engine(parse_model(BOT)).ask("rain tomorrow of more than 2 mm").intent == "day"


def test_each_of_them_wraps_an_entity_of_anaphora() -> None:
    from anaphora.entities.builtin.nlpcraft import _KEYS

    assert _KEYS.keys() == NLPCRAFT_ENTITIES.keys()
