"""A model that is read again while others reload it, and while handlers are registered."""

from __future__ import annotations

import threading

import pytest

from anaphora import Engine
from anaphora.engine.bots import bot_registry as module
from anaphora.engine.bots.bot import Bot
from anaphora.errors import HandlerError
from anaphora.models.loader import load_model
from anaphora.server.service.model_reloader import ModelReloader

BOT = """\
id: lamp
elements:
  - {id: lamp, values: [lamp]}
intents:
  - intent=light term(lamp)={# == 'lamp'}
responses:
  light: first
"""
SOON = 1.0  # seconds in which something happens that must not; whether it does shows later
PATIENCE = 120.0


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lamp.yaml"
    path.write_text(BOT)
    return path


@pytest.fixture
def engine(file):
    with Engine(file) as engine:
        yield engine


def answers(engine):
    return engine.ask("lamp").text


def running(function, *arguments):
    thread = threading.Thread(target=function, args=arguments)
    thread.start()
    return thread


def test_a_slower_reload_that_began_before_does_not_bring_back_the_earlier_state(
    engine, file, monkeypatch
):
    begun, may_go_on = threading.Event(), threading.Event()

    def load(source, **options):
        loaded = load_model(source, **options)
        if not begun.is_set():
            begun.set()
            assert may_go_on.wait(PATIENCE)
        return loaded

    monkeypatch.setattr(module, "load_model", load)
    slow = running(engine.reload)
    assert begun.wait(PATIENCE)
    file.write_text(BOT.replace("first", "second"))
    newer = running(engine.reload)
    newer.join(SOON)
    may_go_on.set()
    slow.join()
    newer.join()
    assert answers(engine) == "second"


@pytest.mark.parametrize("kind", ["handler", "hook"])
def test_what_is_registered_while_a_model_is_reloaded_answers_after_it(engine, monkeypatch, kind):
    registering = []

    def register():
        if kind == "handler":
            engine.on("light")(lambda: "handled")
        else:
            engine.hook("result")(lambda match, result: "handled")

    def take_over(after, before):
        plain(after, before)
        registering.append(running(register))
        registering[0].join(SOON)

    plain = Bot.adopt_callbacks
    monkeypatch.setattr(Bot, "adopt_callbacks", take_over)
    if kind == "hook":
        engine.on("light")(lambda: "not yet")
    engine.reload()
    registering[0].join()
    assert answers(engine) == "handled"


def test_a_decorator_that_was_made_before_a_reload_registers_after_it(engine):
    register, hook = engine.on("light"), engine.hook("result")
    engine.reload()
    register(lambda: "handled")
    assert answers(engine) == "handled"
    hook(lambda match, result: "changed")
    assert answers(engine) == "changed"


def test_a_decorator_for_an_intent_that_is_gone_says_so(engine, file):
    register = engine.on("light")
    file.write_text(BOT.replace("light", "dark"))
    engine.reload()
    with pytest.raises(HandlerError, match="no model has an intent 'light'"):
        register(lambda: "handled")


def test_engines_of_the_same_models_are_reloaded_together(engine, file):
    other = engine.with_long_term(None)
    file.write_text(BOT.replace("first", "second"))
    engine.reload()
    assert (answers(engine), answers(other)) == ("second", "second")
    file.write_text(BOT.replace("first", "third"))
    other.reload()
    assert (answers(engine), answers(other)) == ("third", "third")
    other.on("light")(lambda: "handled")
    assert (answers(engine), answers(other)) == ("handled", "handled")


async def run(function):
    function()


def test_a_worker_that_was_slower_takes_up_what_another_was_asked_for_later(
    engine, file, monkeypatch
):
    with Engine(file, store=engine.store) as beside:
        slow, quick = ModelReloader(engine, run), ModelReloader(beside, run)

        def reload(model):
            now = plain(model)
            file.write_text(BOT.replace("first", "second"))
            quick.reload("lamp")
            return now

        plain = engine.reload
        with monkeypatch.context() as patch:
            patch.setattr(engine, "reload", reload)
            slow.reload("lamp")
        slow.check_requests()
        quick.check_requests()
        assert (answers(engine), answers(beside)) == ("second", "second")


def test_a_file_that_changes_while_it_is_read_is_read_again(engine, file, monkeypatch):
    reloads = ModelReloader(engine, run)

    def reload(model):
        now = plain(model)
        file.write_text(BOT.replace("first", "the third"))
        return now

    plain = engine.reload
    file.write_text(BOT.replace("first", "second"))
    with monkeypatch.context() as patch:
        patch.setattr(engine, "reload", reload)
        reloads.check_files()
    assert answers(engine) == "second"
    reloads.check_files()
    assert answers(engine) == "the third"
