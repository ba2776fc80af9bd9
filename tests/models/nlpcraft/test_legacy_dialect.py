"""Files of NLPCraft 0.5 to 0.7: predicates in their own dialect, in intents and in synonyms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anaphora import Engine, ModelError, load_model, parse_model
from anaphora.models.nlpcraft.legacy_dialect import LegacyIntents, rewrite_parts
from tests.models.nlpcraft.translation_helpers import data, notes_of

HEAD = "id: demo\nname: Demo\nversion: '1'\nmetadata: {}\nconversationDepth: 3\n"
MODEL = (
    HEAD
    + """
elements:
  - {id: act:on, groups: [act], synonyms: [switch on], metadata: {power: {max: 9, of: [2, 4]}}}
  - {id: act:off, groups: [act], synonyms: [switch off]}
  - {id: room, values: [{value: hall}, {value: attic}]}
intents:
  - INTENT
"""
)


def rewritten(text: str) -> str:
    return " ".join(LegacyIntents([text]).rewrite(text).split())


def answered(intent: str, *questions: str) -> list[str | None]:
    engine = Engine(parse_model(MODEL.replace("INTENT", f'"{intent}"')))
    return [engine.ask(question).intent for question in questions]


@pytest.mark.parametrize(
    ("predicate", "same"),
    [
        ("id == 'room'", "# == 'room'"),
        ("trim(lowercase(id)) != 'room'", "trim(lowercase(#)) != 'room'"),
        ("groups @@ 'act'", "has(ent_groups(), 'act')"),
        ("!(groups !@ 'act')", "!!has(ent_groups(), 'act')"),
        ("aliases @@ 'a'", "has(tok_aliases(), 'a')"),
        ("id @@ ('room', 'act:on')", "has(['room', 'act:on'], #)"),
        ("~nlpcraft:num:unit == 'km'", "meta_ent('nlpcraft:num:unit') == 'km'"),
        ("~of[1] > 1_000", "get(meta_ent('of'), 1) > 1000"),
        ("~power['max'] <= -1.5", "get(meta_ent('power'), 'max') <= -1.5"),
        ("value == null && parent != 'p'", "tok_value() == null && tok_parent() != 'p'"),
        ("endidx > 2 || startidx == 0", "tok_end_idx() > 2 || tok_start_idx() == 0"),
        (
            "unit.id == 'km'",
            "tok_has_part(tok_this(), 'unit') && #(tok_find_part(tok_this(), 'unit')) == 'km'",
        ),
    ],
)
def test_a_predicate_is_rewritten_in_the_intent_language(predicate: str, same: str) -> None:
    assert rewritten(f"intent=x term={{{predicate}}}") == f"intent=x term~{{{same}}}"


@pytest.mark.parametrize(
    ("intent", "operators"),
    [
        ("intent=x conv=false term={id == 'a'} term={id == 'b'}", "=="),
        ("intent=x conv=true ordered=true term={id == 'a'}", "~"),
        ("intent=x term(a)={id == 'a'} term(b)={id == 'b'}", "~~"),  # 0.6: no ~ anywhere
        ("intent=x term(a)={id == 'a'} term(b)~{id == 'b'}", "=~"),  # 0.7
        ("id=x term={id == 'a'}", "~"),
    ],
)
def test_conv_and_the_tilde_say_which_terms_use_the_memory(intent: str, operators: str) -> None:
    found = LegacyIntents([intent]).rewrite(intent)
    if intent.startswith("id="):
        assert found == intent  # the short form is read as it is
        return
    assert "conv" not in found
    assert "".join(re.findall(r"term(?:\(\w\))?([=~])", found)) == operators


def test_one_intent_with_a_tilde_speaks_for_the_others() -> None:
    texts = ["intent=x term={id == 'a'}", "intent=y term~{id == 'b'}"]
    assert LegacyIntents(texts).rewrite(texts[0]) == "intent=x\n  term={# == 'a'}"


@pytest.mark.parametrize(
    "text",
    [
        "intent=x term={# == 'a'}",
        "intent=x options={'ordered': true} term~{tok_id() == 'a' && meta_tok('b') == 1}",
        "intent=x term={true}",
        "import('a.idl')",
        "fragment=f term={# == 'a'} intent=x fragment(f)",
        "intent=x term={id = 'a'}",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert LegacyIntents([text]).rewrite(text) == text


@pytest.mark.parametrize(
    ("flow", "allowed", "refused"),
    [
        ("ask >> (buy|sell)[1,2]", ["ask buy", "ask sell buy", "hi ask buy"], ["ask", "buy ask"]),
        ("ask >> buy? >> pay", ["ask pay", "ask buy pay"], ["ask buy", "task pay"]),
        ("ask[2,2]", ["ask ask"], ["ask", "asks ask"]),
    ],
)
def test_a_flow_of_0_6_is_a_regular_expression(
    flow: str, allowed: list[str], refused: list[str]
) -> None:
    text = f"intent=x flow='{flow}' term={{id == 'a'}}"
    (pattern,) = re.findall(r"flow='(.*)'", LegacyIntents([text]).rewrite(text))
    assert all(re.search(pattern, history) for history in allowed)
    assert not any(re.search(pattern, history) for history in refused)


def test_a_flow_of_0_7_is_one_already() -> None:
    text = "intent=x flow='^(?:ask)(^:buy)*' term={id == 'a'}"
    assert "flow='^(?:ask)(^:buy)*'" in LegacyIntents([text]).rewrite(text)


def test_such_intents_answer_and_use_the_memory() -> None:
    terms = "term(act)={groups @@ 'act'} term(rooms)={id == 'room'}*"
    questions = ("switch on the hall", "attic", "nothing")
    assert answered(f"intent=switch {terms}", *questions) == ["switch", "switch", None]
    assert answered(f"intent=switch conv=false {terms}", *questions) == ["switch", None, None]


def test_the_report_says_what_has_changed() -> None:
    text = MODEL.replace("INTENT", "\"intent=x term={id == 'room'}\"")
    note = notes_of(text)["intents[0]"]
    assert note.kind == "changed"
    assert "0.5 to 0.7 → the intent language" in note.reason
    assert "all terms use the memory" in note.reason
    assert data(text)["intents"] == ["intent=x\n  term~{# == 'room'}"]


@pytest.mark.parametrize(
    ("synonym", "same"),
    [
        ("to ^^id == 'room'^^ now", "to ^^{# == 'room'}^^ now"),
        ("^^[where](groups @@ 'room')^^", "^^[where]{has(ent_groups(), 'room')}^^"),
        ("^^(# == 'room')^^", "^^{(# == 'room')}^^"),
        ("^^{id == 'room'}^^", "^^{# == 'room'}^^"),
        ("^^{# == \"it's\"}^^ a ^^[x]{# == 'b'}^^", "^^{# == \"it's\"}^^ a ^^[x]{# == 'b'}^^"),
        ("//\\^\\^id == 1//", "//\\^\\^id == 1//"),
        ("a ^ b", "a ^ b"),
    ],
)
def test_predicates_in_synonyms_have_several_forms(synonym: str, same: str) -> None:
    assert rewrite_parts(synonym) == same


def test_such_synonyms_are_found() -> None:
    model = parse_model(
        HEAD
        + """
elements:
  - {id: room, values: [{value: hall}, {value: attic}]}
  - {id: target, synonyms: ["in ^^[r](id == 'room' && value != 'attic')^^"]}
intents: ["intent=go term(t)={id == 'target' && r.value == 'hall'}"]
"""
    )
    assert not model.warnings
    engine = Engine(model)
    assert engine.ask("in the hall").intent == "go"
    assert engine.ask("in the attic").intent is None


def test_intents_from_the_code_of_the_bot_are_rewritten_as_well(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(f"{HEAD}elements: [{{id: a}}]\n")
    (tmp_path / "more.idl").write_text("intent=z term={groups @@ 'a'}")
    model = load_model(path, intents=["intent=y conv=false term={id == 'a'}", "import('more.idl')"])
    assert [one.id for one in model.intents] == ["y", "z"]
    assert [one.terms[0].conversational for one in model.intents] == [False, True]


@pytest.mark.parametrize(("conv", "reach"), [("conv=false ", "="), ("conv=true ", "~"), ("", "~")])
def test_the_short_form_may_say_conv_too(conv: str, reach: str) -> None:
    other = "intent=y term~{id == 'room'}"
    found = rewritten(f"id=x {conv}term(r)={{id == 'room'}} {other}")
    assert found.startswith(f"intent=x term(r){reach}{{# == 'room'}}")
    assert answered(f"id=x {conv}term(r)={{id == 'room'}}", "hall", "zebra") == ["x", None]


def test_a_mistake_in_the_dialect_is_reported_where_it_is() -> None:
    intents = ("intent=x conv=false term={id !@@ 'room'}", "intent=x term={# == 1 &| 2}")
    for intent, column in zip(intents, (37, 28), strict=True):
        with pytest.raises(ModelError) as caught:
            parse_model(MODEL.replace("INTENT", f'"{intent}"'))
        assert (caught.value.column, caught.value.line) == (column, 12), caught.value


def test_files_of_anaphora_do_not_have_the_dialect() -> None:
    with pytest.raises(ModelError, match="function 'id'"):
        parse_model("id: m\nelements: [{id: a}]\nintents: [\"intent=x term={id == 'a'}\"]\n")
