"""Replies, explanations and conversations show themselves in a notebook."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.support.weather_models import WEATHER

ROOT = Path(__file__).parents[2]


class _Reader(HTMLParser):
    """The texts of a document, and a check that its tags are balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


def texts_of(value) -> list[str]:
    return [text for text in _Reader(value._repr_html_()).texts if text]


def test_a_reply_shows_its_status_intent_slots_and_text(bot):
    engine = bot(WEATHER)
    engine.ask("weather in Tokyo now")
    reply = engine.ask("and in Kyoto?")
    texts = texts_of(reply)
    assert texts[:2] == ["matched", "weather"]
    assert reply.text in texts
    place = texts.index("city")
    assert texts[place : place + 4] == ["city", "Kyoto", "Kyoto", "sentence"]
    place = texts.index("date")
    assert texts[place + 3] == "memory"


def test_a_reply_and_its_conversation_are_one_readable_line(bot):
    engine = bot(WEATHER)
    reply = engine.ask("weather in Tokyo now")
    start = "Reply('matched', intent='weather', slots={"
    assert repr(reply).startswith(start)
    assert "'city': 'Tokyo'" in repr(reply)
    city = reply.slots["city"].taken[0].entity
    assert repr(city) == "Entity('city', 'Tokyo', 11:16, value='Tokyo')"
    assert repr(engine) == "Engine('weather')"
    assert repr(engine.model()) == "Model('weather', 3 elements, 1 intent)"
    remembered = repr(engine.conversation())
    assert remembered.startswith("Conversation('")
    assert "1 question, [" in remembered
    assert "city=Tokyo" in remembered
    assert len(repr(reply)) + len(remembered) < 300


def test_a_reply_shows_what_is_missing_and_why_it_is_rejected(bot):
    engine = bot(WEATHER)
    incomplete = texts_of(engine.ask("What's the weather?"))
    assert incomplete[0] == "incomplete"
    assert incomplete[incomplete.index("missing") + 1] == "city"
    reply = engine.ask("bananas", user="another")
    rejected = texts_of(reply)
    assert rejected[0] == "rejected"
    assert reply.reason in rejected


def test_what_users_and_models_write_is_escaped(bot):
    engine = bot(
        """
        id: shop
        elements: [{id: thing, values: {"<b>bold</b>": ["a & b"]}}]
        intents: ["intent=buy term(thing)={# == 'thing'}"]
        responses: {buy: "<script>alert(1)</script> {{ thing }}"}
        """
    )
    reply = engine.ask("a & b <img src=x onerror=alert(2)>", explain=True)
    shown = reply._repr_html_() + engine.conversation()._repr_html_()
    assert "<b>bold" not in shown
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "<b>bold</b>" in texts_of(reply)


def test_an_explanation_shows_candidates_and_reasons(bot):
    engine = bot(WEATHER)
    engine.ask("weather in Tokyo now")
    explanation = engine.ask("and in Kyoto?", explain=True).explanation
    texts = texts_of(explanation)
    assert "city=Tokyo, because the sentence has another of group city" in texts
    assert texts[texts.index("forgotten") + 1] == "city=Tokyo, evicted by city=Kyoto"
    assert any(text.startswith("weather with topic=") for text in texts)
    # Everything that the text has is on the card.
    for line in list(explanation.lines())[1:]:
        assert line.strip().partition(": ")[2] in texts


def test_an_explained_reply_shows_its_explanation(bot):
    engine = bot(WEATHER)
    plain = engine.ask("weather in Tokyo")
    explained = engine.ask("and in Kyoto?", explain=True)
    assert "understood" not in texts_of(plain)
    assert "understood" in texts_of(explained)


def test_a_conversation_shows_its_memory_and_what_it_waits_for(bot):
    engine = bot(WEATHER)
    engine.ask("weather in Tokyo now")
    texts = texts_of(engine.conversation(user="user"))
    assert "user with weather" in texts
    place = texts.index("Tokyo")
    assert texts[place - 1 : place + 4] == ["city", "Tokyo", "city", "user", "question 1"]
    engine.ask("weather", user="ann")
    waiting = texts_of(engine.conversation(user="ann"))
    assert waiting[waiting.index("pending") + 1] == "weather, without city"


def test_an_empty_conversation_can_be_shown(bot):
    shown = texts_of(bot(WEATHER).conversation())
    assert shown == ["conversation", "user with weather", "0 questions"]


def test_colors_leave_text_and_background_to_the_theme(bot):
    engine = bot(WEATHER)
    shown = engine.ask("weather in Tokyo", explain=True)._repr_html_()
    assert set(re.findall(r"[;\"]color:(\w+)", shown)) == {"inherit"}
    backgrounds = set(re.findall(r"background:([^;\"]+)", shown))
    assert all(re.fullmatch(r"transparent|rgba\(.+,\.\d+\)", one) for one in backgrounds)


@pytest.mark.filterwarnings("default")  # of the libraries of Jupyter
def test_a_notebook_shows_replies_explanations_and_conversations(monkeypatch, tmp_path):
    reason = "needs nbclient and ipykernel: pip install 'anaphora[dev]'"
    nbclient = pytest.importorskip("nbclient", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    from nbformat.v4 import new_code_cell, new_notebook

    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    cells = [
        f"from anaphora import Engine, parse_model\nengine = Engine(parse_model({WEATHER!r}))",
        "engine.ask('weather in Tokyo now')",
        "engine.explain('and in Kyoto?')",
        "engine.conversation()",
    ]
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(ROOT))
    reply, explanation, conversation = (
        _Reader(cell.outputs[0].data["text/html"]).texts for cell in notebook.cells[1:]
    )
    assert {"matched", "city", "Tokyo"} <= set(reply)
    assert "city=Tokyo, because the sentence has another of group city" in explanation
    assert "user with weather" in conversation
