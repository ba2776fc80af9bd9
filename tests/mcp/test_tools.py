"""The tools as an agent calls them, through the client of the SDK."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError

from anaphora import Engine, StoreError, parse_model
from anaphora.mcp import create_server
from tests.conftest import Clock
from tests.mcp.conftest import Shop

each = pytest.mark.parametrize


def text(result: Any) -> str:
    (content,) = result.content
    return content.text


def good(result: Any) -> Any:
    """The structured content of a result that is no error."""
    assert not result.is_error, text(result)
    return result.structured_content


class TestAsk:
    def test_a_question_is_answered_in_words_and_as_data(self, shop: Shop) -> None:
        result = shop.call("ask", text="I want tea")
        assert text(result) == "Here is your tea."
        found = good(result)
        assert (found["status"], found["intent"], found["model"]) == ("matched", "order", "shop")
        assert found["slots"]["thing"] == {
            "value": "tea",
            "text": "tea",
            "element": "thing",
            "source": "sentence",
        }
        assert {one["element"] for one in found["memory"]} == {"buy", "thing"}

    def test_a_follow_up_is_completed_from_memory(self, shop: Shop) -> None:
        shop.call("ask", text="I want tea")
        result = shop.call("ask", text="and a cake")
        assert text(result) == "Here is your cake."
        assert good(result)["slots"]["buy"]["source"] == "memory"

    def test_what_is_missing_is_asked_for(self, shop: Shop) -> None:
        result = shop.call("ask", text="I want")
        found = good(result)
        assert (found["status"], found["missing"]) == ("incomplete", ["thing"])
        assert text(result) == found["prompt"] == "What would you like?"
        assert text(shop.call("ask", text="cake")) == "Here is your cake."

    def test_what_is_not_understood_is_no_error_of_the_tool(self, shop: Shop) -> None:
        result = shop.call("ask", text="sing a song")
        found = good(result)
        assert found["status"] == "rejected"
        assert found["reason"]
        assert text(result)

    def test_a_handler_may_refuse(self, shop: Shop) -> None:
        result = shop.call("ask", text="I want gold")
        assert good(result)["reason"] == "we sell no gold"

    def test_what_a_handler_returns_is_data(self, shop: Shop) -> None:
        found = good(shop.call("ask", text="I want air"))
        assert found["result"] == {"price": 0, "unit": ["litre"]}

    def test_a_reset_phrase_says_that_it_has_worked(self, shop: Shop) -> None:
        shop.call("ask", text="I want tea")
        result = shop.call("ask", text="forget it")
        assert good(result)["status"] == "reset"
        assert text(result) == "Everything is forgotten."

    def test_each_user_has_a_conversation_of_their_own(self, shop: Shop) -> None:
        shop.call("ask", text="I want tea", user="ann")
        assert good(shop.call("ask", text="and cake", user="ben"))["status"] != "matched"
        assert good(shop.call("ask", text="and cake", user="ann"))["status"] == "matched"

    @each("user", ["null", "true", "17", '"ann"', "[1]", "a/b ü"])
    def test_a_user_may_have_any_id(self, shop: Shop, user: str) -> None:
        assert good(shop.call("ask", text="I want tea", user=user))["user"] == user
        assert shop.engine.memory(user=user)
        assert not shop.engine.memory()

    def test_who_speaks_when_nobody_is_named_can_be_set(self, shop: Shop) -> None:
        shop.visit(lambda client: client.call_tool("ask", {"text": "I want tea"}), user="zoe")
        assert shop.engine.memory(user="zoe")

    def test_another_model_can_be_asked(self, shop: Shop) -> None:
        result = shop.call("ask", text="what time is it", model="time:now")
        assert text(result) == "Noon."
        assert good(result)["model"] == "time:now"

    def test_the_active_model_of_the_user_is_asked(self, shop: Shop) -> None:
        shop.engine.switch("time:now", user="ann")
        assert good(shop.call("ask", text="what time is it", user="ann"))["status"] == "matched"
        assert good(shop.call("ask", text="what time is it"))["status"] == "rejected"

    def test_many_calls_at_once_are_answered_in_turn(self, shop: Shop) -> None:
        async def many(client: Client) -> None:
            async with anyio.create_task_group() as group:
                for _ in range(20):
                    group.start_soon(client.call_tool, "ask", {"text": "I want tea"})

        shop.visit(many)
        assert shop.orders == ["tea"] * 20
        assert shop.engine.conversation().questions == 20

    def test_a_slow_handler_does_not_hold_up_the_others(self, shop: Shop) -> None:
        go_on = threading.Event()

        @shop.engine.on("now")
        def now() -> str:
            assert go_on.wait(60)
            return "Late."

        async def both(client: Client) -> list[str]:
            said: list[str] = []

            async def ask(question: str, model: str) -> None:
                result = await client.call_tool("ask", {"text": question, "model": model})
                said.append(text(result))

            async with anyio.create_task_group() as group:
                group.start_soon(ask, "what time is it", "time:now")
                await ask("I want tea", "shop")
                go_on.set()
            return said

        assert shop.visit(both) == ["Here is your tea.", "Late."]


class TestMemory:
    def test_it_shows_what_is_remembered(self, shop: Shop, clock: Clock) -> None:
        shop.call("ask", text="I want tea")
        clock.pass_time(seconds=10)
        shop.call("ask", text="and cake")
        result = shop.call("memory")
        found = good(result)
        assert (found["questions"], found["flow"], found["timeout_seconds"]) == (
            2,
            ["order", "order"],
            300.0,
        )
        assert [(one["element"], one["questions_ago"]) for one in found["remembered"]] == [
            ("thing", 0),
            ("buy", 1),
        ]
        assert text(result).splitlines() == [
            "thing=cake, from the last question",
            "buy=I want (topic), 1 question ago",
            "answered so far: order, order",
        ]

    def test_it_shows_what_is_waited_for(self, shop: Shop) -> None:
        shop.call("ask", text="I want")
        result = shop.call("memory")
        assert good(result)["pending"]["missing"] == ["thing"]
        assert "waiting for thing of order" in text(result)

    def test_after_the_timeout_it_is_empty(self, shop: Shop, clock: Clock) -> None:
        shop.call("ask", text="I want tea")
        clock.pass_time(minutes=6)
        result = shop.call("memory")
        assert (good(result)["remembered"], text(result)) == ([], "Nothing is remembered.")


class TestReset:
    @pytest.fixture(autouse=True)
    def asked(self, shop: Shop) -> None:
        shop.call("ask", text="I want tea")

    def test_it_forgets_everything(self, shop: Shop) -> None:
        found = good(shop.call("reset"))
        assert (found["remembered"], found["flow"], found["questions"]) == ([], [], 0)

    def test_it_forgets_the_flow_alone(self, shop: Shop) -> None:
        found = good(shop.call("reset", what="flow"))
        assert (len(found["remembered"]), found["flow"]) == (2, [])

    def test_it_forgets_the_entities_alone(self, shop: Shop) -> None:
        found = good(shop.call("reset", what="entities"))
        assert (found["remembered"], found["flow"]) == ([], ["order"])

    def test_it_forgets_one_group(self, shop: Shop) -> None:
        found = good(shop.call("reset", group="topic"))
        assert [one["element"] for one in found["remembered"]] == ["thing"]

    def test_it_leaves_other_users_alone(self, shop: Shop) -> None:
        shop.call("reset", user="ben")
        assert shop.engine.memory()

    def test_it_takes_only_what_there_is_to_forget(self, shop: Shop) -> None:
        result = shop.call("reset", what="everything")
        assert result.is_error
        assert "'all', 'entities' or 'flow'" in text(result)
        assert shop.engine.memory()


class TestExplain:
    def test_it_tells_why_and_changes_nothing(self, shop: Shop) -> None:
        shop.call("ask", text="I want tea")
        before = shop.engine.conversation()
        said = text(shop.call("explain", text="and a green cake"))
        assert "match 1: order with buy=I want (memory), thing=cake (sentence)" in said
        assert "not understood: green" in said
        assert shop.engine.conversation() == before
        assert shop.orders == ["tea"]


class TestModels:
    def test_they_are_listed_with_examples(self, shop: Shop) -> None:
        result = shop.call("models")
        first, second = good(result)["models"]
        assert (first["id"], first["name"], first["active"]) == ("shop", "The shop", True)
        assert first["examples"] == ["I want tea", "and a cake"]
        assert (second["id"], second["active"], second["examples"]) == ("time:now", False, [])
        assert text(result).splitlines() == [
            "shop (active): Sells tea and cake.",
            "  I want tea",
            "  and a cake",
            "time:now: time:now",
        ]

    def test_the_active_one_is_that_of_the_user(self, shop: Shop) -> None:
        shop.engine.switch("time:now", user="ann")
        found = good(shop.call("models", user="ann"))["models"]
        assert [one["active"] for one in found] == [False, True]

    def test_each_is_a_resource_to_read(self, shop: Shop) -> None:
        async def read(client: Client) -> dict[str, str]:
            listed = (await client.list_resources()).resources
            pages = {}
            for one in listed:
                (page,) = (await client.read_resource(one.uri)).contents
                pages[one.name] = page.text
            return pages

        pages = shop.visit(read)
        assert set(pages) == {"shop", "time:now"}
        assert pages["shop"].startswith("# The shop\n\nSells tea and cake.\n")
        assert "- `order`: buy, thing" in pages["shop"]
        assert "- `thing`: tea, cake, poison" in pages["shop"]
        assert "- and a cake" in pages["shop"]
        assert "clock (must be in the sentence)" in pages["time:now"]

    def test_an_unknown_resource_is_an_error(self, shop: Shop) -> None:
        async def read(client: Client) -> None:
            with pytest.raises(MCPError, match="anaphora://models/nothing"):
                await client.read_resource("anaphora://models/nothing")

        shop.visit(read)


class TestErrors:
    def test_an_unknown_model_is_told_with_a_hint(self, shop: Shop) -> None:
        result = shop.call("ask", text="I want tea", model="shopp")
        assert result.is_error
        assert "no model 'shopp'; did you mean 'shop'?" in text(result)

    @each("tool", ["explain", "memory", "reset"])
    def test_every_tool_tells_it(self, shop: Shop, tool: str) -> None:
        arguments = {"text": "x"} if tool == "explain" else {}
        assert "did you mean 'shop'?" in text(shop.call(tool, model="shopp", **arguments))

    def test_a_handler_that_fails_is_told_without_a_traceback(self, shop: Shop) -> None:
        shop.call("ask", text="I want tea")
        before = shop.engine.conversation()
        result = shop.call("ask", text="and poison")
        assert result.is_error
        assert "the shelf is empty" in text(result)
        assert "Traceback" not in text(result)
        assert shop.engine.conversation() == before

    def test_a_store_that_fails_is_told(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object) -> None:
            raise StoreError("the disk is full")

        monkeypatch.setattr(shop.engine.store, "peek", broken)
        result = shop.call("memory")
        assert (result.is_error, "the disk is full" in text(result)) == (True, True)

    def test_what_nobody_foresaw_is_told_without_its_words(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: object) -> None:
            raise RuntimeError("secret words")

        monkeypatch.setattr(shop.engine.store, "peek", broken)
        result = shop.call("memory")
        assert result.is_error
        assert "secret" not in text(result)

    @each("arguments", [{}, {"text": 5}, {"text": None}, {"text": ["a"]}])
    def test_arguments_that_do_not_fit_are_told(
        self, shop: Shop, arguments: dict[str, Any]
    ) -> None:
        result = shop.call("ask", **arguments)
        assert result.is_error
        assert "text" in text(result)


class TestDescriptions:
    @pytest.fixture
    def tools(self, shop: Shop) -> dict[str, Any]:
        listed = shop.visit(lambda client: client.list_tools())
        return {tool.name: tool for tool in listed.tools}

    def test_there_are_five_tools_and_each_is_described(self, tools: dict[str, Any]) -> None:
        assert set(tools) == {"ask", "explain", "memory", "reset", "models"}
        for tool in tools.values():
            assert tool.title
            assert len(tool.description) > 60
            assert not any(line.startswith(" ") for line in tool.description.splitlines())
            described = tool.input_schema.get("properties", {})
            assert all(one.get("description") for one in described.values())

    def test_only_the_question_is_required(self, tools: dict[str, Any]) -> None:
        required = {name: tool.input_schema.get("required", []) for name, tool in tools.items()}
        assert required == {
            "ask": ["text"],
            "explain": ["text"],
            "memory": [],
            "reset": [],
            "models": [],
        }

    def test_agents_are_told_which_of_them_change_anything(self, tools: dict[str, Any]) -> None:
        hints = {name: tool.annotations for name, tool in tools.items()}
        assert {name for name, hint in hints.items() if hint.read_only_hint} == {
            "explain",
            "memory",
            "models",
        }
        assert {name for name, hint in hints.items() if hint.destructive_hint} == {"reset"}
        assert {name for name, hint in hints.items() if hint.idempotent_hint} == set(hints) - {
            "ask"
        }

    def test_answers_are_as_they_are_described(self, shop: Shop, tools: dict[str, Any]) -> None:
        from jsonschema import validate

        for question in ("I want", "tea", "I want gold", "I want air", "nothing", "forget it"):
            validate(good(shop.call("ask", text=question)), tools["ask"].output_schema)
            validate(good(shop.call("memory")), tools["memory"].output_schema)
        validate(good(shop.call("reset")), tools["reset"].output_schema)
        validate(good(shop.call("models")), tools["models"].output_schema)


def test_the_server_tells_its_name_its_version_and_how_to_use_it(shop: Shop) -> None:
    from anaphora.version import __version__

    async def about(client: Client) -> Any:
        return client.server_info, client.instructions

    info, instructions = shop.visit(about)
    assert (info.name, info.version) == ("anaphora", __version__)
    assert "own words" in instructions


@each("mode", ["legacy", "auto"])
def test_clients_of_older_and_of_newer_protocols_are_served(shop: Shop, mode: str) -> None:
    async def run() -> Any:
        async with Client(create_server(shop.engine), mode=mode) as client:
            return await client.call_tool("ask", {"text": "I want tea"})

    assert text(anyio.run(run)) == "Here is your tea."


def test_found_entities_keep_what_is_known_of_them(clock: Clock) -> None:
    model = parse_model(
        "id: day\nentities: [date]\nelements: []\n"
        "intents: [\"intent=day term(date)={# == 'date'}\"]\nresponses: {day: ok}\n"
    )

    async def run() -> Any:
        with Engine(model, clock=clock) as engine:
            async with Client(create_server(engine)) as client:
                return await client.call_tool("ask", {"text": "tomorrow"})

    assert good(anyio.run(run))["slots"]["date"]["meta"]


def test_without_the_sdk_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['mcp'] = None; import anaphora.mcp"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs the package mcp: pip install 'anaphora[mcp]'" in done.stderr
