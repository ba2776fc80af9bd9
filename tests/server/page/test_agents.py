"""Agents on the page: their chat, their memory, and their knowledge graph."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, Request, expect

from anaphora import Engine
from anaphora.agents.agent import Agent
from anaphora.agents.archive.document import Document
from anaphora.agents.context.blocks import Block
from anaphora.agents.files.loader import open_agent as open_declared
from anaphora.agents.files.reading import parse_agent_file
from anaphora.agents.graph.facts import NewFact
from anaphora.chat_model.chat_model import ChatModel
from anaphora.ltm.retrieval.store import UserKey
from anaphora.server.auth.keys import generate_key
from anaphora.server.settings.model import Settings
from tests.server.page.conftest import Server, Visit, serving
from tests.server.page.contrast import NOTHING_WIDER, POOR_CONTRAST
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call, calls, fault

Visits = Callable[..., Visit]

_MARKUP = "<img src=x onerror=alert(1)><b>bold</b>"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine("sales", "weather") as engine:
        yield engine


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(tokenizer="llama") as endpoint:
        yield endpoint


@pytest.fixture
def ada(endpoint: ScriptedEndpoint, tmp_path: Path) -> Iterator[Agent]:
    model = ChatModel(endpoint.url, "small", window=8192, max_retries=0)
    rules = Block("rules", "Be kind.", "what always holds", limit=40, read_only=True)
    memory = f"sqlite:///{tmp_path / 'memory.db'}"
    with (
        closing(model),
        Agent(model, name="ada", memory=memory, blocks=[rules], graph="beside") as agent,
    ):
        yield agent


@pytest.fixture
def server(engine: Engine, ada: Agent) -> Iterator[Server]:
    with serving(engine, Settings(models=("sales", "weather")), agents=[ada]) as server:
        yield server


def hello(text: str = "Hello, Ann!") -> Reply:
    return call("send_message", {"message": text}, thought="A new user. I greet her.")


def open_agent(at: Visit) -> Page:
    """Open the page and choose the agent where one chooses a model."""
    at.open()
    at.page.locator("#model").select_option(label="ada")
    expect(at.page.locator("#agent-context .context-bar")).to_be_visible()
    return at.page


def write(page: Page, *texts: str) -> None:
    """Write to the agent, and wait for each answer."""
    for text in texts:
        done = page.locator(".agent-turn.done").count()
        page.locator("#question").fill(text)
        page.locator("#question").press("Enter")
        expect(page.locator(".agent-turn.done")).to_have_count(done + 1)


def block(page: Page, label: str) -> Locator:
    return page.locator(f'.block[data-label="{label}"]')


def teach(agent: Agent, user: str, *facts: tuple[str, str, str], days_ago: float = 0) -> None:
    """Let the graph of a user learn facts at a time."""
    at = datetime.now(UTC) - timedelta(days=days_ago)
    new = [NewFact(*fact) for fact in facts]
    assert agent.graph is not None
    agent.graph.add(UserKey(user), new, at=at, source="test:1", model=agent.name)


class TestTheChat:
    def test_shows_the_answer_with_what_the_agent_did_for_it(
        self, visit: Visits, endpoint: ScriptedEndpoint
    ):
        saved = call("core_memory_append", {"name": "human", "content": "Name: Ann."})
        endpoint.play([calls(saved, hello())])
        page = open_agent(visit())
        write(page, "Hi, I'm Ann.")
        turn = page.locator(".agent-turn")
        expect(turn.locator(".bubble")).to_have_text(["Hello, Ann!"])
        expect(turn.locator(".thought")).to_contain_text("A new user. I greet her.")
        details = turn.locator("details.call")
        expect(details).to_have_count(1)  # the message itself is not shown twice
        expect(details.locator(".result")).to_be_hidden()
        details.locator("summary").press("Enter")
        expect(details).to_contain_text("Name: Ann.")
        expect(details.locator(".result dd")).to_have_text("done")
        expect(block(page, "human").locator("textarea")).to_have_value("Name: Ann.")
        expect(page.locator("#said")).to_have_text("Hello, Ann!")

    def test_shows_each_step_as_it_happens(self, visit: Visits, endpoint: ScriptedEndpoint):
        goes_on = threading.Event()
        search = call("archival_memory_search", {"query": "Ann", "request_heartbeat": True})
        left = iter([search, hello()])

        def reply(body: dict[str, Any]) -> Reply:
            if (found := next(left)) is not search:
                goes_on.wait(30)
            return found

        endpoint.play(reply)
        page = open_agent(visit())
        try:
            page.locator("#question").fill("Hi!")
            page.locator("#question").press("Enter")
            turn = page.locator(".agent-turn.sending")
            expect(turn.locator('[data-call="archival_memory_search"]')).to_be_visible()
            expect(turn.get_by_role("img", name="The agent is working")).to_be_visible()
            expect(page.locator(".bubble")).to_have_count(0)
            page.locator("#question").fill("Are you there?")
            page.locator("#question").press("Enter")
            expect(page.locator("#unsent")).to_contain_text("has not been answered yet")
            expect(page.locator("#question")).to_have_value("Are you there?")
        finally:
            goes_on.set()
        expect(page.locator(".agent-turn.done .bubble")).to_have_text(["Hello, Ann!"])
        expect(page.locator("#unsent")).to_be_empty()

    def test_sends_a_message_again_under_the_same_id_once_the_model_is_back(
        self, visit: Visits, endpoint: ScriptedEndpoint
    ):
        endpoint.play([fault("status 503")])
        page = open_agent(visit(refused=True))
        sent: list[dict[str, Any]] = []
        page.on("request", lambda request: _keep_message(request, sent))
        page.locator("#question").fill("Hi!")
        page.locator("#question").press("Enter")
        expect(page.locator("#notice")).to_contain_text("Language model unavailable")
        expect(page.locator(".agent-turn.failed")).to_contain_text("Language model unavailable")
        endpoint.play([hello()])
        page.locator("#notice").get_by_role("button", name="Try again").click()
        expect(page.locator(".agent-turn.done .bubble")).to_have_text(["Hello, Ann!"])
        expect(page.locator("#notice")).not_to_contain_text("unavailable")
        expect(page.locator(".agent-turn")).to_have_count(1)
        first, second = sent
        assert first == second
        assert first["id"]

    def test_a_message_that_failed_can_be_sent_again_after_a_reload(
        self, visit: Visits, endpoint: ScriptedEndpoint
    ):
        endpoint.play([fault("status 503")])
        page = open_agent(visit(refused=True))
        page.locator("#question").fill("Hi!")
        page.locator("#question").press("Enter")
        expect(page.locator(".agent-turn.failed")).to_be_visible()
        endpoint.play([hello()])
        page.reload()
        expect(page.locator(".agent-turn.failed .asked")).to_contain_text("Hi!")
        page.locator(".agent-turn").get_by_role("button", name="Try again").click()
        expect(page.locator(".agent-turn.done .bubble")).to_have_text(["Hello, Ann!"])

    def test_is_there_after_a_reload(self, visit: Visits, endpoint: ScriptedEndpoint):
        endpoint.play([hello("one"), hello("two")])
        page = open_agent(visit())
        write(page, "First.", "Second.")
        page.reload()
        expect(page.locator(".agent-turn .asked .text")).to_have_text(["First.", "Second."])
        expect(page.locator(".bubble")).to_have_text(["one", "two"])

    def test_survives_the_service_going_away(
        self, visit: Visits, server: Server, endpoint: ScriptedEndpoint
    ):
        endpoint.play([hello()])
        page = open_agent(visit(refused=True))
        server.stop()
        page.locator("#question").fill("Hi!")
        page.locator("#question").press("Enter")
        expect(page.locator(".agent-turn.failed")).to_contain_text("cannot be reached")
        server.start()
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".agent-turn.done .bubble")).to_have_text(["Hello, Ann!"])
        expect(page.locator("#notice")).not_to_contain_text("cannot be reached")

    def test_shows_what_the_agent_says_without_being_asked(
        self, visit: Visits, endpoint: ScriptedEndpoint
    ):
        endpoint.play([hello("Welcome back!")])
        at = visit()
        page = open_agent(at)
        body = {"user": at.user, "kind": "login"}
        httpx.post(f"{at.server.url}/v1/agents/ada/events", json=body).raise_for_status()
        expect(page.locator(".bubble")).to_have_text(["Welcome back!"])
        expect(page.locator(".agent-turn .asked")).to_contain_text("The user logged in.")

    def test_texts_are_never_markup(self, visit: Visits, ada: Agent, endpoint: ScriptedEndpoint):
        saved = call("core_memory_append", {"name": "human", "content": _MARKUP}, thought=_MARKUP)
        endpoint.play([calls(saved, call("send_message", {"message": _MARKUP}))])
        at = visit()
        teach(ada, at.user, ("user", _MARKUP, _MARKUP))
        page = open_agent(at)
        write(page, _MARKUP)
        expect(page.locator(".bubble")).to_have_text([_MARKUP])
        expect(page.locator(".asked .text")).to_have_text(_MARKUP)
        expect(page.locator(".node")).to_have_count(2)
        expect(page.locator("main img, main b:text-is('bold')")).to_have_count(0)

    def test_what_is_typed_stays_with_the_agent_or_the_model(
        self, visit: Visits, endpoint: ScriptedEndpoint
    ):
        at = visit()
        page = open_agent(at)
        page.locator("#question").fill("for ada")
        page.locator("#model").select_option(label="Weather")
        expect(page.locator("#ranking")).to_be_visible()
        expect(page.locator("#agent-panels")).to_be_hidden()
        expect(page.locator("#question")).to_have_value("")
        expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")  # switched
        at.ask("What is the weather in Tokyo?")
        page.locator("#model").select_option(label="ada")
        expect(page.locator("#question")).to_have_value("for ada")
        expect(page.locator("#memory")).to_be_hidden()
        assert endpoint.requests == []


class TestTheMainContext:
    def test_fills_with_the_messages(self, visit: Visits, endpoint: ScriptedEndpoint):
        endpoint.play([hello()])
        at = visit()
        page = open_agent(at)
        meter = page.get_by_role("meter", name="Main context")
        shown = page.locator("#agent-context .legend .messages dd")
        expect(shown).to_have_text("0")
        write(page, "Hi, I'm Ann.")
        expect(shown).not_to_have_text("0")
        context = _get(at, "queue")["context"]
        used = sum(context[part] for part in ("system", "functions", "summary", "messages"))
        expect(meter).to_have_attribute("aria-valuenow", str(used))
        assert context["messages"] > 0
        expect(shown).to_have_text(f"{context['messages']:,}")
        expect(page.locator("#agent-context .pressure")).to_have_text("70 %")

    def test_the_queue_is_what_the_model_sees(self, visit: Visits, endpoint: ScriptedEndpoint):
        endpoint.play([hello()])
        page = open_agent(visit())
        write(page, "Hi, I'm Ann.")
        lines = page.locator("#agent-queue .queue > li")
        expect(lines.locator(".who")).to_have_text(["user", "agent", "send_message"])
        expect(lines.first).to_contain_text("Hi, I'm Ann.")
        expect(lines.nth(1).locator("summary code")).to_have_text("send_message")
        expect(page.locator("#agent-steps .events > li")).to_have_count(1)
        expect(page.locator("#agent-steps .event-text")).to_have_text("Hi, I'm Ann.")
        expect(page.locator("#agent-usage tbody tr").first.locator("td").first).to_have_text("1")


class TestTheCoreMemory:
    def test_can_be_edited(self, visit: Visits, ada: Agent):
        at = visit()
        human = block(open_agent(at), "human")
        expect(human.get_by_role("button", name="Save")).to_be_hidden()
        human.locator("textarea").fill("Name: Ann.")
        expect(human.locator(".count")).to_have_text("10 of 2,000")
        human.get_by_role("button", name="Save").click()
        expect(human.get_by_role("button", name="Save")).to_be_hidden()
        expect(at.page.locator("#said")).to_have_text("Saved.")
        expect(human.locator("textarea")).to_be_focused()
        assert {one.label: value for one, value in ada.core(at.user)}["human"] == "Name: Ann."

    def test_an_edit_can_be_undone(self, visit: Visits):
        human = block(open_agent(visit()), "persona")
        text = human.locator("textarea").input_value()
        human.locator("textarea").fill("Something else.")
        human.get_by_role("button", name="Undo").click()
        expect(human.locator("textarea")).to_have_value(text)
        human.locator("textarea").fill("Something else.")
        human.locator("textarea").press("Escape")
        expect(human.locator("textarea")).to_have_value(text)
        expect(human.get_by_role("button", name="Undo")).to_be_hidden()

    def test_a_refusal_is_shown_at_the_block(self, visit: Visits):
        rules = block(open_agent(visit(refused=True)), "rules")
        expect(rules.locator("h3")).to_contain_text("the agent may only read it")
        rules.locator("textarea").fill("too long " * 20)
        expect(rules.locator(".count")).to_have_class("count over")
        rules.locator("textarea").press("Control+Enter")
        expect(rules.get_by_role("alert")).to_contain_text("Not saved")
        expect(rules.get_by_role("alert")).to_contain_text("40")
        expect(rules.locator("textarea")).to_have_value("too long " * 20)
        expect(rules.locator("textarea")).to_have_attribute("aria-invalid", "true")

    def test_what_is_being_typed_is_not_overwritten_by_the_agent(
        self, visit: Visits, endpoint: ScriptedEndpoint
    ):
        saved = call("core_memory_append", {"name": "human", "content": "Name: Ann."})
        endpoint.play([calls(saved, hello())])
        page = open_agent(visit())
        human = block(page, "human")
        human.locator("textarea").fill("I am typing")
        write(page, "Hi, I'm Ann.")
        expect(human.get_by_role("alert")).to_contain_text("has changed this block meanwhile")
        expect(human.locator("textarea")).to_have_value("I am typing")
        human.get_by_role("button", name="Undo").click()
        expect(human.locator("textarea")).to_have_value("Name: Ann.")


class TestDeclaredMemories:
    @pytest.fixture
    def ada(self, endpoint: ScriptedEndpoint) -> Iterator[Agent]:
        declared = "{type: state, schema: {name: text, class: {choices: [elf, dwarf]}}}"
        text = f"agent: ada\nmemories: {{hero: {declared}, quest: {{type: state}}}}"
        file = parse_agent_file(text, Path("ada.yaml"))
        with open_declared(file, url=endpoint.url) as agent:
            yield agent

    def test_a_text_can_be_corrected(self, visit: Visits, ada: Agent):
        at = visit()
        ada.edit_memory("quest", "Find the cave.", user=at.user)
        quest = block(open_agent(at), "quest")
        expect(quest.locator("textarea")).to_have_value("Find the cave.")
        quest.locator("textarea").fill("Leave the cave.")
        quest.get_by_role("button", name="Save").click()
        expect(at.page.locator("#said")).to_have_text("Saved.")
        assert ada.memories(at.user)["quest"].value == "Leave the cave."

    def test_fields_can_be_corrected(self, visit: Visits, ada: Agent):
        at = visit(refused=True)
        ada.edit_memory("hero", {"name": "Bea", "class": "elf"}, user=at.user)
        hero = block(open_agent(at), "hero")
        area = hero.locator("textarea")
        for wrong, reason in (("{an elf", "This is not JSON"), ('{"class": "orc"}', "class")):
            area.fill(wrong)
            area.press("Control+Enter")
            expect(hero.get_by_role("alert")).to_contain_text(reason)
        assert ada.memories(at.user)["hero"].value == {"name": "Bea", "class": "elf"}
        area.fill('{"name": "Bea", "class": "dwarf"}')
        area.press("Control+Enter")
        expect(hero.get_by_role("alert")).to_be_empty()
        expect(area).to_have_value('{\n "name": "Bea",\n "class": "dwarf"\n}')
        assert ada.memories(at.user)["hero"].value["class"] == "dwarf"


class TestSearch:
    def test_finds_what_was_said(self, visit: Visits, endpoint: ScriptedEndpoint):
        endpoint.play([hello("Racing is fun."), hello("So is Kyoto.")])
        page = open_agent(visit())
        write(page, "I like racing.", "I live in Kyoto.")
        page.locator("#search-text").fill("racing")
        page.locator("#search-text").press("Enter")
        found = page.locator("#agent-search .found li")
        expect(found.first).to_contain_text("I like racing.")
        expect(found.first).to_contain_text("Racing is fun.")

    def test_finds_documents(self, visit: Visits, ada: Agent):
        ada.load([Document.from_text("nara.md", "The deer of Nara are tame.")])
        page = open_agent(visit())
        page.locator("#search-in").select_option("archive")
        found = page.locator("#agent-search .found li")
        expect(found).to_have_text(["nara.md1 passage, shared by all users"])
        page.locator("#search-text").fill("deer")
        page.get_by_role("button", name="Search").click()
        expect(found).to_contain_text(["The deer of Nara are tame."])


class TestTheGraph:
    def test_can_be_walked_by_the_mouse(self, visit: Visits, ada: Agent):
        at = visit()
        teach(ada, at.user, ("user", "likes", "racing"), ("racing", "takes place in", "Suzuka"))
        page = open_agent(at)
        graph = page.locator("#agent-graph")
        expect(graph.locator(".node.here")).to_have_attribute("data-entity", "user")
        expect(graph.locator(".node")).to_have_count(3)
        expect(graph.locator(".edge text")).to_have_text(["likes", "takes place in"])
        graph.locator('.node[data-entity="Suzuka"] .dot').click()
        expect(graph.locator(".node.here")).to_have_attribute("data-entity", "Suzuka")
        graph.get_by_role("button", name="Back", exact=True).click()
        expect(graph.locator(".node.here")).to_have_attribute("data-entity", "user")
        graph.locator("#graph-depth").select_option("1")
        expect(graph.locator(".node")).to_have_count(2)

    def test_can_be_walked_by_the_keyboard(self, visit: Visits, ada: Agent):
        at = visit()
        teach(ada, at.user, ("user", "likes", "racing"))
        page = open_agent(at)
        here = page.locator("#agent-graph .node.here")
        expect(here).to_be_visible()
        here.focus()
        for arrow in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
            page.keyboard.press(arrow)
        racing = page.locator('.node[data-entity="racing"]')
        expect(racing).to_be_focused()
        page.keyboard.press("Enter")
        expect(here).to_have_attribute("data-entity", "racing")
        expect(here).to_be_focused()
        expect(page.locator("#said")).to_have_text("racing: 1 fact.")

    def test_is_also_a_table(self, visit: Visits, ada: Agent):
        at = visit()
        teach(ada, at.user, ("user", "likes", "racing"))
        page = open_agent(at)
        table = page.locator("#agent-graph .facts")
        table.locator("summary").click()
        cells = table.locator("tbody tr td")
        expect(cells.nth(0)).to_have_text("user")
        expect(cells.nth(1)).to_have_text("likes")
        expect(cells.nth(4)).to_have_text("holds")
        table.get_by_role("button", name="racing").click()
        expect(page.locator(".node.here")).to_have_attribute("data-entity", "racing")

    def test_shows_what_held_at_a_time(self, visit: Visits, ada: Agent):
        at = visit(timezone_id="UTC")
        teach(ada, at.user, ("user", "visited", "Osaka"), days_ago=30)
        teach(ada, at.user, ("user", "visited", "Kyoto"), days_ago=2)
        page = open_agent(at)
        nodes = page.locator("#agent-graph .node")
        expect(nodes).to_have_count(3)
        as_of = page.locator("#graph-at")
        as_of.fill(f"{datetime.now(UTC) - timedelta(days=10):%Y-%m-%dT%H:%M}")
        as_of.dispatch_event("change")
        expect(nodes).to_have_count(2)
        expect(page.locator('.node[data-entity="Osaka"]')).to_be_visible()
        page.get_by_role("button", name="Now", exact=True).click()
        expect(nodes).to_have_count(3)


class TestKeysAndLooks:
    def test_a_key_that_may_only_ask_is_told_so(self, visit: Visits, engine: Engine, ada: Agent):
        secret, kept = generate_key("desk", scopes=("ask",))
        with serving(engine, Settings(models=("sales",), keys=(kept,)), agents=[ada]) as server:
            at = visit(server, refused=True)
            at.page.goto(f"{server.url}/?user={at.user}")
            at.page.locator("#door-key").fill(secret)
            at.page.locator("#door-key").press("Enter")
            expect(at.page.locator("#welcome h2")).to_be_visible()
            expect(at.page.locator("#model option")).to_have_count(1)

    def test_a_service_without_agents_shows_none(self, visit: Visits, engine: Engine):
        with serving(engine, Settings(models=("sales", "weather"))) as server:
            at = visit(server).open()
            expect(at.page.locator("#model option")).to_have_count(2)
            expect(at.page.locator("#model optgroup")).to_have_count(0)

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("width", [360, 1280, pytest.param(2000, marks=pytest.mark.thorough)])
    def test_everything_can_be_read(
        self, visit: Visits, ada: Agent, endpoint: ScriptedEndpoint, scheme: str, width: int
    ):
        at = visit(color_scheme=scheme, viewport={"width": width, "height": 800})
        saved = call("core_memory_append", {"name": "nobody", "content": "x" * 300})
        endpoint.play([saved, hello("A long word: " + "x" * 300)])
        teach(ada, at.user, ("user", "likes", "racing " + "x" * 200))
        page = open_narrow(at) if width < 700 else open_agent(at)
        write(page, "Hi! " + "x" * 300)
        for tab in ("Chat", "Memory", "Activity") if width < 700 else ("",):
            if tab:
                page.get_by_role("tab", name=tab).click()
            assert page.evaluate(NOTHING_WIDER)
            assert page.evaluate(POOR_CONTRAST) == []


def open_narrow(at: Visit) -> Page:
    """Choose the agent where its panels are behind tabs."""
    at.open()
    at.page.locator("#model").select_option(label="ada")
    expect(at.page.locator("#welcome h2")).to_have_text("ada")
    return at.page


def _keep_message(request: Request, sent: list[dict[str, Any]]) -> None:
    if request.url.endswith("/messages"):
        sent.append(json.loads(request.post_data or "{}"))


def _get(at: Visit, what: str) -> Any:
    url = f"{at.server.url}/v1/agents/ada/{what}"
    return httpx.get(url, params={"user": at.user}).raise_for_status().json()
