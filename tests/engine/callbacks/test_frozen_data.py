"""Handlers, hooks and functions of a bot's author see data of the model and change none of it."""

from __future__ import annotations

import pytest

from anaphora import Company, Engine, Request, User
from anaphora.errors import HandlerError
from anaphora.models.loader import load_model

BOT = """\
id: bot
meta: {model: {list: [1]}}
elements:
  - {id: lamp, values: [lamp], meta: {watts: 60, list: [1, {deep: 2}]}}
  - {id: when, recognizer: date, meta: {list: [1]}}
intents:
  - >-
    intent=light meta={'intent': {'list': [1]}}
    term(lamp)={# == 'lamp'} term(when)~{# == 'when'}?
responses:
  light: "{{ slots.lamp.meta.watts }}"
"""
FUNCTION = """
def writes(entity, surroundings):
    WRITE
    return True
"""


@pytest.fixture
def engine(tmp_path):
    (tmp_path / "bot.yaml").write_text(BOT)
    with Engine(tmp_path / "bot.yaml") as engine:
        yield engine


WRITES = {
    "the meta of a slot": lambda match, _: match.slots["lamp"].meta.update(watts=1),
    "a list in it": lambda match, _: match.slots["lamp"].meta["list"].append(1),
    "data in that list": lambda match, _: match.slots["lamp"].meta["list"][1].clear(),
    "the meta of an entity": lambda match, _: match.entities[0].meta.clear(),
    "the meta of the intent": lambda match, _: match.intent.meta["intent"]["list"].append(2),
    "what a recognizer knows": lambda match, _: match.slots["when"].meta.update(start=0),
    "what is remembered": lambda _, conversation: conversation.entities[0].meta.update(a=1),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_handler_that_writes_to_shared_data_is_told_to_copy_it(engine, write):
    def handler(match, conversation):
        write(match, conversation)

    assert engine.ask("lamp today").text == "60"
    engine.on("light")(handler)
    with pytest.raises(HandlerError, match="cannot be changed: change a copy"):
        engine.ask("lamp tomorrow")
    engine.on("light")(lambda: None)
    assert engine.ask("lamp", user="another").text == "60"
    assert engine.model().element("lamp").meta == {"watts": 60, "list": [1, {"deep": 2}]}
    assert engine.model().intent("light").meta == {"intent": {"list": [1]}}


def test_a_handler_may_change_copies_and_its_own_data(engine):
    @engine.on("light")
    def handler(match, data):
        meta = dict(match.slots["lamp"].meta)
        meta["watts"] += data.setdefault("more", {"watts": 0})["watts"]
        data["more"]["watts"] += 1
        return str(meta["watts"])

    assert [engine.ask("lamp").text for _ in range(3)] == ["60", "61", "62"]


@pytest.mark.parametrize(
    "write",
    [
        "surroundings.model.meta['model']['list'].append(1)",
        "surroundings.intent_meta.update(a=1)",
        "surroundings.conversation_data.update(a=1)",
        "surroundings.request.data['list'].append(1)",
        "surroundings.user.meta.update(a=1)",
        "surroundings.user.company.meta.update(a=1)",
        "entity.meta['list'].append(1)",
    ],
)
def test_a_function_of_a_term_that_writes_to_shared_data_is_told_so(tmp_path, write):
    (tmp_path / "functions.py").write_text(FUNCTION.replace("WRITE", write))
    (tmp_path / "bot.yaml").write_text(
        BOT.replace("term(lamp)={# == 'lamp'}", "term(lamp)=/functions#writes/")
    )
    given, about = {"list": [1]}, {"plan": "gold"}
    user = User("ann", meta=about, company=Company("acme", meta=about))
    with Engine(tmp_path / "bot.yaml") as engine:
        reply = engine.ask("lamp", user=user, request=Request(data=given))
    assert reply.status == "rejected"
    assert "cannot be changed: change a copy" in reply.reason
    assert (given, about) == ({"list": [1]}, {"plan": "gold"})


def test_no_function_of_a_model_changes_the_environment_of_the_process(tmp_path, monkeypatch):
    (tmp_path / "functions.py").write_text(
        FUNCTION.replace("WRITE", "surroundings.environment['PATH'] = ''")
    )
    (tmp_path / "bot.yaml").write_text(
        BOT.replace("term(lamp)={# == 'lamp'}", "term(lamp)=/functions#writes/")
    )
    with Engine(tmp_path / "bot.yaml") as engine:
        assert engine.ask("lamp").status == "rejected"


def test_a_model_that_was_cached_is_frozen_as_well(tmp_path):
    (tmp_path / "bot.yaml").write_text(BOT)
    for _ in range(2):
        with Engine(tmp_path / "bot.yaml", cache=tmp_path / "cache") as engine:
            with pytest.raises(TypeError, match="cannot be changed"):
                engine.model().element("lamp").meta["list"].append(2)
            assert engine.model() == load_model(tmp_path / "bot.yaml")


def test_what_a_store_gives_back_is_frozen_as_well(tmp_path):
    (tmp_path / "bot.yaml").write_text(BOT)
    with Engine(tmp_path / "bot.yaml", store=f"sqlite:///{tmp_path}/bot.db") as engine:

        @engine.on("light")
        def handler(data):
            data["list"] = [1]

        engine.ask("lamp today")
        held = engine.conversation()
        for meta in (*(entity.meta for entity in engine.ask("lamp today").memory), held.data):
            with pytest.raises(TypeError, match="cannot be changed"):
                meta["list"].append(2)
        assert len(held.remembered) == 2
